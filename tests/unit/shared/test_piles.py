"""Piles: tuples whose first card is the top one."""

import pytest

from domain.shared.piles import draw, without


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
