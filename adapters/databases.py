"""Where the database is: one that the settings name, or our own."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from adapters.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adapters.postgres.migrate import MigrationError
from adapters.postgres.migrate import migrate as apply_migrations
from adapters.settings import Settings, variable


class StartError(Exception):
    """The service cannot start; the message says why, in one line."""


@contextmanager
def database(settings: Settings) -> Iterator[tuple[str, EmbeddedPostgres | None]]:
    """Give where the database is, and our own server if it is one."""
    if settings.database_url is not None:
        yield settings.database_url, None
        return
    try:
        embedded = EmbeddedPostgres.start(settings.data_dir)
    except EmbeddedPostgresError as error:
        raise StartError(str(error)) from error
    with embedded:
        yield embedded.conninfo, embedded


@contextmanager
def shared_database(settings: Settings) -> Iterator[str]:
    """Give where the database is, migrated; our own server may be one that a running service started."""
    if settings.database_url is None and (conninfo := EmbeddedPostgres.running(settings.data_dir)):
        migrated(conninfo)
        yield conninfo
        return
    with database(settings) as (conninfo, _):
        migrated(conninfo)
        yield conninfo


def migrated(conninfo: str) -> list[str]:
    """Bring a database to the shape that is needed; return the names of the migrations applied.

    Raises:
        StartError: It cannot be reached, or not be migrated.
    """
    try:
        return apply_migrations(conninfo)
    except MigrationError as error:
        raise StartError(str(error)) from error
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split())
        raise StartError(f"{variable('database_url')}: cannot connect: {reason}") from error
