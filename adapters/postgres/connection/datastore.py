"""The connections to PostgreSQL that everything in this process shares."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
from eventsourcing.postgres import PostgresDatastore
from psycopg import sql
from psycopg.rows import DictRow, dict_row
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg_pool import ConnectionPool

from adapters.postgres.connection.connections import (
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    Connection,
    OneStatementCursor,
    limited,
    lost,
    schema_of,
)
from services.shared.errors import Unavailable

KEY = "hashtextextended(current_schema() || '.' || %s, 0)"
"""The key of an advisory lock: those of another schema are not ours."""


class Datastore(PostgresDatastore):
    """The library's datastore on a pool that takes any libpq connection string.

    A connection is given for one statement, or with a transaction: what takes several statements is done as
    a whole or not at all.
    """

    def __init__(self, conninfo: str, pool_size: int, direct: str | None = None) -> None:
        """Take where the database is and how many connections may be open; open none yet.

        Args:
            conninfo: Where the database is.
            pool_size: The most connections of the pool.
            direct: Where it is for what needs a session of its own, if that is somewhere else.
        """
        super().__init__("", "", "", "", "", pool_size=1, schema=schema_of(conninfo))
        self.conninfo = conninfo
        self.direct = direct or conninfo
        self.pool = ConnectionPool(  # type: ignore[assignment]
            limited(conninfo),
            connection_class=Connection,
            kwargs={
                "row_factory": dict_row,
                "cursor_factory": OneStatementCursor,
                "autocommit": True,
            },
            min_size=1,
            max_size=pool_size,
            open=False,
            check=self._check,
            # The pool gives up soon and begins again with the next caller, so that it is back at once when
            # the server is, instead of after the rest of a long pause.
            timeout=CONNECT_SECONDS,
            reconnect_timeout=1.0,
        )
        self._threads = ThreadPoolExecutor(pool_size, thread_name_prefix="postgres")

    @contextmanager
    def get_connection(self) -> Iterator[Connection]:
        """Give a connection for one statement; a second one is refused.

        A connection to a standby is ended, as the next may lead to where writing is possible.
        """
        with super().get_connection() as connection:
            if not isinstance(connection, Connection):
                raise TypeError("the pool makes connections of our own class")
            connection.left = 1
            try:
                yield connection
            except psycopg.errors.ReadOnlySqlTransaction:
                connection.close()
                raise
            finally:
                connection.left = None

    def register_type_adapters(self) -> None:
        """Learn the types of our tables; the library would not quote the name of their schema."""
        for name in self.db_type_names - self.psycopg_type_adapters.keys():
            with self.transaction() as cursor:
                info = CompositeInfo.fetch(cursor.connection, sql.Identifier(self.schema, name))
                if info is not None:
                    register_composite(info, cursor.connection)
            if info is not None and info.python_type is not None:
                self.psycopg_type_adapters[name] = info
                self.psycopg_python_types[name] = info.python_type

    @contextmanager
    def transaction(self, *, commit: bool = True) -> Iterator[psycopg.Cursor[DictRow]]:
        """Give a cursor of a transaction, for any number of statements."""
        with super().transaction(commit=commit) as cursor:
            yield cursor

    async def run[Result](self, work: Callable[[], Result]) -> Result:
        """Return what `work` gives, done in a thread of this datastore.

        Raises:
            Unavailable: The server cannot be reached or went away meanwhile, or the time is up.
        """
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except Exception as error:
            if lost(error):
                raise Unavailable from error
            raise

    async def execute(
        self,
        query: Any,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        prepare: bool | None = None,
    ) -> list[dict[str, Any]]:
        """Return the rows that a statement gives, run in a transaction of its own.

        Args:
            query: The statement.
            parameters: What it is given, by place or by name.
            prepare: Whether the server keeps its plan; None for those that come often.
        """

        def work() -> list[dict[str, Any]]:
            with self.get_connection() as connection:
                cursor = connection.execute(query, parameters, prepare=prepare)
                return cursor.fetchall() if cursor.description else []

        return await self.run(work)

    def close(self) -> None:
        """Close all connections; what is being done is finished first."""
        self._threads.shutdown()
        self.pool.close()

    def _check(self, connection: Connection) -> None:
        """See whether a connection still works, with little patience: a server that lives answers at once."""
        connection.patience = CONNECT_SECONDS
        try:
            ConnectionPool.check_connection(connection)
        except psycopg.Error:
            # What ended one has ended all, mostly. The pool would try them one by one, with growing pauses.
            self.pool.drain()
            raise
        finally:
            del connection.patience


def hold(cursor: psycopg.Cursor[Any], name: str) -> None:
    """Hold a name of our schema to the end of the transaction, once nobody else does."""
    cursor.execute(f"SELECT pg_advisory_xact_lock({KEY})", (name,))


def try_to_hold(cursor: psycopg.Cursor[Any], name: str) -> bool:
    """Hold a name of our schema to the end of the transaction, if nobody else does; return whether so."""
    row = cursor.execute(f"SELECT pg_try_advisory_xact_lock({KEY}) AS held", (name,)).fetchone()
    return row is not None and bool(row["held"])
