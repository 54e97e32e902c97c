"""Players, their tokens, and the secrets of matches, in PostgreSQL or in memory."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.quotas import take
from domain.match import PlayerId
from services.matches.store import OPENING_KEPT, ClaimedOpening, Secrets
from services.players.quotas import Holding
from services.players.store import Player, Scope, Token
from services.shared.ids import MatchId, TokenId, parsed, written

FORGET_EXPIRED = "DELETE FROM tokens WHERE player_id = %(player)s AND expires_at < %(now)s - interval '1 day'"


ADD_FURTHER = (
    "INSERT INTO tokens (token_hash, token_id, player_id, scopes, created_at, expires_at)"
    " SELECT %(hash)s, %(id)s, player_id, %(scopes)s, %(now)s, %(expires_at)s FROM players"
    " WHERE player_id = %(player)s AND (SELECT count(*) FROM tokens WHERE player_id = %(player)s"
    " AND (expires_at IS NULL OR expires_at > %(now)s)) < %(most)s"
)


CLAIM = """
INSERT INTO match_openings AS earlier (owner_id, key, match_id, seed, invitation, digest, claimed_at)
VALUES (%(owner)s, %(key)s, %(match)s, %(seed)s, %(invitation)s, %(digest)s, %(at)s)
ON CONFLICT (owner_id, key) DO UPDATE SET claimed_at = excluded.claimed_at
WHERE earlier.claimed_at >= %(given_up)s OR EXISTS (
    SELECT FROM match_events WHERE originator_id = earlier.match_id AND originator_version = 1
)
RETURNING match_id, seed, invitation, digest
"""
"""Who was given an earlier one may be about to begin its match, so it is kept from now on."""


GIVE_UP = """
DELETE FROM match_openings WHERE owner_id = %(owner)s AND key = %(key)s AND claimed_at < %(given_up)s
AND NOT EXISTS (
    SELECT FROM match_events WHERE originator_id = match_openings.match_id AND originator_version = 1
)
"""


class PostgresAccounts:
    """The port `Accounts`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def add(self, player: Player, token: Token, token_hash: bytes) -> None:
        """Store a new player with its first token and the hash of its secret."""
        await self._datastore.execute(
            "WITH player AS (INSERT INTO players (player_id, display_name, avatar_seed, locale, created_at)"
            " VALUES (%s, %s, %s, %s, %s))"
            " INSERT INTO tokens (token_hash, token_id, player_id, scopes, created_at, expires_at)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            (
                *(
                    _uuid(player.id),
                    player.display_name,
                    player.avatar_seed,
                    player.locale,
                    player.created_at,
                ),
                *(token_hash, *_columns(token)),
            ),
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

    async def change(
        self, player: PlayerId, *, display_name: str | None, avatar_seed: str | None, locale: str | None
    ) -> Player | None:
        """Change what is not None, and return the player as it is then; None if there is no such player."""
        rows = await self._datastore.execute(
            "UPDATE players SET display_name = coalesce(%s, display_name),"
            " avatar_seed = coalesce(%s, avatar_seed), locale = coalesce(%s, locale)"
            " WHERE player_id = %s RETURNING *",
            (display_name, avatar_seed, locale, _uuid(player)),
        )
        return _player(rows[0]) if rows else None

    async def erase(self, player: PlayerId) -> Sequence[bytes]:
        """Delete all that is kept of a player beside the log of matches; return the hashes of its tokens."""
        rows = await self._datastore.execute(
            "WITH hashes AS (SELECT token_hash FROM tokens WHERE player_id = %(player)s),"
            " held AS (DELETE FROM quotas WHERE player_id = %(player)s OR about_id = %(player)s),"
            " erased AS (DELETE FROM players WHERE player_id = %(player)s)"
            " SELECT token_hash FROM hashes",
            {"player": _uuid(player)},
        )
        return [row["token_hash"] for row in rows]

    async def add_token(self, token: Token, token_hash: bytes, most: int) -> bool:
        """Store a further token; return False if its player is gone, or has that many that are good."""
        id, player, scopes, created_at, expires_at = _columns(token)
        values = {
            "hash": token_hash,
            "id": id,
            "player": player,
            "scopes": scopes,
            "now": created_at,
            "expires_at": expires_at,
            "most": most,
        }

        def work() -> bool:
            with self._datastore.transaction() as cursor:
                # One player's tokens are added one after the other, so that none slips past the limit.
                cursor.execute("SELECT FROM players WHERE player_id = %(player)s FOR NO KEY UPDATE", values)
                cursor.execute(FORGET_EXPIRED, values)
                return cursor.execute(ADD_FURTHER, values).rowcount == 1

        return await self._datastore.run(work)

    async def tokens(self, player: PlayerId, before: TokenId | None, limit: int) -> list[Token]:
        """Return a player's tokens, newest first, older than `before`."""
        older = None if before is None else parsed("token", before)
        rows = await self._datastore.execute(
            "SELECT * FROM tokens WHERE player_id = %s AND (%s::uuid IS NULL OR token_id < %s)"
            " ORDER BY token_id DESC LIMIT %s",
            (_uuid(player), older, older, limit),
        )
        return [_token(row) for row in rows]

    async def revoke(self, player: PlayerId, token: TokenId) -> bytes | None:
        """Delete a token and return the hash of its secret; None if the player has none of this id."""
        rows = await self._datastore.execute(
            "DELETE FROM tokens WHERE player_id = %s AND token_id = %s RETURNING token_hash",
            (_uuid(player), parsed("token", token)),
        )
        return rows[0]["token_hash"] if rows else None

    async def gone(self, token_hashes: Sequence[bytes]) -> Collection[bytes]:
        """Return those of the hashes of which there is no token."""
        rows = await self._datastore.execute(
            "SELECT hash FROM unnest(%s::bytea[]) AS hash"
            " WHERE NOT EXISTS (SELECT FROM tokens WHERE token_hash = hash)",
            (list(token_hashes),),
        )
        return {row["hash"] for row in rows}

    async def known_as(self, issuer: str, subject: str, newcomer: Player) -> PlayerId:
        """Return the player whom an issuer knows by a name; the newcomer, stored, if there is none."""
        while True:
            rows = await self._datastore.execute(
                "SELECT player_id FROM identities WHERE issuer = %s AND subject = %s", (issuer, subject)
            ) or await self._datastore.execute(
                "WITH fresh AS (INSERT INTO identities (issuer, subject, player_id) VALUES (%s, %s, %s)"
                " ON CONFLICT DO NOTHING RETURNING player_id),"
                " player AS (INSERT INTO players (player_id, display_name, avatar_seed, locale, created_at)"
                " SELECT player_id, %s, %s, %s, %s FROM fresh)"
                " SELECT player_id FROM fresh",
                (
                    *(issuer, subject, _uuid(newcomer.id)),
                    *(newcomer.display_name, newcomer.avatar_seed, newcomer.locale, newcomer.created_at),
                ),
            )
            # None in either: another node was faster, and its player is there by now.
            if rows:
                return PlayerId(written("player", rows[0]["player_id"]))


class PostgresSeeds:
    """The port `Seeds`."""

    def __init__(self, datastore: Datastore, most_open: int | None) -> None:
        """Take the connections, and how many open matches a player may have; None for any number."""
        self._datastore = datastore
        self._most_open = most_open

    async def claim(
        self, owner: UUID, key: str, opening: ClaimedOpening, at: datetime, holding: Holding | None = None
    ) -> ClaimedOpening:
        """Put an opening down for an owner and key, durably; return the earlier one if there is one."""
        values = {
            "owner": owner,
            "key": key,
            "match": opening.match,
            "seed": opening.secrets.seed,
            "invitation": opening.secrets.invitation,
            "digest": opening.digest,
            "at": at,
            "given_up": at - OPENING_KEPT,
        }
        if holding is None:
            while not (rows := await self._datastore.execute(CLAIM, values)):
                await self._datastore.execute(GIVE_UP, values)
            return _opening(rows[0])

        def work() -> ClaimedOpening:
            with self._datastore.transaction() as cursor:
                while (row := cursor.execute(CLAIM, values).fetchone()) is None:
                    cursor.execute(GIVE_UP, values)
                if row["match_id"] == opening.match:
                    # If it is one too many, the claim goes too.
                    take(cursor, holding, self._most_open)
                return _opening(row)

        return await self._datastore.run(work)

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""
        rows = await self._datastore.execute(
            "SELECT seed, invitation FROM match_openings WHERE match_id = %s", (uuid_of(match),)
        )
        return _secrets(rows[0])


def _uuid(player: PlayerId) -> UUID | None:
    return parsed("player", player)


def _player(row: Mapping[str, Any]) -> Player:
    return Player(
        id=PlayerId(written("player", row["player_id"])),
        display_name=row["display_name"],
        avatar_seed=row["avatar_seed"],
        locale=row["locale"],
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


def _opening(row: Mapping[str, Any]) -> ClaimedOpening:
    return ClaimedOpening(row["match_id"], _secrets(row), row["digest"])


def _secrets(row: Mapping[str, Any]) -> Secrets:
    return Secrets(bytes(row["seed"]), bytes(row["invitation"]))
