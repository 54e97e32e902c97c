"""What can happen to a match of any game; stored for good."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from domain.match.clocks import Clocks
from domain.match.state import CancelReason, Holder, PlayerId, Terms
from domain.shared.game import AnyGame
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat

type Time = Annotated[datetime, Meta(tz=True)]
"""A time, UTC."""


class Opened[O](Struct, frozen=True, tag_field="type", tag="match.opened"):
    """A match was opened on these terms."""

    terms: Terms[O]


class SeatTaken(Struct, frozen=True, tag_field="type", tag="match.seat_taken"):
    """A player sat down."""

    seat: Seat
    holder: Holder


class SeatLeft(Struct, frozen=True, tag_field="type", tag="match.seat_left"):
    """A seat became free before the match began.

    Attributes:
        seat: The seat.
        player: Who held it.
        barred: Whether its player may not come back: the opener's request, not its own.
    """

    seat: Seat
    player: PlayerId
    barred: bool


class Invited(Struct, frozen=True, tag_field="type", tag="match.invited"):
    """A player was invited, and may know of the match."""

    player: PlayerId


class Started(Struct, frozen=True, tag_field="type", tag="match.started"):
    """All seats are taken, the game's opening events have happened, and play begins.

    Attributes:
        first: The seat that is to act first.
    """

    first: Seat


class ClocksSet(Struct, frozen=True, tag_field="type", tag="match.clocks_set"):
    """The time that the seats have left from now on."""

    clocks: Clocks


class DeadlineMoved(Struct, frozen=True, tag_field="type", tag="match.deadline_moved"):
    """The service was away: the seats whose time runs have as much more as that took, and 10 seconds.

    Attributes:
        began_at: Since when it was away, UTC.
        ended_at: Until when, UTC.
        clocks: The time that the seats have left from `clocks.at` on, the outage included.
    """

    began_at: Time
    ended_at: Time
    clocks: Clocks


class TimedOut(Struct, frozen=True, tag_field="type", tag="match.timed_out"):
    """A seat's time was up; what became of that follows (common §7)."""

    seat: Seat


class Resigned(Struct, frozen=True, tag_field="type", tag="match.resigned"):
    """A seat gave up, or its time did (common §6)."""

    seat: Seat


class Finished(Struct, frozen=True, tag_field="type", tag="match.finished"):
    """The match is over; no command is accepted any more."""

    outcome: Outcome


class Cancelled(Struct, frozen=True, tag_field="type", tag="match.cancelled"):
    """The match was cancelled before it began; no command is accepted any more."""

    reason: CancelReason


class Branched[T](Struct, frozen=True, tag_field="type", tag="match.branched"):
    """A branch has its table, one player holds all seats, and play begins.

    Attributes:
        holder: Who holds the seats.
        first: The seat that was to act first in the match that this one branches off from.
        resigned: The seats that had given up there, in the order in which they did.
        table: The game's own view of the table.
        state: The whole table as the rules keep it, in canonical JSON; `schema` is the number of its shape.
            None but for the viewer that sees all.
    """

    holder: Holder
    first: Seat
    resigned: tuple[Seat, ...]
    table: T
    state: str | None


class InvitationRenewed(Struct, frozen=True, tag_field="type", tag="match.invitation_renewed"):
    """The match has another link; the one that it had opens nothing any more."""


type MatchEvent[O, T] = (
    Opened[O]
    | SeatTaken
    | Started
    | Resigned
    | Finished
    | SeatLeft
    | Invited
    | ClocksSet
    | TimedOut
    | Cancelled
    | Branched[T]
    | InvitationRenewed
    | DeadlineMoved
)

MATCH_EVENTS: tuple[type[Struct], ...] = (
    Opened,
    SeatTaken,
    Started,
    Resigned,
    Finished,
    SeatLeft,
    Invited,
    ClocksSet,
    TimedOut,
    Cancelled,
    Branched,
    InvitationRenewed,
    DeadlineMoved,
)

COMMON_EVENTS = tuple(event for event in MATCH_EVENTS if event not in (Opened, Branched))
"""Those that are the same in all games: an opening has the game's options, a branch its table."""


def event_types(game: AnyGame) -> tuple[type[Any], ...]:
    """Return the types of all that can happen in a match of a game, as it is stored."""
    return (*_filled(game), *COMMON_EVENTS, *game.events)


def seen_event_types(game: AnyGame) -> tuple[type[Any], ...]:
    """Return the types of all that can happen in a match of a game, as viewers see it."""
    return (*_filled(game), *COMMON_EVENTS, *game.seen_events)


def _filled(game: AnyGame) -> tuple[type[Any], ...]:
    """Return the events that have what is a game's own; only the registry knows it."""
    opened: Any = Opened
    branched: Any = Branched
    return opened[game.options], branched[game.table]
