"""What webhooks are notified of the events of a match, each as its owner may see it."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.match import AnyMatch, Cancelled, Finished, PlayerId, Started, Visibility
from domain.match.concerns import ConcernKind, concerns
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat, by_seat
from domain.shared.viewers import SPECTATOR, seated
from services.chat.log import ChatRoom, MessageId
from services.matches.store import Recorded
from services.matches.views import SeenEvent, Source, seen_event
from services.notify.subscriptions import MessageType
from services.shared.ids import MatchId
from services.shared.time import Time

_TURNING_POINTS: Mapping[type[Any], MessageType] = {
    Started: MessageType.STARTED,
    Finished: MessageType.ENDED,
    Cancelled: MessageType.CANCELLED,
}
"""What the deployment is notified of public matches."""
_TYPES: Mapping[ConcernKind, MessageType] = {
    ConcernKind.INVITED: MessageType.INVITED,
    ConcernKind.STARTED: MessageType.STARTED,
    ConcernKind.ENDED: MessageType.ENDED,
    ConcernKind.CANCELLED: MessageType.CANCELLED,
}
"""What players are told, but for turns."""


class MessageData[P](Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a message tells; what does not apply is left out, in a test all of it.

    Attributes:
        match: The match.
        game: Its game.
        version: How many events the match had then.
        seat: The seat that it concerns, if it concerns one: the subscriber's own.
        player: The player that it concerns, if it concerns one: the subscriber.
        deadline: Until when the seat has to choose, in a `your_turn` with time control, UTC.
        outcome: How the match ended, in an `ended`.
        event: The event as the subscriber may see it, in a `match.event`.
        message: What was said, in a `chat`: the message's id. The text is for the chat alone, where it can be
            taken away.
        room: Who reads what was said.
        challenge: What has to be echoed, in a `webhook.challenge`.
    """

    match: MatchId | None = None
    game: str | None = None
    version: int | None = None
    seat: Seat | None = None
    player: PlayerId | None = None
    deadline: Time | None = None
    outcome: Outcome | None = None
    event: SeenEvent[P] | None = None
    message: MessageId | None = None
    room: ChatRoom | None = None
    challenge: str | None = None


class WebhookMessage[P](Struct, frozen=True):
    """The body of a message.

    Attributes:
        type: What it tells.
        timestamp: When that happened, UTC.
        data: What there is to tell.
    """

    type: MessageType
    timestamp: Time
    data: MessageData[P]


class Notice(Struct, frozen=True):
    """That somebody is to be told something.

    Attributes:
        type: What.
        owner: Whose webhooks are told; None for the deployment's.
        seat: The seat that it concerns.
        player: The player that it concerns.
    """

    type: MessageType
    owner: PlayerId | None
    seat: Seat | None = None
    player: PlayerId | None = None


def notices(match: AnyMatch, event: object, turns: Collection[Seat]) -> Iterator[Notice]:
    """Yield who is to be told what of an event, in an order that is always the same.

    Players are notified of the matches in which they sit, and of invitations; who opened a match or was
    invited also of its being cancelled; the deployment of public matches. Nobody is notified of a branch.

    Args:
        match: The match after the event; its table does not matter.
        event: The event.
        turns: The seats that have to choose after it, and had not before it.
    """
    if match.terms.is_branch:
        return
    public = match.terms.visibility is Visibility.PUBLIC
    for seat, held in by_seat(match.holders):
        if held is not None:
            yield Notice(MessageType.MATCH_EVENT, held.player, seat, held.player)
    if public:
        yield Notice(MessageType.MATCH_EVENT, None)
    found = concerns(match, event, turns)
    for concern in found:
        if concern.kind is not ConcernKind.YOUR_TURN and (kind := _TYPES.get(concern.kind)) is not None:
            yield Notice(kind, concern.player, concern.seat, concern.player)
    if public and (kind := _TURNING_POINTS.get(type(event))) is not None:
        yield Notice(kind, None)
    for concern in found:
        if concern.kind is ConcernKind.YOUR_TURN:
            yield Notice(MessageType.YOUR_TURN, concern.player, concern.seat, concern.player)
            if public:
                yield Notice(MessageType.YOUR_TURN, None, concern.seat, concern.player)


def body(source: Source, match: AnyMatch, recorded: Recorded, notice: Notice) -> bytes:
    """Return the body of the message that gives a notice of an event.

    Args:
        source: The match as one whose events are shown.
        match: The match after the event; its table does not matter.
        recorded: The event.
        notice: Who is told what.
    """
    viewer = SPECTATOR if notice.seat is None else seated(notice.seat)
    told = notice.type is MessageType.MATCH_EVENT
    data = MessageData[Any](
        match=source.id,
        game=source.game.id,
        version=recorded.version,
        seat=notice.seat,
        player=notice.player,
        deadline=_deadline(match, notice.seat) if notice.type is MessageType.YOUR_TURN else None,
        outcome=match.outcome if notice.type is MessageType.ENDED else None,
        event=seen_event(source, recorded, viewer) if told else None,
    )
    return msgspec.json.encode(WebhookMessage(notice.type, recorded.at, data))


def chat_body(match: MatchId, player: PlayerId, message: MessageId, room: ChatRoom, at: datetime) -> bytes:
    """Return the body of the message that tells a player of something said to it in a match."""
    data = MessageData[Any](match=match, player=player, message=message, room=room)
    return msgspec.json.encode(WebhookMessage(MessageType.CHAT, at, data))


def _deadline(match: AnyMatch, seat: Seat | None) -> datetime | None:
    return None if match.clocks is None or seat is None else match.clocks.deadline(seat)
