"""What a viewer gets to read of a match, now or at any version."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from domain.match import AnyMatch, Clocks, MatchStatus, MemoryAid, legal_moves, seen, to_act
from domain.match.proof import Proof, place_of, proof
from domain.shared.chain import salt
from domain.shared.game import AnyGame
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer, sees_all
from services.matches.envelopes import fact_of
from services.matches.loaded import LoadedMatch
from services.matches.store import Recorded, Secrets
from services.shared.ids import MatchId
from services.shared.time import Time


class View[C, T](Struct, frozen=True, kw_only=True, rename={"status": "state"}):
    """A match at a version as one viewer may see it.

    Attributes:
        match: The match.
        game: The game's id.
        version: How many events the match had then.
        viewer: Whose view it is.
        status: How far the match was.
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
    status: MatchStatus
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
        proof: What shows that it happened so, and stays so.
    """

    version: int
    type: str
    at: Time
    seat: Seat | None
    payload: P
    proof: Proof[P]


class Source(Struct, frozen=True):
    """A match whose events are shown.

    Attributes:
        game: Its game.
        id: The match.
        seats: Number of seats.
        seed: Its secret, which salts come from.
    """

    game: AnyGame
    id: MatchId
    seats: int
    seed: bytes


def source(live: LoadedMatch, secrets: Secrets) -> Source:
    """Return a match as one whose events are shown."""
    return Source(live.game, live.id, live.match.terms.seats, secrets.seed)


def view(game: AnyGame, id: MatchId, match: AnyMatch, version: int, viewer: Viewer) -> View[Any, Any]:
    """Return a match as the viewer may see it."""
    return View(
        match=id,
        game=game.id,
        version=version,
        viewer=viewer,
        status=match.status,
        to_act=to_act(game, match),
        legal_moves=() if viewer.seat is None else legal_moves(game, match, viewer.seat),
        table=None if match.first is None else _table(game, match, viewer),
        clocks=match.clocks,
        outcome=match.outcome,
    )


def seen_event(source: Source, recorded: Recorded, viewer: Viewer) -> SeenEvent[Any]:
    """Return an event as the viewer may see it, with what proves it."""
    game, version = source.game, recorded.version
    payload = seen(game, recorded.event, viewer)
    place = place_of(viewer, source.seats)
    own = None if place is None else salt(source.seed, source.id, version, place)
    fact = fact_of(recorded, whole=sees_all(viewer))
    return SeenEvent(
        version=version,
        type=type(payload).__struct_config__.tag,
        at=recorded.at,
        seat=recorded.seat,
        payload=payload,
        proof=proof(game, viewer, fact, recorded.link, payload, own),
    )


def _table(game: AnyGame, match: AnyMatch, viewer: Viewer) -> Any:
    table = game.view(match.state, viewer)
    if match.outcome is not None:
        table = game.at_end(table, match.outcome)
    return game.unaided(table) if match.terms.memory_aid is MemoryAid.OFF else table


def seen_events(source: Source, events: Sequence[Recorded], viewer: Viewer) -> tuple[SeenEvent[Any], ...]:
    """Return events as the viewer may see them, none left out."""
    return tuple([seen_event(source, recorded, viewer) for recorded in events])
