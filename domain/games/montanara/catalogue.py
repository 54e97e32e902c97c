"""The data of ruleset `montanara/1`: cards, board and options (montanara §1, §2)."""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.games.montanara.rejections import Reason
from domain.shared.catalogues import DataTable, Grade, counted
from domain.shared.seats import Seat, fits
from domain.shared.tuples import sorter, without

RULESET = "montanara/1"


class Kind(StrEnum):
    """What a card is; cards of a kind are alike (§1)."""

    DWARF = "dwarf"
    CRYSTAL = "crystal"
    CAVE_IN = "cave_in"
    THEFT = "theft"
    SHAKING = "shaking"
    TUNNEL = "tunnel"
    DRILLING = "drilling"
    OPEN_PIT = "open_pit"


COUNTS = {
    Kind.DWARF: 23,
    Kind.CRYSTAL: 9,
    Kind.CAVE_IN: 7,
    Kind.THEFT: 9,
    Kind.SHAKING: 7,
    Kind.TUNNEL: 9,
    Kind.DRILLING: 9,
    Kind.OPEN_PIT: 7,
}
"""How many cards there are of each kind (§1)."""

BORDERS = dict.fromkeys(Kind, "blue") | {
    Kind.DWARF: "green",
    Kind.CRYSTAL: "yellow",
    Kind.CAVE_IN: "blue and yellow",
}

PLACES = {kind: place for place, kind in enumerate(Kind)}
"""Each kind's place in the order in which cards are listed (common §9)."""

in_order = sorter(Kind)
"""Sorts cards by kind (common §2, §9)."""

PACK = tuple(kind for kind, count in COUNTS.items() for _ in range(count))

SEATS = 2
DEALT = 3
"""Cards dealt to each seat beside its dwarf (§3.1)."""

SHUFFLED = without(PACK, (Kind.DWARF,) * SEATS)
"""The pack before the first shuffle: a dwarf for each seat is taken out (§3.1)."""

SPACES = 4
"""The spaces of the board are numbered 0 to 3, in a row (§1)."""

NEIGHBOURS = tuple((space, space + 1) for space in range(SPACES - 1))
"""Neighbouring spaces; the row is no ring (R1)."""

IN_RANGE = len(SHUFFLED) - SEATS * DEALT
"""Cards that lie in the four mountains at first (§3.2)."""

DISPLAY_LIMIT = 4
"""A dwarf is played while fewer cards lie in the display (§4.2)."""

CRYSTALS_TO_WIN = 4
"""Crystals in a display that win at once (§5.1)."""

TUNNEL_LENGTH = 4
"""Cards that a tunnel shows, if the mountain has as many (§4.6)."""


class TunnelOrder(StrEnum):
    """How the cards of a tunnel go back (§4.6, R9)."""

    RANDOM = "random"
    CHOSEN = "chosen"


type FirstSeat = Literal["random", 0, 1, 2, 3, 4]
"""Who begins: chance says, or a seat is named (§2, common §1)."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen when a match opens (§2).

    Attributes:
        piles: How many cards lie on spaces 0 to 3 at first: 72 in all.
        tunnel_order: Whether chance or the seat gives the order in which the cards of a tunnel go back.
        first_seat: The seat that begins; `random`, chance says which.
    """

    piles: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=IN_RANGE - SPACES + 1)], ...],
        Meta(min_length=SPACES, max_length=SPACES, description="Cards on spaces 0 to 3 at first: 72 in all."),
    ] = (12, 16, 20, 24)
    tunnel_order: Annotated[
        TunnelOrder, Meta(description="Who orders the cards of a tunnel: chance or the seat.")
    ] = TunnelOrder.RANDOM
    first_seat: Annotated[
        FirstSeat, Meta(description="The seat that begins; `random`, chance says which.")
    ] = "random"


def why_not_options(options: Options, seats: int) -> Reason | None:
    """Return why options do not go together or fit the number of seats, or None (§2)."""
    if sum(options.piles) != IN_RANGE:
        return Reason.PILES_DO_NOT_ADD_UP
    return None if fits(options.first_seat, seats) else Reason.FIRST_SEAT_OUT_OF_RANGE


def begun_by(options: Options, seat: Seat) -> Options:
    """Return options by which a seat begins, the others as they are (§2)."""
    return replace(options, first_seat=seat)


DATA = (
    DataTable(
        "cards",
        Grade.GIVEN,
        "Rulebook, Components and card symbols: 80 cards, with the colour of the border.",
        tuple(f"{row}, {border}" for row, border in zip(counted(PACK), BORDERS.values(), strict=True)),
    ),
    DataTable(
        "board",
        Grade.GIVEN,
        "Rulebook, Setup: one board with four spaces, in a row between the players.",
        (f"spaces: {SPACES}",),
    ),
)
