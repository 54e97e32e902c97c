"""Who has blocked whom, kept in memory."""

from collections.abc import Collection, Mapping, Sequence

from adapters.memory.players import MemoryAccounts
from domain.match import PlayerId
from services.players.block_list import Blocked
from services.shared.errors import FailureReason, NotFound


class MemoryBlockList:
    """The port `BlockList`, gone with the process."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        """Take the accounts, with which blocks go."""
        self._accounts = accounts
        self._blocks: dict[tuple[PlayerId, PlayerId], Blocked] = {}

    async def add(self, player: PlayerId, blocked: Blocked, most: int) -> Blocked | None:
        """Block a player, and return since when it is blocked; None if as many are blocked as may be."""
        if not self._accounts.exist([blocked.player]):
            raise NotFound(FailureReason.NO_SUCH_PLAYER, player=blocked.player)
        if (player, blocked.player) not in self._blocks and len(self._of(player)) >= most:
            return None
        return self._blocks.setdefault((player, blocked.player), blocked)

    async def remove(self, player: PlayerId, other: PlayerId) -> None:
        """Block a player no longer."""
        self._blocks.pop((player, other), None)

    async def find(self, player: PlayerId, other: PlayerId) -> Blocked | None:
        """Return since when a player is blocked; None if it is not."""
        return next((blocked for blocked in self._of(player) if blocked.player == other), None)

    async def page(self, player: PlayerId, after: PlayerId | None, limit: int) -> list[Blocked]:
        """Return whom a player has blocked, by their ids, after one of them."""
        found = sorted(self._of(player), key=lambda blocked: blocked.player)
        return [blocked for blocked in found if after is None or blocked.player > after][:limit]

    async def blocked_by(self, player: PlayerId) -> Collection[PlayerId]:
        """Return all whom a player has blocked."""
        return {blocked.player for blocked in self._of(player)}

    async def blockers(self, players: Collection[PlayerId]) -> Mapping[PlayerId, Collection[PlayerId]]:
        """Return who has blocked each of some players, of those whom anybody has blocked."""
        found: dict[PlayerId, set[PlayerId]] = {}
        for player, other in self._all():
            if other in players:
                found.setdefault(other, set()).add(player)
        return found

    async def reachable(self, players: Collection[PlayerId], by: PlayerId | None) -> Collection[PlayerId]:
        """Return those of some players that exist and have not blocked a player."""
        return {
            player
            for player in players
            if self._accounts.exist([player]) and (by is None or (player, by) not in self._blocks)
        }

    def apart(self, player: PlayerId) -> set[PlayerId]:
        """Return with whom a player is not seated together."""
        return {two[one] for two in self._all() for one in (0, 1) if two[1 - one] == player}

    def _of(self, player: PlayerId) -> list[Blocked]:
        return [self._blocks[two] for two in self._all() if two[0] == player]

    def _all(self) -> Sequence[tuple[PlayerId, PlayerId]]:
        return [two for two in self._blocks if self._accounts.exist(two)]
