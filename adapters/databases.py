"""Where the database is, one that the settings name or our own; and the keys, in it or in a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from eventsourcing.persistence import PersistenceError

from adapters.keys.signing import Ed25519Signer, secret_in
from adapters.postgres.connection.access import Access, AccessError, access, explanation
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.migrate import MigrationError
from adapters.postgres.migrate import migrate as apply_migrations
from adapters.postgres.own_server.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adapters.settings import Settings, variable
from services.shared.errors import Unavailable

MEANT_FOR_OTHERS = ("PGOPTIONS", "PGDATESTYLE", "PGTZ", "PGGEQO", "PGCLIENTENCODING", "PGTARGETSESSIONATTRS")
"""Variables of libpq that change what a connection reads and writes; the others say what a URL leaves out."""


class StartError(Exception):
    """The service cannot start; the message says why, in one line."""


@contextmanager
def database(settings: Settings) -> Iterator[tuple[Access, EmbeddedPostgres | None]]:
    """Give where the database is, and the embedded server if it is one.

    Raises:
        StartError: It cannot be used.
    """
    if settings.database_url is not None:
        for name in MEANT_FOR_OTHERS:
            os.environ.pop(name, None)
        yield _access(settings, settings.database_url, settings.database_direct_url), None
        return
    _forget_environment()
    try:
        embedded = EmbeddedPostgres.start(settings.data_dir)
    except EmbeddedPostgresError as error:
        raise StartError(_line(str(error))) from error
    with embedded:
        yield _access(settings, embedded.conninfo, None), embedded


@contextmanager
def found_database(settings: Settings) -> Iterator[Access]:
    """Give where the database is, as it is; the embedded server may be one that a running service started.

    Raises:
        StartError: It cannot be used.
    """
    if settings.database_url is None and (conninfo := EmbeddedPostgres.running(settings.data_dir)):
        _forget_environment()
        yield _access(settings, conninfo, None)
        return
    with database(settings) as (found, _):
        yield found


@contextmanager
def shared_database(settings: Settings) -> Iterator[Access]:
    """Give where the database is, migrated; the embedded server may be one that a running service started.

    Raises:
        StartError: It cannot be used.
    """
    with found_database(settings) as found:
        migrated(found)
        yield found


def migrated(access: Access) -> list[str]:
    """Bring a database to the shape that is needed; return the names of the migrations applied.

    Raises:
        StartError: It cannot be reached, or not be migrated.
    """
    try:
        return apply_migrations(access.direct)
    except MigrationError as error:
        raise StartError(str(error)) from error
    except psycopg.Error as error:
        raise StartError(f"{variable('database_url')}: {explanation(error)}") from error


def failure(error: BaseException | None) -> str | None:
    """Return in one line what the database has failed of, and what to do; None if an error is none of it."""
    while error is not None:
        if isinstance(error, psycopg.Error):
            return f"{variable('database_url')}: {explanation(error)}"
        if isinstance(error, StartError | AccessError):
            return str(error)
        if not isinstance(error, PersistenceError | Unavailable | TimeoutError):
            return None
        if error.__cause__ is None:
            return f"{variable('database_url')}: the database does not answer; check that it runs"
        error = error.__cause__
    return None


def _line(message: str) -> str:
    """Return in one line what a server that did not come up says; its log has the rest."""
    first, *log = message.splitlines()
    said = [
        words
        for line in log
        for mark, words in [_marked(line)]
        if mark in ("FATAL", "PANIC", "DETAIL", "HINT")
    ]
    return first if not log else f"{first} {'; '.join(said or log[-1:])}"


def _marked(line: str) -> tuple[str, str]:
    """Return how a line of a server's log is marked, and what it says."""
    before, _, words = line.partition(":  ")
    return before.split()[-1] if before.split() else "", words


def _access(settings: Settings, url: str, direct_url: str | None) -> Access:
    try:
        return access(url, direct_url, settings.database_schema)
    except AccessError as error:
        raise StartError(str(error)) from error


def _forget_environment() -> None:
    """Forget what the environment says to clients of PostgreSQL: it is meant for other servers."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def signing_keys(settings: Settings, datastore: Datastore) -> PostgresKeys:
    """Return the keys that heads are signed with.

    Raises:
        StartError: The file with the key cannot be read.
    """
    return PostgresKeys(datastore, key_in_file(settings))


def key_in_file(settings: Settings) -> Ed25519Signer | None:
    """Return the key of the file that the settings name, if they do.

    Raises:
        StartError: The file cannot be read.
    """
    if (file := settings.signing_key_file) is None:
        return None
    try:
        return Ed25519Signer(secret_in(file.read_bytes()))
    except OSError as error:
        why = f"cannot read {str(file)!r}: {error.strerror or error}"
        raise StartError(f"{variable('signing_key_file')}: {why}") from error
    except ValueError as error:
        raise StartError(f"{variable('signing_key_file')}: {error}") from error
