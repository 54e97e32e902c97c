"""What a command brings about in Montana (montana §4)."""

from typing import assert_never

from domain.games.montana.catalogue import COLUMNS, GAP, NAMES, NUMBERS, ROWS, Card
from domain.games.montana.commands import Command, MoveCard, Redeal
from domain.games.montana.events import CardMoved, Event, Redealt
from domain.games.montana.legality import completed, why_not
from domain.games.montana.outcome import finished_part
from domain.games.montana.setup import shuffled
from domain.games.montana.state import State
from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.tuples import draw


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case MoveCard():
            return (_move(state, command),)
        case Redeal():
            return (_redeal(state, chance),)
        case _:
            assert_never(command)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return None: nothing happens with no one choosing; a stuck table waits for its redeal (§4.7)."""
    return None


def _move(state: State, move: MoveCard) -> CardMoved:
    """Return the move of a card into a gap (§4.1, §4.5)."""
    card, row, column = completed(state, move)
    origin = state.cells.index(NUMBERS[card])
    return CardMoved(card, origin // COLUMNS, origin % COLUMNS, row, column)


def _redeal(state: State, chance: Chance) -> Redealt:
    """Return the layout after a redeal: one gap directly behind each finished part (§4.6, R2)."""
    kept = [finished_part(state, row) for row in range(ROWS)]
    gathered = tuple(
        number
        for cell, number in enumerate(state.cells)
        if number != GAP and cell % COLUMNS >= kept[cell // COLUMNS]
    )
    laid = shuffled(gathered, state.deal, f"redeal/{state.redeals_done + 1}", chance)
    cells: list[Card | None] = []
    for row in range(ROWS):
        stays = state.cells[row * COLUMNS :][: kept[row]]
        fresh, laid = draw(laid, COLUMNS - 1 - kept[row])
        cells += [NAMES[number] for number in (*stays, GAP, *fresh)]
    return Redealt(tuple(cells), state.redeals_left - 1)
