"""Seats: places in turn order."""

import pytest

from domain.shared.seats import by_seat, chosen, fits, next_seat, seats_in_order
from tests.support.games.scenarios import luck


def test_seats_are_numbered_from_0_in_turn_order() -> None:
    """A table of three has the seats 0, 1, 2 (common §1)."""
    assert seats_in_order(3) == (0, 1, 2)


def test_what_there_is_one_of_a_seat_comes_with_its_seat() -> None:
    """Seats are numbered in the order of what they have (common §1)."""
    assert list(by_seat(("ann's", "ben's"))) == [(0, "ann's"), (1, "ben's")]


def test_the_first_seat_follows_the_last() -> None:
    """Turns go round the table (common §1)."""
    assert [next_seat(seat, 3) for seat in seats_in_order(3)] == [1, 2, 0]


def test_a_seat_that_is_named_begins() -> None:
    """The number given begins, and no chance is used for it (common §1)."""
    chance = luck()
    assert [chosen(first, 9, chance) for first in range(9)] == [*range(9)]
    assert chance.below(1000) == luck().below(1000)


@pytest.mark.parametrize("seats", [2, 3, 5, 9])
def test_a_random_seat_begins(seats: int) -> None:
    """Every seat may come first, by one draw below their number (common §1)."""
    drawn = [luck(f"{number}").below(seats) for number in range(100)]
    assert [chosen("random", seats, luck(f"{number}")) for number in range(100)] == drawn
    assert set(drawn) == set(range(seats))


@pytest.mark.parametrize("seats", [2, 3, 5, 9])
def test_a_seat_that_the_table_lacks_cannot_begin(seats: int) -> None:
    """Numbers below the number of seats fit, and chance always does (common §1)."""
    assert fits("random", seats)
    assert [first for first in range(12) if fits(first, seats)] == [*range(seats)]
