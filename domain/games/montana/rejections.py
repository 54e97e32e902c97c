"""Every reason for which Montana says no, and the clause that each enforces."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why a command is refused."""

    ACE_IS_OUT = "ACE_IS_OUT"
    MOVE_INCOMPLETE = "MOVE_INCOMPLETE"
    TARGET_INCOMPLETE = "TARGET_INCOMPLETE"
    TARGET_AMBIGUOUS = "TARGET_AMBIGUOUS"
    CARD_AMBIGUOUS = "CARD_AMBIGUOUS"
    NO_GAP_ACCEPTS_CARD = "NO_GAP_ACCEPTS_CARD"
    CELL_OCCUPIED = "CELL_OCCUPIED"
    CARD_DOES_NOT_FIT = "CARD_DOES_NOT_FIT"
    NOT_A_TWO = "NOT_A_TWO"
    GAP_IS_DEAD = "GAP_IS_DEAD"
    NO_REDEALS_LEFT = "NO_REDEALS_LEFT"
    NOT_STUCK = "NOT_STUCK"


CLAUSES: Mapping[StrEnum, str] = {
    Reason.ACE_IS_OUT: "§3.2",
    Reason.MOVE_INCOMPLETE: "§4.1",
    Reason.TARGET_INCOMPLETE: "§4.1",
    Reason.TARGET_AMBIGUOUS: "§4.1",
    Reason.CARD_AMBIGUOUS: "§4.1",
    Reason.NO_GAP_ACCEPTS_CARD: "§4.1",
    Reason.CELL_OCCUPIED: "§4.1",
    Reason.CARD_DOES_NOT_FIT: "§4.2",
    Reason.NOT_A_TWO: "§4.3",
    Reason.GAP_IS_DEAD: "§4.4",
    Reason.NO_REDEALS_LEFT: "§4.6",
    Reason.NOT_STUCK: "§4.6",
}
