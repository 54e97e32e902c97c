"""Tables of Montana as text, and Montana's scenarios."""

from domain.games.montana import GAME
from domain.games.montana.catalogue import ACES, CARDS, COLUMNS, NAMES, NUMBERS, ROWS, Card, RedealPolicy
from domain.games.montana.commands import Command, MoveCard
from domain.games.montana.events import Event
from domain.games.montana.state import State
from tests.support.games.scenarios import Scenarios

montana: Scenarios[State, Command, Event] = Scenarios(GAME)

IN_PLAY = tuple(card for card in CARDS if card not in ACES)
"""The 48 cards without aces, in the order of the pack."""

DEAL_0: tuple[Card, ...] = (
    *("5D", "4C", "JH", "8D", "6H", "4H", "8S", "3S", "AD", "2C", "2D", "AH", "3C"),
    *("KS", "AC", "8H", "7S", "7C", "6D", "5C", "2H", "10S", "10H", "9C", "4D", "9D"),
    *("5S", "QH", "JS", "10C", "KC", "6S", "JC", "8C", "KD", "2S", "6C", "3D", "QC"),
    *("3H", "QD", "4S", "7H", "9S", "10D", "5H", "AS", "JD", "7D", "9H", "KH", "QS"),
)
"""The 52 cards of deal 0, as laid (R6)."""

DEAL_1: tuple[Card, ...] = (
    *("2C", "3S", "2S", "QC", "AD", "JC", "4C", "8C", "5H", "2H", "5D", "2D", "6D"),
    *("7C", "JH", "6C", "9H", "7S", "AS", "10S", "4D", "5S", "6H", "4H", "9C", "10D"),
    *("KS", "AH", "3H", "5C", "4S", "KH", "7H", "3C", "10C", "10H", "JD", "8D", "KD"),
    *("9D", "QH", "QD", "KC", "QS", "3D", "9S", "8H", "AC", "JS", "8S", "6S", "7D"),
)
"""The 52 cards of deal 1, as laid (R6)."""


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
        redeals: How many times cards may still be dealt again.
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


ENDLESS = 74
"""A deal that can be played for ever: one row begins with the 2 of clubs and one with a gap."""
WALK = MoveCard("2C")
"""What is always legal in deal `ENDLESS`; its one event leads to the same table after two."""

ONE_OF_EACH = table("""
    2C  3C  __  4C  5C  6C  7C  8C  9C  10C JC  QC  KC
    __  2D  3D  4D  5D  6D  7D  8D  9D  10D JD  QD  2H
    KD  __  __  3H  4H  5H  6H  7H  8H  9H  10H JH  QH
    KH  2S  3S  4S  5S  6S  7S  8S  9S  10S JS  QS  KS
""")
"""A gap after a card, one in column 0, one after a king, one after a gap."""

TWO_AT_THE_EDGE = table("""
    __ 3C ...
    2C __ ...
    __ 2D 9C __ ...
    ...
""")
"""Two gaps in column 0, a 2 in column 0, and gaps that the 3 and 10 of clubs fit."""

STUCK = table("""
    2C 3C KC __ ...
    2D KD __ ...
    KH __ ...
    KS __ ...
""")
"""Four gaps after kings."""
