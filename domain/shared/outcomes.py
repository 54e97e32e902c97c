"""How a match can end (common §8)."""

from enum import StrEnum

from msgspec import Struct

from domain.shared.seats import Seat


class OutcomeKind(StrEnum):
    """In which way a match ended."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    SHARED = "shared"
    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"


class Outcome(Struct, frozen=True):
    """The end of a match.

    Attributes:
        kind: In which way it ended.
        winners: Seats that won, rising; none if it was lost or drawn.
        scores: One a seat, in seat order, counted as the game says.
        reason: What brought the end, in lower snake case.
    """

    kind: OutcomeKind
    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    reason: str
