"""Positions by depth: the code counts as many as were summed by hand from the rules, game by game."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.shared.game import AnyGame
from domain.shared.seats import Seat
from tests.oracle import montana, montanara, montmartre, mount_drago, mountains
from tests.support.games.positions import SetUp, positions

SET_UPS: Mapping[str, tuple[SetUp, ...]] = {
    "montana": montana.SET_UPS,
    "montanara": montanara.SET_UPS,
    "montmartre": montmartre.SET_UPS,
    "mount_drago": mount_drago.SET_UPS,
    "mountains": mountains.SET_UPS,
}

COMMANDS = [(game, command) for game in GAMES.values() for command in game.commands]


def listing(game: AnyGame, change: Callable[[list[Any]], list[Any]]) -> AnyGame:
    """Return a game that lists other moves than it should."""

    def legal_moves(state: Any, seat: Seat) -> list[Any]:
        return change(list(game.legal_moves(state, seat)))

    return replace(game, legal_moves=legal_moves)


def wrong(game: AnyGame) -> list[str]:
    """Return the set-ups from which a game leads to other numbers of positions than the rules."""
    return [str(set_up) for set_up in SET_UPS[game.id] if positions(game, set_up) != set_up.positions]


@pytest.mark.parametrize(
    ("game", "set_up"),
    [(game, set_up) for game in GAMES for set_up in SET_UPS[game]],
    ids=lambda value: str(value),
)
def test_positions_are_as_many_as_the_rules_give(game: str, set_up: SetUp) -> None:
    """Counted by the code and summed by hand, the numbers are the same, whatever chance gives."""
    assert positions(GAMES[game], set_up) == set_up.positions
    assert positions(GAMES[game], set_up, "another") == set_up.positions


@pytest.mark.parametrize(
    ("game", "command"), COMMANDS, ids=[f"{game.id}-{command.__name__}" for game, command in COMMANDS]
)
def test_a_lost_move_is_missed(game: AnyGame, command: type[Any]) -> None:
    """A game that never lists a command comes to other numbers from some set-up."""
    assert wrong(listing(game, lambda moves: [move for move in moves if type(move) is not command]))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_an_added_move_is_one_too_many(game: AnyGame) -> None:
    """A game that lists a move too many wherever it lists any comes to other numbers from every set-up."""
    assert len(wrong(listing(game, lambda moves: [*moves, *moves[-1:]]))) == len(SET_UPS[game.id])
