"""Piles, hands and other tuples of cards."""

import pytest

from domain.shared.tuples import deal, draw, has_all, mixed, put, selections, sorter, without
from tests.support.games.rigged import RiggedChance


@pytest.mark.parametrize(
    ("count", "drawn", "left"),
    [
        (0, (), ("A", "B", "C")),
        (1, ("A",), ("B", "C")),
        (3, ("A", "B", "C"), ()),
        (4, ("A", "B", "C"), ()),
    ],
)
def test_drawing_takes_from_the_top_what_there_is(
    count: int, drawn: tuple[str, ...], left: tuple[str, ...]
) -> None:
    """The top cards come in order, as many as the pile has at most; the rest keeps its order (common §2)."""
    assert draw(("A", "B", "C"), count) == (drawn, left)


@pytest.mark.parametrize(
    ("taken", "left"),
    [
        ("", ("A", "B", "A", "C")),
        ("A", ("B", "A", "C")),
        ("CA", ("B", "A")),
        ("AA", ("B", "C")),
        ("BACA", ()),
    ],
)
def test_taking_cards_away_takes_the_first_that_match(taken: str, left: tuple[str, ...]) -> None:
    """A multiset less another, in any order; what is left keeps its order (common §2)."""
    assert without(("A", "B", "A", "C"), taken) == left


@pytest.mark.parametrize("taken", ["D", "BB", "AAA"])
def test_only_what_is_there_can_be_taken_away(taken: str) -> None:
    """A card that is not there, or not so often, is a bug of the asker."""
    with pytest.raises(ValueError, match="not in list"):
        without(("A", "B", "A", "C"), taken)


def test_a_deal_gives_whole_piles_one_after_another() -> None:
    """Each pile comes off the top in one piece; what is left keeps its order (common §4)."""
    assert deal(("A", "B", "C", "D", "E"), (2, 0, 1)) == ((("A", "B"), (), ("C",)), ("D", "E"))


def test_mixed_piles_keep_their_sizes() -> None:
    """All cards are shuffled together and dealt into as many as there were in each pile."""
    piles = (("A", "B"), (), ("C", "D", "E"))
    assert mixed(piles, RiggedChance("EDCBA")) == (("E", "D"), (), ("C", "B", "A"))


@pytest.mark.parametrize(("place", "after"), [(0, "XBC"), (1, "AXC"), (2, "ABX")])
def test_one_item_is_put_in_the_place_of_another(place: int, after: str) -> None:
    """The others stay where they are."""
    assert put(("A", "B", "C"), place, "X") == tuple(after)


@pytest.mark.parametrize(
    ("wanted", "there"), [("", True), ("BA", True), ("AA", True), ("D", False), ("BB", False)]
)
def test_wanted_cards_are_all_there_or_not(wanted: str, there: bool) -> None:
    """A list of cards is a multiset: alike cards must be there as often, in any order (common §2)."""
    assert has_all(("A", "B", "A", "C"), tuple(wanted)) == there


def test_selections_come_in_order_and_alike_ones_once() -> None:
    """By their first difference, a list before those that continue it (common §9)."""
    found = ["".join(cards) for cards in selections(("A", "A", "B", "C"))]
    assert found == ["A", "AA", "AAB", "AABC", "AAC", "AB", "ABC", "AC", "B", "BC", "C"]
    assert list(selections(())) == []


def test_cards_are_sorted_as_a_catalogue_lists_them() -> None:
    """The order is that of the list, not of the alphabet; alike cards stay (common §2)."""
    in_order = sorter(("red", "blue", "green"))
    assert in_order(["green", "red", "green", "blue"]) == ("red", "blue", "green", "green")
