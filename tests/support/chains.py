"""Random matches of any game as a chain of events, and what each viewer is shown of them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.match import (
    Holder,
    Phase,
    PlayerId,
    Resign,
    legal_moves,
    open_match,
    seen,
    submit,
    take_seat,
)
from domain.match.proof import Fact, Link, Proof, link, place_of, proof, request_hash
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, salts
from domain.shared.chance import Chance, decision_chance, seed_commitment
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.matches import holder, terms
from tests.support.random_matches import RESIGNING, Step, Table, random_options

MATCH = "match_01j00000000000000000000000"
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


def fair(table: Table, number: int) -> Iterator[Step]:
    """Yield the steps of a random match whose chance comes from the seed, as in a match that is served."""
    game, dice = table.game, Random(f"fair {table}/{number}")
    wanted = replace(
        terms(game, random_options(table, dice), table.seats), seed_commitment=seed_commitment(SEED)
    )
    events, match = open_match(game, wanted)
    yield Step(None, None, events, match)
    version = len(events)
    for seat in seats_in_order(table.seats):
        sitting = holder(seat, f"entropy {seat}" * (number % 2))
        seated = [*match.holders[:seat], sitting, *match.holders[seat + 1 :]]
        events, match = take_seat(game, match, seat, sitting, _chance(seated, version))
        yield Step(seat, None, events, match)
        version += len(events)
    while match.phase is not Phase.FINISHED:
        seat = dice.choice(game.to_act(match.table))
        command = dice.choice(legal_moves(game, match, seat))
        if dice.random() < RESIGNING:
            command = Resign()
        events, match = submit(game, match, seat, command, _chance(match.holders, version))
        yield Step(seat, command, events, match)
        version += len(events)


def _chance(holders: Sequence[Holder | None], version: int) -> Chance:
    entropies = ["" if held is None else held.entropy for held in holders]
    return decision_chance(SEED, MATCH, entropies, version)


def viewers(seats: int) -> tuple[Viewer, ...]:
    """Return everybody who may look at a match: the spectator, each seat, and the eye that sees all."""
    return (SPECTATOR, *map(seated, seats_in_order(seats)), ALL_SEEING)


def facts(steps: Iterable[Step]) -> Iterator[Fact]:
    """Yield the events of a match as they are hashed, a second and a bit between two commands."""
    version = 0
    for number, step in enumerate(steps):
        command = None if step.command is None else canonical(step.command)
        request: str | None = request_hash(PlayerId("player_0"), f"key {number}", f"{number:064x}")
        for event in step.events:
            version += 1
            yield Fact(
                version=version,
                at=BEGUN + timedelta(seconds=number, milliseconds=number % 3),
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
