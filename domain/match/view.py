"""What a viewer may know of what happens to a match."""

from typing import Any, assert_never

from domain.match.events import Finished, MatchEvent, Opened, Resigned, SeatTaken, Started
from domain.shared.game import Game
from domain.shared.viewers import Viewer


def seen(game: Game[Any, Any, Any, Any], event: object, viewer: Viewer) -> Any:
    """Return an event of a match or of its game as the viewer may see it."""
    return game.seen(event, viewer) if type(event) in game.events else _seen(event)  # type: ignore[arg-type]


def _seen(event: MatchEvent[Any]) -> MatchEvent[Any]:
    match event:
        case Opened(terms=terms):
            return Opened(terms)
        case SeatTaken(seat=seat, holder=holder):
            return SeatTaken(seat, holder)
        case Started():
            return Started()
        case Resigned(seat=seat):
            return Resigned(seat)
        case Finished(outcome=outcome):
            return Finished(outcome)
        case _:
            assert_never(event)
