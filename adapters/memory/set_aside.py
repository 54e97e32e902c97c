"""Matches that cannot be read, kept in memory."""

from adapters.event_store.set_aside import tell
from services.shared.ids import MatchId


class MemorySetAside:
    """Records which matches are set aside, in memory."""

    def __init__(self) -> None:
        """Begin with none."""
        self._matches: set[MatchId] = set()

    async def put(self, match: MatchId, version: int, why: str) -> None:
        """Set a match aside; the first time it says so in the log."""
        if match not in self._matches:
            self._matches.add(match)
            tell(match, version, why)
