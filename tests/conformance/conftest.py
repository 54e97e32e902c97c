"""Every registered game at every number of seats, and a toy game that shows what the suite can tell."""

import pytest

from domain.games import GAMES
from tests.support.random_matches import tables
from tests.support.squirrels import SQUIRRELS

TABLES = tables(*GAMES.values(), SQUIRRELS)
CHOICES = {
    "table": TABLES,
    "company": [table for table in TABLES if table.seats > 1],
    "smallest": [table for table in TABLES if table.seats == table.game.min_seats],
}
"""The tables that a test gets, by the argument with which it asks for them."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a table with each: any, those of several seats, or the smallest of a game."""
    for name, choice in CHOICES.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, choice, ids=str)
