"""What a viewer of any game is shown does not depend on what it may not know."""

from tests.support.random_matches import Table
from tests.support.twins import look_for_leaks

MATCHES = range(10)


def test_twins_cannot_be_told_apart(table: Table) -> None:
    """A seat or spectator gets the same, byte for byte, from tables that differ in what is hidden from it.

    Where something is hidden, most of these tables do differ, and each hidden part does in some.
    """
    compared = look_for_leaks(table, MATCHES)
    assert compared.changed >= compared.twins / 2
    assert compared.never_redrawn == []
