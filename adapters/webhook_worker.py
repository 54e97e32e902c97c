"""What puts down and sends messages to webhooks in a process, beside whatever else it does."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from adapters.postgres.chat_outbox import ChatOutboxRecorder
from adapters.postgres.datastore import Datastore
from adapters.postgres.follow import Follower
from adapters.postgres.outbox import OutboxRecorder
from adapters.postgres.webhooks import PostgresWebhooks
from adapters.webhook_sender import HttpSender
from services.deliveries import Deliveries
from services.live import Games
from services.ports import Clock

GRACE = 3
"""Seconds that messages under way have when the process stops; the others are sent again."""


def start_webhooks(
    conninfo: str, datastore: Datastore, games: Games, clock: Clock, *, private: bool, log_days: int
) -> Callable[[], Awaitable[None]]:
    """Begin to put down and to send messages, and return what stops that.

    Any number of processes may do so: each message is put down once, and sent by one of them.

    Args:
        conninfo: Where the database is.
        datastore: The connections.
        games: The registered games by id.
        clock: The time.
        private: Whether messages may go to private addresses.
        log_days: How long messages stay in the log.
    """
    loop = asyncio.get_running_loop()
    outgoing = HttpSender(private=private)
    deliveries = Deliveries(PostgresWebhooks(datastore), outgoing, clock, timedelta(days=log_days))

    def wake() -> None:
        loop.call_soon_threadsafe(deliveries.wake)

    events, chats = OutboxRecorder(games, datastore, wake), ChatOutboxRecorder(datastore, wake)

    def catch_up() -> bool:
        return any([events.catch_up(), chats.catch_up()])

    follower = Follower(conninfo, catch_up, "webhooks")
    follower.start()
    deliveries.start()

    async def stop() -> None:
        await asyncio.to_thread(follower.stop)
        await deliveries.stop(GRACE)

    return stop
