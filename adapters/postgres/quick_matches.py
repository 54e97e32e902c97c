"""Matches that wait for players who look for one, in PostgreSQL or in memory."""

import asyncio
from collections import defaultdict
from contextlib import AbstractAsyncContextManager

from psycopg import sql

from adapters.postgres.datastore import Datastore
from adapters.postgres.locks import Locks
from adapters.postgres.set_aside import READABLE
from adapters.postgres.store import uuid_of
from domain.match import PlayerId
from services.ids import MatchId, match_id, parsed

MOST_WAITING = 100
"""How many matches that wait are looked at."""

WAITING = sql.SQL(
    "SELECT match_id FROM quick_matches WHERE fit = %s AND {readable} ORDER BY match_id LIMIT %s"
).format(readable=READABLE)


class PostgresQuickMatches:
    """The port `QuickMatches`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        self._locks = Locks(datastore.conninfo)

    def alone(self, fit: str) -> AbstractAsyncContextManager[None]:
        """Hold a fit, which nobody else holds meanwhile, on any node."""
        return self._locks.alone(f".quick_matches.{fit}")

    async def called(self, player: PlayerId, key: str) -> MatchId | None:
        """Return the match that a player's call last came to; None if there was none."""
        rows = await self._datastore.execute(
            "SELECT match_id FROM quick_match_calls WHERE player_id = %s AND key = %s",
            (parsed("player", player), key),
        )
        return match_id(rows[0]["match_id"]) if rows else None

    async def call(self, player: PlayerId, key: str, match: MatchId) -> None:
        """Put down, durably, which match a player's call comes to."""
        await self._datastore.execute(
            "INSERT INTO quick_match_calls (player_id, key, match_id) VALUES (%s, %s, %s)"
            " ON CONFLICT (player_id, key) DO UPDATE SET match_id = excluded.match_id",
            (parsed("player", player), key, uuid_of(match)),
        )

    async def waiting(self, fit: str) -> list[MatchId]:
        """Return the matches of a fit that may have a free seat, oldest first."""
        rows = await self._datastore.execute(
            WAITING,
            (fit, MOST_WAITING),
        )
        return [match_id(row["match_id"]) for row in rows]

    async def wait(self, fit: str, match: MatchId) -> None:
        """Put down, durably, that a match waits for players."""
        await self._datastore.execute(
            "INSERT INTO quick_matches (fit, match_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (fit, uuid_of(match)),
        )

    async def forget(self, match: MatchId) -> None:
        """Put down that a match waits no longer."""
        await self._datastore.execute("DELETE FROM quick_matches WHERE match_id = %s", (uuid_of(match),))


class MemoryQuickMatches:
    """The port `QuickMatches`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin with nobody looking."""
        self._held: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._calls: dict[tuple[PlayerId, str], MatchId] = {}
        self._waiting: dict[str, set[MatchId]] = defaultdict(set)

    def alone(self, fit: str) -> AbstractAsyncContextManager[None]:
        """Hold a fit, which nobody else holds meanwhile."""
        return self._held[fit]

    async def called(self, player: PlayerId, key: str) -> MatchId | None:
        """Return the match that a player's call last came to; None if there was none."""
        return self._calls.get((player, key))

    async def call(self, player: PlayerId, key: str, match: MatchId) -> None:
        """Put down which match a player's call comes to."""
        self._calls[player, key] = match

    async def waiting(self, fit: str) -> list[MatchId]:
        """Return the matches of a fit that may have a free seat, oldest first."""
        return sorted(self._waiting[fit])[:MOST_WAITING]

    async def wait(self, fit: str, match: MatchId) -> None:
        """Put down that a match waits for players."""
        self._waiting[fit].add(match)

    async def forget(self, match: MatchId) -> None:
        """Put down that a match waits no longer."""
        for matches in self._waiting.values():
            matches.discard(match)
