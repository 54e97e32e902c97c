"""Where the database is, and whether it is one that can be used: looked at once, before anything else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from adapters.postgres.connection.connections import SCHEMA, Connection, first_schema, limited, options_in

OLDEST = 150000
"""The oldest server, as it tells its version."""
LONGEST_NAME = 63
"""How many bytes a name may have; PostgreSQL cuts off what is more."""
TRIES = 4
"""How many connections tell whether a pooler lets them share sessions."""

URL, DIRECT_URL, SCHEMA_SETTING = (
    "MONTANE_DATABASE_URL",
    "MONTANE_DATABASE_DIRECT_URL",
    "MONTANE_DATABASE_SCHEMA",
)

ABOUT = """
SELECT current_schema() AS schema, current_database() AS database,
    current_setting('server_encoding') AS encoding,
    current_setting('session_replication_role') AS replication, pg_is_in_recovery() AS standby,
    current_setting('default_transaction_read_only')::boolean AS read_only,
    current_setting('server_version') AS version,
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS number,
    extract(epoch FROM pg_postmaster_start_time())::bigint AS since
"""
OURS = "SELECT to_regclass(format('%%I.match_events', %s::text)) IS NOT NULL AS ours"


class AccessError(Exception):
    """The database cannot be used; the message says why and what to do, in one line."""


class Access(Struct, frozen=True):
    """Where the database is.

    Attributes:
        conninfo: For statements and transactions.
        direct: For what needs a session of its own.
    """

    conninfo: str
    direct: str


def access(url: str, direct_url: str | None = None, schema: str | None = None) -> Access:
    """Return where the database is, once it has turned out to be one that can be used.

    Args:
        url: Where it is; a pooler only if there is a direct one.
        direct_url: Where it is without a pooler, if there is one.
        schema: The schema of our tables, if it is named.

    Raises:
        AccessError: It cannot be used.
    """
    about = _about(URL, url, shared=direct_url is not None)
    if direct_url is not None:
        other = _about(DIRECT_URL, direct_url, shared=False)
        if (other["number"], other["since"]) != (about["number"], about["since"]):
            raise AccessError(f"{URL} and {DIRECT_URL} lead to different databases")
    named = _schema(url, about, schema)
    return Access(
        limited(url, schema=named, pooled=direct_url is not None),
        limited(direct_url or url, schema=named, pooled=False),
    )


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Say in one line why a database cannot be used, and what to do.

    Args:
        name: The setting that leads to it.

    Raises:
        AccessError: It cannot.
    """
    try:
        yield
    except psycopg.Error as error:
        raise AccessError(f"{name}: {explanation(error)}") from error
    except ValueError as error:
        raise AccessError(f"{name}: {error}") from error


def explanation(error: psycopg.Error) -> str:
    """Return in one line what an error of the database says, and what to do."""
    said = " ".join((error.diag.message_primary or str(error)).split())
    for kind, advice in _ADVICE.items():
        if isinstance(error, kind):
            return f"{said}; {advice}"
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        hint = next((hint for words, hint in _CONNECTING.items() if words in said), None)
        return f"cannot connect: {said}" + ("" if hint is None else f"; {hint}")
    return said


def _about(name: str, url: str, *, shared: bool) -> dict[str, Any]:
    """Return what a server says of itself.

    Args:
        name: The setting that leads to it.
        url: Where it is.
        shared: Whether sessions may be shared.
    """
    with explained(name), _connected(url) as connection:
        if connection.info.server_version < OLDEST:
            version = connection.info.server_version // 10000
            raise AccessError(f"{name}: the server is PostgreSQL {version}; 15 or newer is needed")
        if _allows_none(connection):
            raise AccessError(
                f"{name}: a pooler allows no transactions (pool_mode is statement): let it pool transactions,"
                f" and name the server itself by {DIRECT_URL}"
            )
        if not shared and _is_shared(url, connection):
            raise AccessError(
                f"{name}: a pooler gives each transaction another session, and what must listen needs one of"
                f" its own: name the server itself by {DIRECT_URL}"
            )
        about = connection.execute(ABOUT).fetchone()
    if about is None:
        raise AccessError(f"{name}: the server does not say what it is")
    if about["encoding"] != "UTF8":
        raise AccessError(
            f"{name}: the database {about['database']} is encoded in {about['encoding']};"
            " make one with ENCODING 'UTF8' TEMPLATE template0"
        )
    if about["replication"] == "replica":
        raise AccessError(
            f"{name}: session_replication_role is replica, which leaves out triggers and foreign keys;"
            " reset it (ALTER ROLE ... RESET session_replication_role, or ALTER DATABASE)"
        )
    if about["standby"]:
        raise AccessError(
            f"{name}: the server is a standby, which only reads; name the primary,"
            " or several hosts with target_session_attrs=read-write"
        )
    if about["read_only"]:
        raise AccessError(
            f"{name}: transactions only read (default_transaction_read_only is on);"
            " reset it (ALTER ROLE ... RESET default_transaction_read_only, ALTER DATABASE, or ALTER SYSTEM)"
        )
    return about


def _connected(url: str) -> Connection:
    """Connect without leaving anything in the session, which may be somebody else's."""
    return Connection.connect(limited(url, pooled=True), autocommit=True, row_factory=dict_row)


def _allows_none(connection: Connection) -> bool:
    """Return whether what is connected allows no transactions."""
    _process(connection)
    try:
        with connection.transaction():
            return False
    except psycopg.OperationalError:
        return True


def _is_shared(url: str, connection: Connection) -> bool:
    """Return whether a pooler gives the session of a connection to others while the connection is idle.

    A pooler tells a process id of its own. One that shares sessions gives the one that is idle to somebody
    who begins a transaction, or this connection another one.
    """
    try:
        process = _process(connection)
        if process == connection.info.backend_pid:
            return False
        for _ in range(TRIES):
            with _connected(url) as other, other.transaction():
                if _process(other) == process or _process(connection) != process:
                    return True
    except psycopg.OperationalError as error:
        # A pooler that has no further session for a transaction, or allows none.
        if "transaction" in str(error) or "pooling mode" in str(error):
            return True
        raise
    return False


def _process(connection: Connection) -> int:
    row = connection.execute("SELECT pg_backend_pid() AS process").fetchone()
    return 0 if row is None else int(row["process"])


def _schema(url: str, about: dict[str, Any], named: str | None) -> str:
    """Return the schema of our tables: as it is named, as the URL says, or where they are or would be."""
    path = options_in(str(conninfo_to_dict(url).get("options", ""))).get("search_path")
    if path is not None and (in_url := first_schema(path)) != "$user":
        if named is not None and in_url != named:
            raise AccessError(f"{SCHEMA_SETTING} is {named}, but search_path in {URL} is {path}: name one")
        named = named or in_url
    if named is None:
        with explained(URL), _connected(url) as connection:
            named = about["schema"] or SCHEMA
            if named != SCHEMA and _ours(connection, SCHEMA) and not _ours(connection, named):
                raise AccessError(
                    f"{URL}: search_path of the role or database leads to the schema {named}, but there are"
                    f" matches in {SCHEMA}: say by {SCHEMA_SETTING} which is meant"
                )
    if len(named.encode()) > LONGEST_NAME or named.startswith("pg_") or named in ("", "information_schema"):
        raise AccessError(f"{SCHEMA_SETTING}: {named!r} cannot be the name of a schema")
    return named


def _ours(connection: Connection, schema: str) -> bool:
    row = connection.execute(OURS, (schema,)).fetchone()
    return row is not None and bool(row["ours"])


_ADVICE: dict[type[psycopg.Error], str] = {
    psycopg.errors.InsufficientPrivilege: (
        "GRANT the role what is missing, or let `montane migrate` run as the owner of the tables"
    ),
    psycopg.errors.ReadOnlySqlTransaction: "name a server that writes",
    psycopg.errors.TooManyConnections: "lower MONTANE_POOL_SIZE or raise max_connections of the server",
    psycopg.errors.DiskFull: "make room on the server's disk",
    psycopg.errors.OutOfMemory: "give the server more memory, or fewer connections",
    psycopg.errors.InvalidCatalogName: "create it: CREATE DATABASE ... ENCODING 'UTF8'",
    psycopg.errors.InvalidPassword: "check user and password",
    psycopg.errors.InvalidAuthorizationSpecification: "check user, password and pg_hba.conf of the server",
    psycopg.errors.UndefinedTable: "run `montane migrate`",
    psycopg.errors.LockNotAvailable: "somebody holds the lock for long; try again",
    psycopg.errors.QueryCanceled: "raise statement_timeout in the options of the URL, or try again",
}
_CONNECTING = {
    "password authentication failed": "check user and password",
    "no password supplied": "check user and password",
    "too many connections": "lower MONTANE_POOL_SIZE or raise the limit of the role or database",
    "too many clients": "lower MONTANE_POOL_SIZE or raise max_connections of the server",
    "remaining connection slots": "lower MONTANE_POOL_SIZE or raise max_connections of the server",
    "does not exist": "create it first",
    "could not translate host name": "check the host",
    "failed to resolve host": "check the host",
    "Connection refused": "check host and port, and that the server runs",
    "No such file or directory": "check host and port, and that the server runs",
    "SSL": "check sslmode and the certificates",
    "certificate": "check sslmode and the certificates",
    "pg_hba.conf": "let pg_hba.conf of the server allow it",
    "timeout": "check that the server answers, and the network between",
    "unsupported startup parameter": f"a pooler refuses it: name the server itself by {DIRECT_URL}",
}
