"""Players, their tokens, and the secrets of matches, in PostgreSQL or in memory."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder
from msgspec import structs

from adapters.postgres.datastore import Datastore
from adapters.postgres.quotas import MemoryQuotas, take
from adapters.postgres.store import uuid_of
from domain.match import PlayerId
from services.bots.accounts import ACCOUNTS
from services.matches.store import OPENING_KEPT, Opening, Secrets
from services.players.quotas import Holding
from services.players.store import Player, Scope, Token
from services.shared.ids import MatchId, TokenId, match_id, parsed, written

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
        self, owner: UUID, key: str, opening: Opening, at: datetime, holding: Holding | None = None
    ) -> Opening:
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

        def work() -> Opening:
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


class MemoryAccounts:
    """The port `Accounts`, gone with the process: the twin for fast tests."""

    def __init__(self) -> None:
        """Begin with the server's bots only."""
        self._players: dict[PlayerId, Player] = {player.id: player for player in ACCOUNTS}
        self._tokens: dict[bytes, Token] = {}
        self._identities: dict[tuple[str, str], PlayerId] = {}

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

    def exist(self, players: Collection[PlayerId]) -> bool:
        """Return whether all of the players exist."""
        return all(player in self._players for player in players)

    async def change(
        self, player: PlayerId, *, display_name: str | None, avatar_seed: str | None, locale: str | None
    ) -> Player | None:
        """Change what is not None, and return the player as it is then; None if there is no such player."""
        if (found := self._players.get(player)) is None:
            return None
        changed = self._players[player] = structs.replace(
            found,
            display_name=display_name or found.display_name,
            avatar_seed=avatar_seed or found.avatar_seed,
            locale=locale or found.locale,
        )
        return changed

    async def erase(self, player: PlayerId) -> Sequence[bytes]:
        """Delete all that is kept of a player beside the log of matches; return the hashes of its tokens."""
        self._players.pop(player, None)
        self._identities = {name: known for name, known in self._identities.items() if known != player}
        hashes = [hash for hash, token in self._tokens.items() if token.player == player]
        for hash in hashes:
            del self._tokens[hash]
        return hashes

    async def add_token(self, token: Token, token_hash: bytes, most: int) -> bool:
        """Store a further token; return False if its player is gone, or has that many that are good."""
        now = token.created_at
        theirs = {hash: held for hash, held in self._tokens.items() if held.player == token.player}
        for hash, held in theirs.items():
            if held.expires_at is not None and held.expires_at < now - timedelta(days=1):
                del self._tokens[hash]
        good = sum(held.expires_at is None or held.expires_at > now for held in theirs.values())
        if token.player not in self._players or good >= most:
            return False
        self._tokens[token_hash] = token
        return True

    async def tokens(self, player: PlayerId, before: TokenId | None, limit: int) -> list[Token]:
        """Return a player's tokens, newest first, older than `before`."""
        theirs = (token for token in self._tokens.values() if token.player == player)
        older = [token for token in theirs if before is None or token.id < before]
        return sorted(older, key=lambda token: token.id, reverse=True)[:limit]

    async def revoke(self, player: PlayerId, token: TokenId) -> bytes | None:
        """Delete a token and return the hash of its secret; None if the player has none of this id."""
        for hash, held in self._tokens.items():
            if (held.player, held.id) == (player, token):
                del self._tokens[hash]
                return hash
        return None

    async def gone(self, token_hashes: Sequence[bytes]) -> Collection[bytes]:
        """Return those of the hashes of which there is no token."""
        return set(token_hashes) - self._tokens.keys()

    async def known_as(self, issuer: str, subject: str, newcomer: Player) -> PlayerId:
        """Return the player whom an issuer knows by a name; the newcomer, stored, if there is none."""
        known = self._identities.setdefault((issuer, subject), newcomer.id)
        if known == newcomer.id:
            self._players[known] = newcomer
        return known


class MemorySeeds:
    """The port `Seeds`, gone with the process: the twin for fast tests."""

    def __init__(self, log: AggregateRecorder, quotas: MemoryQuotas) -> None:
        """Begin without matches; take the log of those that have begun, and how many are open."""
        self._log = log
        self._quotas = quotas
        self._openings: dict[tuple[UUID, str], Opening] = {}
        self._claimed_at: dict[tuple[UUID, str], datetime] = {}

    async def claim(
        self, owner: UUID, key: str, opening: Opening, at: datetime, holding: Holding | None = None
    ) -> Opening:
        """Put an opening down for an owner and key; return the earlier one if there is one."""
        claimed = owner, key
        earlier = self._openings.get(claimed)
        stale = earlier is not None and self._claimed_at[claimed] < at - OPENING_KEPT
        if earlier is None or (stale and not self._log.select_events(earlier.match, limit=1)):
            if holding is not None:
                await self._quotas.take(holding)
            self._openings[claimed] = opening
        self._claimed_at[claimed] = at
        return self._openings[claimed]

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""
        return next(o.secrets for o in self._openings.values() if match_id(o.match) == match)


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


def _opening(row: Mapping[str, Any]) -> Opening:
    return Opening(row["match_id"], _secrets(row), row["digest"])


def _secrets(row: Mapping[str, Any]) -> Secrets:
    return Secrets(bytes(row["seed"]), bytes(row["invitation"]))
