"""Hear of what any process commits, as soon as it does."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast
from uuid import UUID

import psycopg
from psycopg import sql

from adapters.postgres.connection.connections import AsyncConnection, limited
from adapters.postgres.connection.connections import channel as channel_of
from adapters.postgres.log.recorders import EVENTS
from services.shared.ids import match_id
from services.shared.ticks import ticked, until

POLL = 1.0
"""Seconds after which a log that is watched is read also when no NOTIFY has come: a NOTIFY is only a hint."""
IDLE_POLL = 5.0
"""The same while nobody watches."""
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
        after: Of the next rows after a position, at most so many, gives of each match, or of whatever else
            they are about: its id, how far it has come, the position of its last row, and how many rows it
            has. It may give more, but none of a position without all of that position.
        id_of: Gives the id as it is told.
    """

    channel: str
    newest: sql.SQL | sql.Composed
    after: sql.SQL | sql.Composed
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


class Followed:
    """A log that is followed, and who is told.

    Attributes:
        source: Which log.
        hear: Told a match, or whatever else the log is about, and how far it has come.
        own: Gives the process id of the server's backend whose commits are known here already; None if none
            is.
        watched: Says whether there is anybody to whom it matters now.
        position: Up to where it is read.
        read_at: When it was read last, by the clock of the event loop.
    """

    def __init__(
        self,
        hear: Callable[[Any, int], None],
        source: Source = LOG,
        own: Callable[[], int | None] = lambda: None,
        watched: Callable[[], bool] = lambda: True,
    ) -> None:
        """Take who is told, what is followed, whose commits are known, and whether it matters now."""
        self.source = source
        self.hear = hear
        self.own = own
        self.watched = watched
        self.position = 0
        self.read_at = 0.0

    def is_due(self, now: float) -> bool:
        """Return whether it is to be read though no NOTIFY has come."""
        return ticked(POLL if self.watched() else IDLE_POLL, self.read_at, now)


class Tail:
    """A task that follows logs over one connection, and wakes those that wait for a NOTIFY.

    The order of a log is the order of commits, so a reader that moves forward misses nothing. When its
    connection is lost it makes another and goes on where it was.

    Attributes:
        read_at: When all that was due was read last, in seconds that only grow.
    """

    def __init__(self, conninfo: str, *followed: Followed, back: Callable[[], None] = _nothing) -> None:
        """Take where the logs are, and which are followed.

        Args:
            conninfo: Where the database is.
            followed: The logs.
            back: Called when the server is back: it may be another, which lacks what came last.
        """
        self._back = back
        self._followed = followed
        self._conninfo = limited(conninfo)
        self._wakes: dict[str, list[Callable[[str | None], None]]] = {}
        self.read_at = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._clock = asyncio.get_running_loop().time

    def wake(self, channel: str, woken: Callable[[], None]) -> None:
        """Call something at each NOTIFY of a channel, and when some may have been missed; before `start`."""
        self.hear(channel, lambda _: woken())

    def hear(self, channel: str, told: Callable[[str | None], None]) -> None:
        """Give the payload of each NOTIFY of a channel, and None when some may have been missed."""
        self._wakes.setdefault(channel, []).append(told)

    async def start(self) -> None:
        """Begin to follow; what is committed from now on is told.

        Raises:
            psycopg.OperationalError: The database cannot be reached.
        """
        async with await self._connected() as connection:
            for followed in self._followed:
                followed.position = await self._newest(connection, followed)
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _follow(self) -> None:
        lost = False
        names = {*self._wakes, *(followed.source.channel for followed in self._followed)}
        channels = {channel_of(self._conninfo, name): name for name in sorted(names)}
        while True:
            try:
                async with await self._connected() as connection:
                    for channel in channels:
                        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                    for followed in self._followed:
                        if lost:
                            newest = await self._newest(connection, followed)
                            followed.position = max(0, min(followed.position, newest) - OVERLAP)
                        await self._read(connection, followed)
                    if lost:
                        log.info("the streams follow the log again")
                        self._back()
                    lost = False
                    for name in self._wakes:
                        self._told(name, None)
                    await self._listen(connection, channels)
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

    async def _newest(self, connection: AsyncConnection, followed: Followed) -> int:
        cursor = await connection.execute(followed.source.newest)
        ((position,),) = await cursor.fetchall()
        return cast(int, position)

    async def _listen(self, connection: AsyncConnection, names: Mapping[str, str]) -> None:
        ear = _Ear(connection)
        while True:
            notified, foreign = set[tuple[str, str]](), set[Followed]()
            for channel, payload, process in await ear.notified():
                name = names[channel]
                notified.add((name, payload))
                for followed in self._followed:
                    if followed.source.channel == name and followed.own() != process:
                        foreign.add(followed)
            for name, payload in notified:
                self._told(name, payload)
            now = self._clock()
            for followed in self._followed:
                if followed in foreign or followed.is_due(now):
                    await self._read(connection, followed)
            self.read_at = time.monotonic()
            if notified:
                await asyncio.sleep(TOGETHER)

    def _told(self, name: str, payload: str | None) -> None:
        for told in self._wakes.get(name, ()):
            told(payload)

    async def _read(self, connection: AsyncConnection, followed: Followed) -> None:
        """Tell of all that has been committed since the last time."""
        followed.read_at = self._clock()
        while True:
            async with asyncio.timeout(READ_SECONDS):
                cursor = await connection.execute(
                    followed.source.after, (followed.position, PAGE), prepare=True
                )
                page = await cursor.fetchall()
            for match, version, position, _ in page:
                followed.hear(followed.source.id_of(match), version)
                followed.position = max(followed.position, position)
            if sum(count for *_, count in page) < PAGE:
                return


class _Ear:
    """Hears what is notified, at little cost: anyone who plays is notified of its own commits all the time.

    The driver's own waiting looks ten times a second.
    """

    def __init__(self, connection: AsyncConnection) -> None:
        """Take the connection."""
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._beside: list[Heard] = []
        connection.add_notify_handler(
            lambda one: self._beside.append(Heard(one.channel, one.payload, one.pid))
        )

    async def notified(self) -> list["Heard"]:
        """Return what was notified, as soon as there is something; after `POLL` seconds nothing.

        Raises:
            psycopg.OperationalError: The connection is lost.
        """
        if found := self._taken():
            return found
        readable, number = asyncio.Event(), self._connection.fileno()
        self._loop.add_reader(number, readable.set)
        try:
            async with asyncio.timeout(until(POLL)):
                await readable.wait()
        except TimeoutError:
            return []
        finally:
            # Not left there: it would be called again and again until somebody reads.
            self._loop.remove_reader(number)
        return self._taken()

    def _taken(self) -> list["Heard"]:
        """Return what has come, also what came beside the answer to a statement."""
        found, self._beside = self._beside, []
        server = self._connection.pgconn
        server.consume_input()
        while one := server.notifies():
            found.append(Heard(one.relname.decode(), one.extra.decode(errors="replace"), one.be_pid))
        return found


class Heard(NamedTuple):
    """A NOTIFY.

    Attributes:
        channel: The channel.
        payload: What was said.
        process: The process id of the server's backend that said it.
    """

    channel: str
    payload: str
    process: int
