"""What is forgotten after a while, in small batches, so that nobody waits for it."""

from datetime import datetime, timedelta
from typing import Protocol

from services.shared.time import Clock

TOGETHER = 1_000
"""How many rows of a kind are forgotten at once."""
BREATH = timedelta(seconds=0.05)
"""The pause between two batches, which leaves the database to others."""
EVERY = timedelta(minutes=10)
"""How long lies between two looks for what is too old."""


class Archive(Protocol):
    """What is kept for a while only. Every method raises `Unavailable` while the store is away."""

    async def forget(self, now: datetime, most: int) -> bool:
        """Forget the oldest of each kind that is too old, some `most` of each; return whether there is more.

        One process does so at a time; what another is doing is left to it.
        """


class Retention:
    """Forgets what is too old."""

    def __init__(self, archive: Archive, clock: Clock) -> None:
        """Take what is kept, and the time."""
        self._archive = archive
        self._clock = clock

    async def step(self) -> timedelta:
        """Forget a batch, and return how long to wait before the next."""
        return BREATH if await self._archive.forget(self._clock.now(), TOGETHER) else EVERY
