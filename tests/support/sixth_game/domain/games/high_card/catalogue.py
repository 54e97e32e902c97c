"""The data of ruleset `high_card/1`: cards and options (high_card §1, §2)."""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.shared.catalogues import DataTable, Grade, counted
from domain.shared.seats import Seat, fits
from domain.shared.tuples import sorter

from .rejections import Reason

RULESET = "high_card/1"
SEATS = 2
HAND = 3
"""How many cards a seat is dealt, and how many tricks are played (§3, §5)."""

type Card = Literal["1", "2", "3", "4", "5", "6", "7", "8"]

CARDS: tuple[Card, ...] = get_args(Card.__value__)
"""The cards, the lowest first (§1)."""

in_order = sorter(CARDS)
"""Sorts cards, the lowest first (common §2, §9)."""

type FirstSeat = Literal["random", 0, 1]
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


DATA = (DataTable("cards", Grade.GIVEN, "Rules, section 1: eight cards.", counted(CARDS)),)
