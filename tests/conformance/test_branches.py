"""Branches of every game: they go on where a viewer could believe to be, and tell it nothing."""

from itertools import chain

from msgspec.structs import replace

from adapters.keys.signing import Ed25519Signatures
from domain.match import Branched, branch_off, fold, seen
from domain.match.branch import branched as begun_at
from domain.match.proof import flaw
from domain.shared.chain import genesis
from domain.shared.chance import SeededChance
from domain.shared.viewers import ALL_SEEING
from services.proof.bundle_audit import Check, verify
from tests.support.games.branches import CALLER, branched, some_match
from tests.support.games.places import rarely
from tests.support.games.random_matches import Table, reached
from tests.support.proof.bundles import bundle_of
from tests.support.proof.chains import MATCH, chained, shown, viewers

MATCHES = range(2)
SHARE = 0.1
"""Of how many versions of each match branches are made."""


def test_a_branch_depends_only_on_what_its_viewer_knew(table: Table) -> None:
    """Tables that it cannot tell apart give the same branch by the same chance, which its seed tells later.

    The branch looks to the viewer as the match did; by other chance it is mostly another, if anything is
    hidden.
    """
    game, redrawn = table.game, []
    for number, match in enumerate(chain(reached(table, MATCHES, SHARE), rarely(table, MATCHES))):
        for viewer in viewers(table.seats):
            table_of_twin = game.determinize(match.state, viewer, SeededChance(b"twin", str(number)))
            twin = replace(match, state=table_of_twin)
            one, other, again = (
                branch_off(game, original, viewer, CALLER, SeededChance(key, "branch"))
                for original, key in ((match, b"one"), (twin, b"one"), (match, b"another"))
            )
            assert one == other
            if twin != match:
                redrawn.append(one != again)
            for begun in (one, again):
                assert begun_at(game, begun, viewer).table == game.view(match.state, viewer)
    assert sum(redrawn) >= len(redrawn) / 2


def test_a_branch_begins_with_the_table(table: Table) -> None:
    """Its first table is the same in the event and in a fresh view, for every viewer, and is folded."""
    for number in MATCHES:
        original = some_match(table, number)
        for viewer in viewers(table.seats):
            opening, begun = (
                step for _, step in zip(range(2), branched(table, number, viewer), strict=False)
            )
            first, *others = begun.events
            assert isinstance(first, Branched)
            assert others == []
            assert fold(table.game, (*opening.events, first)) == begun.match
            assert set(begun.match.holders) == {CALLER}
            assert (begun.match.first, begun.match.resigned) == (original.first, original.resigned)
            for eye in viewers(table.seats):
                event = seen(table.game, first, eye)
                assert event.table == table.game.view(begun.match.state, eye)
                assert (event.state is None) is (eye != ALL_SEEING)
            assert seen(table.game, first, ALL_SEEING) == first


def test_a_branch_is_proved_like_any_match(table: Table) -> None:
    """Every viewer can check every event; at its end a bundle shows that all was decided by the rules."""
    for number in MATCHES:
        steps = list(branched(table, number, viewers(table.seats)[number % (table.seats + 2)]))
        previous = genesis(MATCH)
        for linked in chained(table, steps):
            for viewer in viewers(table.seats):
                assert flaw(shown(table, linked, viewer), viewer, previous) is None
            previous = linked.link.hash
        games = {table.game.id: table.game}
        for viewer in viewers(table.seats):
            lines = bundle_of(table, steps, viewer)
            passed = {one.check: one.count for one in verify(lines, games, Ed25519Signatures())}
            assert passed[Check.DECISIONS] == (len(steps) - 1 if viewer == ALL_SEEING else None)
