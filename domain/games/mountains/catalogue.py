"""The data of ruleset `mountains/recon-1`: equipment, hiking cards and options (mountains §1, §2, §9)."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.games.mountains.rejections import Reason
from domain.shared.catalogues import DataTable, Grade, counted
from domain.shared.seats import Seat, fits
from domain.shared.tuples import sorter

RULESET = "mountains/recon-1"

# Written out because the type checker and both API schemas need the names as literals, in order.
type Equipment = Literal[
    "boots", "rope", "carabiner", "helmet", "ice_axe", "crampons", "tent", "sunglasses",
    "compass", "pocket_knife", "lighter", "first_aid_kit", "canteen", "lantern", "mug", "trekking_poles",
]  # fmt: skip

EQUIPMENT: tuple[Equipment, ...] = get_args(Equipment.__value__)
"""The 16 types, in the order of §1, in which lists of equipment are sorted."""

in_order = sorter(EQUIPMENT)
"""Sorts equipment in the order of §1 (common §2, §9)."""

PACK: tuple[Equipment, ...] = tuple(equipment for equipment in EQUIPMENT for _ in range(2))
"""The 32 equipment cards before the first shuffle; nothing tells the two copies of a type apart (R15)."""

HAND_SIZES: Mapping[int, int] = {2: 8, 3: 6, 4: 4, 5: 3}
"""How many equipment cards a seat is dealt, by number of seats (§3.1)."""

FIRST_STONES = 8
"""What a seat begins with (§3.2)."""
STONES_FOR_DECLINING = 1
"""What a seat gets for a hike that it does not start (§4.5)."""
STONES_FOR_RESTING = 3
"""What a seat gets for a rest day (§6.2)."""

type Deck = Literal["1", "2", "3", "4", "4s", "5s"]

DECKS: tuple[Deck, ...] = get_args(Deck.__value__)
"""The decks in the order of §1: the number of pieces that a hike needs; `s` is the printed star, a pair."""

DECK_NUMBERS: Mapping[Deck, int] = {deck: number for number, deck in enumerate(DECKS)}

FIRST_HIGH_DECK = 2
"""The place in `DECKS` from which on an empty deck counts for the end (§6.1)."""


class CardKind(StrEnum):
    """What a hiking card shows (§4.2, §5)."""

    HIKE = "hike"
    HUT_EQUIPMENT = "hut_equipment"
    HUT_STAMP = "hut_stamp"


type HikingCardId = Literal[
    "1-01", "1-02", "1-03", "1-04", "1-05", "1-06", "1-07", "1-08", "1-09", "1-10",
    "2-01", "2-02", "2-03", "2-04", "2-05", "2-06", "2-07", "2-08", "2-09", "2-10",
    "3-01", "3-02", "3-03", "3-04", "3-05", "3-06", "3-07", "3-08", "3-09", "3-10", "3-11", "3-12",
    "4-01", "4-02", "4-03", "4-04", "4-05", "4-06", "4-07", "4-08", "4-09", "4-10",
    "4s-01", "4s-02", "4s-03", "4s-04", "4s-05", "4s-06", "4s-07", "4s-08", "4s-09", "4s-10",
    "5s-01", "5s-02", "5s-03", "5s-04", "5s-05", "5s-06", "5s-07", "5s-08", "5s-09", "5s-10",
]  # fmt: skip
"""The deck of a hiking card, a hyphen and a number of two digits."""


class HikingCard(Struct, frozen=True):
    """A hiking card (§9).

    Attributes:
        id: By which it is known, `4s-03`.
        deck: The deck that it belongs to.
        kind: A hike, a hut that sells equipment, or a hut that sells a stamp.
        equipment: What a hike asks for, in the order of §1; a type twice is the pair. A hut asks for nothing.
        stones: What a completed hike gives, 0 to 5.
        stamps: What a completed hike gives or a hut sells, 0 to 4.
        price: Stones that a hut asks for, 2 to 5; 0 for a hike.
    """

    id: HikingCardId
    deck: Deck
    kind: CardKind
    equipment: tuple[Equipment, ...]
    stones: int
    stamps: int
    price: int


def _deck(id: HikingCardId) -> Deck:
    return next(deck for deck in DECKS if deck == id.partition("-")[0])


def _hike(id: HikingCardId, stones: int, stamps: int, *equipment: Equipment) -> HikingCard:
    return HikingCard(id, _deck(id), CardKind.HIKE, in_order(equipment), stones, stamps, price=0)


def _hut_equipment(id: HikingCardId, price: int) -> HikingCard:
    return HikingCard(id, _deck(id), CardKind.HUT_EQUIPMENT, (), 0, 0, price)


def _hut_stamp(id: HikingCardId, price: int) -> HikingCard:
    return HikingCard(id, _deck(id), CardKind.HUT_STAMP, (), 0, 1, price)


HIKING_CARDS = (
    _hike("1-01", 3, 0, "pocket_knife"),
    _hike("1-02", 3, 0, "mug"),
    _hike("1-03", 3, 0, "lighter"),
    _hike("1-04", 3, 0, "rope"),
    _hike("1-05", 3, 0, "crampons"),
    _hike("1-06", 3, 0, "compass"),
    _hike("1-07", 3, 0, "carabiner"),
    _hike("1-08", 3, 0, "trekking_poles"),
    _hut_equipment("1-09", 2),
    _hut_equipment("1-10", 2),
    _hike("2-01", 5, 0, "ice_axe", "sunglasses"),
    _hike("2-02", 5, 0, "mug", "trekking_poles"),
    _hike("2-03", 5, 0, "rope", "carabiner"),
    _hike("2-04", 5, 0, "first_aid_kit", "lantern"),
    _hike("2-05", 5, 0, "tent", "lighter"),
    _hike("2-06", 5, 0, "boots", "compass"),
    _hike("2-07", 5, 0, "crampons", "canteen"),
    _hike("2-08", 5, 0, "helmet", "pocket_knife"),
    _hut_equipment("2-09", 2),
    _hut_stamp("2-10", 5),
    _hike("3-01", 3, 1, "boots", "first_aid_kit", "mug"),
    _hike("3-02", 3, 1, "crampons", "sunglasses", "pocket_knife"),
    _hike("3-03", 3, 1, "boots", "compass", "trekking_poles"),
    _hike("3-04", 3, 1, "ice_axe", "sunglasses", "lantern"),
    _hike("3-05", 3, 1, "helmet", "tent", "lighter"),
    _hike("3-06", 3, 1, "carabiner", "first_aid_kit", "lantern"),
    _hike("3-07", 3, 1, "rope", "compass", "trekking_poles"),
    _hike("3-08", 3, 1, "crampons", "lighter", "canteen"),
    _hike("3-09", 3, 1, "carabiner", "helmet", "pocket_knife"),
    _hike("3-10", 3, 1, "tent", "canteen", "mug"),
    _hut_equipment("3-11", 2),
    _hut_stamp("3-12", 5),
    _hike("4-01", 2, 2, "boots", "rope", "pocket_knife", "trekking_poles"),
    _hike("4-02", 2, 2, "ice_axe", "first_aid_kit", "canteen", "lantern"),
    _hike("4-03", 2, 2, "helmet", "sunglasses", "canteen", "mug"),
    _hike("4-04", 2, 2, "ice_axe", "tent", "sunglasses", "lighter"),
    _hike("4-05", 2, 2, "boots", "helmet", "crampons", "tent"),
    _hike("4-06", 2, 2, "carabiner", "crampons", "compass", "mug"),
    _hike("4-07", 2, 2, "rope", "carabiner", "pocket_knife", "lantern"),
    _hike("4-08", 2, 2, "compass", "lighter", "first_aid_kit", "trekking_poles"),
    _hut_equipment("4-09", 2),
    _hut_stamp("4-10", 4),
    _hike("4s-01", 0, 3, "helmet", "helmet", "carabiner", "lighter"),
    _hike("4s-02", 0, 3, "lighter", "lighter", "boots", "rope"),
    _hike("4s-03", 0, 3, "carabiner", "carabiner", "compass", "mug"),
    _hike("4s-04", 0, 3, "tent", "tent", "ice_axe", "crampons"),
    _hike("4s-05", 0, 3, "ice_axe", "ice_axe", "first_aid_kit", "canteen"),
    _hike("4s-06", 0, 3, "rope", "rope", "sunglasses", "lantern"),
    _hike("4s-07", 0, 3, "sunglasses", "sunglasses", "tent", "pocket_knife"),
    _hike("4s-08", 0, 3, "lantern", "lantern", "helmet", "trekking_poles"),
    _hut_equipment("4s-09", 2),
    _hut_stamp("4s-10", 4),
    _hike("5s-01", 0, 4, "pocket_knife", "pocket_knife", "rope", "carabiner", "canteen"),
    _hike("5s-02", 0, 4, "canteen", "canteen", "tent", "sunglasses", "compass"),
    _hike("5s-03", 0, 4, "boots", "boots", "rope", "ice_axe", "mug"),
    _hike("5s-04", 0, 4, "crampons", "crampons", "boots", "pocket_knife", "first_aid_kit"),
    _hike("5s-05", 0, 4, "trekking_poles", "trekking_poles", "sunglasses", "lighter", "first_aid_kit"),
    _hike("5s-06", 0, 4, "compass", "compass", "helmet", "crampons", "lantern"),
    _hike("5s-07", 0, 4, "mug", "mug", "helmet", "ice_axe", "trekking_poles"),
    _hike("5s-08", 0, 4, "first_aid_kit", "first_aid_kit", "boots", "tent", "canteen"),
    _hut_stamp("5s-09", 3),
    _hut_stamp("5s-10", 3),
)
"""All 62, in the order of §9; id, stones, stamps and equipment of a hike, or id and price of a hut."""

CARDS: Mapping[HikingCardId, HikingCard] = {card.id: card for card in HIKING_CARDS}
"""Each hiking card by its id."""

NEEDS: Mapping[HikingCardId, tuple[tuple[Equipment, int], ...]] = {
    card.id: tuple(Counter(card.equipment).items()) for card in HIKING_CARDS
}
"""Of which types, in the order of §1, a hike needs how many copies, by the card's id (§4.2)."""


class SummitBooks(StrEnum):
    """Whether the others may see a seat's total of stamps (§2, §7)."""

    SECRET = "secret"  # noqa: S105 - a word of the rulebook, no password
    OPEN = "open"


type FirstSeat = Literal["random", 0, 1, 2, 3, 4]
"""Who begins: chance says, or a seat is named (§2, common §1)."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen when a match opens (§2).

    Attributes:
        summit_books: Whether the others may see a seat's total of stamps.
        first_seat: The seat that begins; `random`, chance says which.
    """

    summit_books: Annotated[
        SummitBooks, Meta(description="Whether the others may see a seat's total of stamps.")
    ] = SummitBooks.SECRET
    first_seat: Annotated[
        FirstSeat, Meta(description="The seat that begins; `random`, chance says which.")
    ] = "random"


def why_not_options(options: Options, seats: int) -> Reason | None:
    """Return why options do not fit the number of seats, or None (§2)."""
    return None if fits(options.first_seat, seats) else Reason.FIRST_SEAT_OUT_OF_RANGE


def begun_by(options: Options, seat: Seat) -> Options:
    """Return options by which a seat begins, the others as they are (§2)."""
    return replace(options, first_seat=seat)


def _row(card: HikingCard) -> str:
    """Return a hiking card as a row of a table."""
    if card.kind is CardKind.HIKE:
        needs = ", ".join(card.equipment)
        return f"{card.id}: {card.kind}, stones {card.stones}, stamps {card.stamps}, {needs}"
    return f"{card.id}: {card.kind}, price {card.price}, stamps {card.stamps}"


_EQUIPMENT = counted(PACK)

DATA = (
    DataTable(
        "equipment",
        Grade.FOUND,
        "Printed cards, from public sources: each type once blue and once green, to tell the copies apart.",
        _EQUIPMENT[:-1],
    ),
    DataTable(
        "equipment_reconstructed",
        Grade.RECONSTRUCTED,
        "Reconstructed: the sixteenth type, which no public source names.",
        _EQUIPMENT[-1:],
    ),
    DataTable(
        "decks",
        Grade.FOUND,
        "Printed cards, from public sources: the pieces a hike needs; a star (s) means a pair among them.",
        tuple(f"{deck}: {deck[0]}" for deck in DECKS),
    ),
    DataTable(
        "hands",
        Grade.GIVEN,
        "Rulebook, Preparation: equipment cards a seat by number of seats.",
        tuple(f"{seats} seats: {size}" for seats, size in HAND_SIZES.items()),
    ),
    DataTable(
        "stones",
        Grade.GIVEN,
        "Rulebook, Preparation, Correctly Assess Day Hikes, Rest Day: the stockpile never runs out (R13).",
        (
            f"at the beginning: {FIRST_STONES}",
            f"for declining a hike: {STONES_FOR_DECLINING}",
            f"for a rest day: {STONES_FOR_RESTING}",
        ),
    ),
    DataTable(
        "hiking_cards",
        Grade.RECONSTRUCTED,
        "Reconstructed: deck sizes, faces, huts and prices, made to fit the 62 cards of the rulebook.",
        tuple(map(_row, HIKING_CARDS)),
    ),
)
