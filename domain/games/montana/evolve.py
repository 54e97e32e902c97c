"""How each event changes the table of Montana."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.montana.catalogue import ACES, COLUMNS, GAP, NUMBERS
from domain.games.montana.events import CardMoved, Dealt, Event, Redealt
from domain.games.montana.state import State


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case CardMoved():
            cells = bytearray(state.cells)
            origin = event.from_row * COLUMNS + event.from_column
            cells[event.row * COLUMNS + event.column] = cells[origin]
            cells[origin] = GAP
            return State(
                bytes(cells), state.redeals_left, state.redeals_done, state.redeal_policy, state.deal
            )
        case Dealt():
            laid = bytes(GAP if card in ACES else NUMBERS[card] for card in event.cards)
            return State(laid, event.redeals, 0, event.redeal_policy, event.deal)
        case Redealt():
            return replace(
                state,
                cells=bytes(NUMBERS[card] for card in event.cells),
                redeals_left=event.redeals_left,
                redeals_done=state.redeals_done + 1,
            )
        case _:
            assert_never(event)
