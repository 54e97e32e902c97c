"""What a viewer gets to read of a match, now or at any version."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from domain.match import Clocks, Match, MemoryAid, Phase, legal_moves, seen, to_act
from domain.shared.game import Game
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer
from services.ids import MatchId
from services.ports import Recorded, Time


class View[C, T](Struct, frozen=True, kw_only=True):
    """A match at a version as one viewer may see it.

    Attributes:
        match: The match.
        game: The game's id.
        version: How many events the match had then.
        viewer: Whose view it is.
        state: How far the match was.
        to_act: The seats that must choose, rising.
        legal_moves: The viewer's own moves in full form, in the stated order (common §9).
        table: The game's own view; None until play begins.
        clocks: The time that the seats have left; None without time control, and out of play.
        outcome: How the match ended, once it has.
    """

    match: MatchId
    game: str
    version: int
    viewer: Viewer
    state: Phase
    to_act: tuple[Seat, ...]
    legal_moves: tuple[C, ...]
    table: T | None
    clocks: Clocks | None
    outcome: Outcome | None


class SeenEvent[P](Struct, frozen=True, kw_only=True):
    """An event as one viewer may see it.

    Attributes:
        version: Its number in the match, from 1.
        type: Its stored name, the same as the payload's.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about; None for the opening of a match.
        payload: What the viewer may know of it.
    """

    version: int
    type: str
    at: Time
    seat: Seat | None
    payload: P


def view(
    game: Game[Any, Any, Any, Any], id: MatchId, match: Match[Any, Any], version: int, viewer: Viewer
) -> View[Any, Any]:
    """Return a match as the viewer may see it."""
    return View(
        match=id,
        game=game.id,
        version=version,
        viewer=viewer,
        state=match.phase,
        to_act=to_act(game, match),
        legal_moves=() if viewer.seat is None else legal_moves(game, match, viewer.seat),
        table=None if match.first is None else _table(game, match, viewer),
        clocks=match.clocks,
        outcome=match.outcome,
    )


def seen_event(game: Game[Any, Any, Any, Any], recorded: Recorded, viewer: Viewer) -> SeenEvent[Any]:
    """Return an event as the viewer may see it."""
    payload = seen(game, recorded.event, viewer)
    return SeenEvent(
        version=recorded.version,
        type=type(payload).__struct_config__.tag,
        at=recorded.at,
        seat=recorded.seat,
        payload=payload,
    )


def _table(game: Game[Any, Any, Any, Any], match: Match[Any, Any], viewer: Viewer) -> Any:
    table = game.view(match.table, viewer)
    return game.unaided(table) if match.terms.memory_aid is MemoryAid.OFF else table


def seen_events(
    game: Game[Any, Any, Any, Any], events: Sequence[Recorded], viewer: Viewer
) -> tuple[SeenEvent[Any], ...]:
    """Return events as the viewer may see them, none left out."""
    return tuple(seen_event(game, recorded, viewer) for recorded in events)
