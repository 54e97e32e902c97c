"""Scoring and the end of Montana (montana §5)."""

from itertools import permutations

from domain.games.montana.catalogue import COLUMNS, COMPLETE, GAP, ROWS, TWOS
from domain.games.montana.legality import stuck
from domain.games.montana.state import State
from domain.shared.outcomes import Outcome, OutcomeKind, Standings
from domain.shared.seats import Seat

WON = frozenset(
    b"".join(bytes(range(two, two + COMPLETE)) + bytes([GAP]) for two in twos) for twos in permutations(TWOS)
)
"""The cells of the 24 tables that are won: a suit a row, from its two to its king, then a gap (R7)."""


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§5.1, §5.2)."""
    if state.cells in WON:
        return Outcome(OutcomeKind.WON, (Seat(0),), scores(state), "rows_complete")
    if not state.redeals_left and stuck(state):
        return Outcome(OutcomeKind.LOST, (), scores(state), "stuck")
    return None


def scores(state: State) -> tuple[int, ...]:
    """Return the number of cards in finished parts, 0 to 48 (§5.3)."""
    return (sum(finished_part(state, row) for row in range(ROWS)),)


def standings(state: State) -> Standings:
    """Return what ranks the only seat: its score (§5.3)."""
    return (scores(state),)


def finished_part(state: State, row: int) -> int:
    """Return how many cards lie in a row's finished part, 0 to 12 (§4.6).

    The finished part is the longest run 2, 3, 4 ... of one suit from column 0.
    """
    cells = state.cells[row * COLUMNS :][:COMPLETE]
    if cells[0] not in TWOS:
        return 0
    # A run of one suit from its two rises by one and ends with the king, so it never reaches another suit.
    return next((length for length, number in enumerate(cells) if number != cells[0] + length), COMPLETE)
