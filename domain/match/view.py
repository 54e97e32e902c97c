"""What a viewer may know of what happens to a match."""

from typing import Any, assert_never

from domain.match.branch import branched
from domain.match.events import (
    MATCH_EVENTS,
    Branched,
    Cancelled,
    ClocksSet,
    DeadlineMoved,
    Finished,
    InvitationRenewed,
    Invited,
    MatchEvent,
    Opened,
    Resigned,
    SeatLeft,
    SeatTaken,
    Started,
    TimedOut,
)
from domain.shared.game import AnyGame
from domain.shared.viewers import Viewer

OF_THE_MATCH = frozenset(MATCH_EVENTS)


def seen(game: AnyGame, event: Any, viewer: Viewer) -> Any:
    """Return an event of a match or of its game as the viewer may see it."""
    return _seen(game, event, viewer) if type(event) in OF_THE_MATCH else game.seen(event, viewer)


def _seen(game: AnyGame, event: MatchEvent[Any, Any], viewer: Viewer) -> MatchEvent[Any, Any]:
    """Return an event of the match: anyone who may know of the match may see all of it but hidden cards."""
    match event:
        case Opened(terms=terms):
            return Opened(terms)
        case SeatTaken(seat=seat, holder=holder):
            return SeatTaken(seat, holder)
        case SeatLeft(seat=seat, player=player, barred=barred):
            return SeatLeft(seat, player, barred)
        case Invited(player=player):
            return Invited(player)
        case InvitationRenewed():
            return InvitationRenewed()
        case Started(first=first):
            return Started(first)
        case ClocksSet(clocks=clocks):
            return ClocksSet(clocks)
        case DeadlineMoved(began_at=began_at, ended_at=ended_at, clocks=clocks):
            return DeadlineMoved(began_at, ended_at, clocks)
        case TimedOut(seat=seat):
            return TimedOut(seat)
        case Resigned(seat=seat):
            return Resigned(seat)
        case Finished(outcome=outcome):
            return Finished(outcome)
        case Cancelled(reason=reason):
            return Cancelled(reason)
        case Branched():
            return branched(game, event, viewer)
        case _:
            assert_never(event)
