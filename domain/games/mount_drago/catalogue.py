"""The data of ruleset `mount_drago/recon-1`: cards, boards and options (mount_drago §1, §2)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.games.mount_drago.rejections import Reason
from domain.shared.catalogues import DataTable, Grade, counted
from domain.shared.seats import Seat, fits
from domain.shared.tuples import sorter

RULESET = "mount_drago/recon-1"

type Colour = Literal[
    "blue", "brown", "black", "red", "yellow", "green", "white", "light_blue", "purple", "orange",
]  # fmt: skip

# Written out because the type checker and both API schemas need the cards as literals.
type Card = Literal[
    "blue-1", "blue-2", "blue-3", "blue-4", "blue-5",
    "brown-1", "brown-2", "brown-3", "brown-4", "brown-5",
    "black-1", "black-2", "black-3", "black-4", "black-5",
    "red-1", "red-2", "red-3", "red-4", "red-5",
    "yellow-1", "yellow-2", "yellow-3", "yellow-4", "yellow-5",
    "green-1", "green-2", "green-3", "green-4", "green-5",
    "white-1", "white-2", "white-3", "white-4", "white-5",
    "light_blue-1", "light_blue-2", "light_blue-3", "light_blue-4", "light_blue-5",
    "purple-1", "purple-2", "purple-3", "purple-4", "purple-5",
    "orange-1", "orange-2", "orange-3", "orange-4", "orange-5",
]  # fmt: skip

COLOURS: tuple[Colour, ...] = get_args(Colour.__value__)
"""The ten dragons; inside, a dragon is its place in this order (§1)."""

CARDS: tuple[Card, ...] = get_args(Card.__value__)
"""The 50 different cards, by colour and value: the order of hands and of legal moves (common §9)."""

in_order = sorter(CARDS)
"""Sorts cards by colour, then value (common §2, §9)."""

COPIES: Mapping[int, int] = {1: 2, 2: 2, 3: 3, 4: 2, 5: 2}
"""How many cards of each value a colour has (§1)."""

VALUES: Mapping[Card, int] = {card: int(card[-1]) for card in CARDS}
"""How many spaces a card moves its dragon (§4.1)."""

DRAGONS: Mapping[Card, int] = {card: COLOURS.index(card[:-2]) for card in CARDS}
"""The dragon that a card moves."""

PACK: tuple[Card, ...] = tuple(card for card in CARDS for _ in range(COPIES[VALUES[card]]))
"""All 110 cards, alike ones side by side (§1)."""

HAND = 6
"""How many cards a draw fills the hand to (§3.2, §4.4)."""

SMALL_LIMIT = 3
"""The highest value of a space that a small scoring counts (§4.3, R4)."""

LAST_TO_ENTER = 3
"""How many dragons on summit spaces end the game (§5.1)."""

SUMMIT_SPACES = 4
"""How many spaces at the end of the path are summit spaces (§1)."""


class Scoring(StrEnum):
    """What the space on which a moved dragon ends can bring (§4.3, R9)."""

    SMALL = "small"
    LARGE = "large"
    SUMMIT = "summit"


class Board(Struct, frozen=True):
    """One side of the board.

    Attributes:
        values: Points that each space gives, from the start on.
        scorings: The scoring that each space brings; None on a plain one.
        summit: The first summit space; all behind it are summit spaces too.
    """

    values: tuple[int, ...]
    scorings: tuple[Scoring | None, ...]
    summit: int


def _board(values: tuple[int, ...], blue: tuple[int, ...], green: tuple[int, ...]) -> Board:
    summit = len(values) - SUMMIT_SPACES
    scorings: dict[int, Scoring] = dict.fromkeys(blue, Scoring.SMALL)
    scorings |= dict.fromkeys(green, Scoring.LARGE)
    scorings |= dict.fromkeys(range(summit, len(values)), Scoring.SUMMIT)
    return Board(values, tuple(map(scorings.get, range(len(values)))), summit)


_FOR_2_AND_3 = _board(
    (0, 1, 3, 2, -1, 3, 2, 1, 4, 6, 3, -2, 3, 5, 2, 8, 5, 1, 2, -1, 7, 3, 1, 6, 2, 4, 5, 3, 4),
    blue=(6, 12, 18, 22),
    green=(8, 16, 24),
)
_FOR_4_AND_5 = _board(
    (0, 2, 1, 3, -1, 2, 3, 6, 1, 4, 3, -2, 2, 7, 1, 5, 3, -1, 1, 8, 2, 3, 4, 4, 5, 3, 4),
    blue=(5, 12, 18, 21),
    green=(9, 15, 22),
)


def board_for(seats: int) -> Board:
    """Return the side of the board for a number of seats (§3.1)."""
    return _FOR_2_AND_3 if seats <= 3 else _FOR_4_AND_5


type FirstSeat = Literal["random", 0, 1, 2, 3, 4]
"""Who begins: chance says, or a seat is named (§2, common §1)."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen when a match opens (§2).

    Attributes:
        first_seat: The seat that begins; `random`, chance says which.
    """

    first_seat: Annotated[
        FirstSeat, Meta(description="The seat that begins; `random`, chance says which.")
    ] = "random"


def why_not_options(options: Options, seats: int) -> Reason | None:
    """Return why options do not fit the number of seats, or None (§2)."""
    return None if fits(options.first_seat, seats) else Reason.FIRST_SEAT_OUT_OF_RANGE


def begun_by(options: Options, seat: Seat) -> Options:
    """Return options by which a seat begins, the others as they are (§2)."""
    return replace(options, first_seat=seat)


def _rows(board: Board) -> tuple[str, ...]:
    """Return a board as rows of a table: each space, its value, and its scoring unless it is plain."""
    spaces = enumerate(zip(board.values, board.scorings, strict=True))
    return tuple(
        f"space {space}: {value}, {scoring}" if scoring else f"space {space}: {value}"
        for space, (value, scoring) in spaces
    )


_BOARD = "Reconstructed, not the printed board: it fits every example of the rulebook."

DATA = (
    DataTable(
        "cards", Grade.FOUND, "Printed cards, from public sources: ten colours of eleven.", counted(PACK)
    ),
    DataTable(
        "dragons",
        Grade.FOUND,
        "Printed cards, from public sources: a dragon of each colour; the rulebook names white.",
        counted(COLOURS),
    ),
    DataTable("board_2_3", Grade.RECONSTRUCTED, _BOARD, _rows(_FOR_2_AND_3)),
    DataTable("board_4_5", Grade.RECONSTRUCTED, _BOARD, _rows(_FOR_4_AND_5)),
)
