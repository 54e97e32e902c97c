"""Bring a database to the shape that this version of the service needs.

Written by hand because the libraries for it either bring a second database layer along or are no longer kept.
"""

from hashlib import sha256
from importlib import resources

import psycopg

LOCK = 0x6D6F6E74616E65
"""Key of the advisory lock that lets one starter migrate at a time: `montane` in ASCII."""


class MigrationError(Exception):
    """The database cannot be brought to the shape that is needed; the message says why."""


def migrations() -> list[tuple[str, str]]:
    """Return the migrations as (name, SQL), in the order in which they are applied."""
    folder = resources.files("adapters.postgres") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name)
    return [(file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in files]


def migrate(conninfo: str) -> list[str]:
    """Apply what is missing, each migration in a transaction of its own, and return the names of those.

    Safe to call from many processes at once.

    Raises:
        MigrationError: A migration that was applied has been edited since, or the database is newer.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations ("
            "name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        applied: dict[str, str] = dict(
            connection.execute("SELECT name, digest FROM migrations ORDER BY name").fetchall()
        )
        known = migrations()
        if newer := sorted(set(applied) - {name for name, _ in known}):
            raise MigrationError(f"the database is newer than this version: it has migration {newer[-1]}")
        done = []
        for name, sql in known:
            digest = sha256(sql.encode()).hexdigest()
            if applied.get(name, digest) != digest:
                raise MigrationError(f"migration {name} was edited after it had been applied")
            if name not in applied:
                with connection.transaction():
                    connection.execute(sql)
                    connection.execute(
                        "INSERT INTO migrations (name, digest) VALUES (%s, %s)", (name, digest)
                    )
                done.append(name)
        return done
