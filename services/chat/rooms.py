"""Who may read which room of a match's chat, and who may write there."""

from enum import StrEnum
from unicodedata import category

from domain.match import AnyMatch, ChatMode, PlayerId, Reason, seat_held
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from services.chat.log import ChatRoom, Reader
from services.matches.access import check_known_to, seat_of
from services.matches.loaded import LoadedMatch
from services.matches.store import Secrets
from services.shared.errors import FailureReason, Forbidden, Malformed

LONGEST_TEXT = 500
JOINERS = "\u200c\u200d"
"""Characters without a shape of their own that emoji and some scripts cannot be written without."""


class ChatReason(StrEnum):
    """Why a message, or a report of one, is refused."""

    CHAT_OFF = "CHAT_OFF"
    WHISPER_TO_SELF = "WHISPER_TO_SELF"
    ALREADY_REPORTED = "ALREADY_REPORTED"


def reader_of(
    live: LoadedMatch,
    player: PlayerId | None,
    room: ChatRoom | None,
    secrets: Secrets | None = None,
    invitation: str | None = None,
) -> Reader:
    """Return what a player may read: of one room, or of all.

    Args:
        live: The match.
        player: Who reads; None without an account.
        room: The room; None for all.
        secrets: The secrets of the match, if an invitation is shown.
        invitation: The invitation to a private match, if it is shown.

    Raises:
        NotFound: The player may not know of the match.
        Rejected: The match has no chat.
        Forbidden: The player may not read the room.
    """
    _check_open(live, player, secrets, invitation)
    readable = _readable(live.match, player)
    if room is None:
        return Reader(player, readable)
    if room not in readable:
        raise Forbidden(FailureReason.NOT_YOUR_ROOM, room=room)
    return Reader(player, (room,))


def check_writer(
    live: LoadedMatch, player: PlayerId, room: ChatRoom, to_seat: int | None
) -> tuple[Seat | None, PlayerId | None]:
    """Return the seat that a player writes from, and to whom a whisper goes.

    Raises:
        NotFound: The player may not know of the match.
        Malformed: A seat is named that is none of the match, without need, or not at all.
        Rejected: The match has no chat, or there is nobody to whisper to.
        Forbidden: The player may not write there.
    """
    if (to_seat is not None) is not (room is ChatRoom.SEAT):
        raise Malformed(
            FailureReason.INVALID_FIELD, field="to_seat", expected="given for a whisper, and for nothing else"
        )
    _check_open(live, player)
    seat = seat_held(live.match, player)
    if to_seat is not None:
        return seat_of(live.match, player), _addressee(live.match, seat, to_seat)
    if room is ChatRoom.PLAYERS:
        return seat_of(live.match, player), None
    if room not in _readable(live.match, player):
        raise Forbidden(FailureReason.NOT_YOUR_ROOM, room=room)
    return seat, None


def readers(match: AnyMatch, author: PlayerId, room: ChatRoom, to: PlayerId | None) -> list[PlayerId]:
    """Return the players at the table whom a message is for."""
    if room is ChatRoom.SPECTATORS:
        return []
    if to is not None:
        return [to]
    return [held.player for held in match.holders if held is not None and held.player != author]


def checked_text(text: str, *, fewest: int = 1) -> str:
    """Return a text without the spaces around it.

    Characters that cannot be seen are refused, and with them those that turn the direction of what follows.

    Raises:
        Malformed: It is too short, too long, or has characters that cannot be shown.
    """
    shown = text.strip()
    if len(text) > LONGEST_TEXT or len(shown.strip(JOINERS)) < fewest or not all(map(_showable, shown)):
        expected = f"{fewest} to {LONGEST_TEXT} printable characters on one line"
        raise Malformed(FailureReason.INVALID_FIELD, field="text", expected=expected)
    return shown


def _check_open(
    live: LoadedMatch, player: PlayerId | None, secrets: Secrets | None = None, invitation: str | None = None
) -> None:
    check_known_to(live, player, secrets, invitation)
    if live.match.terms.chat is ChatMode.OFF:
        raise Rejected(ChatReason.CHAT_OFF)


def _readable(match: AnyMatch, player: PlayerId | None) -> tuple[ChatRoom, ...]:
    """Return the rooms that a player may read, who may know of the match.

    What those who look on say to each other is advice: nobody at the table may hear it before the end.
    """
    seated = player is not None and seat_held(match, player) is not None
    rooms = []
    if seated:
        rooms.append(ChatRoom.PLAYERS)
    if player is not None:
        rooms.append(ChatRoom.SEAT)
    if not seated or match.status.over:
        rooms.append(ChatRoom.SPECTATORS)
    return tuple(rooms)


def _addressee(match: AnyMatch, seat: Seat | None, to_seat: int) -> PlayerId:
    if not 0 <= to_seat < len(match.holders):
        raise Rejected(Reason.NO_SUCH_SEAT, seat=to_seat)
    if to_seat == seat:
        raise Rejected(ChatReason.WHISPER_TO_SELF)
    if (holder := match.holders[to_seat]) is None:
        raise Rejected(Reason.SEAT_FREE, seat=to_seat)
    return holder.player


def _showable(character: str) -> bool:
    return character.isprintable() or character in JOINERS or category(character) == "Zs"
