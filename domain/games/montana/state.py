"""The whole table of Montana, all of it public (montana §3, §6)."""

from msgspec import Struct

from domain.games.montana.catalogue import ACES, CELLS, GAP, NAMES, RedealPolicy


class State(Struct, frozen=True):
    """The table.

    Attributes:
        cells: The numbers of the cards in the 52 cells, row by row, left to right; 0 is a gap.
        redeals_left: How many times cards may still be dealt again.
        redeals_done: How many times they were.
        redeal_policy: When that is allowed.
        deal: The deal number, or None if the match's seed deals (R6).
    """

    cells: bytes
    redeals_left: int
    redeals_done: int
    redeal_policy: RedealPolicy
    deal: int | None


INITIAL = State(bytes(CELLS), 0, 0, RedealPolicy.WHEN_STUCK, None)
"""Before the deal: no card on the table."""


def gaps(state: State) -> tuple[int, int, int, int]:
    """Return the four cells without a card, rising."""
    find = state.cells.find
    first = find(GAP)
    second = find(GAP, first + 1)
    third = find(GAP, second + 1)
    return first, second, third, find(GAP, third + 1)


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all 52 cards, sorted, wherever they are: aces lie beside the table (§3)."""
    return tuple(sorted((*(name for number in state.cells if (name := NAMES[number])), *ACES)))
