"""How this process connects to PostgreSQL.

Nothing waits for it without a limit. What is set in a database, a role, a URL or the environment changes
nothing of what is read or written: a connection has our settings, and behind a pooler each transaction.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Self

import psycopg
from msgspec import Struct
from psycopg import IsolationLevel, sql
from psycopg.abc import RV, Buffer, PQGen
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow
from psycopg.types.datetime import IntervalLoader

CONNECT_SECONDS = 2
LOCK_SECONDS = 5
STATEMENT_SECONDS = 10
ANSWER_SECONDS = 12
"""How long an answer may take in all; then its connection is given up and nobody knows what happened."""
PEER_SECONDS = 5
"""How long the other end of a network connection may be gone without a trace."""
SCHEMA = "public"
"""Where our tables are unless the settings or the database say otherwise."""

LOST = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction, TimeoutError)
"""How it shows that the server is away, or that it is a standby, which writes nothing."""

NOTIFY = (
    "SELECT pg_notify(CASE current_schema() WHEN 'public' THEN %(name)s ELSE %(name)s || '_'"
    " || left(encode(sha256(convert_to(current_schema(), 'UTF8')), 'hex'), 16) END, '')"
)
"""Says that a table has grown by the channel of its schema; of a draft's schema nobody hears."""

BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED, NOT DEFERRABLE"
"""How a transaction begins whose session may have been left by anybody."""

_KEEP_ALIVE = {
    "keepalives_idle": PEER_SECONDS,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": PEER_SECONDS * 1000,
}
_LIMITS = {"lock_timeout": f"{LOCK_SECONDS}s", "statement_timeout": f"{STATEMENT_SECONDS}s"}
SETTINGS = {
    "array_nulls": "on",
    "bytea_output": "hex",
    "datestyle": "ISO, MDY",
    "default_table_access_method": "heap",
    "default_transaction_deferrable": "off",
    "default_transaction_isolation": "read committed",
    "exit_on_error": "off",
    "extra_float_digits": "1",
    "gin_fuzzy_search_limit": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "intervalstyle": "postgres",
    "jit": "off",
    "plan_cache_mode": "auto",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
    "transform_null_equals": "off",
}
"""All that changes what is read or written, or ends sessions, or plans as if for reports."""
_NEWER = {170000: {"transaction_timeout": "0"}}
"""Settings that there are since a version."""
_DURABLE = sql.SQL(
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit')"
    " WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, {})"
)
"""What is acknowledged has to be durable; waiting for standbys to apply it too is more than that."""
_POOLED = "montane.pooled"
"""The option that marks a connection string as one of a pooler. It is not sent."""


def limited(conninfo: str, *, schema: str | None = None, pooled: bool | None = None) -> str:
    """Return a connection string with our settings in its options; of its own, limits and the schema count.

    It is for `Connection` and `AsyncConnection`, which apply the options themselves: poolers refuse them.

    Args:
        conninfo: Where the database is.
        schema: Where our tables are; where the string says, or else `public`, if left out.
        pooled: Whether each transaction may be in another session.
    """
    given = conninfo_to_dict(conninfo)
    options = _LIMITS | options_in(str(given.pop("options", ""))) | SETTINGS
    if schema is not None or "search_path" not in options:
        options["search_path"] = quoted(schema or SCHEMA)
    if pooled is not None:
        options[_POOLED] = "on" if pooled else "off"
    limits: dict[str, Any] = {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "montane",
        **_KEEP_ALIVE,
    }
    if "," in f"{given.get('host', '')}{given.get('hostaddr', '')}":
        # Of several servers the one that writes.
        limits["target_session_attrs"] = "read-write"
    text = " ".join(f"-c {_escaped(f'{name}={value}')}" for name, value in options.items())
    return make_conninfo("", **(limits | given | {"client_encoding": "UTF8", "options": text}))


def options_in(text: str) -> dict[str, str]:
    """Return the settings in the options of a connection string.

    Raises:
        ValueError: There is something else among them.
    """
    words = iter(_words(text))
    found = {}
    for word in words:
        setting = word.removeprefix("--") if word.startswith("--") else word.removeprefix("-c")
        if setting == word:
            raise ValueError(f"options: expected -c name=value, not {word}")
        name, equals, value = (setting or next(words, "")).partition("=")
        if not equals:
            raise ValueError(f"options: expected -c name=value, not {word} {name}".rstrip())
        found[name.strip().replace("-", "_").lower()] = value.strip()
    return found


def schema_of(conninfo: str) -> str:
    """Return the schema of our tables that a connection string names; `public` if it names none."""
    path = options_in(str(conninfo_to_dict(conninfo).get("options", ""))).get("search_path", "")
    return first_schema(path) or SCHEMA


def first_schema(path: str) -> str:
    """Return the first schema in a search path, empty if there is none."""
    path = path.strip()
    if not path.startswith('"'):
        return path.split(",")[0].strip().lower()
    name = []
    rest = iter(path[1:])
    for letter in rest:
        if letter == '"' and next(rest, None) != '"':
            break
        name.append(letter)
    return "".join(name)


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def channel(conninfo: str, name: str) -> str:
    """Return the channel by which our schema says that a table has grown, as the function `channel` does."""
    schema = schema_of(conninfo)
    return name if schema == SCHEMA else f"{name}_{sha256(schema.encode()).hexdigest()[:16]}"


class UtcLoader(Loader):
    """Reads a time as a transaction with our settings gives it, whatever its session says meanwhile."""

    def load(self, data: Buffer) -> datetime:
        """Return a time."""
        return datetime.fromisoformat(bytes(data).decode())


class DateLoader(Loader):
    """Reads a date as a transaction with our settings gives it, whatever its session says meanwhile."""

    def load(self, data: Buffer) -> date:
        """Return a date."""
        return date.fromisoformat(bytes(data).decode())


class LengthLoader(IntervalLoader):
    """Reads a length of time as a transaction with our settings gives it."""

    def load(self, data: Buffer) -> timedelta:
        """Return a length of time."""
        return self._load_postgres(self, data)


def lost(error: BaseException) -> bool:
    """Return whether an error, or the one it was made of, means that the server is lost."""
    return isinstance(error, LOST) or isinstance(error.__cause__, LOST)


class Session(Struct, frozen=True):
    """What a connection string says of its connections.

    Attributes:
        conninfo: What is left of it for libpq.
        settings: What is set, by name.
        pooled: Whether each transaction may be in another session.
    """

    conninfo: str
    settings: Mapping[str, str]
    pooled: bool

    def statement(self, version: int) -> bytes:
        """Return the statement that sets all of it, for a session or a transaction, on a version."""
        local = sql.Literal(self.pooled)
        settings = dict(self.settings)
        for since, newer in _NEWER.items():
            if version >= since:
                settings |= newer
        calls = [
            sql.SQL("set_config({}, {}, {})").format(sql.Literal(name), sql.Literal(value), local)
            for name, value in settings.items()
            # Those of a transaction that has begun are set as it begins.
            if not (self.pooled and name.startswith("default_transaction"))
        ]
        return sql.SQL("SELECT {}").format(sql.SQL(", ").join([*calls, _DURABLE.format(local)])).as_bytes()


@lru_cache(100)
def session_of(conninfo: str) -> Session:
    """Return what a connection string says of its connections."""
    given = conninfo_to_dict(conninfo)
    settings = options_in(str(given.get("options", "")))
    pooled = settings.pop(_POOLED, "off") == "on"
    # Empty and not left out: libpq would take them from the environment.
    return Session(make_conninfo("", **(given | {"options": ""})), settings, pooled)


class Connection(psycopg.Connection[DictRow]):
    """A connection with our settings that gives up a server which says nothing.

    The server's own limits are of no use behind a network that was cut.

    Attributes:
        patience: How many seconds an answer may take.
        left: How many more statements it executes outside a transaction; None for any number.
        prologue: What each transaction has to begin with, if that is needed.
    """

    patience: float = ANSWER_SECONDS
    left: int | None = None
    prologue: bytes | None = None

    @classmethod
    def connect(cls, conninfo: str = "", **kwargs: Any) -> Self:
        """Return a connection with the settings in a connection string.

        Raises:
            psycopg.Error: The server cannot be reached, or refuses them.
        """
        session = session_of(conninfo)
        connection = super().connect(session.conninfo, **kwargs)
        try:
            statement = session.statement(connection.info.server_version)
            if session.pooled:
                connection.prologue = statement
                connection.prepare_threshold = None
                connection.isolation_level = IsolationLevel.READ_COMMITTED
                connection.deferrable = False
                connection.adapters.register_loader("timestamptz", UtcLoader)
                connection.adapters.register_loader("date", DateLoader)
                connection.adapters.register_loader("interval", LengthLoader)
            else:
                psycopg.Cursor(connection).execute(statement)
                if not connection.autocommit:
                    connection.commit()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def transaction(
        self, savepoint_name: str | None = None, force_rollback: bool = False
    ) -> Iterator[psycopg.Transaction]:
        """Begin a transaction or, within one, a savepoint."""
        if self.prologue is None or self.pgconn.transaction_status != TransactionStatus.IDLE:
            with super().transaction(savepoint_name, force_rollback) as transaction:
                yield transaction
            return
        with ExitStack() as stack:
            with self.pipeline():
                transaction = psycopg.Transaction(self, savepoint_name, force_rollback)
                stack.enter_context(transaction)
                psycopg.Cursor(self).execute(self.prologue)
            yield transaction

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Begin a transaction, set what it needs, and end it after one statement, all sent together."""
        try:
            with self.pipeline(), super().transaction():
                if self.prologue is not None:
                    psycopg.Cursor(self).execute(self.prologue)
                yield
        except psycopg.Error:
            # The end of the transaction was skipped with the statement.
            if self.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                self.rollback()
            raise

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


class AsyncConnection(psycopg.AsyncConnection[Any]):
    """A connection with our settings, for asyncio.

    Attributes:
        prologue: What each transaction has to begin with, if that is needed.
    """

    prologue: bytes | None = None

    @classmethod
    async def connect(cls, conninfo: str = "", **kwargs: Any) -> Self:
        """Return a connection with the settings in a connection string, unless transactions bring them.

        Raises:
            psycopg.Error: The server cannot be reached, or refuses them.
        """
        session = session_of(conninfo)
        connection = await super().connect(session.conninfo, **kwargs)
        try:
            statement = session.statement(connection.info.server_version)
            if session.pooled:
                connection.prologue = statement
            else:
                await connection.execute(statement)
        except BaseException:
            await connection.close()
            raise
        return connection


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
        connection = self._one()
        if connection is None or connection.prologue is None or not self._alone:
            return super().execute(*args, **kwargs)
        with connection.at_once():
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

    def _one(self) -> "Connection | None":
        connection = self.connection
        if not isinstance(connection, Connection):
            return None
        if self._alone:
            if connection.left == 0:
                raise SeveralStatementsError
            if connection.left is not None:
                connection.left -= 1
        return connection


def _words(text: str) -> list[str]:
    """Return the words in options, of which a backslash makes the next letter one of them."""
    words = [""]
    letters = iter(text)
    for letter in letters:
        if letter == "\\":
            words[-1] += next(letters, "")
        elif letter.isspace():
            words.append("")
        else:
            words[-1] += letter
    return [word for word in words if word]


def _escaped(word: str) -> str:
    return "".join(f"\\{letter}" if letter == "\\" or letter.isspace() else letter for letter in word)
