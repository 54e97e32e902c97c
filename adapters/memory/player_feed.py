"""What concerns players, found in memory."""

from datetime import datetime

from adapters.memory.history import MemoryHistory
from adapters.memory.signal import Signal
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.player_feed import inviter
from domain.match import PlayerId
from domain.match.concerns import concerns
from services.notify.player_feed import FeedEntry, Place, PlayerEventKind, feed_seat
from services.shared.ids import match_id


class MemoryPlayerLog:
    """The port `PlayerLog` over what has happened.

    Attributes:
        starts: Up to which place players' feeds are forgotten; the first if nothing is.
        concerned: Something new concerns a player; its number in the player's feed.
    """

    def __init__(self, history: MemoryHistory) -> None:
        """Take what has happened."""
        self.starts: dict[PlayerId, Place] = {}
        self.concerned = Signal[PlayerId, int]()
        self._entries: dict[PlayerId, list[FeedEntry]] = {}
        history.happened.listen(self._take_in)

    def notify(self, player: PlayerId, webhook: str, at: datetime) -> None:
        """Notify a player that a webhook was paused."""
        self._add(
            player,
            FeedEntry(
                number=1 + len(self._of(player)),
                kind=PlayerEventKind.WEBHOOK_PAUSED,
                match=None,
                game=None,
                version=None,
                seat=None,
                webhook=webhook,
                at=at,
            ),
        )

    async def entries(self, player: PlayerId, *, after: int, limit: int) -> list[FeedEntry]:
        """Return what concerns a player after a number, in order."""
        begin = max(after, (await self.start(player)).number)
        return self._of(player)[begin : begin + limit]

    async def start(self, player: PlayerId) -> Place:
        """Return the place up to which a player's feed is forgotten, with what was said."""
        return self.starts.get(player, Place(0))

    async def latest(self, player: PlayerId) -> int:
        """Return the number of what concerned the player last, 0 if nothing ever did."""
        return len(self._of(player))

    def _take_in(self, one: Happened) -> None:
        """Add what an event is to those whom it concerns."""
        for concern in concerns(one.match, one.recorded.event, one.newly_to_act):
            self._add(
                concern.player,
                FeedEntry(
                    number=1 + len(self._of(concern.player)),
                    kind=PlayerEventKind(concern.kind),
                    match=match_id(one.number),
                    webhook=None,
                    game=one.match.terms.game,
                    version=one.recorded.version,
                    seat=feed_seat(concern),
                    at=one.recorded.at,
                    inviter=inviter(one),
                ),
            )

    def _add(self, player: PlayerId, entry: FeedEntry) -> None:
        self._entries.setdefault(player, []).append(entry)
        self.concerned(player, entry.number)

    def _of(self, player: PlayerId) -> list[FeedEntry]:
        return self._entries.get(player, [])
