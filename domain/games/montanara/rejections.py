"""Every reason for which Montanara says no, and the clause that each enforces."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why options or a command are refused."""

    PILES_DO_NOT_ADD_UP = "PILES_DO_NOT_ADD_UP"
    FIRST_SEAT_OUT_OF_RANGE = "FIRST_SEAT_OUT_OF_RANGE"
    WRONG_PHASE = "WRONG_PHASE"
    MOUNTAIN_EMPTY = "MOUNTAIN_EMPTY"
    NO_DWARF_IN_HAND = "NO_DWARF_IN_HAND"
    DISPLAY_FULL = "DISPLAY_FULL"
    ALREADY_LOOKED_AT = "ALREADY_LOOKED_AT"
    NO_OTHER_CARD_IN_HAND = "NO_OTHER_CARD_IN_HAND"
    NOT_NEIGHBOURS = "NOT_NEIGHBOURS"
    TOO_FEW_CARDS_TO_SHAKE = "TOO_FEW_CARDS_TO_SHAKE"
    EXTRA_ELSEWHERE = "EXTRA_ELSEWHERE"
    NO_EXTRA_CARD = "NO_EXTRA_CARD"
    NOT_THE_CARDS_SEEN = "NOT_THE_CARDS_SEEN"
    ALREADY_DRILLED = "ALREADY_DRILLED"
    CARD_LIFTED = "CARD_LIFTED"
    NO_CARD_LIFTED = "NO_CARD_LIFTED"
    NO_DWARF_IN_DISPLAY = "NO_DWARF_IN_DISPLAY"
    HAND_EMPTY = "HAND_EMPTY"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"


CLAUSES: Mapping[StrEnum, str] = {
    Reason.PILES_DO_NOT_ADD_UP: "§2",
    Reason.FIRST_SEAT_OUT_OF_RANGE: "§2",
    Reason.WRONG_PHASE: "§4.0",
    Reason.MOUNTAIN_EMPTY: "§4.1",
    Reason.NO_DWARF_IN_HAND: "§4.2",
    Reason.DISPLAY_FULL: "§4.2",
    Reason.ALREADY_LOOKED_AT: "§4.3",
    Reason.NO_OTHER_CARD_IN_HAND: "§4.4",
    Reason.NOT_NEIGHBOURS: "§4.5",
    Reason.TOO_FEW_CARDS_TO_SHAKE: "§4.5",
    Reason.EXTRA_ELSEWHERE: "§4.5",
    Reason.NO_EXTRA_CARD: "§4.5",
    Reason.NOT_THE_CARDS_SEEN: "§4.6",
    Reason.ALREADY_DRILLED: "§4.7",
    Reason.CARD_LIFTED: "§4.7",
    Reason.NO_CARD_LIFTED: "§4.7",
    Reason.NO_DWARF_IN_DISPLAY: "§4.9",
    Reason.HAND_EMPTY: "§4.9",
    Reason.CARD_NOT_IN_HAND: "§4.10",
}
