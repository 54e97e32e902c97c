"""How many ways a game can go on from a table: positions by depth, as chess engines count them (perft)."""

from typing import Any, NamedTuple

from domain.shared.game import AnyGame, play
from tests.support.games.scenarios import luck


class SetUp(NamedTuple):
    """A table, and how many positions the rules lead to from it.

    Attributes:
        name: What the table shows.
        state: The table.
        positions: How many sequences of 1, 2, 3 ... commands there are, summed by hand from the rules.
    """

    name: str
    state: Any
    positions: tuple[int, ...]

    def __str__(self) -> str:
        """Return how a test of it is called in the report."""
        return self.name.replace(" ", "-")


def positions(game: AnyGame, set_up: SetUp, chance: str = "test") -> tuple[int, ...]:
    """Return how many sequences of 1, 2, 3 ... commands a game lists, as far as the set-up has numbers.

    A game that is over goes on in no way, and nobody resigns. Any chance has to lead to the same numbers.
    """
    reached, counted = [set_up.state], []
    for _ in set_up.positions:
        reached = [
            play(game, before, seat, move, luck(chance))[1]
            for before in reached
            if game.outcome(before) is None
            for seat in game.to_act(before)
            for move in game.legal_moves(before, seat)
        ]
        counted.append(len(reached))
    return tuple(counted)
