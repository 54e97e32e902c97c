"""What a process stands on: its stores, how it learns of what is new, and what it does in the background."""

from typing import Protocol

from adapters.settings import Settings
from services.use_cases import Measures, Services


class Backing(Protocol):
    """What a process stands on; it is made in the event loop that it works in."""

    @property
    def services(self) -> Services:
        """The use cases."""

    async def follow(self) -> None:
        """Begin to hear of what is new."""

    def work(self) -> None:
        """Begin what is done in the background."""

    async def stop(self, grace: float) -> None:
        """End both; what is under way after `grace` seconds is given up."""


def measures(settings: Settings) -> Measures:
    """Return how much a process keeps in memory, and what it allows."""
    return Measures(
        remembered=settings.remembered_matches,
        remembered_events=settings.remembered_events,
        snapshot_every=settings.snapshot_every,
        max_commands=settings.max_commands,
        private_webhooks=settings.webhook_private_addresses,
    )
