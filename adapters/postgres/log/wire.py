"""One statement on one connection, called from asyncio with as little work as libpq allows.

By hand because a call through psycopg's cursors costs a lone command more time than PostgreSQL needs to
commit it. Psycopg still makes the connection and gives the errors their types.
"""

import asyncio
from collections.abc import Sequence
from struct import Struct
from typing import Any, Self
from uuid import UUID

import psycopg
from psycopg.errors import lookup
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, Format

from adapters.postgres.connection.connections import BEGIN, AsyncConnection

STATEMENT = b"call"


class Wire:
    """A connection that does nothing but call one statement, one call at a time.

    The statement is prepared, unless a pooler may give each call another session: then a call is a
    transaction of its own that begins with our settings, all of it sent at once.

    Attributes:
        descriptor: The number of its socket, until it is closed.
        backend: Process id of the server's backend; None if it is not always the same.
    """

    def __init__(self, connection: AsyncConnection, statement: bytes, types: Sequence[int]) -> None:
        """Take a connection that nobody else uses, of the running loop, and what it calls."""
        self._connection = connection
        self._libpq = connection.pgconn
        self._statement = statement
        self._types = types
        self._prologue = connection.prologue
        self.descriptor = self._libpq.socket
        self.backend = self._libpq.backend_pid if self._prologue is None else None
        self._loop = asyncio.get_running_loop()
        self._awaited: asyncio.Future[None] | None = None
        self._given_up = False
        self._loop.add_reader(self.descriptor, self._readable)

    @classmethod
    async def connect(cls, conninfo: str, statement: str, types: Sequence[int]) -> Self:
        """Connect and prepare the statement.

        Args:
            conninfo: Where the database is.
            statement: SQL with parameters `$1`, `$2` ...
            types: The parameters' OIDs.
        """
        connection = await AsyncConnection.connect(conninfo, autocommit=True)
        wire = cls(connection, statement.encode(), types)
        try:
            if wire._prologue is None:
                wire._libpq.send_prepare(STATEMENT, wire._statement, types)
                await wire._answer()
            else:
                wire._libpq.enter_pipeline_mode()
        except BaseException:
            wire.close()
            raise
        return wire

    @property
    def closed(self) -> bool:
        """Whether the connection has been lost or closed."""
        return self._libpq.status != ConnStatus.OK

    async def call(self, parameters: Sequence[bytes]) -> bytes | None:
        """Return the first value of the first row, as text.

        Args:
            parameters: Each in PostgreSQL's binary format.

        Raises:
            psycopg.Error: The server refuses, or the connection is lost.
        """
        formats = [Format.BINARY] * len(parameters)
        if self._prologue is None:
            self._libpq.send_query_prepared(STATEMENT, parameters, formats)
            return await self._answer()
        self._libpq.send_query_params(BEGIN, None)
        self._libpq.send_query_params(self._prologue, None)
        self._libpq.send_query_params(self._statement, parameters, self._types, formats)
        self._libpq.send_query_params(b"COMMIT", None)
        self._libpq.pipeline_sync()
        try:
            return await self._answer()
        except psycopg.Error:
            if not self.closed:
                self._libpq.send_query_params(b"ROLLBACK", None)
                self._libpq.pipeline_sync()
                await self._answer()
            raise

    def close(self) -> None:
        """Give the connection up, at once: a server that says nothing is not waited for.

        Does nothing the second time: another socket may have the descriptor's number by then.
        """
        if self._given_up:
            return
        self._given_up = True
        self._loop.remove_reader(self.descriptor)
        self._loop.remove_writer(self.descriptor)
        self._libpq.finish()

    async def _answer(self) -> bytes | None:
        while self._libpq.flush():
            self._loop.add_writer(self.descriptor, self._wake)
            try:
                await self._wait()
            finally:
                self._loop.remove_writer(self.descriptor)
        value, failure = None, None
        while True:
            while self._libpq.is_busy():
                await self._wait()
            if (result := self._libpq.get_result()) is None:
                # Of several statements each has such an end.
                if self._prologue is None or self.closed:
                    break
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                break
            if result.status == ExecStatus.TUPLES_OK:
                value = result.get_value(0, 0)
            elif result.status not in (ExecStatus.COMMAND_OK, ExecStatus.PIPELINE_ABORTED):
                failure = failure or _error(result)
        if failure is not None:
            raise failure
        return value

    async def _wait(self) -> None:
        self._awaited = self._loop.create_future()
        try:
            await self._awaited
        finally:
            self._awaited = None

    def _readable(self) -> None:
        """Take in what has come; a connection that was lost while nobody waits is given up at once."""
        try:
            self._libpq.consume_input()
        except psycopg.Error as error:
            if self._awaited is not None and not self._awaited.done():
                self._awaited.set_exception(error)
            self.close()
        else:
            self._wake()

    def _wake(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)


_HEAD = Struct("!iiiii")
_LENGTH = Struct("!i")
_BIGINT = Struct("!iq")
_INTEGER = Struct("!ii")
_UUID_LENGTH = _LENGTH.pack(16)

UUID_OID, BIGINT_OID, TEXT_OID, BYTEA_OID, INTEGER_OID = 2950, 20, 25, 17, 23
ARRAYS = (2951, 1016, 1009, 1001, 1007)
"""The OIDs of the arrays of uuid, bigint, text, bytea and integer, which are the same everywhere."""


def uuids(values: Sequence[UUID]) -> bytes:
    """Return a `uuid[]` in binary."""
    return _array(UUID_OID, [_UUID_LENGTH + value.bytes for value in values])


def bigints(values: Sequence[int]) -> bytes:
    """Return a `bigint[]` in binary."""
    return _array(BIGINT_OID, [_BIGINT.pack(8, value) for value in values])


def integers(values: Sequence[int]) -> bytes:
    """Return an `integer[]` in binary."""
    return _array(INTEGER_OID, [_INTEGER.pack(4, value) for value in values])


def texts(values: Sequence[str]) -> bytes:
    """Return a `text[]` in binary."""
    return _array(TEXT_OID, [_sized(value.encode()) for value in values])


def byteas(values: Sequence[bytes]) -> bytes:
    """Return a `bytea[]` in binary."""
    return _array(BYTEA_OID, [_sized(value) for value in values])


def _array(oid: int, items: Sequence[bytes]) -> bytes:
    """Return an array of one dimension, from 1, without nulls."""
    return _HEAD.pack(1, 0, oid, len(items), 1) + b"".join(items)


def _sized(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


def _error(result: Any) -> psycopg.Error:
    state = (result.error_field(DiagnosticField.SQLSTATE) or b"").decode()
    message = result.error_message.decode(errors="replace").strip()
    try:
        return lookup(state)(message)
    except KeyError:
        # Without a state it is libpq's own: the connection was lost.
        return psycopg.OperationalError(message)
