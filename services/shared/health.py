"""Whether this process can do what it is there for, and what does not go well beside that."""

import time
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from services.shared.errors import FailureReason, Unavailable

AWAY_SECONDS = 15
"""For how long the database may be away before others had better be asked."""
LATE_SECONDS = 10
"""How late the streams may be while the database is there."""
LOOK_SECONDS = 5
"""How long what does not go well is remembered."""


class DegradedReason(StrEnum):
    """What does not go well; stable codes, part of the API."""

    MATCHES_SET_ASIDE = "MATCHES_SET_ASIDE"
    WORK_LATE = "WORK_LATE"
    NO_WORK = "NO_WORK"


class Degraded(Struct, frozen=True):
    """Something that does not go well, though requests are served.

    Attributes:
        reason: Stable code: `MATCHES_SET_ASIDE`, `WORK_LATE`, or `NO_WORK`.
        detail: What it is, for people.
    """

    reason: str
    detail: str


class LogReader(Protocol):
    """What streams are fed from."""

    @property
    def read_at(self) -> float:
        """When it has read all there is last, in seconds that only grow."""


class Vitals:
    """What this very process knows of how it works."""

    def __init__(
        self,
        look: Callable[[], Awaitable[Sequence[Degraded]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what tells of all else, and what counts seconds; the database was there just now.

        Args:
            look: Gives what does not go well; asked now and then.
            clock: Seconds that only grow, whatever the time of day.
        """
        self._look = look
        self._clock = clock
        self._answered_at = self._back_at = clock()
        self._away = False
        self._readers: list[LogReader] = []
        self._degraded: Sequence[Degraded] = ()
        self._looked_at: float | None = None

    def follow(self, reader: LogReader) -> None:
        """Watch over what streams are fed from."""
        self._readers.append(reader)

    def answered(self) -> None:
        """Learn that the database takes writes."""
        self._answered_at = self._clock()
        if self._away:
            self._away, self._back_at = False, self._answered_at

    def failed(self) -> None:
        """Learn that the database does not answer, or only reads."""
        self._away = True

    @property
    def why_not(self) -> FailureReason | None:
        """Why requests cannot be served; None if they can."""
        now = self._clock()
        if now - self._answered_at > AWAY_SECONDS:
            return FailureReason.STORE_UNAVAILABLE
        if not self._away and any(
            now - max(reader.read_at, self._back_at) > LATE_SECONDS for reader in self._readers
        ):
            return FailureReason.STREAMS_LATE
        return None

    async def ready(self) -> bool:
        """Return whether requests can be served."""
        return self.why_not is None

    async def degraded(self) -> Sequence[Degraded]:
        """Return what does not go well though requests are served, as it was some seconds ago at most.

        Raises:
            Unavailable: Requests cannot be served.
        """
        if reason := self.why_not:
            raise Unavailable(reason)
        now = self._clock()
        if self._looked_at is None or now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            try:
                self._degraded = await self._look()
            except Unavailable:
                self.failed()
        return self._degraded
