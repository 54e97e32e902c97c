"""The connections to PostgreSQL that everything in this process shares."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
from eventsourcing.persistence import PersistenceError
from eventsourcing.postgres import PostgresDatastore
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from services.errors import Unavailable

CONNECT_TIMEOUT = 2.0
"""Seconds that a caller waits for a connection before it is told that the store is away."""

LOST_SERVER = (psycopg.OperationalError, psycopg.InterfaceError)


class Datastore(PostgresDatastore):
    """The library's datastore on a pool that takes any libpq connection string."""

    def __init__(self, conninfo: str, pool_size: int) -> None:
        """Take where the database is and how many connections may be open; open none yet."""
        super().__init__("", "", "", "", "", pool_size=1, connect_timeout=CONNECT_TIMEOUT)
        self.conninfo = conninfo
        self.pool = ConnectionPool(  # type: ignore[assignment]
            conninfo,
            kwargs={"row_factory": dict_row, "connect_timeout": 5},
            min_size=1,
            max_size=pool_size,
            open=False,
            configure=self.after_connect_func(),
            check=ConnectionPool.check_connection,
            timeout=CONNECT_TIMEOUT,
            # The pool gives up soon and begins anew with the next caller, so that it is back at once when the
            # server is, instead of after the rest of a long pause.
            reconnect_timeout=1.0,
        )
        self._threads = ThreadPoolExecutor(pool_size, thread_name_prefix="postgres")

    async def run[Result](self, work: Callable[[], Result]) -> Result:
        """Return what `work` gives, done in a thread of this datastore.

        Raises:
            Unavailable: The server cannot be reached or went away meanwhile.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except LOST_SERVER as error:
            raise Unavailable from error
        except PersistenceError as error:
            if isinstance(error.__cause__, LOST_SERVER):
                raise Unavailable from error
            raise

    async def execute(self, query: Any, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """Return the rows that a statement gives, run in a transaction of its own."""

        def work() -> list[dict[str, Any]]:
            with self.get_connection() as connection:
                cursor = connection.execute(query, parameters)
                return cursor.fetchall() if cursor.description else []

        return await self.run(work)

    def close(self) -> None:
        """Close all connections; what is being done is finished first."""
        self._threads.shutdown()
        self.pool.close()
