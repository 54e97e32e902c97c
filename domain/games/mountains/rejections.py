"""Every reason for which Mountains says no, and the clause that each enforces."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why options or a command are refused."""

    FIRST_SEAT_OUT_OF_RANGE = "FIRST_SEAT_OUT_OF_RANGE"
    HIKE_ALREADY_CHOSEN = "HIKE_ALREADY_CHOSEN"
    DECK_EMPTY = "DECK_EMPTY"
    NO_HIKE = "NO_HIKE"
    NOT_A_NEIGHBOUR = "NOT_A_NEIGHBOUR"
    NOT_MISSING = "NOT_MISSING"
    NO_STONES = "NO_STONES"
    EQUIPMENT_MISSING = "EQUIPMENT_MISSING"
    ALREADY_ASKED = "ALREADY_ASKED"
    NOTHING_ASKED = "NOTHING_ASKED"
    NO_OFFER = "NO_OFFER"
    TOO_LATE_TO_REST = "TOO_LATE_TO_REST"
    HAS_STONES = "HAS_STONES"


CLAUSES: Mapping[StrEnum, str] = {
    Reason.FIRST_SEAT_OUT_OF_RANGE: "§2",
    Reason.HIKE_ALREADY_CHOSEN: "§4.1",
    Reason.DECK_EMPTY: "R9",
    Reason.NO_HIKE: "§4.1",
    Reason.NOT_A_NEIGHBOUR: "§4.3",
    Reason.NOT_MISSING: "R3",
    Reason.NO_STONES: "§4.3",
    Reason.EQUIPMENT_MISSING: "§4.4",
    Reason.ALREADY_ASKED: "§4.5",
    Reason.NOTHING_ASKED: "§4.6",
    Reason.NO_OFFER: "§5.1",
    Reason.TOO_LATE_TO_REST: "§6.2",
    Reason.HAS_STONES: "§6.2",
}
