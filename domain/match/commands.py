"""What can be asked of a match of any game. Seats may ask to resign; all else comes through the lobby."""

from datetime import datetime
from typing import Annotated, get_args

from msgspec import Meta, Struct

from domain.match.state import CancelReason, Holder, PlayerId
from domain.shared.seats import Seat


class Resign(Struct, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the match up; open to every seat that has not resigned, at any time (common §6)."""


class TakeSeat(Struct, frozen=True, tag_field="type", tag="take_seat"):
    """Sit down."""

    seat: Seat
    holder: Holder


class LeaveSeat(Struct, frozen=True, tag_field="type", tag="leave_seat"):
    """Give a seat up before the match begins.

    Attributes:
        seat: The seat.
        barred: Whether its player may not come back: the opener's request, not its own.
    """

    seat: Seat
    barred: bool = False


class Invite(Struct, frozen=True, tag_field="type", tag="invite"):
    """Let a player know of the match."""

    player: PlayerId


class Start(Struct, frozen=True, tag_field="type", tag="start"):
    """Begin to play; asked for where the match does not begin by itself."""


class Cancel(Struct, frozen=True, tag_field="type", tag="cancel"):
    """Call the match off before it begins."""

    reason: CancelReason


class TimeOut(Struct, frozen=True, tag_field="type", tag="time_out"):
    """Say that a seat's time is up; no player's command."""

    seat: Seat


class Branch(Struct, frozen=True, tag_field="type", tag="branch"):
    """Begin to play on a table of another match; no player's command.

    Attributes:
        holder: Who is to hold all seats.
        first: The seat that was to act first in the other match.
        resigned: The seats that had given up, in the order in which they did.
        state: The whole table as the rules keep it, in canonical JSON; `schema` is the number of its shape.
    """

    holder: Holder
    first: Seat
    resigned: tuple[Seat, ...]
    state: str


class RenewInvitation(Struct, frozen=True, tag_field="type", tag="renew_invitation"):
    """Let the match have another link; the one that it had opens nothing any more."""


class MoveDeadline(Struct, frozen=True, tag_field="type", tag="move_deadline"):
    """Charge nobody the time in which the service was away.

    Attributes:
        began_at: Since when it was, UTC.
        ended_at: Until when, UTC.
    """

    began_at: Annotated[datetime, Meta(tz=True)]
    ended_at: Annotated[datetime, Meta(tz=True)]


LobbyCommand = (
    TakeSeat | LeaveSeat | Invite | Start | Cancel | TimeOut | Branch | RenewInvitation | MoveDeadline
)

LOBBY_COMMANDS: tuple[type[Struct], ...] = get_args(LobbyCommand)
"""The commands that are no seat's move."""
