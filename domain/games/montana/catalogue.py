"""The data of ruleset `montana/1`: cards, board and options (montana §1, §2)."""

from enum import StrEnum
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from domain.shared.catalogues import DataTable, Grade, counted

RULESET = "montana/1"

# Written out because the type checker, both API schemas and the shuffle need the cards as literals, in order.
type Card = Literal[
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD", "KD",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH",
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS", "KS",
]  # fmt: skip

CARDS: tuple[Card, ...] = get_args(Card.__value__)
"""The pack before the first shuffle: clubs, diamonds, hearts, spades, ace to king in each (§1)."""

RANKS = 13
ROWS = 4
COLUMNS = 13
CELLS = ROWS * COLUMNS
"""Cells are numbered row by row, left to right: row x 13 + column."""

COMPLETE = 12
"""How many cards the finished part of a complete row has, 2 to king (R7)."""

# Inside, a card is its number, 1 to 52 in the order of the pack, and 0 is a gap: the next higher rank is one
# more, and a number divisible by 13 is a king or a gap, behind which nothing fits (§4.2, §4.4).
GAP = 0
NAMES: tuple[Card | None, ...] = (None, *CARDS)
"""The card of each number; None for a gap."""

NUMBERS: dict[Card | None, int] = {card: number for number, card in enumerate(NAMES)}
"""The number of each card. They rise by suit, then rank: the order in which moves are listed (common §9)."""

ACES = frozenset(CARDS[::RANKS])
TWOS = (2, 15, 28, 41)
"""The numbers of the four twos, by suit."""


class RedealPolicy(StrEnum):
    """When cards may be dealt again (§2, R1)."""

    WHEN_STUCK = "when_stuck"
    ANY_TIME = "any_time"


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen when a match opens (§2).

    Attributes:
        redeals: How many times cards may be dealt again.
        redeal_policy: Only when no card can be moved, or at any time.
        deal: A deal number, which fixes the deal and every redeal and leaves nothing secret (R6); absent, the
            match's seed deals.
    """

    redeals: Annotated[int, Meta(ge=0, le=9, description="How many times cards may be dealt again.")] = 2
    redeal_policy: Annotated[
        RedealPolicy, Meta(description="Only when no card can be moved, or at any time.")
    ] = RedealPolicy.WHEN_STUCK
    deal: (
        Annotated[int, Meta(ge=0, le=2**32 - 1, description="A deal number; absent, the match's seed deals.")]
        | None
    ) = None


def why_not_options(options: Options, seats: int) -> None:
    """Return None: all options go together (§2)."""


DATA = (
    DataTable("cards", Grade.GIVEN, "Rulebook, section 2: a French pack of 52 cards.", counted(CARDS)),
    DataTable(
        "board",
        Grade.GIVEN,
        "Rulebook, section 3: four rows of 13, the aces taken out.",
        (f"rows: {ROWS}", f"columns: {COLUMNS}", f"gaps: {len(ACES)}"),
    ),
)
