"""Every registered game at every number of seats, and a toy game that shows what the suite can tell."""

import pytest

from domain.games import GAMES
from tests.support.games.random_matches import tables
from tests.support.games.squirrels import SQUIRRELS

TABLES = tables(*GAMES.values(), SQUIRRELS)
CHOICES = {
    "table": TABLES,
    "company": [table for table in TABLES if table.seats > 1],
    "smallest": [table for table in TABLES if table.seats == table.game.min_seats],
}
"""The tables that a test gets, by the argument with which it asks for them."""


MATCHES = 2_000
"""How many random matches each registered game plays at each number of seats."""
STRETCH = 250
"""How many of them one test plays; the toy game plays no more."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a table with each: any, those of several seats, or the smallest of a game.

    One that asks for a table and a stretch gets every stretch of the matches that are played at it.
    """
    asked = metafunc.fixturenames
    if "stretch" in asked:
        stretches = [
            pytest.param(table, range(first, first + STRETCH), id=f"{table}-{first}")
            for table in TABLES
            for first in range(0, MATCHES if table.game.id in GAMES else STRETCH, STRETCH)
        ]
        metafunc.parametrize(("table", "stretch"), stretches)
        return
    for name, choice in CHOICES.items():
        if name in asked:
            metafunc.parametrize(name, choice, ids=str)
