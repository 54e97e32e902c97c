"""How a match can end (common §8)."""

from collections.abc import Iterable
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
        reason: What brought the end, in lower snake case; `COMMAND_LIMIT` if neither a game nor a seat did,
            but the match had as many commands as it may have.
        stones: One a seat, in seat order, in a game that breaks ties by them; else empty.
    """

    kind: OutcomeKind
    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    reason: str
    stones: tuple[int, ...] = ()


type Standings = tuple[tuple[int, ...], ...]
"""What ranks the seats, one a seat in seat order: the first number that differs decides, the higher wins."""


def best(standings: Standings, seats: Iterable[Seat]) -> tuple[OutcomeKind, tuple[Seat, ...]]:
    """Return how the game ends for those of the seats, at least one, that nobody surpasses: won or shared."""
    ranked = tuple(sorted(seats))
    highest = max(standings[seat] for seat in ranked)
    winners = tuple(seat for seat in ranked if standings[seat] == highest)
    return OutcomeKind.WON if len(winners) == 1 else OutcomeKind.SHARED, winners
