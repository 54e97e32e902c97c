"""An answer that is remembered for a moment, so that anyone who asks costs nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any


class Remembered[Said]:
    """Asks at most once within some seconds, and never twice at a time."""

    def __init__(
        self, ask: Callable[[], Awaitable[Said]], seconds: float, now: Callable[[], float] = monotonic
    ) -> None:
        """Take what is asked, for how long its answer holds, and a clock that never goes back."""
        self._ask = ask
        self._seconds = seconds
        self._now = now
        self._asking: asyncio.Future[Said] | None = None
        self._until = 0.0

    async def __call__(self) -> Said:
        """Return the answer; one that failed is not remembered."""
        asking = self._asking
        if asking is None or (asking.done() and (self._now() >= self._until or not _good(asking))):
            asking = self._asking = asyncio.ensure_future(self._asked())
        # Who goes away does not stop what others wait for too.
        return await asyncio.shield(asking)

    async def _asked(self) -> Said:
        said = await self._ask()
        self._until = self._now() + self._seconds
        return said


def _good(asked: asyncio.Future[Any]) -> bool:
    return not asked.cancelled() and asked.exception() is None
