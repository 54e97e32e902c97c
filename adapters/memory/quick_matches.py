"""Players who look for others, placed in memory."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from adapters.memory.blocks import MemoryBlockList
from adapters.memory.match_list import MemoryMatchList
from adapters.memory.quotas import MemoryQuotas
from domain.match import PlayerId
from services.lobby.waiting import Placed, Wish
from services.players.quotas import Holding, QuotaKind
from services.shared.ids import MatchId


class _Row(Struct):
    """A match in which players were placed."""

    fit: str
    free: int
    players: list[PlayerId]
    refused: set[PlayerId]


class MemoryQuickMatches:
    """The port `QuickMatches`, gone with the process."""

    def __init__(self, match_list: MemoryMatchList, blocks: MemoryBlockList, quotas: MemoryQuotas) -> None:
        """Take the list of matches, who has blocked whom, and how many open matches a player may have."""
        self._match_list, self._blocks, self._quotas = match_list, blocks, quotas
        self._calls: dict[tuple[PlayerId, str], Placed] = {}
        self._rows: dict[MatchId, _Row] = {}

    async def place(
        self, wish: Wish, fresh: MatchId, *, without: Sequence[MatchId], only_open: bool
    ) -> Placed:
        """Return where a player is placed, recorded with its idempotency key."""
        player = wish.player
        called = self._calls.get((player, wish.key))
        if called is not None and called.match not in without:
            return Placed(match=called.match, digest=called.digest, opens=called.opens, repeated=True)
        apart = {player, *self._blocks.apart(player)}
        rows = {id: row for id, row in sorted(self._rows.items()) if row.fit == wish.fit and row.free > 0}
        listed = self._match_list.fitting(wish.fit)
        for id, row in rows.items():
            if player in row.players and id not in without:
                return self._called(wish, Placed(match=id, digest=wish.digest))
        for id in self._quotas.open_on(wish.fit, player):
            if id not in without:
                return self._called(wish, Placed(match=id, digest=wish.digest))
        for id, seated in listed.items():
            if player in seated and id not in without:
                return self._called(wish, Placed(match=id, digest=wish.digest))
        if not only_open:
            for id, row in rows.items():
                there = {*row.players, *listed.get(id, ())}
                if id not in without and not apart & there and player not in row.refused:
                    row.free -= 1
                    row.players.append(player)
                    return self._called(wish, Placed(match=id, digest=wish.digest, reserved=True))
            for id, seated in listed.items():
                if id not in without and not apart & {*seated} and id not in self._rows:
                    self._rows[id] = _Row(wish.fit, wish.seats - len(seated) - 1, [*seated, player], set())
                    return self._called(wish, Placed(match=id, digest=wish.digest, reserved=True))
        await self._quotas.take(Holding(player, QuotaKind.OPEN, fresh, wish.at, fit=wish.fit))
        self._rows[fresh] = _Row(wish.fit, wish.seats - 1, [player], set())
        return self._called(wish, Placed(match=fresh, digest=wish.digest, opens=True))

    def _called(self, wish: Wish, placed: Placed) -> Placed:
        self._calls[wish.player, wish.key] = placed
        return placed

    async def give_back(self, match: MatchId, player: PlayerId) -> None:
        """Let others have the place of a player who did not come."""
        row = self._rows.get(match)
        if row is not None and player in row.players:
            row.players.remove(player)
            row.free += 1

    async def turn_away(self, match: MatchId, player: PlayerId, *, full: bool, at: datetime) -> None:
        """Place a player there no more, and nobody if it is full."""
        await self.give_back(match, player)
        if (row := self._rows.get(match)) is not None:
            row.refused.add(player)
            if full:
                row.free = 0

    async def forget(self, match: MatchId) -> None:
        """Forget who was placed in a match: what the list says of it holds."""
        self._rows.pop(match, None)

    async def lose(self, match: MatchId, at: datetime) -> None:
        """Forget a match that is not there: of one that was not opened in time nobody has it open either."""
        self._quotas.lose(match, at)
        await self.forget(match)
