"""Every reason for which a match of any game says no."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why a command is refused whatever the game."""

    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_STARTED = "MATCH_STARTED"
    MATCH_OVER = "MATCH_OVER"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    SEAT_TAKEN = "SEAT_TAKEN"
    ALREADY_SEATED = "ALREADY_SEATED"
    SEAT_NOT_TO_ACT = "SEAT_NOT_TO_ACT"
    ALREADY_RESIGNED = "ALREADY_RESIGNED"
    SEATS_OUT_OF_RANGE = "SEATS_OUT_OF_RANGE"


CLAUSES: Mapping[Reason, str] = {
    Reason.MATCH_NOT_STARTED: "§1",
    Reason.MATCH_STARTED: "§1",
    Reason.MATCH_OVER: "§1",
    Reason.NO_SUCH_SEAT: "§1",
    Reason.SEAT_TAKEN: "§1",
    Reason.ALREADY_SEATED: "§1",
    Reason.SEAT_NOT_TO_ACT: "§1",
    Reason.ALREADY_RESIGNED: "§6",
    Reason.SEATS_OUT_OF_RANGE: "§1",
}
"""The clause of the common rules that each reason enforces."""
