"""A process that keeps everything in memory: it stands alone, and nothing is left of it."""

import asyncio

from adapters.backing import measures
from adapters.clock import SystemClock
from adapters.databases import key_in_file
from adapters.memory.stores import MemoryStores
from adapters.settings import Settings
from adapters.webhooks.worker import deliveries
from adapters.workers import Steps, on_matches
from domain.games import GAMES
from services.notify.deliveries import Deliveries
from services.players.store import Issuer
from services.use_cases import build


class MemoryBacking:
    """The backing of a process that keeps everything in memory.

    Attributes:
        services: The use cases.
    """

    def __init__(self, settings: Settings, issuer: Issuer | None) -> None:
        """Take the settings, and whose tokens name players too.

        Raises:
            StartError: The file with the key cannot be read.
        """
        clock, signer = SystemClock(), key_in_file(settings)
        stores = MemoryStores(dict(GAMES), settings.quotas, clock, issuer=issuer, signer=signer)
        self.services = build(stores.ports, measures(settings))
        self._stores = stores
        self._workers: tuple[Steps | Deliveries, ...] = (
            *on_matches(settings, stores.ports, self.services),
            deliveries(settings, stores.ports.outbox, clock),
        )

    async def follow(self) -> None:
        """Begin to hear of what is new."""
        self._stores.notify(self.services, self._woken)

    def work(self) -> None:
        """Begin what is done in the background."""
        for worker in self._workers:
            worker.start()

    async def stop(self, grace: float) -> None:
        """End both; what is under way after `grace` seconds is given up."""
        await asyncio.gather(*(worker.stop(grace) for worker in self._workers))

    def _woken(self) -> None:
        """Look for work: something has happened."""
        for worker in self._workers:
            worker.wake()
