"""Every game's events in their chain: everybody can check what it is shown, and no change goes through."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from domain.match import seen
from domain.match.proof import flaw
from domain.shared.chain import genesis
from domain.shared.seats import seats_in_order
from domain.shared.viewers import SPECTATOR, seated
from tests.support.faces.differences import plain
from tests.support.games.random_matches import Table, played
from tests.support.proof.chains import MATCH, Linked, ShownEvent, chained, shown, viewers

MATCHES = range(4)
TRIED = 30
"""How many events of a match are altered."""


def sampled(table: Table) -> Iterator[tuple[str, Linked]]:
    """Yield some events of a match, each with the hash before it."""
    chain = list(chained(table, played(table, 1)))
    before = [genesis(MATCH), *(linked.link.hash for linked in chain)]
    for number in sorted(Random(str(table)).sample(range(len(chain)), min(TRIED, len(chain)))):
        yield before[number], chain[number]


def altered(value: Any) -> Iterator[Any]:
    """Yield plain data with one part of it changed, left out or added, for every part."""
    match value:
        case dict():
            for name in value:
                yield from ({**value, name: other} for other in altered(value[name]))
                yield {other: value[other] for other in value if other != name}
            yield {**value, "more": 0}
        case list():
            for place, item in enumerate(value):
                yield from ([*value[:place], other, *value[place + 1 :]] for other in altered(item))
                yield [*value[:place], *value[place + 1 :]]
            yield [*value, None]
        case bool() | None:
            yield not value
            yield 0
        case int():
            yield value + 1
            yield str(value)
        case str():
            yield value[:-1] + chr(ord(value[-1]) ^ 1) if value else "A"
            yield value + "A"
            yield None


def test_every_viewer_can_check_every_event(table: Table) -> None:
    """Public part, own part, place in the chain: all of it as it was shown (API "Proof")."""
    for number in MATCHES:
        previous = genesis(MATCH)
        for linked in chained(table, played(table, number)):
            for viewer in viewers(table.seats):
                assert flaw(shown(table, linked, viewer), viewer, previous) is None
            previous = linked.link.hash


def test_what_a_spectator_sees_whole_everybody_does(table: Table) -> None:
    """An event that hides nothing is the same for all, which saves work where it is committed to."""
    for number in MATCHES:
        for step in played(table, number):
            for event in step.events:
                if seen(table.game, event, SPECTATOR) == event:
                    for seat in seats_in_order(table.seats):
                        assert seen(table.game, event, seated(seat)) == event


def test_no_change_goes_through(table: Table) -> None:
    """Whatever is altered in an event or its proof no longer is what an event can be, or is a flaw."""
    tried = 0
    for before, linked in sampled(table):
        for viewer in viewers(table.seats):
            sent = plain(shown(table, linked, viewer))
            assert flaw(msgspec.convert(sent, ShownEvent), viewer, before) is None
            for other in altered(sent):
                try:
                    read = msgspec.convert(other, ShownEvent)
                except msgspec.ValidationError:
                    continue
                if plain(read) == sent:
                    continue
                assert flaw(read, viewer, before) is not None, other
                tried += 1
    assert tried > 100 * table.seats
