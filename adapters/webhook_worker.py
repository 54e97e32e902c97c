"""What puts down and sends messages to webhooks in a process, beside whatever else it does."""

import asyncio
from datetime import timedelta

from adapters.postgres.chat_outbox import ChatOutboxRecorder
from adapters.postgres.datastore import Datastore
from adapters.postgres.follow import Follower
from adapters.postgres.outbox import OutboxRecorder
from adapters.postgres.webhooks import PostgresWebhooks
from adapters.settings import Settings
from adapters.webhook_sender import HttpSender
from services.deliveries import Deliveries
from services.live import Games
from services.ports import Clock

TOGETHER = 0.25
"""Seconds between two readings of a log that grows all the time."""


class WebhookWorker:
    """Puts messages down and sends them.

    Any number of processes may do so: each message is put down once, and sent by one of them.
    """

    def __init__(self, settings: Settings, datastore: Datastore, games: Games, clock: Clock) -> None:
        """Take where messages may go and how long they are kept, the connections, the games, and the time."""
        self._deliveries = Deliveries(
            PostgresWebhooks(datastore),
            HttpSender(private=settings.webhook_private_addresses),
            clock,
            timedelta(days=settings.webhook_log_days),
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        events = OutboxRecorder(games, datastore, self._wake)
        chats = ChatOutboxRecorder(datastore, self._wake)

        def catch_up() -> bool:
            return any([events.catch_up(), chats.catch_up()])

        self._follower = Follower(datastore.direct, catch_up, "webhooks", TOGETHER, events.forget)

    def start(self) -> None:
        """Begin."""
        self._loop = asyncio.get_running_loop()
        self._follower.start()
        self._deliveries.start()

    async def stop(self, grace: float) -> None:
        """Put nothing more down, and give up what is being sent after `grace` seconds: it is sent again."""
        await asyncio.to_thread(self._follower.stop)
        await self._deliveries.stop(grace)

    def _wake(self) -> None:
        """Let messages be sent that were put down, from the thread that did so."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._deliveries.wake)
