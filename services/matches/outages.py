"""When the service, or its database, was away: nobody is charged for that.

Any process says every two seconds that the service works. When none has done so for six seconds it was away.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

from domain.match.clocks import OUTAGE_GRACE
from services.shared.errors import NotFound, SetAside
from services.shared.health import Vitals
from services.shared.ids import MatchId

BEAT = timedelta(seconds=2)
"""How long lies between two beats, of any process."""
OUTAGE = timedelta(seconds=6)
"""How long there is no beat in an outage, at least."""
LATER = timedelta(seconds=20)
"""How long after an outage matches are looked for the last time: lists follow the log within moments."""
SWEEP = timedelta(seconds=5)
"""How long lies between two looks at what outages are not settled."""
TOGETHER = 32
"""How many matches are moved at once."""


class Outage(Struct, frozen=True):
    """A time in which the service was away.

    Attributes:
        id: Its number.
        began_at: When it was heard of last, UTC.
        ended_at: When it was back, UTC.
    """

    id: int
    began_at: datetime
    ended_at: datetime

    @property
    def key(self) -> str:
        """The idempotency key by which each match is moved once."""
        return f"outage:{self.id}"

    @property
    def worth(self) -> timedelta:
        """By how much a deadline moves."""
        return self.ended_at - self.began_at + OUTAGE_GRACE


class Outages(Protocol):
    """Beats and outages. Every method raises `Unavailable` while the store is away."""

    async def beat(self) -> timedelta:
        """Say that the service works, unless another process just did; return how long ago that was.

        An outage that ends with this is known when it returns.
        """

    async def since(self, at: datetime) -> Sequence[Outage]:
        """Return the outages that ended later than a time, oldest first."""

    async def unsettled(self) -> Sequence[Outage]:
        """Return the outages of which not every match was looked at, oldest first."""

    async def settle(self, outage: Outage) -> None:
        """Record that every match was looked at."""


class NoOutages:
    """A service that is never away, as it is the process itself that keeps everything."""

    async def beat(self) -> timedelta:
        """Return that it works now."""
        return timedelta()

    async def since(self, at: datetime) -> Sequence[Outage]:
        """Return none."""
        return ()

    async def unsettled(self) -> Sequence[Outage]:
        """Return none."""
        return ()

    async def settle(self, outage: Outage) -> None:
        """Do nothing."""


class Heart:
    """Says that the service works, for as long as this process does."""

    def __init__(self, outages: Outages, vitals: Vitals) -> None:
        """Take where it is said, and who is told whether that was possible."""
        self._outages = outages
        self._vitals = vitals

    async def step(self) -> timedelta:
        """Say so, and return when to do so again: two seconds after the last beat, anyone's that was."""
        try:
            ago = await self._outages.beat()
        except Exception:
            self._vitals.failed()
            raise
        self._vitals.answered()
        return BEAT - min(BEAT, max(ago, timedelta())) + MARGIN


MARGIN = timedelta(milliseconds=50)
"""How much later than it is due a beat is looked for: mostly another process has done it by then."""


class Settlement:
    """Moves the deadlines of all matches once for each outage."""

    def __init__(
        self,
        outages: Outages,
        timed: Callable[[], Awaitable[Sequence[MatchId]]],
        settle: Callable[[MatchId], Awaitable[bool]],
        now: Callable[[], datetime],
    ) -> None:
        """Take the outages, what gives the matches whose time runs, what moves one, and the time."""
        self._outages = outages
        self._timed = timed
        self._settle = settle
        self._now = now

    async def step(self) -> timedelta:
        """Move what is to be moved, and return when to look again."""
        if unsettled := await self._outages.unsettled():
            matches = await self._timed()
            for first in range(0, len(matches), TOGETHER):
                some = matches[first : first + TOGETHER]
                for ended in await asyncio.gather(*map(self._settle, some), return_exceptions=True):
                    if isinstance(ended, BaseException) and not isinstance(ended, (NotFound, SetAside)):
                        raise ended
            for outage in unsettled:
                if self._now() - outage.ended_at > LATER:
                    await self._outages.settle(outage)
        return SWEEP
