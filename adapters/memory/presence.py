"""Who is there, kept in memory."""

from collections.abc import Collection, Sequence
from uuid import UUID, uuid4

from domain.shared.seats import Seat
from services.shared.ids import MatchId
from services.streams.presence import Count


class MemoryPresenceLog:
    """The port `PresenceLog`, gone with the process."""

    def __init__(self, shared: dict[tuple[UUID, MatchId, Seat | None], Count]) -> None:
        """Take what the processes share."""
        self._shared = shared
        self._node = uuid4()

    async def note(self, counts: Sequence[Count]) -> None:
        """Store how many streams this process has open."""
        self._shared |= {(self._node, count.match, count.seat): count for count in counts}

    async def renew(self) -> bool:
        """Return that nothing is lost."""
        return True

    async def others(self, matches: Collection[MatchId]) -> Sequence[Count]:
        """Return what is stored of matches, but not what this process has open."""
        return [
            count
            for (node, match, _), count in self._shared.items()
            if match in matches and not (node == self._node and count.streams)
        ]

    async def leave(self) -> None:
        """Forget what this process has open."""
        for key in [key for key in self._shared if key[0] == self._node]:
            del self._shared[key]
