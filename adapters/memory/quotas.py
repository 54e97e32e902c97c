"""What players have only so much of at a time, counted in memory."""

from collections.abc import Collection
from datetime import datetime, timedelta

from adapters.postgres.quotas import REASONS, MostHeld
from domain.match import PlayerId
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import TooMany
from services.shared.ids import MatchId


class MemoryQuotas:
    """The port `Quotas`, gone with the process."""

    def __init__(self, most: MostHeld) -> None:
        """Take how much of each kind a player may have."""
        self._most = most
        self._held: dict[tuple[PlayerId, QuotaKind, MatchId, PlayerId | None], Holding] = {}

    async def check(self, holding: Holding) -> None:
        """Refuse a player who might come to have one more, if it has as many as it may have."""
        player, kind = holding.player, holding.kind
        most = self._most[kind]
        held = sum((one.player, one.kind) == (player, kind) for one in self._held.values())
        if most is not None and held >= most:
            raise TooMany(REASONS[kind], most=most)

    async def take(self, holding: Holding) -> None:
        """Record that a player has one more, unless it has as many as it may have."""
        if _name(holding) not in self._held:
            await self.check(holding)
        await self.note(holding)

    async def note(self, holding: Holding) -> None:
        """Record that a player has one more, however many it has."""
        self._held[_name(holding)] = holding

    def lose(self, match: MatchId, at: datetime) -> None:
        """Let go a match that was never opened."""
        before = at - timedelta(minutes=1)
        for name, one in tuple(self._held.items()):
            if (one.match, one.kind) == (match, QuotaKind.OPEN) and one.since < before:
                del self._held[name]

    def open_on(self, fit: str, player: PlayerId) -> list[MatchId]:
        """Return the open matches of a player on the same terms."""
        held = self._held.values()
        return [one.match for one in held if (one.player, one.kind, one.fit) == (player, QuotaKind.OPEN, fit)]

    async def release(
        self, match: MatchId, kinds: Collection[QuotaKind], *, about: PlayerId | None = None
    ) -> None:
        """Record that nobody has any more what a match was counted for; of one guest, if it is named."""
        for name, one in tuple(self._held.items()):
            if one.match == match and one.kind in kinds and about in (None, one.about):
                del self._held[name]


def _name(holding: Holding) -> tuple[PlayerId, QuotaKind, MatchId, PlayerId | None]:
    return holding.player, holding.kind, holding.match, holding.about
