"""The log of all matches in memory, gone with the process."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from eventsourcing.persistence import (
    IntegrityError,
    StoredEvent,
)
from eventsourcing.popo import POPOAggregateRecorder, POPOApplicationRecorder

from adapters.event_store.store import KEPT_SNAPSHOTS, Store
from adapters.memory.set_aside import MemorySetAside
from adapters.memory.signal import Signal
from domain.shared.game import Games


class MemoryMatchRecorder(POPOApplicationRecorder):
    """The library's recorder in memory, which demands what `append_match_events` does.

    Attributes:
        appended: Events were stored.
    """

    def __init__(self) -> None:
        """Begin with nothing stored."""
        super().__init__()
        self.appended = Signal[()]()

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Store events, all or none, and return their notification ids."""
        first = stored_events[0]
        if first.originator_version > 1 and not self.select_events(
            first.originator_id, gt=first.originator_version - 2, lte=first.originator_version - 1
        ):
            raise IntegrityError("the version before is not stored")
        ids = super().insert_events(stored_events, **kwargs)
        self.appended()
        return ids

    def count_events(self, number: UUID, up_to: int) -> int:
        """Return how many events are stored of a match, up to and with a version."""
        return len(self.select_events(number, lte=up_to))


class MemorySnapshots(POPOAggregateRecorder):
    """The library's recorder of snapshots in memory."""

    def keep(self, snapshot: StoredEvent) -> None:
        """Store a snapshot, unless it is there, and forget all but the newest of its match."""
        with suppress(IntegrityError):
            self.insert_events([snapshot])
        index = self._stored_events_index[str(snapshot.originator_id)]
        for version in sorted(index)[:-KEPT_SNAPSHOTS]:
            del index[version]


def memory_store(games: Games, events: MemoryMatchRecorder, snapshots: MemorySnapshots) -> Store:
    """Return a log in memory, gone with the process."""

    async def at_once[Result](work: Callable[[], Result]) -> Result:
        return work()

    return Store(games, events, snapshots, at_once, MemorySetAside())
