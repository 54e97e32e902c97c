"""Whom players have blocked, in PostgreSQL or in memory."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from adapters.postgres.connection.datastore import Datastore
from domain.match import PlayerId
from services.players.block_list import Blocked
from services.shared.errors import FailureReason, NotFound
from services.shared.ids import parsed, written

ADD = (
    "INSERT INTO player_blocks (player_id, blocked_id, blocked_at)"
    " SELECT %(player)s, %(other)s, %(at)s"
    " WHERE (SELECT count(*) FROM player_blocks WHERE player_id = %(player)s) < %(most)s"
    " ON CONFLICT DO NOTHING"
)


FIND = (
    "SELECT blocked_id, blocked_at FROM player_blocks WHERE player_id = %(player)s AND blocked_id = %(other)s"
)


REACHABLE = (
    "SELECT player_id FROM players WHERE player_id = ANY(%(players)s) AND NOT EXISTS ("
    "SELECT FROM player_blocks WHERE player_blocks.player_id = players.player_id AND blocked_id = %(by)s)"
)


class PostgresBlockList:
    """The port `BlockList`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def add(self, player: PlayerId, blocked: Blocked, most: int) -> Blocked | None:
        """Block a player, and return since when it is blocked; None if as many are blocked as may be."""
        asked = {
            "player": _number(player),
            "other": _number(blocked.player),
            "at": blocked.blocked_at,
            "most": most,
        }

        def work() -> Blocked | None:
            with self._datastore.transaction() as cursor:
                # One player's blocks are added one after the other, so that none slips past the limit.
                both = "SELECT player_id FROM players WHERE player_id IN (%(player)s, %(other)s) ORDER BY 1"
                cursor.execute(f"{both} FOR KEY SHARE", asked)
                if asked["other"] not in {row["player_id"] for row in cursor.fetchall()}:
                    raise NotFound(FailureReason.NO_SUCH_PLAYER, player=blocked.player)
                cursor.execute("SELECT FROM players WHERE player_id = %(player)s FOR NO KEY UPDATE", asked)
                cursor.execute(ADD, asked)
                row = cursor.execute(FIND, asked).fetchone()
                return None if row is None else _blocked(row)

        return await self._datastore.run(work)

    async def remove(self, player: PlayerId, other: PlayerId) -> None:
        """Block a player no longer."""
        await self._datastore.execute(
            "DELETE FROM player_blocks WHERE player_id = %s AND blocked_id = %s",
            (_number(player), _number(other)),
        )

    async def find(self, player: PlayerId, other: PlayerId) -> Blocked | None:
        """Return since when a player is blocked; None if it is not."""
        rows = await self._datastore.execute(FIND, {"player": _number(player), "other": _number(other)})
        return _blocked(rows[0]) if rows else None

    async def page(self, player: PlayerId, after: PlayerId | None, limit: int) -> list[Blocked]:
        """Return whom a player has blocked, by their ids, after one of them."""
        start = None if after is None else _number(after)
        rows = await self._datastore.execute(
            "SELECT blocked_id, blocked_at FROM player_blocks WHERE player_id = %s"
            " AND (%s::uuid IS NULL OR blocked_id > %s) ORDER BY blocked_id LIMIT %s",
            (_number(player), start, start, limit),
        )
        return [_blocked(row) for row in rows]

    async def blocked_by(self, player: PlayerId) -> Collection[PlayerId]:
        """Return all whom a player has blocked."""
        rows = await self._datastore.execute(
            "SELECT blocked_id FROM player_blocks WHERE player_id = %s", (_number(player),)
        )
        return {_player(row["blocked_id"]) for row in rows}

    async def blockers(self, players: Collection[PlayerId]) -> Mapping[PlayerId, Collection[PlayerId]]:
        """Return who has blocked each of some players, of those whom anybody has blocked."""
        rows = await self._datastore.execute(
            "SELECT player_id, blocked_id FROM player_blocks WHERE blocked_id = ANY(%s)",
            ([_number(player) for player in players],),
        )
        found: dict[PlayerId, set[PlayerId]] = {}
        for row in rows:
            found.setdefault(_player(row["blocked_id"]), set()).add(_player(row["player_id"]))
        return found

    async def reachable(self, players: Collection[PlayerId], by: PlayerId | None) -> Collection[PlayerId]:
        """Return those of some players that exist and have not blocked a player."""
        rows = await self._datastore.execute(
            REACHABLE,
            {
                "players": [_number(player) for player in players],
                "by": None if by is None else _number(by),
            },
        )
        return {_player(row["player_id"]) for row in rows}


def _number(player: PlayerId) -> UUID | None:
    return parsed("player", player)


def _player(number: UUID) -> PlayerId:
    return PlayerId(written("player", number))


def _blocked(row: Mapping[str, Any]) -> Blocked:
    return Blocked(_player(row["blocked_id"]), row["blocked_at"])
