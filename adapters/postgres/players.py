"""Players, their tokens, and the secrets of matches, in PostgreSQL or in memory."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from adapters.postgres.datastore import Datastore
from adapters.postgres.store import uuid_of
from domain.match import PlayerId
from services.ids import MatchId, TokenId, match_id, parsed, written
from services.ports import Opening, Player, Scope, Token


class PostgresAccounts:
    """The port `Accounts`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def add(self, player: Player, token: Token, token_hash: bytes) -> None:
        """Store a new player with its first token and the hash of its secret."""
        await self._datastore.execute(
            "WITH player AS (INSERT INTO players (player_id, display_name, created_at) VALUES (%s, %s, %s))"
            " INSERT INTO tokens (token_hash, token_id, player_id, scopes, created_at, expires_at)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            (_uuid(player.id), player.display_name, player.created_at, token_hash, *_columns(token)),
        )

    async def token(self, token_hash: bytes) -> Token | None:
        """Return the token whose secret has this hash; one that is no longer good too."""
        rows = await self._datastore.execute("SELECT * FROM tokens WHERE token_hash = %s", (token_hash,))
        return _token(rows[0]) if rows else None

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

    async def claim(self, player: PlayerId, key: str, opening: Opening) -> Opening:
        """Put an opening down for a player and key, durably; return the earlier one if there is one."""
        owner = _uuid(player)
        rows = await self._datastore.execute(
            "INSERT INTO match_openings (player_id, key, match_id, seed, digest) VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT (player_id, key) DO NOTHING RETURNING match_id, seed, digest",
            (owner, key, opening.match, opening.seed, opening.digest),
        ) or await self._datastore.execute(
            "SELECT match_id, seed, digest FROM match_openings WHERE player_id = %s AND key = %s",
            (owner, key),
        )
        return Opening(rows[0]["match_id"], bytes(rows[0]["seed"]), rows[0]["digest"])

    async def seed(self, match: MatchId) -> bytes:
        """Return a match's seed."""
        rows = await self._datastore.execute(
            "SELECT seed FROM match_openings WHERE match_id = %s", (uuid_of(match),)
        )
        return bytes(rows[0]["seed"])


class MemoryAccounts:
    """The port `Accounts`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin without players."""
        self._players: dict[PlayerId, Player] = {}
        self._tokens: dict[bytes, Token] = {}

    async def add(self, player: Player, token: Token, token_hash: bytes) -> None:
        """Store a new player with its first token and the hash of its secret."""
        self._players[player.id] = player
        self._tokens[token_hash] = token

    async def token(self, token_hash: bytes) -> Token | None:
        """Return the token whose secret has this hash; one that is no longer good too."""
        return self._tokens.get(token_hash)

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist."""
        return {player: self._players[player] for player in players if player in self._players}


class MemorySeeds:
    """The port `Seeds`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin without matches."""
        self._openings: dict[tuple[PlayerId, str], Opening] = {}

    async def claim(self, player: PlayerId, key: str, opening: Opening) -> Opening:
        """Put an opening down for a player and key; return the earlier one if there is one."""
        return self._openings.setdefault((player, key), opening)

    async def seed(self, match: MatchId) -> bytes:
        """Return a match's seed."""
        return next(o.seed for o in self._openings.values() if match_id(o.match) == match)


def _uuid(player: PlayerId) -> UUID | None:
    return parsed("player", player)


def _player(row: Mapping[str, Any]) -> Player:
    return Player(
        id=PlayerId(written("player", row["player_id"])),
        display_name=row["display_name"],
        created_at=row["created_at"],
    )


def _columns(token: Token) -> tuple[Any, ...]:
    """Return a token as the columns token_id, player_id, scopes, created_at, expires_at."""
    number = parsed("token", token.id)
    return number, _uuid(token.player), list(map(str, token.scopes)), token.created_at, token.expires_at


def _token(row: Mapping[str, Any]) -> Token:
    return Token(
        id=TokenId(written("token", row["token_id"])),
        player=PlayerId(written("player", row["player_id"])),
        scopes=tuple(map(Scope, row["scopes"])),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )
