"""Random matches of any game as a chain of events, and what each viewer is shown of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.match import (
    MatchStatus,
    OnTimeOut,
    PlayerId,
    Resign,
    Started,
    TakeSeat,
    TimeControl,
    TimeControlKind,
    TimeOut,
    decide,
    legal_moves,
    open_match,
    seen,
)
from domain.match.proof import Fact, Link, Proof, link, place_of, proof, request_hash
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, salts
from domain.shared.chance import seed_commitment
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.matches.decisions import chance_of
from services.shared.ids import MatchId
from tests.support.games.matches import holder, terms
from tests.support.games.random_matches import RESIGNING, Step, Table, random_options

MATCH = MatchId("match_01j00000000000000000000000")
SEED = bytes(range(32))
BEGUN = datetime(2026, 11, 30, 10, tzinfo=UTC)


class Linked(NamedTuple):
    """An event in its place in the chain."""

    fact: Fact
    link: Link


class ShownEvent(Struct, frozen=True, kw_only=True):
    """An event as one viewer was shown it."""

    version: int
    type: str
    at: datetime
    seat: Seat | None
    payload: Any
    proof: Proof[Any]


def fair(
    table: Table,
    number: int,
    id: MatchId = MATCH,
    seed: bytes = SEED,
    limit: int | UnsetType = UNSET,
    *,
    changes: Mapping[str, Any] | None = None,
    enough: Callable[[Sequence[object]], bool] | None = None,
    haste: Callable[[Any], int] = lambda move: 0,
    resigning: float = RESIGNING,
) -> Iterator[Step]:
    """Yield the steps of a random match whose chance comes from the seed, as in a match that is served.

    If the number is odd, seats give entropy and the match has clocks, by which seats now and then lose.

    Args:
        table: The game and how many play it.
        number: Which match; it chooses options and moves.
        id: The match's id.
        seed: Its seed.
        limit: The most commands from the beginning of play.
        changes: What is other in the terms.
        resigning: How often a seat gives up.
        haste: How much a move hastens the end; one of those that do least is made.
        enough: Whether so many events are enough: then the seats give up one after the other.
    """
    game, dice = table.game, Random(f"fair {table}/{number}")
    odd = number % 2 == 1
    wanted = replace(
        terms(game, random_options(table, dice), table.seats),
        seed_commitment=seed_commitment(seed),
        time_control=TimeControl(TimeControlKind.RESERVE, 60, 5) if odd else TimeControl(),
        on_time_out=dice.choice(tuple(OnTimeOut)),
        max_commands=limit,
    )
    wanted = replace(wanted, **(changes or {}))
    events, match = open_match(game, wanted)
    yield Step(None, None, events, match)
    version, place, given = len(events), 0, 0
    happened = list(events)
    sitting = [TakeSeat(seat, holder(seat, f"entropy {seat}" * odd)) for seat in seats_in_order(table.seats)]
    while match.status is not MatchStatus.FINISHED:
        place += 1
        command: Any = sitting.pop(0) if sitting else None
        seat = command.seat if command else dice.choice(game.to_act(match.state))
        if command is None:
            moves = legal_moves(game, match, seat)
            least = min(map(haste, moves))
            command = dice.choice([move for move in moves if haste(move) == least])
            if dice.random() < resigning:
                command = Resign()
            if match.clocks and (deadline := match.clocks.deadline(seat)) and deadline <= time_of(place):
                command = TimeOut(seat)
            if enough and enough(happened):
                seat = next(one for one in seats_in_order(table.seats) if one not in match.resigned)
                command = Resign()
        chance = chance_of(match, seed, id, version, command)
        by = None if isinstance(command, TimeOut) else seat
        events, match = decide(game, match, by, command, chance, time_of(place), commands=given)
        given = 0 if any(isinstance(event, Started) for event in events) else given + 1
        yield Step(by, command, events, match)
        version += len(events)
        happened += events


def time_of(place: int) -> datetime:
    """Return the time of a step: some seconds apart, with a fraction now and then."""
    return BEGUN + timedelta(seconds=7 * place, milliseconds=place % 3)


def viewers(seats: int) -> tuple[Viewer, ...]:
    """Return everybody who may look at a match: the spectator, each seat, and the eye that sees all."""
    return (SPECTATOR, *map(seated, seats_in_order(seats)), ALL_SEEING)


def facts(steps: Iterable[Step]) -> Iterator[Fact]:
    """Yield the events of a match as they are hashed."""
    version = 0
    for number, step in enumerate(steps):
        command = None if step.command is None else canonical(step.command)
        request: str | None = request_hash(PlayerId("player_0"), f"key {number}", f"{number:064x}")
        for event in step.events:
            version += 1
            yield Fact(
                version=version,
                at=time_of(number),
                seat=step.seat,
                event=event,
                command=command,
                request=request,
            )
            command = request = None


def chained(table: Table, steps: Iterable[Step]) -> Iterator[Linked]:
    """Yield the events of a match in their chain."""
    previous = genesis(MATCH)
    for fact in facts(steps):
        linked = link(table.game, previous, fact, salts(SEED, MATCH, fact.version, table.seats))
        yield Linked(fact, linked)
        previous = linked.hash


def shown(table: Table, linked: Linked, viewer: Viewer) -> ShownEvent:
    """Return an event as a viewer is shown it."""
    fact = linked.fact
    payload = seen(table.game, fact.event, viewer)
    place = place_of(viewer, table.seats)
    salt = None if place is None else salts(SEED, MATCH, fact.version, table.seats)[place]
    return ShownEvent(
        version=fact.version,
        type=type(payload).__struct_config__.tag,
        at=fact.at,
        seat=fact.seat,
        payload=payload,
        proof=proof(table.game, viewer, fact, linked.link, payload, salt),
    )
