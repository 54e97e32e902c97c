"""The log of matches in memory, folded as it grows: what the read models are to a database."""

from typing import cast
from uuid import UUID

from adapters.event_store.mapper import EventMapper
from adapters.memory.log import MemoryMatchRecorder
from adapters.memory.signal import Signal
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.reader import OVER, following
from domain.shared.game import Games

ALL = 1_000_000_000


class MemoryHistory:
    """What has happened in all matches, but in those that cannot be read from the event on that cannot be.

    Attributes:
        last: The last event of every match.
        unfinished: The same of those that are not over.
        happened: Each event, once it is stored.
    """

    def __init__(self, games: Games, log: MemoryMatchRecorder) -> None:
        """Take the registered games, and follow the log."""
        self.last: dict[UUID, Happened] = {}
        self.unfinished: dict[UUID, Happened] = {}
        self.happened = Signal[Happened]()
        self._games = games
        self._log = log
        self._mapper = EventMapper(games)
        self._reached = 0
        self._aside: set[UUID] = set()
        log.appended.listen(self._follow)

    def _follow(self) -> None:
        """Fold what was appended since the last time."""
        for stored in self._log.select_notifications(self._reached, ALL, inclusive_of_start=False):
            self._reached = stored.id
            number = cast(UUID, stored.originator_id)
            if number in self._aside:
                continue
            try:
                recorded = self._mapper.to_domain_event(stored).recorded
                happened = following(self._games, self.last.get(number), stored.id, number, recorded)
            except Exception:  # noqa: BLE001
                # The store says so when the match is read.
                self._aside.add(number)
                self.last.pop(number, None)
                self.unfinished.pop(number, None)
                continue
            self.last[number] = happened
            if happened.match.status in OVER:
                self.unfinished.pop(number, None)
            else:
                self.unfinished[number] = happened
            self.happened(happened)
