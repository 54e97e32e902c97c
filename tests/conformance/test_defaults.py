"""What every game does for a seat that does not choose, by the list of the common rules (common §7)."""

from collections import Counter
from itertools import chain
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.match import legal_moves, to_act
from domain.shared.game import default_move
from tests.support.games.places import rarely
from tests.support.games.random_matches import reached, tables

MATCHES = range(6)
SHARE = 0.2
"""How many of the tables that random play comes through are looked at."""

IN_ORDER: tuple[dict[str, Any], ...] = (
    {"type": "decline_look"},
    {"type": "stop_drilling"},
    {"type": "place_drilled", "on": "bottom"},
    {"type": "decline_contract"},
    {"type": "pick"},
    {"type": "draw"},
    {"type": "decline_hike"},
    {"type": "abandon_hike"},
    {"type": "decline_offer"},
)
"""The moves of which the first legal one is made, written out from common §7."""


@pytest.mark.parametrize("name", GAMES)
def test_the_default_move_is_the_first_legal_one_of_the_list(name: str) -> None:
    """Else the first listed move; each that the game has comes up, and so does a table without any."""
    game, met = GAMES[name], Counter[str]()
    for table in tables(game):
        for match in chain(reached(table, MATCHES, SHARE), rarely(table, MATCHES)):
            for seat in to_act(game, match):
                moves = [msgspec.to_builtins(move) for move in legal_moves(game, match, seat)]
                wanted = next(
                    (
                        move
                        for default in IN_ORDER
                        for move in moves
                        if {field: move.get(field) for field in default} == default
                    ),
                    None,
                )
                met[wanted["type"] if wanted else "first"] += 1
                assert msgspec.to_builtins(default_move(game, match.state, seat)) == (wanted or moves[0])
    names = {command.__struct_config__.tag for command in game.commands}
    assert met.keys() == {"first"} | (names & {default["type"] for default in IN_ORDER})
