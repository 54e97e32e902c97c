"""What records and sends messages to webhooks in a process, beside whatever else it does."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from adapters.postgres.chat import MESSAGES
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.ends import LogEnds
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.webhooks.chat_outbox import ChatOutboxRecorder
from adapters.postgres.webhooks.outbox import DELIVERIES, OutboxRecorder
from adapters.settings import Settings
from domain.shared.game import Games
from services.notify.deliveries import Deliveries, Outbox, Parcel, Reply, Sender
from services.shared.time import Clock

TOGETHER = 0.25
"""Seconds between two readings of a log that grows all the time."""


class LateSender:
    """The port `Sender`, loaded with the first message: what it rests on takes a quarter of a start."""

    def __init__(self, *, private: bool) -> None:
        """Take whether messages may go to private addresses."""
        self._private = private
        self._loading = asyncio.Lock()
        self._sender: Sender | None = None

    async def send(self, parcel: Parcel, at: datetime) -> Reply:
        """Send a message once and return what came of it, whatever the target does, within seconds."""
        async with self._loading:
            if self._sender is None:
                self._sender = await asyncio.to_thread(self._loaded)
        return await self._sender.send(parcel, at)

    def _loaded(self) -> Sender:
        from adapters.webhooks.sender import HttpSender

        return HttpSender(private=self._private)


def deliveries(settings: Settings, outbox: Outbox, clock: Clock) -> Deliveries:
    """Return what sends messages to webhooks, where and as long as the settings allow."""
    return Deliveries(
        outbox,
        LateSender(private=settings.webhook_private_addresses),
        clock,
        timedelta(days=settings.webhook_log_days),
        settings.webhook_log_messages,
    )


class WebhookWorker:
    """Puts messages down and sends them.

    Any number of processes may do so: each message is recorded once, and sent by one of them.

    Attributes:
        hints: What is to be called at a NOTIFY of which channel, and when some may have been missed.
    """

    def __init__(
        self,
        sending: Deliveries,
        datastore: Datastore,
        games: Games,
        poll: Callable[[], float],
        ends: LogEnds,
    ) -> None:
        """Take what it needs.

        Args:
            sending: What sends messages.
            datastore: The connections.
            games: The registered games by id.
            poll: Gives the seconds after which the log is looked at though no NOTIFY has come.
            ends: Where the logs end.
        """
        self._deliveries = sending
        self._loop: asyncio.AbstractEventLoop | None = None
        events = OutboxRecorder(games, datastore, self._wake)
        chats = ChatOutboxRecorder(datastore, self._wake)

        def catch_up() -> bool:
            return any([events.catch_up(), chats.catch_up()])

        def grown() -> bool:
            end = ends.read()
            return any([events.grown(end.events), chats.grown(end.messages)])

        def forget() -> None:
            events.forget()
            chats.forget()

        self._follower = Follower(catch_up, "webhooks", TOGETHER, forget, poll, grown)
        self.hints = (
            (EVENTS, self._follower.wake),
            (MESSAGES.channel, self._follower.wake),
            (DELIVERIES, self._deliveries.wake),
        )

    def start(self) -> None:
        """Begin."""
        self._loop = asyncio.get_running_loop()
        self._follower.start()
        self._deliveries.start()

    async def stop(self, grace: float) -> None:
        """Put nothing more down, and give up what is being sent after `grace` seconds: it is sent again."""
        await asyncio.to_thread(self._follower.stop)
        await self._deliveries.stop(grace)

    @property
    def late(self) -> Mapping[str, timedelta]:
        """By how much what is recorded for webhooks is late."""
        return {"webhooks": self._follower.late}

    def _wake(self) -> None:
        """Let messages be sent that were recorded, from the thread that did so."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._deliveries.wake)
