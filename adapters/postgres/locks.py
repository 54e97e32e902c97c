"""Names that one caller holds at a time, on all nodes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg

from adapters.postgres.connections import ANSWER_SECONDS, AsyncConnection, limited
from services.errors import Unavailable

CONNECTIONS = 8
"""The most connections that hold a name, or wait for one."""
HELD = 15
"""Seconds after which a name is free again whose holder is gone without a trace."""
LONGEST_WAIT = 30.0
"""Seconds that a caller waits for a name."""

LOCK = "SELECT pg_advisory_lock(hashtextextended(current_schema() || %s, 0))"
UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(current_schema() || %s, 0))"


class Locks:
    """Holds names by advisory locks of the server, which it takes back from a process that dies.

    The callers of this process wait in line for a name without a connection each: the line has one, as long
    as there is anybody in it and no other line waits for a connection.
    """

    def __init__(self, conninfo: str) -> None:
        """Take where the database is."""
        self._conninfo = limited(conninfo)
        self._connections = asyncio.Semaphore(CONNECTIONS)
        self._lines: dict[str, _Line] = {}

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Hold a name, which nobody else holds meanwhile.

        Raises:
            Unavailable: The server cannot be reached, or others hold the name for too long.
        """
        line = self._lines.setdefault(name, _Line())
        line.length += 1
        try:
            async with _patience(LONGEST_WAIT):
                await line.lock.acquire()
            try:
                await self._lock(line, name)
                try:
                    yield
                finally:
                    await self._unlock(line, name)
            finally:
                line.lock.release()
        finally:
            line.length -= 1
            if not line.length:
                del self._lines[name]
                await self._hang_up(line)

    async def _lock(self, line: "_Line", name: str) -> None:
        try:
            async with _patience(ANSWER_SECONDS):
                if line.connection is None:
                    await self._connections.acquire()
                    try:
                        line.connection = await self._connected()
                    except BaseException:
                        self._connections.release()
                        raise
                await line.connection.execute(LOCK, (name,))
        except BaseException:
            await self._hang_up(line)
            raise

    async def _connected(self) -> AsyncConnection:
        connection = await AsyncConnection.connect(self._conninfo, autocommit=True)
        await connection.execute(f"SET idle_session_timeout = '{HELD}s'")
        return connection

    async def _unlock(self, line: "_Line", name: str) -> None:
        """Give a name back; a connection that cannot do so is given up, and the name with it."""
        try:
            async with _patience(ANSWER_SECONDS):
                if line.connection is not None:
                    await line.connection.execute(UNLOCK, (name,))
        except Unavailable:
            await self._hang_up(line)
        if self._connections.locked():
            await self._hang_up(line)

    async def _hang_up(self, line: "_Line") -> None:
        if line.connection is None:
            return
        connection, line.connection = line.connection, None
        try:
            with suppress(psycopg.Error):
                await connection.close()
        finally:
            self._connections.release()


class _Line:
    """Those who wait for a name in this process.

    Attributes:
        length: How many wait for it or hold it.
        lock: What orders them.
        connection: The connection that asks the server for it.
    """

    def __init__(self) -> None:
        self.length = 0
        self.lock = asyncio.Lock()
        self.connection: AsyncConnection | None = None


@asynccontextmanager
async def _patience(seconds: float) -> AsyncIterator[None]:
    """Give up after so many seconds, or when the server is lost."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except (psycopg.OperationalError, psycopg.InterfaceError, TimeoutError) as error:
        raise Unavailable from error
