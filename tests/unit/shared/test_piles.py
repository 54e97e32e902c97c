"""Piles: tuples whose first card is the top one."""

import pytest

from domain.shared.piles import draw


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
