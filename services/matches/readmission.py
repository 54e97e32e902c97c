"""Take matches in again that were set aside, once they can be read."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from services.matches.loaded import LoadedMatches
from services.shared.errors import NotFound, SetAside
from services.shared.ids import MatchId

EVERY = timedelta(minutes=1)
"""How long lies between two looks at what is set aside."""

log = logging.getLogger(__name__)


class AsideMatches(Protocol):
    """The matches that are set aside."""

    async def all(self) -> Sequence[MatchId]:
        """Return them."""

    async def take_in(self, match: MatchId) -> None:
        """Set a match aside no longer."""


class Readmission:
    """Looks again at what was set aside: an operator may have mended it, or this process may be newer."""

    def __init__(self, aside: AsideMatches, live: LoadedMatches) -> None:
        """Take what is set aside, and what reads matches."""
        self._aside = aside
        self._live = live

    async def step(self) -> timedelta:
        """Take in what can be read from its first event to its last; return when to look again."""
        for match in await self._aside.all():
            try:
                await self._live.check(match)
            except (SetAside, NotFound):
                continue
            await self._aside.take_in(match)
            log.warning("%s can be read again; `montane rebuild` brings lists of it up to date", match)
        return EVERY
