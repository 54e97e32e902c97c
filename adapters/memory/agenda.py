"""What is due, found in memory."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from random import sample

from adapters.memory.history import MemoryHistory
from domain.match import HolderKind, MatchStatus, PlayerId
from services.background.timekeeper import Due
from services.shared.ids import MatchId, match_id


class MemoryAgenda:
    """The port `Agenda` over what has happened."""

    def __init__(self, history: MemoryHistory) -> None:
        """Take what has happened."""
        self._history = history

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches in which seats' time is up by then, with each of those seats' deadlines."""
        found = {
            Due(match_id(one.number), deadline)
            for one in self._history.unfinished.values()
            if (clocks := one.match.clocks) is not None
            for seat in one.to_act
            if (deadline := clocks.deadline(seat)) is not None
        }
        return _first(found, up_to, after, most)

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""
        found = (
            Due(match_id(one.number), one.opened_at)
            for one in self._history.unfinished.values()
            if one.match.status is MatchStatus.OPEN
        )
        return _first(found, up_to, after, most)

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""
        found = [
            (match_id(one.number), holder.player)
            for one in self._history.unfinished.values()
            for seat in one.to_act
            if (holder := one.match.holders[seat]) is not None
            and holder.kind is HolderKind.BOT
            and holder.player in bots
        ]
        return sample(found, min(most, len(found)))


def _first(found: Iterable[Due], up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
    """Return the first of those that are due, after another, as the ports want them."""
    due = sorted((one.at, one.match) for one in found if one.at <= up_to)
    later = [Due(match, at) for at, match in due if after is None or (at, match) > (after.at, after.match)]
    return later[:most]
