"""Every reason for which Mount Drago says no, and the clause that each enforces."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why options or a command are refused."""

    FIRST_SEAT_OUT_OF_RANGE = "FIRST_SEAT_OUT_OF_RANGE"
    CARD_ALREADY_PLAYED = "CARD_ALREADY_PLAYED"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    RIDE_REQUIRED = "RIDE_REQUIRED"
    RIDE_NOT_ALLOWED = "RIDE_NOT_ALLOWED"
    CARD_NOT_PLAYED_YET = "CARD_NOT_PLAYED_YET"
    DISCARD_NOT_IN_HAND = "DISCARD_NOT_IN_HAND"
    DRAGON_NOT_ON_SUMMIT = "DRAGON_NOT_ON_SUMMIT"


CLAUSES: Mapping[StrEnum, str] = {
    Reason.FIRST_SEAT_OUT_OF_RANGE: "§2",
    Reason.CARD_ALREADY_PLAYED: "§4.1",
    Reason.CARD_NOT_IN_HAND: "§4.1",
    Reason.RIDE_REQUIRED: "§4.2",
    Reason.RIDE_NOT_ALLOWED: "§4.2",
    Reason.CARD_NOT_PLAYED_YET: "§4.4",
    Reason.DISCARD_NOT_IN_HAND: "§4.4",
    Reason.DRAGON_NOT_ON_SUMMIT: "§4.4",
}
