"""What a viewer of any game is shown does not depend on what it may not know."""

from collections import Counter
from collections.abc import Callable

import pytest

from domain.games import GAMES
from tests.support.games.places import NEIGHBOURHOODS
from tests.support.games.random_matches import Table, tables, varied
from tests.support.games.rulings import RULINGS, Played
from tests.support.games.twins import hidden_parts, look_for_leaks, look_in_rare_places

MATCHES = range(250)
"""The matches from which those are taken in which every event comes up."""
NEARBY = 30
"""How many matches go on from each rare place of a game, shared by its numbers of seats."""


def test_twins_cannot_be_told_apart(table: Table) -> None:
    """A seat or spectator gets the same, byte for byte, from tables that differ in what is hidden from it.

    Where something is hidden, most of these tables do differ, and each hidden part does in some.
    """
    matches = varied(table, MATCHES, enough=2)
    compared = look_for_leaks(table, matches, hidden_parts(table, matches))
    assert compared.changed >= compared.twins / 2
    assert compared.never_redrawn == []


@pytest.mark.parametrize("game", GAMES)
def test_twins_cannot_be_told_apart_in_rare_places(game: str, record_property: Callable[..., None]) -> None:
    """Nearly empty piles, nearly won tables, ties, a theft before a play: nothing leaks there either.

    How often an event was compared that shows each ruling, or happens near each rare place, is counted.
    """
    near, choices = Counter[str](), tables(GAMES[game])
    for table in choices:
        near += look_in_rare_places(table, range(NEARBY // len(choices))).near
    wanted = [
        *(ruling for ruling, how in RULINGS[game].items() if isinstance(how, Played)),
        *NEIGHBOURHOODS[game],
    ]
    counted = {name: near[name] for name in wanted}
    record_property("compared", str(counted))
    assert 0 not in counted.values(), counted
