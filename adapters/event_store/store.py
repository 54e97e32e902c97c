"""The log of all matches on recorders of the event-sourcing library."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NoReturn, Protocol
from uuid import UUID

from eventsourcing.persistence import (
    IntegrityError,
    StoredEvent,
)

from adapters.event_store.mapper import EventMapper, LoggedEvent, SnapshotMapper, Unreadable
from adapters.event_store.set_aside import gap
from domain.shared.game import Games
from services.matches.store import Recorded, Snapshot, VersionTaken
from services.shared.errors import FailureReason, NotFound, SetAside, Unavailable
from services.shared.ids import MatchId, parsed

KEPT_SNAPSHOTS = 2
"""How many snapshots of a match are kept: each has all of its idempotency keys."""


class Recorder(Protocol):
    """What is needed of the library's recorder, and of what is added to it."""

    def insert_events(self, stored_events: Sequence[StoredEvent]) -> Sequence[int] | None:
        """Store events, all or none."""

    def select_events(
        self, originator_id: UUID, *, gt: int | None = None, lte: int | None = None
    ) -> Sequence[StoredEvent]:
        """Return a match's events."""

    def count_events(self, number: UUID, up_to: int) -> int:
        """Return how many events are stored of a match, up to and with a version."""


class Snapshots(Protocol):
    """What is needed of the library's recorder of snapshots, and of what is added to it."""

    def keep(self, snapshot: StoredEvent) -> None:
        """Store a snapshot, unless it is there, and forget all but the newest of its match."""

    def select_events(
        self, originator_id: UUID, *, lte: int | None = None, desc: bool = False, limit: int | None = None
    ) -> Sequence[StoredEvent]:
        """Return a match's snapshots."""


class Writer(Protocol):
    """Writes the log, the commands of several callers at a time.

    Attributes:
        backend: Process id of the server's backend that writes; None while there is none.
    """

    @property
    def backend(self) -> int | None:
        """Process id of the server's backend that writes; None while there is none."""

    async def append(self, events: Sequence[StoredEvent]) -> None:
        """Store the events of one command; durable when it returns."""

    async def close(self) -> None:
        """Finish what was accepted."""


class Aside(Protocol):
    """Records which matches cannot be read."""

    async def put(self, match: MatchId, version: int, why: str) -> None:
        """Set a match aside."""


class Run(Protocol):
    """Does blocking work away from the event loop, or at once where nothing blocks."""

    async def __call__[Result](self, work: Callable[[], Result]) -> Result:
        """Return what `work` gives."""


class Store:
    """The port `EventStore` on two recorders of the library."""

    def __init__(
        self,
        games: Games,
        events: Recorder,
        snapshots: Snapshots,
        run: Run,
        aside: Aside,
        writer: Writer | None = None,
    ) -> None:
        """Take the registered games, the recorders, how blocking work is done, and how commands are written.

        Args:
            games: The registered games by id.
            events: Reads the log, and writes it where there is no writer.
            snapshots: Keeps the snapshots.
            run: Does what blocks.
            aside: Is told which matches cannot be read.
            writer: Writes the log.
        """
        self._writer = writer
        self._mapper = EventMapper(games)
        self._snapshots_mapper = SnapshotMapper(games)
        self._events = events
        self._snapshots = snapshots
        self._run = run
        self._aside = aside

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events of one command; durable when it returns."""
        number = uuid_of(match)
        stored = [self._mapper.to_stored_event(LoggedEvent(number, recorded)) for recorded in events]
        if self._writer is not None:
            await self._writer.append(stored)
            return
        try:
            await self._run(lambda: self._events.insert_events(stored))
        except IntegrityError as error:
            raise VersionTaken from error

    @property
    def writer(self) -> int | None:
        """Process id of the server's backend that writes the log for this process, if there is one."""
        return None if self._writer is None else self._writer.backend

    async def close(self) -> None:
        """Finish what was accepted."""
        if self._writer is not None:
            await self._writer.close()

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events after version `after`, up to and with `up_to`, in order."""
        number = uuid_of(match)
        stored = await self._run(lambda: self._events.select_events(number, gt=after, lte=up_to))
        if missing := gap((event.originator_version for event in stored), after):
            await self.set_aside(match, missing, "it is missing")
        try:
            return self._mapper.recorded(stored)
        except Unreadable as error:
            await self.set_aside(match, error.version, str(error))

    async def complete(self, match: MatchId, up_to: int) -> None:
        """Refuse a match of which a version is missing, up to and with `up_to`."""
        number = uuid_of(match)
        if await self._run(lambda: self._events.count_events(number, up_to)) != up_to:
            await self.read(match, 0, up_to)

    async def set_aside(self, match: MatchId, version: int, why: str) -> NoReturn:
        """Record that a match cannot be read, and refuse it."""
        with suppress(Unavailable):
            await self._aside.put(match, version, why)
        raise SetAside(match)

    async def snapshot(self, match: MatchId, up_to: int | None = None) -> Snapshot | None:
        """Return the latest usable snapshot, at most at version `up_to`."""
        number = uuid_of(match)
        stored = await self._run(lambda: self._snapshots.select_events(number, lte=up_to, desc=True, limit=1))
        snapshot = self._snapshots_mapper.to_snapshot(stored[0]) if stored else None
        if snapshot is not None:
            await self.complete(match, snapshot.version)
        return snapshot

    async def keep_snapshot(self, match: MatchId, snapshot: Snapshot) -> None:
        """Store a snapshot; one that is there already stays."""
        stored = self._snapshots_mapper.to_stored(uuid_of(match), snapshot)
        await self._run(lambda: self._snapshots.keep(stored))

    async def answers(self) -> bool:
        """Return whether the store answers now."""
        await self.read(MatchId("match_" + "0" * 26), 0, 0)
        return True


@lru_cache(10_000)
def uuid_of(match: MatchId) -> UUID:
    """Return the UUID of a match.

    Raises:
        NotFound: It is not the id of a match.
    """
    if (number := parsed("match", match)) is None:
        raise NotFound(FailureReason.NO_SUCH_MATCH, match=match)
    return number
