"""What can happen to a match of any game; stored for good."""

from msgspec import Struct

from domain.match.state import Holder, Terms
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat


class Opened[O](Struct, frozen=True, tag_field="type", tag="match.opened"):
    """A match was opened on these terms."""

    terms: Terms[O]


class SeatTaken(Struct, frozen=True, tag_field="type", tag="match.seat_taken"):
    """A player sat down."""

    seat: Seat
    holder: Holder


class Started(Struct, frozen=True, tag_field="type", tag="match.started"):
    """All seats are taken, the game's opening events have happened, and play begins."""


class Resigned(Struct, frozen=True, tag_field="type", tag="match.resigned"):
    """A seat gave up (common §6)."""

    seat: Seat


class Finished(Struct, frozen=True, tag_field="type", tag="match.finished"):
    """The match is over; no command is accepted any more."""

    outcome: Outcome


type MatchEvent[O] = Opened[O] | SeatTaken | Started | Resigned | Finished

MATCH_EVENTS: tuple[type[Struct], ...] = (Opened, SeatTaken, Started, Resigned, Finished)
