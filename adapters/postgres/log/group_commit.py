"""The write path: commands that arrive while one commit is away share the next.

One task a process sends what has gathered in one call of `append_match_events`, which commits by itself.
There is no timer: a command that comes alone goes at once, and while it is away the next batch gathers. By
hand because the event-sourcing library writes one command a transaction, and has no asyncio.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

import psycopg
from eventsourcing.persistence import StoredEvent
from msgspec import Struct
from psycopg.errors import UniqueViolation

from adapters.postgres.connection.connections import ANSWER_SECONDS, limited, lost
from adapters.postgres.log.wire import ARRAYS, Wire, bigints, byteas, integers, texts, uuids
from services.matches.store import VersionTaken
from services.shared.errors import Unavailable

BATCH = 500
"""The most commands of one commit."""

PRIMARY_KEY = "match_events_pkey"
APPEND = "SELECT refused FROM append_match_events($1, $2, $3, $4, $5)"


class Waiting(Struct):
    """A command that waits for its commit.

    Attributes:
        events: What it stores.
        stored: Done when it is stored, or fails with the reason why it is not.
    """

    events: Sequence[StoredEvent]
    stored: asyncio.Future[None]


class GroupCommit:
    """Appends the events of commands to the log, many commands a commit."""

    def __init__(self, conninfo: str, capacity: int) -> None:
        """Take where the database is, and how many events may wait; connect with the first of them."""
        self._conninfo = limited(conninfo)
        self._capacity = capacity
        self._waiting: deque[Waiting] = deque()
        self._events = 0
        self._wire: Wire | None = None
        self._committer: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def connected(self) -> bool:
        """Whether there is a connection, as far as is known."""
        return self._wire is not None and not self._wire.closed

    @property
    def backend(self) -> int | None:
        """Process id of the server's backend that commits; None without a connection."""
        return None if self._wire is None else self._wire.backend

    async def append(self, events: Sequence[StoredEvent]) -> None:
        """Store the events of one command; durable when it returns.

        Raises:
            VersionTaken: One of the versions exists already; nothing was stored.
            Unavailable: Too many are waiting, or this was closed, and nothing was stored; or the server was
                lost meanwhile, and the events may have been stored or not.
        """
        if self._closed or self._events + len(events) > self._capacity:
            raise Unavailable
        waiting = Waiting(events, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._events += len(events)
        if self._committer is None or self._committer.done():
            self._committer = asyncio.create_task(self._commit())
        await waiting.stored

    async def close(self) -> None:
        """Finish what was accepted, then disconnect for good."""
        self._closed = True
        if self._committer is not None:
            await self._committer
        self._disconnect()

    async def _commit(self) -> None:
        """Send batch after batch until none waits."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            try:
                refused = await self._send(batch)
            except Exception as error:  # noqa: BLE001
                self._tell_failure(batch, error)
                continue
            finally:
                self._events -= sum(len(waiting.events) for waiting in batch)
            for number, waiting in enumerate(batch, start=1):
                if waiting.stored.done():
                    continue
                if number in refused:
                    waiting.stored.set_exception(VersionTaken())
                else:
                    waiting.stored.set_result(None)

    async def _send(self, batch: Sequence[Waiting]) -> set[int]:
        """Commit a batch and return the numbers, from 1, of the commands refused."""
        events = [(number, event) for number, one in enumerate(batch, start=1) for event in one.events]
        columns = (
            uuids([event.originator_id for _, event in events]),  # type: ignore[misc]  # ours are no texts
            bigints([event.originator_version for _, event in events]),
            texts([event.topic for _, event in events]),
            byteas([event.state for _, event in events]),
            integers([number for number, _ in events]),
        )
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                wire = await self._connected()
                refused = await wire.call(columns)
        except UniqueViolation as error:
            # So a command is refused that went alone; among several the function finds out which are.
            if PRIMARY_KEY not in str(error):
                raise
            return {1}
        except BaseException as error:
            # After anything but the server's own refusal an answer may still be under way.
            if lost(error) or not isinstance(error, psycopg.Error):
                self._disconnect()
            raise
        return {int(number) for number in (refused or b"{}")[1:-1].split(b",") if number}

    async def _connected(self) -> Wire:
        if self._wire is None or self._wire.closed:
            self._disconnect()
            self._wire = await Wire.connect(self._conninfo, APPEND, ARRAYS)
        return self._wire

    def _disconnect(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    @staticmethod
    def _tell_failure(batch: Sequence[Waiting], error: Exception) -> None:
        for waiting in batch:
            if not waiting.stored.done():
                waiting.stored.set_exception(Unavailable() if lost(error) else error)
