"""The PostgreSQL server the tests run on, and databases of their own for tests.

Chosen in this order: `DATABASE_URL`, a container if a Docker engine answers, the embedded server.
`MONTANE_TEST_DATABASE` forces one of `url`, `docker`, `embedded`.
"""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from adapters.postgres.migrate import migrate
from adapters.postgres.own_server.embedded import EmbeddedPostgres

IMAGE = "postgres:18-alpine"


class Kind(StrEnum):
    """Where the server comes from."""

    URL = "url"
    DOCKER = "docker"
    EMBEDDED = "embedded"


@dataclass(frozen=True)
class Choice:
    """A kind of server, and why it was chosen."""

    kind: Kind
    reason: str


def choose() -> Choice:
    """Return which server the tests of this process run on.

    Raises:
        ValueError: `MONTANE_TEST_DATABASE` names no kind, or `url` without `DATABASE_URL`.
    """
    forced = os.environ.get("MONTANE_TEST_DATABASE")
    if forced is not None:
        if forced not in list(Kind):
            raise ValueError(f"MONTANE_TEST_DATABASE={forced}: must be one of {', '.join(Kind)}")
        if forced == Kind.URL and not os.environ.get("DATABASE_URL"):
            raise ValueError("MONTANE_TEST_DATABASE=url needs DATABASE_URL")
        return Choice(Kind(forced), "MONTANE_TEST_DATABASE")
    if os.environ.get("DATABASE_URL"):
        return Choice(Kind.URL, "DATABASE_URL is set")
    if docker_answers():
        return Choice(Kind.DOCKER, f"a Docker engine answers; image {IMAGE}")
    return Choice(Kind.EMBEDDED, "no DATABASE_URL, no Docker engine")


def docker_answers() -> bool:
    """Return whether a Docker engine is there to be used, within about two seconds."""
    if not os.environ.get("DOCKER_HOST") and not Path("/var/run/docker.sock").exists():
        return False
    # Imported this late because it is slow, and mostly not needed.
    import docker  # type: ignore[import-untyped]

    try:
        return bool(docker.from_env(timeout=2).ping())
    except Exception:  # noqa: BLE001
        # The client wraps some failures and lets others through; whichever, there is no engine for us.
        return False


@contextlib.contextmanager
def running_server(choice: Choice, folder: Path) -> Iterator[str]:
    """Give the connection string of a server on which databases may be created.

    Args:
        choice: Which kind of server.
        folder: Where an embedded one may keep its data.
    """
    match choice.kind:
        case Kind.URL:
            yield os.environ["DATABASE_URL"]
        case Kind.DOCKER:
            # Imported this late because it takes more than a second.
            from testcontainers.community.postgres import PostgresContainer

            with PostgresContainer(IMAGE, driver=None) as container:
                yield container.get_connection_url()
        case Kind.EMBEDDED:
            with EmbeddedPostgres.start(folder, durable=False) as server:
                yield server.conninfo


def prepare_template(conninfo: str) -> None:
    """Bring the database that all test databases are copies of into the shape that the service needs.

    Args:
        conninfo: Connects to it. No connection may be left open: an open one prevents copying.
    """
    migrate(conninfo)


class Databases:
    """Makes databases on a server, each a copy of a template made when the first is asked for.

    Names carry a random part, so that test runs at the same time may share a server.
    """

    def __init__(self, server: str, prepare: Callable[[str], None] = prepare_template) -> None:
        """Take the server, and what makes a template's tables."""
        self._server = server
        self._prepare = prepare
        self.prefix = f"montane_test_{secrets.token_hex(4)}"
        self._template: str | None = None
        self._made = 0

    @contextlib.contextmanager
    def fresh(self) -> Iterator[str]:
        """Give the connection string of a new copy of the template, dropped afterwards."""
        if self._template is None:
            name = f"{self.prefix}_template"
            self._execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            # Noted first, so that it is dropped even where preparing it fails.
            self._template = name
            self._prepare(make_conninfo(self._server, dbname=name))
        self._made += 1
        name = f"{self.prefix}_{self._made}"
        self._execute(
            sql.SQL("create database {} template {}").format(
                sql.Identifier(name), sql.Identifier(self._template)
            )
        )
        try:
            yield make_conninfo(self._server, dbname=name)
        finally:
            self._drop(name)

    def close(self) -> None:
        """Drop the template."""
        if self._template is not None:
            self._drop(self._template)
            self._template = None

    def _drop(self, name: str) -> None:
        self._execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement)


def end_sessions(database: str) -> None:
    """End every other session of a database, as the server does when it stops."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@contextlib.contextmanager
def log_locked(database: str) -> Iterator[None]:
    """Hold the lock under which events are written, as a writer does that does not end."""
    with psycopg.connect(database) as connection:
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.match_events', 0))"
        )
        yield
