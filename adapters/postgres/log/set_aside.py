"""Matches that cannot be read, as an event is missing or not understood: all else goes on without them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct
from psycopg import Connection, Cursor, sql
from psycopg.rows import tuple_row

from adapters.event_store.set_aside import tell
from adapters.postgres.connection.datastore import Datastore
from services.shared.ids import MatchId, match_id, parsed

PUT = (
    "INSERT INTO matches_set_aside (match_id, version, why) VALUES (%s, %s, %s)"
    " ON CONFLICT (match_id) DO NOTHING RETURNING match_id"
)


NUMBERS = "SELECT match_id FROM matches_set_aside"


SELECT = "SELECT match_id, version, why, found_at FROM matches_set_aside ORDER BY found_at, match_id"


READABLE = sql.SQL("match_id <> ALL ((SELECT set_aside())::uuid[])")
"""Leaves out matches that are set aside; they are found once, so that the plan of a query stays as it was."""


class AsideMatch(Struct, frozen=True):
    """A match that is set aside.

    Attributes:
        match: The match.
        version: The first event that cannot be taken in.
        why: What is wrong with it, for anyone who operates the service.
        found_at: When that was found, UTC.
    """

    match: MatchId
    version: int
    why: str
    found_at: datetime


class PostgresSetAside:
    """Records which matches are set aside, in PostgreSQL."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def put(self, match: MatchId, version: int, why: str) -> None:
        """Set a match aside; the first to do so, of all processes, says so in its log."""
        if await self._datastore.execute(PUT, (parsed("match", match), version, why)):
            tell(match, version, why)

    async def all(self) -> Sequence[MatchId]:
        """Return the matches that are set aside."""
        return [match_id(row["match_id"]) for row in await self._datastore.execute(NUMBERS)]

    async def take_in(self, match: MatchId) -> None:
        """Set a match aside no longer."""
        await self._datastore.execute(
            "DELETE FROM matches_set_aside WHERE match_id = %s", (parsed("match", match),)
        )


def put_aside(cursor: Cursor[Any], number: UUID, version: int, why: str) -> None:
    """Set a match aside within a transaction; the first to do so, of all processes, says so in its log."""
    if cursor.execute(PUT, (number, version, why)).rowcount:
        tell(match_id(number), version, why)


def aside_in(cursor: Cursor[Any]) -> Sequence[UUID]:
    """Return the matches that are set aside, within a transaction."""
    with cursor.connection.cursor(row_factory=tuple_row) as reading:
        return [number for (number,) in reading.execute(NUMBERS)]


def all_aside(connection: Connection[Any]) -> Sequence[AsideMatch]:
    """Return the matches that are set aside, those that were found first before others."""
    return [_in(row) for row in connection.cursor().execute(SELECT)]


def _in(row: Any) -> AsideMatch:
    number, version, why, found_at = row.values() if isinstance(row, dict) else row
    return AsideMatch(match_id(number), version, why, found_at)
