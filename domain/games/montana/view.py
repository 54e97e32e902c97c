"""What a viewer may know of Montana: everything on the table (montana §6)."""

from typing import assert_never

from msgspec import Struct

from domain.games.montana.catalogue import COLUMNS, NAMES, ROWS, Card
from domain.games.montana.events import CardMoved, Dealt, Event, Redealt
from domain.games.montana.outcome import finished_part
from domain.games.montana.state import State
from domain.shared.chance import Chance
from domain.shared.viewers import Viewer


class TableRow(Struct, frozen=True):
    """One row of the table.

    Attributes:
        cells: 13 cells, left to right; null is a gap.
        finished: How many cards its finished part has, from the left, 0 to 12.
    """

    cells: tuple[Card | None, ...]
    finished: int


class Table(Struct, frozen=True, tag_field="game", tag="montana"):
    """The table, the same for every viewer.

    Attributes:
        rows: Four rows, from the top; all gaps before the deal.
        redeals_left: How many times cards may still be dealt again.
        score: Cards in finished parts, 0 to 48.
        deal: The deal number, if the match was opened with one: nothing is secret then, not even the order of
            a redeal to come (R6).
    """

    rows: tuple[TableRow, ...]
    redeals_left: int
    score: int
    deal: int | None


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    cards = tuple(map(NAMES.__getitem__, state.cells))
    rows = tuple(
        TableRow(cards[row * COLUMNS : (row + 1) * COLUMNS], finished_part(state, row)) for row in range(ROWS)
    )
    return Table(rows, state.redeals_left, sum(row.finished for row in rows), state.deal)


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return Dealt(event.cards, event.redeals, event.redeal_policy, event.deal)
        case CardMoved():
            return CardMoved(event.card, event.from_row, event.from_column, event.row, event.column)
        case Redealt():
            return Redealt(event.cells, event.redeals_left)
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return the table itself: none of it is hidden (§6)."""
    return state
