"""Random matches of any game as a chain of events, and what each viewer is shown of them."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct

from domain.match import PlayerId, seen
from domain.match.proof import Fact, Link, Proof, link, place_of, proof, request_hash
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, salts
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.random_matches import Step, Table

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
