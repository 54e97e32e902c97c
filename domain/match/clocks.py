"""How much time seats have to choose. The time is told, never asked for."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from domain.shared.seats import Seat

DAY = 86_400
LONGEST_RESERVE = DAY
LONGEST_INCREMENT = 3_600
MOST_DAYS = 30
OUTAGE_GRACE = timedelta(seconds=10)
"""What a seat has in addition once the service is back, to notice that it is."""


class TimeControlKind(StrEnum):
    """In which way time is limited."""

    NONE = "none"
    PER_MOVE = "per_move"
    RESERVE = "reserve"
    DAYS = "days"


class TimeControl(Struct, frozen=True):
    """How much time the seats of a match have.

    Attributes:
        kind: In which way time is limited.
        seconds: For each move (`per_move`), or for the whole match (`reserve`), 1 to 86,400; else 0.
        increment: Seconds that a move adds to the reserve, 0 to 3,600; else 0.
        days: For each move (`days`), 1 to 30; else 0.
    """

    kind: TimeControlKind = TimeControlKind.NONE
    seconds: int = 0
    increment: int = 0
    days: int = 0

    @property
    def fits(self) -> bool:
        """Whether the numbers are those of the kind, and within their bounds."""
        match self.kind:
            case TimeControlKind.NONE:
                return not (self.seconds or self.increment or self.days)
            case TimeControlKind.PER_MOVE:
                return 1 <= self.seconds <= DAY and not (self.increment or self.days)
            case TimeControlKind.RESERVE:
                in_bounds = 1 <= self.seconds <= LONGEST_RESERVE and 0 <= self.increment <= LONGEST_INCREMENT
                return in_bounds and not self.days
            case TimeControlKind.DAYS:
                return 1 <= self.days <= MOST_DAYS and not (self.seconds or self.increment)

    @property
    def full(self) -> int:
        """The milliseconds that a seat begins with, and has again for each move unless it is a reserve."""
        return (self.seconds + self.days * DAY) * 1000


class Clocks(Struct, frozen=True):
    """The time that the seats have left.

    A seat whose time runs has what it had less the time since `at`; when that is nothing it may only resign.
    All others have what they had. This holds until the next `match.clocks_set`. A client counts from the
    server's time, which heartbeats tell, as its own clock may be wrong.

    Attributes:
        at: When it was so, UTC.
        running: The seats whose time runs since, rising.
        remaining: Milliseconds that each seat had left then, in seat order.
    """

    at: Annotated[datetime, Meta(tz=True)]
    running: tuple[Seat, ...]
    remaining: tuple[int, ...]

    def deadline(self, seat: Seat) -> datetime | None:
        """Return when a seat's time is up; None while it does not run."""
        if seat not in self.running:
            return None
        return self.at + timedelta(milliseconds=self.remaining[seat])

    def late(self, now: datetime) -> tuple[Seat, ...]:
        """Return the seats whose time is up, rising."""
        return tuple(
            seat for seat in self.running if (deadline := self.deadline(seat)) is not None and deadline <= now
        )


def after_outage(clocks: Clocks, began_at: datetime, ended_at: datetime) -> Clocks:
    """Return the clocks without an outage: those that run have its length more, and some grace."""
    more = (ended_at - began_at + OUTAGE_GRACE) // timedelta(milliseconds=1)
    left = [time + more if seat in clocks.running else time for seat, time in enumerate(clocks.remaining)]
    return Clocks(clocks.at, clocks.running, tuple(left))


def started(control: TimeControl, seats: int, running: Iterable[Seat], at: datetime) -> Clocks:
    """Return the clocks of a match that begins."""
    return Clocks(at, tuple(running), (control.full,) * seats)


def moved(
    control: TimeControl, clocks: Clocks, seat: Seat | None, running: Iterable[Seat], at: datetime
) -> Clocks:
    """Return the clocks after a move of a seat; None is nobody's, which gives no time to anyone.

    A reserve runs down while its seat is to act, and a move adds the increment. Without a reserve a seat has
    all its time whenever it comes to act or has moved.
    """
    elapsed = max(0, (at - clocks.at) // timedelta(milliseconds=1))
    now_running = tuple(running)
    reserve = control.kind is TimeControlKind.RESERVE
    left = [
        max(0, time - elapsed) if number in clocks.running else time if reserve else control.full
        for number, time in enumerate(clocks.remaining)
    ]
    if seat is not None:
        left[seat] = left[seat] + control.increment * 1000 if reserve else control.full
    return Clocks(at, now_running, tuple(left))
