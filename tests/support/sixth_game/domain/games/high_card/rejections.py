"""Every reason for which High Card says no, and the clause that each enforces."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why options or a command are refused."""

    FIRST_SEAT_OUT_OF_RANGE = "FIRST_SEAT_OUT_OF_RANGE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"


CLAUSES: Mapping[StrEnum, str] = {
    Reason.FIRST_SEAT_OUT_OF_RANGE: "§2",
    Reason.CARD_NOT_IN_HAND: "§4.1",
}
