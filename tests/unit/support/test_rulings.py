"""Rulings in random play: each is told by steps that show it, or names a test that there is."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.support.games.random_matches import played, tables
from tests.support.games.rulings import RULINGS, Played, Proved, always, shown

ROOT = Path(__file__).parents[3]
FEW = 20
"""So many matches of each number of seats have steps too in which a ruling does not show."""
ENOUGH = 400
"""By so many matches of each number of seats every ruling that steps show has come up."""


def test_every_ruling_of_every_game_is_told() -> None:
    """The tables name the rulings of all games, in the order of the rules."""
    told = {game: tuple(rulings) for game, rulings in RULINGS.items()}
    assert told == {
        name: tuple(clause.id for clause in game.rules if clause.id.startswith("R"))
        for name, game in GAMES.items()
    }


@pytest.mark.parametrize(
    "proof", [how.by for rulings in RULINGS.values() for how in rulings.values() if isinstance(how, Proved)]
)
def test_what_proves_a_ruling_is_a_test(proof: str) -> None:
    """The file is there and has a test function of that name."""
    file, name = proof.split("::")
    functions = {
        node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)
    }
    assert name.startswith("test_")
    assert name in functions


@pytest.mark.parametrize("game", GAMES)
def test_every_other_ruling_shows_in_random_play(game: str) -> None:
    """Each comes up, and not in all of its events unless the table says always."""
    met, happened = Counter[str](), Counter[type[object]]()
    wanted = {ruling: how for ruling, how in RULINGS[game].items() if isinstance(how, Played)}
    for number in range(ENOUGH):
        for table in tables(GAMES[game]):
            before = table.game.initial
            for step in played(table, number):
                met.update(shown(table.game, before, step.events))
                happened.update(map(type, step.events))
                before = step.match.state
        if number >= FEW and met.keys() == wanted.keys():
            break
    assert met.keys() == wanted.keys()
    for ruling, how in wanted.items():
        events = sum(happened[kind] for kind in how.events)
        assert met[ruling] == events if how.shows is always else met[ruling] < events, ruling
