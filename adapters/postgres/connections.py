"""How this process connects to PostgreSQL: nothing waits for it without a limit."""

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
    """

    patience: float = ANSWER_SECONDS

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
