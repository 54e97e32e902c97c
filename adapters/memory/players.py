"""Accounts, and the secrets of matches, kept in memory."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder
from msgspec import structs

from adapters.memory.quotas import MemoryQuotas
from domain.match import PlayerId
from services.bots.accounts import ACCOUNTS
from services.matches.store import OPENING_KEPT, ClaimedOpening, Secrets
from services.players.quotas import Holding
from services.players.store import Player, Token
from services.shared.ids import MatchId, TokenId, match_id


class MemoryAccounts:
    """The port `Accounts`, gone with the process."""

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
    """The port `Seeds`, gone with the process."""

    def __init__(self, log: AggregateRecorder, quotas: MemoryQuotas) -> None:
        """Begin without matches; take the log of those that have begun, and how many are open."""
        self._log = log
        self._quotas = quotas
        self._openings: dict[tuple[UUID, str], ClaimedOpening] = {}
        self._claimed_at: dict[tuple[UUID, str], datetime] = {}
        self._secrets: dict[MatchId, Secrets] = {}

    async def claim(
        self, owner: UUID, key: str, opening: ClaimedOpening, at: datetime, holding: Holding | None = None
    ) -> ClaimedOpening:
        """Put an opening down for an owner and key; return the earlier one if there is one."""
        claimed = owner, key
        earlier = self._openings.get(claimed)
        stale = earlier is not None and self._claimed_at[claimed] < at - OPENING_KEPT
        if earlier is None or (stale and not self._log.select_events(earlier.match, limit=1)):
            if holding is not None:
                await self._quotas.take(holding)
            self._openings[claimed] = opening
            self._secrets[match_id(opening.match)] = opening.secrets
        self._claimed_at[claimed] = at
        return self._openings[claimed]

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""
        return self._secrets[match]
