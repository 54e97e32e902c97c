"""How this process connects to PostgreSQL: nothing waits for it without a limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

CONNECT_SECONDS = 2
LOCK_SECONDS = 5
STATEMENT_SECONDS = 10
ANSWER_SECONDS = 12
"""How long an answer may take in all; then its connection is given up and nobody knows what happened."""
PEER_SECONDS = 5
"""How long the other end of a network connection may be gone without a trace."""

LOST = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction, TimeoutError)
"""How it shows that the server is away, or that it is a standby, which writes nothing."""

_KEEP_ALIVE = {
    "keepalives_idle": PEER_SECONDS,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": PEER_SECONDS * 1000,
}
_OPTIONS = f"-c lock_timeout={LOCK_SECONDS}s -c statement_timeout={STATEMENT_SECONDS}s"


def limited(conninfo: str) -> str:
    """Return a connection string with our limits, except where it has its own; with times in UTC always."""
    given = conninfo_to_dict(conninfo)
    options = f"{_OPTIONS} {given.pop('options', '')} -c timezone=UTC"
    limits = {"connect_timeout": CONNECT_SECONDS, **_KEEP_ALIVE}
    return make_conninfo("", **(limits | given), options=options)


def lost(error: BaseException) -> bool:
    """Return whether an error, or the one it was made of, means that the server is lost."""
    return isinstance(error, LOST) or isinstance(error.__cause__, LOST)


class Connection(psycopg.Connection[DictRow]):
    """A connection that gives up a server which says nothing.

    The server's own limits are of no use behind a network that was cut.

    Attributes:
        patience: How many seconds an answer may take.
        left: How many more statements it executes outside a transaction; None for any number.
    """

    patience: float = ANSWER_SECONDS
    left: int | None = None

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Return what an operation gives; end the connection if its answer does not come in time.

        Raises:
            psycopg.OperationalError: It did not come.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.patience)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.close()
            raise


class SeveralStatementsError(Exception):
    """Statements that belong together are executed one by one: a transaction is missing."""


class OneStatementCursor(psycopg.Cursor[DictRow]):
    """A cursor that executes one statement of a connection, or any number within a transaction.

    Each statement outside a transaction is one of its own: what comes between two of them, a crash or another
    caller, finds the half.
    """

    def execute(self, *args: Any, **kwargs: Any) -> "OneStatementCursor":
        """Execute a statement.

        Raises:
            SeveralStatementsError: It is the second one outside a transaction.
        """
        self._one()
        return super().execute(*args, **kwargs)

    def executemany(self, *args: Any, **kwargs: Any) -> None:
        """Execute a statement with many sets of parameters, within a transaction.

        Raises:
            SeveralStatementsError: It is outside a transaction.
        """
        if self._alone:
            raise SeveralStatementsError
        super().executemany(*args, **kwargs)

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[DictRow]:
        """Execute a query and yield its rows as they come.

        Raises:
            SeveralStatementsError: It is the second statement outside a transaction.
        """
        self._one()
        return super().stream(*args, **kwargs)

    @contextmanager
    def copy(self, *args: Any, **kwargs: Any) -> Iterator[psycopg.Copy]:
        """Begin a COPY.

        Raises:
            SeveralStatementsError: It is the second statement outside a transaction.
        """
        self._one()
        with super().copy(*args, **kwargs) as copy:
            yield copy

    @property
    def _alone(self) -> bool:
        return self.connection.pgconn.transaction_status == TransactionStatus.IDLE

    def _one(self) -> None:
        connection = self.connection
        if isinstance(connection, Connection) and self._alone:
            if connection.left == 0:
                raise SeveralStatementsError
            if connection.left is not None:
                connection.left -= 1
