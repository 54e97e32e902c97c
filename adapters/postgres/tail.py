"""Hear of what any process commits, as soon as it does."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast
from uuid import UUID

import psycopg
from psycopg import sql

from adapters.postgres.connections import AsyncConnection, channel, limited
from adapters.postgres.store import EVENTS
from services.ids import match_id

POLL = 1.0
"""Seconds after which the log is read also when no NOTIFY has come: a NOTIFY is only a hint."""
TOGETHER = 0.005
"""Seconds between two readings of a log that grows all the time."""
PAUSE = 0.2
"""Seconds between two tries to reach a server that is away."""
PAGE = 1_000
OVERLAP = 5_000
"""How far a reader goes back when the server is back: another may count on from an earlier row."""
READ_SECONDS = 5
"""How long one reading may take; then the connection is given up."""


class Source(NamedTuple):
    """A table that only grows, in the order of commits.

    Attributes:
        channel: The NOTIFY that says that it has grown.
        newest: Gives the position of its last row, 0 if there is none.
        behind: Of the next rows behind a position, at most so many, gives of each match, or of whatever else
            they are about: its id, how far it has come, the position of its last row, and how many rows it
            has. It may give more, but none of a position without all of that position.
        id_of: Gives the id as it is told.
    """

    channel: str
    newest: sql.SQL | sql.Composed
    behind: sql.SQL | sql.Composed
    id_of: Callable[[UUID], Any] = match_id


LOG = Source(
    EVENTS,
    sql.SQL("SELECT coalesce(max(notification_id), 0) FROM {}").format(sql.Identifier(EVENTS)),
    sql.SQL(
        "SELECT originator_id, max(originator_version), max(notification_id), count(*) FROM"
        " (SELECT * FROM {} WHERE notification_id > %s ORDER BY notification_id LIMIT %s) AS page"
        " GROUP BY originator_id"
    ).format(sql.Identifier(EVENTS)),
)
"""The log of all matches; a match's version says how far it has come."""

log = logging.getLogger(__name__)


def _nothing() -> None:
    """Do nothing: nobody is told."""


class Tail:
    """A task that follows a log and tells of each match how far it has come.

    The order of the log is the order of commits, so a reader that moves forward misses nothing. When its
    connection is lost it makes another and goes on where it was.
    """

    def __init__(
        self,
        conninfo: str,
        hear: Callable[[Any, int], None],
        own: Callable[[], int | None],
        source: Source = LOG,
        back: Callable[[], None] = _nothing,
    ) -> None:
        """Take where the log is, who is told, and which backend process writes for this process.

        Args:
            conninfo: Where the database is.
            hear: Told a match and how far it has come.
            own: Process id of the server's backend whose commits are known here already, if there is one.
            source: What is followed.
            back: Called when the server is back: it may be another, which lacks what came last.
        """
        self._back = back
        self._source = source
        self._conninfo = limited(conninfo)
        self._hear = hear
        self._own = own
        self._position = 0
        self._task: asyncio.Task[None] | None = None
        self._clock = asyncio.get_running_loop().time

    async def start(self) -> None:
        """Begin to follow; what is committed from now on is told.

        Raises:
            psycopg.OperationalError: The database cannot be reached.
        """
        async with await self._connected() as connection:
            self._position = await self._newest(connection)
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _follow(self) -> None:
        lost = False
        while True:
            try:
                async with await self._connected() as connection:
                    await connection.execute(
                        sql.SQL("LISTEN {}").format(
                            sql.Identifier(channel(self._conninfo, self._source.channel))
                        )
                    )
                    if lost:
                        self._position = max(0, min(self._position, await self._newest(connection)) - OVERLAP)
                    await self._read(connection)
                    if lost:
                        log.info("the streams follow the log again")
                        self._back()
                    lost = False
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                if not lost:
                    log.warning("the streams wait for the database: %s", error)
                lost = True
            except Exception:
                # Tried again, not given up: streams that stand still would go unnoticed.
                log.exception("the streams cannot follow the log")
            await asyncio.sleep(PAUSE)

    async def _connected(self) -> AsyncConnection:
        return await AsyncConnection.connect(self._conninfo, autocommit=True)

    async def _newest(self, connection: AsyncConnection) -> int:
        cursor = await connection.execute(self._source.newest)
        ((position,),) = await cursor.fetchall()
        return cast(int, position)

    async def _listen(self, connection: AsyncConnection) -> None:
        while True:
            foreign, last = False, self._clock()
            while not foreign and self._clock() - last < POLL:
                async for notify in connection.notifies(timeout=POLL, stop_after=1):
                    foreign |= notify.pid != self._own()
                await asyncio.sleep(TOGETHER)
            await self._read(connection)

    async def _read(self, connection: AsyncConnection) -> None:
        """Tell of all that has been committed since the last time."""
        while True:
            async with asyncio.timeout(READ_SECONDS):
                cursor = await connection.execute(self._source.behind, (self._position, PAGE), prepare=True)
                page = await cursor.fetchall()
            for match, version, position, _ in page:
                self._hear(self._source.id_of(match), version)
                self._position = max(self._position, position)
            if sum(count for *_, count in page) < PAGE:
                return
