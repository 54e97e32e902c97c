"""What is legal in Montana (montana §4)."""

from typing import assert_never

from domain.games.montana.catalogue import (
    ACES,
    CELLS,
    COLUMNS,
    GAP,
    NAMES,
    NUMBERS,
    RANKS,
    TWOS,
    RedealPolicy,
)
from domain.games.montana.commands import Command, MoveCard, Redeal
from domain.games.montana.rejections import Reason
from domain.games.montana.state import State, gaps
from domain.shared.seats import Seat

ONLY_SEAT = (Seat(0),)


def _fitting(cell: int, left: int) -> tuple[int, ...]:
    """Return the numbers of the cards that fit a gap, rising; none if the gap is dead.

    In column 0 any two fits (§4.3, R3), behind a king or a gap nothing (§4.4), else the one card of the same
    suit and next higher rank (§4.2).
    """
    if cell % COLUMNS == 0:
        return TWOS
    return (left + 1,) if left % RANKS else ()


MOVES = tuple(MoveCard(card, cell // COLUMNS, cell % COLUMNS) for card in NAMES for cell in range(CELLS))
"""Every card into every cell, at number x 52 + cell: in the order in which moves are listed (common §9)."""

FITTING = tuple(tuple(_fitting(cell, left) for left in range(len(NAMES))) for cell in range(CELLS))
"""The numbers of the cards that fit a gap, by its cell and the number of the card to its left."""

LISTED = tuple(
    tuple(tuple(number * CELLS + cell for number in numbers) for numbers in by_left)
    for cell, by_left in enumerate(FITTING)
)
"""The same as places in `MOVES`."""


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the only seat: it is always on turn (§4.7)."""
    return ONLY_SEAT


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    match command:
        case MoveCard():
            completed = complete(state, command)
            return None if isinstance(completed, tuple) else completed
        case Redeal():
            return _why_no_redeal(state)
        case _:
            assert_never(command)


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return the legal moves in the order of the rules (common §9).

    Cards come by suit and rank, then gaps by row and column, then a redeal.
    """
    cells = state.cells
    places: list[int] = []
    for cell in gaps(state):
        places += LISTED[cell][cells[cell - 1]]
    places.sort()
    moves: list[Command] = [MOVES[place] for place in places]
    if state.redeals_left and (not places or state.redeal_policy is RedealPolicy.ANY_TIME):
        moves.append(Redeal())
    return moves


def stuck(state: State) -> bool:
    """Return whether no card can be moved: every gap is dead (R5)."""
    for cell in gaps(state):  # noqa: SIM110 - a generator would take twice the time
        if cards_fitting(state, cell):
            return False
    return True


def cards_fitting(state: State, cell: int) -> tuple[int, ...]:
    """Return the numbers of the cards that fit a gap, rising; none if the gap is dead (§4.2 to §4.4)."""
    return FITTING[cell][state.cells[cell - 1]]


def complete(state: State, move: MoveCard) -> tuple[int, int] | Reason:
    """Return the number of the card and the gap that a move means, or why it is refused (§4.1).

    What the client left out is filled in when exactly one answer is legal.
    """
    if move.card in ACES:
        return Reason.ACE_IS_OUT
    card = NUMBERS[move.card]
    if move.row is None or move.column is None:
        if move.row is not move.column:
            return Reason.TARGET_INCOMPLETE
        return _with_gap(state, card) if card else Reason.MOVE_INCOMPLETE
    cell = move.row * COLUMNS + move.column
    if state.cells[cell] != GAP:
        return Reason.CELL_OCCUPIED
    fitting = cards_fitting(state, cell)
    if not fitting:
        return Reason.GAP_IS_DEAD
    if not card:
        return (fitting[0], cell) if len(fitting) == 1 else Reason.CARD_AMBIGUOUS
    if card in fitting:
        return card, cell
    return Reason.NOT_A_TWO if move.column == 0 else Reason.CARD_DOES_NOT_FIT


def _with_gap(state: State, card: int) -> tuple[int, int] | Reason:
    accepting = [cell for cell in gaps(state) if card in cards_fitting(state, cell)]
    if not accepting:
        return Reason.NO_GAP_ACCEPTS_CARD
    return (card, accepting[0]) if len(accepting) == 1 else Reason.TARGET_AMBIGUOUS


def _why_no_redeal(state: State) -> Reason | None:
    """Return why cards may not be dealt anew, or None (§4.6, R1)."""
    if not state.redeals_left:
        return Reason.NO_REDEALS_LEFT
    if state.redeal_policy is RedealPolicy.WHEN_STUCK and not stuck(state):
        return Reason.NOT_STUCK
    return None
