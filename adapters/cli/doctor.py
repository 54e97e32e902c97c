"""What `montane doctor` looks at: whether all that a deployment stands on is as it must be."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from shutil import disk_usage
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import sql
from psycopg.rows import dict_row

from adapters.databases import StartError, found_database
from adapters.postgres.connection.access import Access, explanation
from adapters.postgres.connection.connections import SETTINGS, Connection, channel, limited, schema_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.set_aside import all_aside
from adapters.postgres.migrate import MigrationError, pending
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.registry import read_models
from adapters.settings import Settings
from domain.games import GAMES

ROOM = 1 << 30
"""Bytes on a disk below which there is little room left."""
CONNECTIONS = 14
"""How many connections a process needs beside its pool: those that listen, and some to spare."""
HEARD = 2.0
"""Seconds within which a notification is heard."""
LAG = 10_000
"""Events that a read model may be behind the log."""
CLOCKS = 2.0
"""Seconds by which our clock and the server's may differ."""


class Verdict(StrEnum):
    """What came of looking at something."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Finding(Struct, frozen=True):
    """What was looked at, and what came of it.

    Attributes:
        verdict: What came of it.
        what: What was looked at.
        says: How it is; if it is not well, what to do.
    """

    verdict: Verdict
    what: str
    says: str

    def __str__(self) -> str:
        """Return it as a line."""
        return f"{self.verdict:<4}  {self.what}: {self.says}"


def findings(settings: Settings) -> Iterator[Finding]:
    """Look at everything, and give what is found as it is found."""
    try:
        with found_database(settings) as access:
            yield from _of_database(settings, access)
    except StartError as error:
        yield Finding(Verdict.FAIL, "database", str(error))
    if settings.database_url is None:
        yield _disk(settings)


def _of_database(settings: Settings, access: Access) -> Iterator[Finding]:
    """Look at a database that can be used."""
    with Connection.connect(limited(access.direct), autocommit=True, row_factory=dict_row) as connection:
        info = connection.info
        server = f"PostgreSQL {info.server_version // 10000} at {info.host or 'a local socket'}"
        where = f"{server}, {info.dbname} as {info.user}, schema {schema_of(access.direct)}"
        yield Finding(Verdict.OK, "database", where)
        for what, check in _CHECKS.items():
            try:
                verdict, says = check(connection, settings, access)
            except MigrationError as error:
                verdict, says = Verdict.FAIL, str(error)
            except psycopg.Error as error:
                verdict, says = Verdict.FAIL, explanation(error)
            yield Finding(verdict, what, says)
            if what == "tables" and verdict is not Verdict.OK:
                return


def _disk(settings: Settings) -> Finding:
    """Look at the room that the embedded server has."""
    folder = settings.data_dir.absolute()
    there = next((one for one in (folder, *folder.parents) if one.is_dir()), folder)
    free = disk_usage(there).free
    room = f"{free >> 20:,} MB are free where {settings.data_dir} is"
    if free < ROOM:
        return Finding(Verdict.WARN, "disk", f"only {room}; make room")
    return Finding(Verdict.OK, "disk", room)


def _row(connection: Connection, query: str, *parameters: object) -> dict[str, Any]:
    row = connection.execute(query, parameters or None).fetchone()
    return {} if row is None else row


def _tables(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    if missing := pending(connection, schema_of(access.direct)):
        return (
            Verdict.WARN,
            f"{len(missing)} migrations are missing, from {missing[0][0]}; run `montane migrate`",
        )
    return Verdict.OK, "up to date"


def _rights(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    lacking = _row(connection, LACKING)["lacking"]
    if lacking:
        return (
            Verdict.FAIL,
            f"no right to read or write {', '.join(lacking)}; GRANT them to {connection.info.user}",
        )
    if not _row(connection, MAY_CREATE)["may"]:
        return (
            Verdict.WARN,
            "enough to serve; to migrate and rebuild, run those commands as the owner of the tables",
        )
    return Verdict.OK, "to read, write and create"


def _durability(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    row = _row(
        connection, "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages"
    )
    if off := [
        name for name, value in (("fsync", row["fsync"]), ("full_page_writes", row["pages"])) if value != "on"
    ]:
        return Verdict.WARN, f"{', '.join(off)}: off, so that what was acknowledged may be lost; set to on"
    return Verdict.OK, "what is acknowledged is durable"


def _left(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    left = [one for one in _row(connection, LEFT)["left"] or [] if one.partition("=")[0].lower() in SETTINGS]
    if left:
        return Verdict.OK, f"overridden on our connections: {', '.join(left)}"
    return Verdict.OK, "nothing in the way is left in the database or the role"


def _connections(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    row = _row(connection, ROOM_FOR)
    needed = settings.pool_size + CONNECTIONS
    says = f"{row['free']} of {row['most']} are free; a process needs up to {needed}"
    if row["free"] < needed:
        return Verdict.WARN, f"{says}: raise max_connections, or lower MONTANE_POOL_SIZE"
    return Verdict.OK, says


def _clock(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    apart = (_row(connection, "SELECT clock_timestamp() AS now")["now"] - datetime.now(UTC)).total_seconds()
    if abs(apart) > CLOCKS:
        return Verdict.WARN, f"{apart:+.1f} s apart from the server's: let both follow a time server"
    return Verdict.OK, "agrees with the server's"


def _notifications(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    name = sql.Identifier(channel(access.direct, "doctor"))
    connection.execute(sql.SQL("LISTEN {}").format(name))
    connection.execute(sql.SQL("NOTIFY {}").format(name))
    if not list(connection.notifies(timeout=HEARD, stop_after=1)):
        return (
            Verdict.FAIL,
            f"not heard within {HEARD:.0f} s: name the server itself by MONTANE_DATABASE_DIRECT_URL",
        )
    return Verdict.OK, "heard"


def _models(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    datastore = Datastore(access.conninfo, 1, access.direct)
    try:
        lag = ReadModels(dict(GAMES), datastore, read_models()).lags()
    finally:
        datastore.close()
    if late := {name: events for name, events in lag.items() if events > LAG}:
        worst = ", ".join(f"{name} by {events:,} events" for name, events in late.items())
        return Verdict.WARN, f"{worst} behind the log; see that `montane work` runs"
    return Verdict.OK, "up with the log"


def _aside(connection: Connection, settings: Settings, access: Access) -> tuple[Verdict, str]:
    if not (found := all_aside(connection)):
        return Verdict.OK, "none is set aside"
    first = found[0]
    return (
        Verdict.WARN,
        (
            f"{len(found)} cannot be read and are set aside, first {first.match} at version {first.version}:"
            f" {' '.join(first.why.split())}; see `montane audit --match {first.match}`"
        ),
    )


LACKING = """
SELECT array_agg(tablename::text ORDER BY tablename) AS lacking FROM pg_tables
WHERE schemaname = current_schema() AND tablename <> 'migrations' AND NOT (
    has_schema_privilege(current_schema(), 'USAGE')
    AND has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')
    AND has_table_privilege(format('%I.%I', schemaname, tablename), 'INSERT')
    AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE')
    AND has_table_privilege(format('%I.%I', schemaname, tablename), 'DELETE')
)
"""
MAY_CREATE = """
SELECT has_schema_privilege(current_schema(), 'CREATE')
    AND has_database_privilege(current_database(), 'CREATE') AS may
"""
LEFT = """
SELECT array_agg(DISTINCT one) AS left FROM pg_db_role_setting, unnest(setconfig) AS one
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = current_user))
"""
ROOM_FOR = """
SELECT current_setting('max_connections')::int AS most,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS free
"""

type Check = Callable[[Connection, Settings, Access], tuple[Verdict, str]]

_CHECKS: dict[str, Check] = {
    "durability": _durability,
    "settings": _left,
    "connections": _connections,
    "clock": _clock,
    "notifications": _notifications,
    "tables": _tables,
    "rights": _rights,
    "read models": _models,
    "matches": _aside,
}
"""In the order in which they are looked at; what comes after the tables needs them."""
