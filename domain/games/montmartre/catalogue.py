"""The data of ruleset `montmartre/1`: cards, collectors, contracts and options (montmartre §1, §2)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.games.montmartre.rejections import Reason
from domain.shared.catalogues import DataTable, Grade, counted
from domain.shared.seats import Seat, fits
from domain.shared.tuples import sorter

RULESET = "montmartre/1"


class Colour(StrEnum):
    """A muse's colour, which is the style of a painting and the taste of a collector (§1)."""

    BLUE = "blue"
    GREEN = "green"
    PINK = "pink"
    YELLOW = "yellow"


COLOURS = tuple(Colour)
"""The colours in order. What is kept by colour is a tuple in this order; a place in it is a shelf."""

SHELVES: Mapping[Colour, int] = {colour: shelf for shelf, colour in enumerate(COLOURS)}
"""The shelf of each colour."""

# Written out because the type checker and both API schemas need the cards as literals, in order.
type Card = Literal[
    "blue-0", "blue-1", "blue-2", "blue-3", "blue-4", "blue-5", "blue-6", "blue-7", "blue-8",
    "green-0", "green-1", "green-2", "green-3", "green-4", "green-5", "green-6", "green-7", "green-8",
    "pink-0", "pink-1", "pink-2", "pink-3", "pink-4", "pink-5", "pink-6", "pink-7", "pink-8",
    "yellow-0", "yellow-1", "yellow-2", "yellow-3", "yellow-4",
    "yellow-5", "yellow-6", "yellow-7", "yellow-8",
]  # fmt: skip

CARDS: tuple[Card, ...] = get_args(Card.__value__)
"""The 36 different Muse cards in order: four colours, 0 to 8 in each (§1)."""

in_order = sorter(CARDS)
"""Sorts cards by colour, then value (common §2, §9)."""

STYLES: Mapping[Card, Colour] = {card: COLOURS[number // 9] for number, card in enumerate(CARDS)}
"""The colour of each card, which is the style of its painting."""

VALUES: Mapping[Card, int] = {card: number % 9 for number, card in enumerate(CARDS)}
"""What each card is worth."""

LAST_DOUBLE = 5
"""Cards of up to this value are there twice, higher ones once (§1)."""

PACK: tuple[Card, ...] = tuple(card for card in CARDS for _ in range(1 + (VALUES[card] <= LAST_DOUBLE)))
"""The 60 Muse cards before the first shuffle, in order."""

HAND = 4
"""How many cards a hand has when a turn begins and ends (§3.1, §4.3)."""

PILES = 3
EMPTY_PILES = 2
"""How many empty piles of Muse cards make new ones (§4.4)."""

PAIR_LIMIT = 5
"""What two cards painted together may add up to at most (§4.1)."""

WORKSHOP_LIMIT = 6
"""How many paintings a workshop holds at the end of a turn (§4.2)."""

COINS = 27
"""How many there are; they limit nothing (R11)."""

MARKET_PRICE = 1
"""Francs for a painting sold off (§4.2)."""

COLLECTORS = (2, 4, 6, 8, 10)
"""The values of a colour's collectors, top first (§1)."""

TIERS = {2: (4,), 3: (3, 7), 4: (5, 12)}
"""The white, grey and brown contracts, by the number of colours, or pairs, that opens them (§5.4, §6.2)."""

CONTRACTS = (3, 4, 5, 7, 12)
"""All contracts, rising."""

EMPTY_COLLECTORS = 2
"""How many empty collector piles bring the end (§7.1)."""

FRANCS = 15
"""How many francs bring the end (§7.1)."""

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


DATA = (
    DataTable(
        "cards",
        Grade.FOUND,
        "Printed cards, from public sources; how many of each, from one source: 60 Muse cards, 204 in all.",
        counted(PACK),
    ),
    DataTable(
        "collectors",
        Grade.GIVEN,
        "Rulebook, Setup: four piles, the 2 on top, then 4, 6, 8 and 10.",
        tuple(f"{colour}: {', '.join(map(str, COLLECTORS))}" for colour in COLOURS),
    ),
    DataTable(
        "contracts",
        Grade.GIVEN,
        "Rulebook, Draw for a Newspaper: the white, grey and brown contracts.",
        tuple(
            f"{tier}: {', '.join(map(str, values))}"
            for tier, values in zip(("white", "grey", "brown"), TIERS.values(), strict=True)
        ),
    ),
    DataTable(
        "money",
        Grade.GIVEN,
        "Rulebook, Setup; what the coins are worth does not matter, since francs never run out (R11).",
        (f"coins: {COINS}",),
    ),
)
