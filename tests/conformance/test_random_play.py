"""Whole random matches of every game: they end, lose no piece, and fold again to what they were."""

from tests.support.games.checked_play import checked
from tests.support.games.random_matches import Table

CLOSELY = 20
"""Two matches of so many, one without resignations, are looked into at every version, and folded."""


def test_random_matches_end_as_they_must(table: Table, stretch: range) -> None:
    """Play ends, with an outcome exactly at the end; every piece is still there; events fold to the match.

    In every second match seats give up now and then (common §6).
    """
    for number in stretch:
        for _ in checked(table, number, closely=number % CLOSELY < 2):
            pass
