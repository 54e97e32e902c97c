"""What concerns players, found in memory."""

from datetime import datetime

from eventsourcing.persistence import ApplicationRecorder

from adapters.postgres.read_models.player_feed import inviter
from adapters.postgres.read_models.reader import whole_log
from domain.match import PlayerId
from domain.match.concerns import concerns
from domain.shared.game import Games
from services.notify.player_feed import FeedEntry, Place, PlayerEventKind, feed_seat
from services.shared.ids import match_id


class MemoryPlayerLog:
    """The port `PlayerLog` over a log in memory, folded anew at each call: the twin for fast tests."""

    def __init__(self, games: Games, log: ApplicationRecorder) -> None:
        """Take the registered games and the log."""
        self._games = games
        self._log = log
        self.starts: dict[PlayerId, Place] = {}
        self._notices: dict[PlayerId, dict[int, FeedEntry]] = {}

    def notify(self, player: PlayerId, webhook: str, at: datetime) -> None:
        """Tell a player that a webhook was paused."""
        number = 1 + len(self._all(player))
        self._notices.setdefault(player, {})[number] = FeedEntry(
            number=number,
            kind=PlayerEventKind.WEBHOOK_PAUSED,
            match=None,
            game=None,
            version=None,
            seat=None,
            webhook=webhook,
            at=at,
        )

    async def entries(self, player: PlayerId, *, after: int, limit: int) -> list[FeedEntry]:
        """Return what concerns a player behind a number, in order."""
        begin = max(after, (await self.start(player)).number)
        return self._all(player)[begin : begin + limit]

    async def start(self, player: PlayerId) -> Place:
        """Return the place up to which a player's feed is forgotten, with what was said."""
        return self.starts.get(player, Place(0))

    async def latest(self, player: PlayerId) -> int:
        """Return the number of what concerned the player last, 0 if nothing ever did."""
        return len(self._all(player))

    def _all(self, player: PlayerId) -> list[FeedEntry]:
        found: list[FeedEntry] = []
        notices = self._notices.get(player, {})
        for one in whole_log(self._games, self._log):
            for concern in concerns(one.match, one.recorded.event, one.newly_to_act):
                if concern.player == player:
                    while notice := notices.get(len(found) + 1):
                        found.append(notice)
                    entry = FeedEntry(
                        number=len(found) + 1,
                        kind=PlayerEventKind(concern.kind),
                        match=match_id(one.number),
                        webhook=None,
                        game=one.match.terms.game,
                        version=one.recorded.version,
                        seat=feed_seat(concern),
                        at=one.recorded.at,
                        inviter=inviter(one),
                    )
                    found.append(entry)
        while notice := notices.get(len(found) + 1):
            found.append(notice)
        return found
