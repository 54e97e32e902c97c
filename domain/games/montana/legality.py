"""What is legal in Montana (montana §4)."""

from typing import assert_never

from domain.games.montana.catalogue import (
    ACES,
    CARDS,
    CELLS,
    COLUMNS,
    GAP,
    NAMES,
    NUMBERS,
    RANKS,
    TWOS,
    Card,
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
            return _why_not_move(state, command)
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


def gaps_accepting(state: State, card: int) -> list[int]:
    """Return the gaps that a card fits, by its number, rising (§4.2 to §4.4)."""
    return [cell for cell in gaps(state) if card in cards_fitting(state, cell)]


def completed(state: State, move: MoveCard) -> tuple[Card, int, int]:
    """Return the card, row and column of a legal move, with what it leaves out (§4.1)."""
    card, row, column = move.card, move.row, move.column
    if row is None or column is None:
        row, column = divmod(gaps_accepting(state, NUMBERS[card])[0], COLUMNS)
    if card is None:
        card = CARDS[cards_fitting(state, row * COLUMNS + column)[0] - 1]
    return card, row, column


def _why_not_move(state: State, move: MoveCard) -> Reason | None:
    """Return why a card may not be moved, or None; what is left out must have one legal answer (§4.1)."""
    if move.card in ACES:
        return Reason.ACE_IS_OUT
    card, row, column = NUMBERS[move.card], move.row, move.column
    if row is None or column is None:
        if row is not column:
            return Reason.TARGET_INCOMPLETE
        return _why_not_anywhere(state, card) if card else Reason.MOVE_INCOMPLETE
    cell = row * COLUMNS + column
    if state.cells[cell] != GAP:
        return Reason.CELL_OCCUPIED
    fitting = cards_fitting(state, cell)
    if card in fitting:
        return None
    if not fitting:
        return Reason.GAP_IS_DEAD
    if not card:
        return None if len(fitting) == 1 else Reason.CARD_AMBIGUOUS
    return Reason.NOT_A_TWO if column == 0 else Reason.CARD_DOES_NOT_FIT


def _why_not_anywhere(state: State, card: int) -> Reason | None:
    """Return why a card cannot be moved without naming a gap, or None (§4.1)."""
    accepting = gaps_accepting(state, card)
    if not accepting:
        return Reason.NO_GAP_ACCEPTS_CARD
    return None if len(accepting) == 1 else Reason.TARGET_AMBIGUOUS


def _why_no_redeal(state: State) -> Reason | None:
    """Return why cards may not be dealt again, or None (§4.6, R1)."""
    if not state.redeals_left:
        return Reason.NO_REDEALS_LEFT
    if state.redeal_policy is RedealPolicy.WHEN_STUCK and not stuck(state):
        return Reason.NOT_STUCK
    return None
