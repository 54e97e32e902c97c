"""What a viewer of any game is shown does not depend on what it may not know."""

from tests.support.random_matches import Table, varied
from tests.support.twins import hidden_parts, look_for_leaks

MATCHES = range(250)
"""The matches from which those are taken in which every event comes up."""


def test_twins_cannot_be_told_apart(table: Table) -> None:
    """A seat or spectator gets the same, byte for byte, from tables that differ in what is hidden from it.

    Where something is hidden, most of these tables do differ, and each hidden part does in some.
    """
    matches = varied(table, MATCHES, enough=2)
    compared = look_for_leaks(table, matches, hidden_parts(table, matches))
    assert compared.changed >= compared.twins / 2
    assert compared.never_redrawn == []
