"""Every registered game at every number of seats, and a toy game that shows what the suite can tell."""

import pytest

from domain.games import GAMES
from tests.support.random_matches import tables
from tests.support.squirrels import SQUIRRELS

TABLES = tables(*GAMES.values(), SQUIRRELS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that asks for a table each of them; one that asks for company, those of several seats."""
    if "table" in metafunc.fixturenames:
        metafunc.parametrize("table", TABLES, ids=str)
    if "company" in metafunc.fixturenames:
        metafunc.parametrize("company", [table for table in TABLES if table.seats > 1], ids=str)
