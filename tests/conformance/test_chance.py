"""What games ask of chance is fair: every shuffle and draw of theirs, as matches make them."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from math import cbrt, sqrt

import pytest

from domain.shared.chance import Chance, SeededChance, decision_chance
from tests.support.games.random_matches import Luck, Table, luck_of, played

MATCHES = range(4)
TRIES = 2_000
"""How often a shuffle or draw is made."""
LIMIT = 4.5
"""The most standard deviations by which a fair chi-square may be too large: one in 300,000 is larger."""


class Listening:
    """Chance that remembers what it was asked for.

    Attributes:
        shuffled: How many items were shuffled, each number of them once.
        drawn: Below which bounds numbers were drawn.
    """

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.shuffled: set[int] = set()
        self.drawn: set[int] = set()
        self._chance: Chance = SeededChance(b"", "")

    def to(self, table: Table, number: int) -> Luck:
        """Listen to the chance of a random match."""
        luck = luck_of(table, number)

        def listen(place: int) -> Chance:
            self._chance = luck(place)
            return self

        return listen

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in an order of which each is equally likely."""
        given = tuple(items)
        self.shuffled.add(len(given))
        return self._chance.shuffle(given)

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1, each equally likely."""
        self.drawn.add(bound)
        return self._chance.below(bound)


def test_what_a_game_asks_of_chance_is_fair(table: Table) -> None:
    """Each item comes to each place, and each number is drawn, equally often: chi-square, fixed seeds."""
    listening = Listening()
    for number in MATCHES:
        for _ in played(table, number, listening.to):
            pass
    unfair = {size: far for size in listening.shuffled if (far := deviation_of_shuffles(size)) > LIMIT}
    unfair |= {bound: far for bound in listening.drawn if (far := deviation_of_draws(bound)) > LIMIT}
    assert unfair == {}
    assert listening.shuffled


@pytest.mark.parametrize("size", [5, 52])
def test_a_bad_shuffle_would_be_noticed(size: int) -> None:
    """Swapping each item with any other, as is often done wrongly, lies beyond the limit."""

    def shuffled(version: int) -> tuple[int, ...]:
        chance, order = chance_at(version), list(range(size))
        for place in range(size):
            other = chance.below(size)
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    assert deviation([shuffled(version) for version in range(TRIES)]) > LIMIT


def chance_at(version: int) -> SeededChance:
    """Return the chance of a decision, as matches have it."""
    return decision_chance(bytes(32), "match_0", ("", "entropy"), version)


@cache
def deviation_of_shuffles(size: int) -> float:
    """Return by how many standard deviations chi-square is too large for so many items in so many places."""
    return deviation([chance_at(version).shuffle(range(size)) for version in range(TRIES)])


def deviation(orders: list[tuple[int, ...]]) -> float:
    """Return by how many standard deviations chi-square of items by places is too large."""
    size = len(orders[0])
    if size < 2:
        return 0
    met = Counter(pair for order in orders for pair in enumerate(order))
    expected = len(orders) / size
    square = sum(
        (met[place, item] - expected) ** 2 / expected for place in range(size) for item in range(size)
    )
    # Each place and each item comes once in an order, which takes a part of (n - 1)/n away.
    freedom = (size - 1) ** 2
    return standard(square * (size - 1) / size, freedom)


@cache
def deviation_of_draws(bound: int) -> float:
    """Return by how many standard deviations chi-square is too large for numbers below a bound."""
    if bound < 2:
        return 0
    met = Counter(chance_at(version).below(bound) for version in range(TRIES))
    expected = TRIES / bound
    square = sum((met[number] - expected) ** 2 / expected for number in range(bound))
    return standard(square, bound - 1)


def standard(square: float, freedom: int) -> float:
    """Return by how many standard deviations a chi-square is too large (Wilson and Hilferty)."""
    variance = 2 / (9 * freedom)
    return (cbrt(square / freedom) - (1 - variance)) / sqrt(variance)
