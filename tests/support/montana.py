"""Tables of Montana as text, and Montana's scenarios."""

from domain.montana import GAME
from domain.montana.catalogue import ACES, CARDS, COLUMNS, NAMES, NUMBERS, ROWS, RedealPolicy
from domain.montana.commands import Command
from domain.montana.events import Event
from domain.montana.state import State
from tests.support.scenarios import Scenarios

montana: Scenarios[State, Command, Event] = Scenarios(GAME)

IN_PLAY = tuple(card for card in CARDS if card not in ACES)
"""The 48 cards without aces, in the order of the pack."""


def table(
    text: str,
    *,
    redeals: int = 2,
    redeals_done: int = 0,
    policy: RedealPolicy = RedealPolicy.WHEN_STUCK,
    deal: int | None = None,
) -> State:
    """Return the table that four lines show.

    Args:
        text: A line a row, cards parted by blanks. `__` is a gap, `..` any card that the text does not name,
            `...` at the end of a row as many of those as it needs. They are laid in the order of the pack.
        redeals: How many times cards may still be dealt anew.
        redeals_done: How many times they were.
        policy: When that is allowed.
        deal: The deal number, if there is one.
    """
    rows = [line.split() for line in text.strip().splitlines()]
    words = [word for row in rows for word in _widened(row)]
    others = (card for card in IN_PLAY if card not in words)
    cards = [next(others) if word == ".." else word for word in words]
    if sorted(cards) != sorted([*IN_PLAY, *["__"] * ROWS]) or len(rows) != ROWS:
        raise ValueError("a table has four rows of 13 cells: four gaps, and every card but the aces once")
    return State(
        bytes(0 if card == "__" else NAMES.index(card) for card in cards),
        redeals,
        redeals_done,
        policy,
        deal,
    )


def text_of(state: State) -> str:
    """Return a table as the four lines from which `table` makes it."""
    words = [NAMES[number] or "__" for number in state.cells]
    rows = [words[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]
    return "\n".join(" ".join(word.ljust(3) for word in row).rstrip() for row in rows)


def cards_of(state: State) -> tuple[int, ...]:
    """Return the numbers of the cards on the table, rising, gaps left out."""
    return tuple(sorted(number for number in state.cells if number))


ALL_CARDS = tuple(NUMBERS[card] for card in IN_PLAY)
"""What `cards_of` gives when no card is lost or doubled."""


def _widened(row: list[str]) -> list[str]:
    if row[-1] != "...":
        return row
    return [*row[:-1], *[".."] * (COLUMNS - len(row) + 1)]
