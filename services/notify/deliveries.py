"""Send what is recorded for webhooks, again and again until it arrives or has to be given up.

Any number of processes do so at once. Each takes messages for a while; what one that died has taken comes
back when that while is over, so a message may arrive twice, each time with the same `webhook-id`.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from random import random
from typing import Protocol

import msgspec
from msgspec import Struct

from services.notify.subscriptions import (
    Attempt,
    AttemptError,
    DeliveryId,
    DeliveryState,
    DisabledReason,
    MessageType,
    WebhookId,
)
from services.shared.errors import Unavailable
from services.shared.ticks import until
from services.shared.time import Clock

PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""How long after each attempt the next one follows, as Standard Webhooks recommends: three days in all."""
SPREAD = 0.1
"""By what part a pause may be longer, so that messages which failed together do not come back together."""
LONGEST_PAUSE = timedelta(hours=24)
"""The longest that a target may ask for by `Retry-After`."""
FAILING_FOR = timedelta(days=3)
"""How long all attempts have to fail before a webhook is disabled."""
LEASE = timedelta(minutes=1)
"""For how long a process takes a message: longer than any attempt lasts."""
CONCURRENCY = 64
"""How many messages a process sends at once."""
PER_TARGET = 4
"""How many of them to one target."""
TO_SLOW_TARGETS = CONCURRENCY // 2
"""How many of them to targets that did not answer in time when last asked."""
POLL = 5.0
"""Seconds between two looks for messages, at most; there is one earlier when one is recorded or falls due."""
PURGE_EVERY = timedelta(hours=1)
CHALLENGES = 3
"""How often a challenge is tried, so that a target may come up a moment after its webhook."""
GONE = 410
"""The status by which a target says that it wants no more."""

log = logging.getLogger("montane.webhooks")


class Parcel(Struct, frozen=True, kw_only=True):
    """A message that this process has taken to send.

    Attributes:
        id: The message.
        webhook: To which webhook.
        type: What it tells.
        url: Where to.
        target: What counts as one target.
        secrets: What signs it, the newest first.
        body: What is sent.
        tried: How often it was tried.
    """

    id: DeliveryId
    webhook: WebhookId
    type: MessageType
    url: str
    target: str
    secrets: tuple[bytes, ...]
    body: bytes
    tried: int


class Reply(Struct, frozen=True, kw_only=True):
    """What came of sending a message.

    Attributes:
        latency_ms: Milliseconds until the target answered, or sending was given up.
        status: The HTTP status; None if there was no answer.
        error: Why it did not succeed; None if it did.
        retry_after: How long the target asks to be left alone.
        body: The beginning of the answer's body, to a challenge only.
    """

    latency_ms: int
    status: int | None = None
    error: AttemptError | None = None
    retry_after: timedelta | None = None
    body: bytes = b""


class Health(Struct, frozen=True):
    """How a webhook is doing.

    Attributes:
        failing_since: Since when no attempt has succeeded and some have failed; None while all is well.
        disabled: Why nothing more is sent to it; None while it is enabled.
    """

    failing_since: datetime | None
    disabled: DisabledReason | None = None


class Sent(Struct, frozen=True, kw_only=True):
    """What an attempt makes of a message.

    Attributes:
        attempt: The attempt.
        state: How far the message is.
        due_at: When it is tried again; None if it is not.
        counts: Whether the attempt says something of its webhook: a test does not.
    """

    attempt: Attempt
    state: DeliveryState
    due_at: datetime | None = None
    counts: bool = True

    def health(self, failing_since: datetime | None) -> Health:
        """Return how an enabled webhook is doing after the attempt."""
        attempt = self.attempt
        if attempt.status == GONE:
            return Health(failing_since, DisabledReason.GONE)
        if not self.counts:
            return Health(failing_since)
        if attempt.error is None:
            return Health(None)
        since = failing_since or attempt.at
        return Health(since, DisabledReason.FAILING if attempt.at - since >= FAILING_FOR else None)


class Outbox(Protocol):
    """The messages to be sent. Every method raises `Unavailable` while the store is away."""

    async def take(
        self, now: datetime, until: datetime, *, most: int, per_target: int, under_way: Mapping[str, int]
    ) -> list[Parcel]:
        """Take messages that are due, those that have waited longest first; nobody else takes them meanwhile.

        Args:
            now: The time.
            until: When what is not settled may be taken again.
            most: How many at most.
            per_target: How many may be under way to one target.
            under_way: How many are, by target.
        """

    async def settle(self, parcel: Parcel, sent: Sent) -> DisabledReason | None:
        """Note what an attempt made of a message, unless another process has tried it since.

        A challenge that is met proves its webhook, which is notified of what is logged from now on; one
        that is given up disables it.

        Returns:
            Why its webhook was disabled, if this attempt is what disabled it.
        """

    async def purge(self, before: datetime, most: int) -> int:
        """Forget messages that are not pending and were recorded before a time, or have `most` after them.

        Returns:
            How many.
        """


class Sender(Protocol):
    """Sends a message to the outside."""

    async def send(self, parcel: Parcel, at: datetime) -> Reply:
        """Send a message once and return what came of it, whatever the target does, within seconds."""


class Deliveries:
    """Sends messages as they come due."""

    def __init__(
        self,
        outbox: Outbox,
        sender: Sender,
        clock: Clock,
        keep: timedelta,
        most_kept: int = 10_000,
        spread: Callable[[], float] = random,
    ) -> None:
        """Take what is to be sent, what sends it, the time, and for how long it is remembered.

        Args:
            outbox: The messages.
            sender: What sends them.
            clock: The time.
            keep: How long messages stay in the log.
            most_kept: How many of a webhook do.
            spread: Gives how much longer a pause is, from 0 to 1 of `SPREAD`.
        """
        self._outbox = outbox
        self._sender = sender
        self._clock = clock
        self._keep = keep
        self._most_kept = most_kept
        self._spread = spread
        self._sending: set[asyncio.Task[None]] = set()
        self._to: Counter[str] = Counter()
        self._slow: set[str] = set()
        self._woken = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._purge_at: datetime | None = None

    def start(self) -> None:
        """Begin to send."""
        self._running = asyncio.create_task(self._run())

    async def stop(self, grace: float) -> None:
        """Take no more messages, and drop what is still under way after `grace` seconds: it is sent again."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        if self._sending:
            await asyncio.wait(self._sending, timeout=grace)
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)

    async def step(self) -> int:
        """Take what is due, begin to send it, and return how many messages that were."""
        now = self._clock.now()
        taken = await self._take(now, CONCURRENCY, dict.fromkeys(self._slow, PER_TARGET))
        if self._slow:
            slow = sum(self._to[target] for target in self._slow)
            taken += await self._take(now, len(self._sending) + TO_SLOW_TARGETS - slow, {})
        if self._purge_at is None or now >= self._purge_at:
            self._purge_at = now + PURGE_EVERY
            await self._outbox.purge(now - self._keep, self._most_kept)
        return taken

    async def _take(self, now: datetime, limit: int, avoided: Mapping[str, int]) -> int:
        """Take what is due until so many are under way, begin to send it, and return how many were taken."""
        most = min(limit, CONCURRENCY) - len(self._sending)
        if most <= 0:
            return 0
        under_way = {**self._to, **avoided}
        taken = await self._outbox.take(
            now, now + LEASE, most=most, per_target=PER_TARGET, under_way=under_way
        )
        for parcel in taken:
            self._to[parcel.target] += 1
            task = asyncio.create_task(self._deliver(parcel))
            self._sending.add(task)
            task.add_done_callback(self._done)
        return len(taken)

    async def settled(self) -> None:
        """Return when nothing is under way."""
        while self._sending:
            await asyncio.wait(self._sending)

    def wake(self) -> None:
        """Look for messages now."""
        self._woken.set()

    async def _run(self) -> None:
        away = False
        while True:
            self._woken.clear()
            begun = 0
            try:
                begun = await self.step()
                if away:
                    away = False
                    log.info("webhooks are sent again")
            except Unavailable:
                if not away:
                    away = True
                    log.warning("webhooks wait for the database")
            except Exception as error:
                # Tried again, not given up: a worker that stands still would go unnoticed.
                log.error("webhooks cannot be sent", exc_info=error)
            if not begun:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), until(POLL))

    async def _deliver(self, parcel: Parcel) -> None:
        at = self._clock.now()
        try:
            reply = await self._reply(parcel, at)
            if reply.error is AttemptError.TIMED_OUT:
                self._slow.add(parcel.target)
            else:
                self._slow.discard(parcel.target)
            now = self._clock.now()
            settled = sent(parcel, reply, at, now, self._spread())
            disabled = await self._outbox.settle(parcel, settled)
            if settled.due_at is not None and (pause := (settled.due_at - now).total_seconds()) < POLL * 2:
                asyncio.get_running_loop().call_later(pause, self.wake)
            if disabled is not None:
                log.warning("%s is disabled: %s", parcel.webhook, disabled)
        except Unavailable:
            log.warning("%s was sent, which could not be noted: it is sent again", parcel.id)
        finally:
            self._to[parcel.target] -= 1
            if not self._to[parcel.target]:
                del self._to[parcel.target]

    async def _reply(self, parcel: Parcel, at: datetime) -> Reply:
        """Return what came of sending a message; what nobody has thought of is a try that has failed too."""
        try:
            return await self._sender.send(parcel, at)
        except Exception as error:
            log.error("%s could not be sent to %s", parcel.id, parcel.webhook, exc_info=error)
            latency = round((self._clock.now() - at).total_seconds() * 1000)
            return Reply(latency_ms=max(0, latency), error=AttemptError.CONNECTION_FAILED)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._woken.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a webhook could not be sent", exc_info=error)


def sent(parcel: Parcel, reply: Reply, at: datetime, now: datetime, spread: float) -> Sent:
    """Return what an attempt that began at `at` makes of a message.

    Args:
        parcel: The message as it was taken.
        reply: What came of sending it.
        at: When the attempt began.
        now: When it ended.
        spread: How much longer the next pause is, from 0 to 1 of `SPREAD`.
    """
    challenged = parcel.type is MessageType.CHALLENGE
    error = reply.error
    if error is None and challenged and not is_echo(reply.body, parcel.body):
        error = AttemptError.NOT_ECHOED
    attempt = Attempt(
        attempt=parcel.tried + 1, at=at, latency_ms=reply.latency_ms, status=reply.status, error=error
    )
    counts = parcel.type is not MessageType.TEST
    if error is None:
        return Sent(attempt=attempt, state=DeliveryState.DELIVERED, counts=counts)
    last = CHALLENGES - 1 if challenged else len(PAUSES)
    if reply.status == GONE or not counts or parcel.tried >= last:
        return Sent(attempt=attempt, state=DeliveryState.FAILED, counts=counts)
    pause = PAUSES[parcel.tried] * (1 + SPREAD * spread)
    if reply.retry_after is not None:
        pause = max(pause, min(reply.retry_after, LONGEST_PAUSE))
    return Sent(attempt=attempt, state=DeliveryState.PENDING, due_at=now + pause)


def is_echo(answer: bytes, challenge: bytes) -> bool:
    """Return whether an answer's body echoes a challenge: as its whole text, or in JSON by its name."""
    expected = msgspec.json.decode(challenge)["data"]["challenge"]
    text = answer.strip()
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        found = text.decode(errors="replace")
    if isinstance(found, dict):
        found = found.get("challenge")
    return bool(found == expected)
