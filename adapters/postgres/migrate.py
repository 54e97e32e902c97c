"""Bring a database to the shape that this version of the service needs.

Written by hand because the libraries for it either bring a second database layer along or are no longer kept.
"""

import logging
from hashlib import sha256
from importlib import resources

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from adapters.postgres.connection.connections import Connection, limited, schema_of

WAIT_SECONDS = 60
"""How long another process may migrate, before one that waits for it gives up."""

log = logging.getLogger(__name__)


class MigrationError(Exception):
    """The database cannot be brought to the shape that is needed; the message says why."""


def migrations() -> list[tuple[str, str]]:
    """Return the migrations as (name, SQL), in the order in which they are applied."""
    folder = resources.files("adapters.postgres") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name)
    return [(file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in files]


def migrate(conninfo: str) -> list[str]:
    """Apply what is missing, all of it or nothing, and return the names of those.

    Safe to call from many processes at once: one migrates, by a lock that ends with its transaction.

    Raises:
        MigrationError: A migration that was applied has been edited since, the database is newer or has
            tables of another application, or another process migrates for too long.
        psycopg.Error: It cannot be reached, or refuses.
    """
    schema = schema_of(conninfo)
    with Connection.connect(limited(conninfo), autocommit=True, row_factory=dict_row) as connection:
        if not pending(connection, schema):
            return []
        with connection.transaction():
            _alone(connection, schema)
            # What others applied meanwhile is applied.
            missing = pending(connection, schema)
            _apply(connection, schema, missing)
        return [name for name, _ in missing]


def pending(connection: Connection, schema: str) -> list[tuple[str, str]]:
    """Return the migrations that were not applied yet.

    Raises:
        MigrationError: One that was applied has been edited since, or the database is newer, or not ours.
    """
    applied: dict[str, str] = {}
    if _exists(connection, "SELECT to_regclass(format('%%I.migrations', %s::text)) AS found", schema):
        try:
            rows = connection.execute("SELECT name, digest FROM migrations").fetchall()
        except psycopg.errors.UndefinedColumn as error:
            raise MigrationError(_foreign(schema, "migrations")) from error
        applied = {row["name"]: row["digest"] for row in rows}
    known = migrations()
    if newer := sorted(set(applied) - {name for name, _ in known}):
        raise MigrationError(
            f"the database is newer than this version: it has migration {newer[-1]}; install a newer version"
        )
    for name, text in known:
        if applied.get(name, digest := _digest(text)) != digest:
            raise MigrationError(f"migration {name} was edited after it had been applied")
    return [(name, text) for name, text in known if name not in applied]


def _alone(connection: Connection, schema: str) -> None:
    """Keep others from migrating to the end of the transaction."""
    connection.execute("SELECT set_config('statement_timeout', '0', true)")
    connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{WAIT_SECONDS}s",))
    # A migration takes as long as it takes.
    connection.patience = float("inf")
    key = f"hashtextextended({sql.Literal(f'{schema}.migrations').as_string()}, 0)"
    if _exists(connection, f"SELECT nullif(pg_try_advisory_xact_lock({key}), false) AS found"):
        return
    log.info("another process migrates the database; waiting for it")
    try:
        connection.execute(f"SELECT pg_advisory_xact_lock({key})")
    except psycopg.errors.LockNotAvailable as error:
        raise MigrationError(
            f"another process has been migrating the database for {WAIT_SECONDS} s; try again when it is done"
        ) from error


def _apply(connection: Connection, schema: str, missing: list[tuple[str, str]]) -> None:
    if not _exists(connection, "SELECT to_regnamespace(quote_ident(%s)) AS found", schema):
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    if not _exists(connection, "SELECT to_regclass(format('%%I.migrations', %s::text)) AS found", schema):
        connection.execute(
            "CREATE TABLE migrations ("
            "name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )
    for name, text in missing:
        try:
            connection.execute(text, prepare=False)
        except (psycopg.errors.DuplicateTable, psycopg.errors.DuplicateObject) as error:
            raise MigrationError(_foreign(schema, str(error.diag.message_primary))) from error
        connection.execute("INSERT INTO migrations (name, digest) VALUES (%s, %s)", (name, _digest(text)))


def _exists(connection: Connection, query: str, *parameters: str) -> bool:
    row = connection.execute(query, parameters or None).fetchone()
    return row is not None and row["found"] is not None


def _foreign(schema: str, what: str) -> str:
    return (
        f"the schema {schema} has tables of another application ({what});"
        " name one of our own by MONTANE_DATABASE_SCHEMA"
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
