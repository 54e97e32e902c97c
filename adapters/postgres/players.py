"""Players, their tokens, and the secrets of matches, in PostgreSQL or in memory."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from adapters.postgres.datastore import Datastore
from adapters.postgres.store import uuid_of
from domain.match import PlayerId
from services.ids import MatchId, match_id, parsed, written
from services.ports import Opening, Player, Secrets


class PostgresAccounts:
    """The port `Accounts`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def add(self, player: Player, token_hash: bytes) -> None:
        """Store a new player with the hash of its first token."""
        await self._datastore.execute(
            "WITH player AS (INSERT INTO players (player_id, display_name, created_at)"
            " VALUES (%s, %s, %s) RETURNING player_id, created_at)"
            " INSERT INTO tokens (token_hash, player_id, created_at)"
            " SELECT %s, player_id, created_at FROM player",
            (_uuid(player.id), player.display_name, player.created_at, token_hash),
        )

    async def holder_of(self, token_hash: bytes) -> Player | None:
        """Return the player whose token has this hash."""
        rows = await self._datastore.execute(
            "SELECT players.* FROM tokens JOIN players USING (player_id) WHERE token_hash = %s", (token_hash,)
        )
        return _player(rows[0]) if rows else None

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist."""
        numbers = [_uuid(player) for player in players]
        rows = await self._datastore.execute("SELECT * FROM players WHERE player_id = ANY(%s)", (numbers,))
        found = [_player(row) for row in rows]
        return {player.id: player for player in found}


class PostgresSeeds:
    """The port `Seeds`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def claim(self, owner: UUID, key: str, opening: Opening) -> Opening:
        """Put an opening down for an owner and key, durably; return the earlier one if there is one."""
        secrets = opening.secrets
        rows = await self._datastore.execute(
            "INSERT INTO match_openings (owner_id, key, match_id, seed, invitation, digest)"
            " VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (owner_id, key) DO NOTHING RETURNING match_id, seed, invitation, digest",
            (owner, key, opening.match, secrets.seed, secrets.invitation, opening.digest),
        ) or await self._datastore.execute(
            "SELECT match_id, seed, invitation, digest FROM match_openings WHERE owner_id = %s AND key = %s",
            (owner, key),
        )
        return Opening(rows[0]["match_id"], _secrets(rows[0]), rows[0]["digest"])

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""
        rows = await self._datastore.execute(
            "SELECT seed, invitation FROM match_openings WHERE match_id = %s", (uuid_of(match),)
        )
        return _secrets(rows[0])


class MemoryAccounts:
    """The port `Accounts`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin without players."""
        self._players: dict[PlayerId, Player] = {}
        self._tokens: dict[bytes, PlayerId] = {}

    async def add(self, player: Player, token_hash: bytes) -> None:
        """Store a new player with the hash of its first token."""
        self._players[player.id] = player
        self._tokens[token_hash] = player.id

    async def holder_of(self, token_hash: bytes) -> Player | None:
        """Return the player whose token has this hash."""
        player = self._tokens.get(token_hash)
        return None if player is None else self._players[player]

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist."""
        return {player: self._players[player] for player in players if player in self._players}


class MemorySeeds:
    """The port `Seeds`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin without matches."""
        self._openings: dict[tuple[UUID, str], Opening] = {}

    async def claim(self, owner: UUID, key: str, opening: Opening) -> Opening:
        """Put an opening down for an owner and key; return the earlier one if there is one."""
        return self._openings.setdefault((owner, key), opening)

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""
        return next(o.secrets for o in self._openings.values() if match_id(o.match) == match)


def _uuid(player: PlayerId) -> UUID | None:
    return parsed("player", player)


def _player(row: Mapping[str, Any]) -> Player:
    return Player(
        id=PlayerId(written("player", row["player_id"])),
        display_name=row["display_name"],
        created_at=row["created_at"],
    )


def _secrets(row: Mapping[str, Any]) -> Secrets:
    return Secrets(bytes(row["seed"]), bytes(row["invitation"]))
