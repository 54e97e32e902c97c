"""Messages to webhooks are sent until they arrive or have to be given up."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from adapters.memory.webhooks import MemoryWebhooks
from domain.match import PlayerId
from services.notify.deliveries import CONCURRENCY, LEASE, PAUSES, PER_TARGET, Deliveries, Parcel, Reply
from services.notify.subscriptions import (
    AttemptError,
    Delivery,
    DeliveryState,
    DisabledReason,
    MessageType,
    Reach,
    Webhook,
    WebhookOwner,
    Webhooks,
    new_delivery_id,
)
from services.shared.errors import Unavailable
from services.shared.ids import new_uuid, written
from tests.support.faces.proving import proved
from tests.support.stores.use_cases import ManualClock, memory_stores

START = datetime(2026, 1, 1, tzinfo=UTC)
ANN = PlayerId(written("player", new_uuid(START)))
REACH = Reach(ANN, deployment=False)
KEEP = timedelta(days=30)

GOOD = Reply(latency_ms=1, status=200)
BROKEN = Reply(latency_ms=1, status=500, error=AttemptError.BAD_STATUS)
UNTHOUGHT_OF = Reply(latency_ms=0, status=0)
"""Of a target whose answer the sender cannot take."""
SILENT = Reply(latency_ms=10_000, error=AttemptError.TIMED_OUT)


class Targets:
    """The port `Sender`, whose targets behave as a test says.

    Attributes:
        replies: What each target replies; one that is not named is good, and None hangs until it is let go.
        sent: What was sent, in order.
    """

    def __init__(self) -> None:
        """Begin with good targets."""
        self.replies: dict[str, Reply | None] = {}
        self.sent: list[Parcel] = []
        self.let_go = asyncio.Event()

    async def send(self, parcel: Parcel, at: datetime) -> Reply:
        """Send a message."""
        self.sent.append(parcel)
        reply = self.replies.get(parcel.target, GOOD)
        if reply is UNTHOUGHT_OF:
            raise OverflowError
        if reply is None:
            await self.let_go.wait()
            return SILENT
        return reply

    def tried(self, target: str) -> int:
        """Return how often a target was sent to."""
        return sum(parcel.target == target for parcel in self.sent)


class Deployment:
    """Webhooks in memory, and what sends to them."""

    def __init__(self) -> None:
        """Begin without webhooks."""
        self.clock = ManualClock(START)
        self.outbox: MemoryWebhooks = memory_stores().webhooks
        self.webhooks = Webhooks(self.outbox, self.clock, private=False)
        self.targets = Targets()
        self.deliveries = self.worker()

    def worker(self) -> Deliveries:
        """Return what one more process sends with."""
        return Deliveries(self.outbox, self.targets, self.clock, KEEP, spread=lambda: 0.0)

    async def webhook(self, host: str = "ann.example") -> Webhook:
        """Return a new webhook to a host."""
        types = [MessageType.STARTED]
        webhook, _ = await self.webhooks.create(REACH, WebhookOwner.PLAYER, f"https://{host}/", types, "")
        await proved(self.outbox, self.clock, webhook.id)
        return await self.read(webhook)

    async def queue(self, webhook: Webhook, count: int = 1) -> list[Delivery]:
        """Put messages down."""
        made = [
            Delivery(
                id=new_delivery_id(self.clock.now()),
                type=MessageType.STARTED,
                match=None,
                state=DeliveryState.PENDING,
                created_at=self.clock.now(),
                next_attempt_at=self.clock.now(),
                attempts=(),
            )
            for _ in range(count)
        ]
        for delivery in made:
            await self.outbox.put(webhook.id, delivery, b"{}")
        return made

    async def send(self) -> None:
        """Send what is due until nothing is."""
        while await self.deliveries.step():
            await self.deliveries.settled()

    async def log(self, webhook: Webhook) -> list[Delivery]:
        """Return the messages to a webhook after its challenge, newest first."""
        log = (await self.webhooks.deliveries(REACH, webhook.id, after=None, size=200)).items
        return [delivery for delivery in log if delivery.type is not MessageType.CHALLENGE]

    async def read(self, webhook: Webhook) -> Webhook:
        """Return a webhook as it is now."""
        return await self.webhooks.read(REACH, webhook.id)


async def test_a_message_arrives_once() -> None:
    """One attempt that succeeds is the last."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    await deployment.queue(webhook)
    await deployment.send()
    deployment.clock.advance(timedelta(days=1))
    await deployment.send()
    (delivery,) = await deployment.log(webhook)
    assert (delivery.state, delivery.next_attempt_at) == (DeliveryState.DELIVERED, None)
    assert [(one.attempt, one.status, one.error) for one in delivery.attempts] == [(1, 200, None)]
    assert len(deployment.targets.sent) == 1


async def test_failures_are_tried_again_with_growing_pauses() -> None:
    """As Standard Webhooks recommends; each attempt is the same message; in the end it is given up."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = BROKEN
    (queued,) = await deployment.queue(webhook)
    for pause in PAUSES:
        await deployment.send()
        (delivery,) = await deployment.log(webhook)
        assert delivery.next_attempt_at == deployment.clock.now() + pause
        deployment.clock.advance(pause - timedelta(seconds=1))
        assert await deployment.deliveries.step() == 0
        deployment.clock.advance(timedelta(seconds=1))
    await deployment.send()
    (delivery,) = await deployment.log(webhook)
    assert delivery.state is DeliveryState.FAILED
    assert len(delivery.attempts) == len(PAUSES) + 1
    assert {parcel.id for parcel in deployment.targets.sent} == {queued.id}


async def test_a_target_that_fails_for_a_day_gets_all_in_the_end() -> None:
    """A day of 500 costs nothing but the wait, and leaves nothing after at the webhook."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = BROKEN
    await deployment.queue(webhook, 3)
    began = deployment.clock.now()
    while deployment.clock.now() < began + timedelta(days=1):
        await deployment.send()
        deployment.clock.advance(timedelta(minutes=5))
    assert (await deployment.read(webhook)).failing_since == began
    deployment.targets.replies.clear()
    deployment.clock.advance(timedelta(days=1))
    await deployment.send()
    assert [delivery.state for delivery in await deployment.log(webhook)] == [DeliveryState.DELIVERED] * 3
    assert await deployment.read(webhook) == webhook


async def test_days_of_failure_disable_a_webhook() -> None:
    """It is disabled with the reason, what is pending is given up, and its owner can enable it again."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = BROKEN
    await deployment.queue(webhook)
    for pause in PAUSES:
        await deployment.send()
        deployment.clock.advance(pause)
    (late,) = await deployment.queue(webhook)
    await deployment.send()
    disabled = await deployment.read(webhook)
    assert (disabled.enabled, disabled.disabled_reason) == (False, DisabledReason.FAILING)
    assert {delivery.state for delivery in await deployment.log(webhook)} == {DeliveryState.FAILED}
    assert late.id in {delivery.id for delivery in await deployment.log(webhook)}


async def test_a_target_that_is_gone_is_left_alone() -> None:
    """410 disables a webhook at once."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    gone = Reply(latency_ms=1, status=410, error=AttemptError.BAD_STATUS)
    deployment.targets.replies["ann.example:443"] = gone
    await deployment.queue(webhook)
    await deployment.send()
    disabled = await deployment.read(webhook)
    assert (disabled.enabled, disabled.disabled_reason) == (False, DisabledReason.GONE)
    assert (await deployment.log(webhook))[0].state is DeliveryState.FAILED


async def test_a_target_s_wish_for_patience_is_respected() -> None:
    """`Retry-After` lengthens a pause up to a day, and shortens none."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    for wish, pause in (
        (timedelta(minutes=1), timedelta(minutes=1)),
        (timedelta(seconds=1), PAUSES[1]),
        (timedelta(days=365), timedelta(days=1)),
    ):
        reply = Reply(latency_ms=1, status=503, error=AttemptError.BAD_STATUS, retry_after=wish)
        deployment.targets.replies["ann.example:443"] = reply
        if not await deployment.log(webhook):
            await deployment.queue(webhook)
        await deployment.send()
        (delivery,) = await deployment.log(webhook)
        assert delivery.next_attempt_at == deployment.clock.now() + pause
        deployment.clock.advance(pause)


async def test_what_nobody_has_thought_of_is_a_try_too() -> None:
    """It is tried again after the same pauses, and disables a webhook in the end, as any other failure."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = UNTHOUGHT_OF
    await deployment.queue(webhook)
    await deployment.send()
    (delivery,) = await deployment.log(webhook)
    assert [one.error for one in delivery.attempts] == [AttemptError.CONNECTION_FAILED]
    assert delivery.next_attempt_at == deployment.clock.now() + PAUSES[0]


async def test_pauses_are_spread() -> None:
    """What failed together does not come back together."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = BROKEN
    await deployment.queue(webhook, 2)
    lots = iter([0.0, 1.0])
    worker = Deliveries(
        deployment.outbox, deployment.targets, deployment.clock, KEEP, spread=lambda: next(lots)
    )
    await worker.step()
    await worker.settled()
    pauses = [
        delivery.next_attempt_at - deployment.clock.now()
        for delivery in await deployment.log(webhook)
        if delivery.next_attempt_at is not None
    ]
    assert sorted(pauses) == [PAUSES[0], PAUSES[0] * 1.1]


async def test_a_hanging_target_delays_no_other() -> None:
    """It has its few places; all others are sent to meanwhile, in any number."""
    deployment = Deployment()
    hanging, good = await deployment.webhook("hanging.example"), await deployment.webhook("good.example")
    deployment.targets.replies["hanging.example:443"] = None
    await deployment.queue(hanging, 100)
    await deployment.queue(good, 100)
    while deployment.targets.tried("good.example:443") < 100:
        assert await deployment.deliveries.step() > 0
        await asyncio.sleep(0)
    assert deployment.targets.tried("hanging.example:443") == PER_TARGET
    deployment.targets.let_go.set()
    await deployment.deliveries.settled()


async def test_many_hanging_targets_leave_room() -> None:
    """Targets that are known to hang share half of the places, however many they are."""
    deployment = Deployment()
    for number in range(9):
        reach = Reach(PlayerId(written("player", new_uuid(START))), deployment=False)
        for more in range(9):
            host = f"h{number}-{more}.example"
            webhook, _ = await deployment.webhooks.create(
                reach, WebhookOwner.PLAYER, f"https://{host}/", [MessageType.STARTED], ""
            )
            await proved(deployment.outbox, deployment.clock, webhook.id)
            deployment.targets.replies[f"{host}:443"] = SILENT
            await deployment.queue(webhook, 2)
    await deployment.send()
    deployment.clock.advance(PAUSES[0])
    for target in deployment.targets.replies:
        deployment.targets.replies[target] = None
    deployment.targets.sent.clear()
    await deployment.deliveries.step()
    await asyncio.sleep(0)
    assert len(deployment.targets.sent) == CONCURRENCY // 2
    await deployment.queue(await deployment.webhook("good.example"))
    await deployment.deliveries.step()
    await asyncio.sleep(0)
    assert deployment.targets.tried("good.example:443") == 1
    deployment.targets.let_go.set()
    await deployment.deliveries.settled()


async def test_what_a_process_took_that_died_is_sent_by_another() -> None:
    """A while later, and with the same id; what it notes after all counts no more."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    (queued,) = await deployment.queue(webhook)
    deployment.targets.replies["ann.example:443"] = None
    await deployment.deliveries.step()
    await asyncio.sleep(0)
    deployment.targets.replies.clear()
    other = deployment.worker()
    assert await other.step() == 0
    deployment.clock.advance(LEASE)
    assert await other.step() == 1
    await other.settled()
    deployment.targets.let_go.set()
    await deployment.deliveries.settled()
    (delivery,) = await deployment.log(webhook)
    assert (delivery.state, len(delivery.attempts)) == (DeliveryState.DELIVERED, 1)
    assert [parcel.id for parcel in deployment.targets.sent] == [queued.id] * 2


async def test_a_test_is_tried_once_and_says_nothing_of_the_webhook() -> None:
    """Also where the webhook is disabled; while one is pending there is no other."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    deployment.targets.replies["ann.example:443"] = BROKEN
    test = await deployment.webhooks.test(REACH, webhook.id)
    assert await deployment.webhooks.test(REACH, webhook.id) == test
    await deployment.send()
    (delivery,) = await deployment.log(webhook)
    assert (delivery.type, delivery.state) == (MessageType.TEST, DeliveryState.FAILED)
    assert (await deployment.read(webhook)).failing_since is None


async def test_the_log_is_kept_for_a_while() -> None:
    """What is older than that is forgotten, but for what is pending."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    await deployment.queue(webhook)
    await deployment.send()
    deployment.clock.advance(KEEP)
    await deployment.send()
    assert len(await deployment.log(webhook)) == 1
    deployment.clock.advance(timedelta(hours=1))
    await deployment.send()
    assert await deployment.log(webhook) == []


async def test_it_goes_on_when_the_store_is_back(caplog: Any) -> None:
    """While the store is away it waits, says so once, and then sends."""
    deployment = Deployment()
    webhook = await deployment.webhook()
    await deployment.queue(webhook)
    away = Away(deployment.outbox, 3)
    worker = Deliveries(away, deployment.targets, deployment.clock, KEEP)
    caplog.set_level("INFO", "montane.webhooks")
    worker.start()
    while not deployment.targets.sent:
        worker.wake()
        await asyncio.sleep(0)
    await worker.stop(1)
    assert [record.message for record in caplog.records] == [
        "webhooks wait for the database",
        "webhooks are sent again",
    ]


class Away:
    """The port `Outbox`, which is away at first."""

    def __init__(self, outbox: MemoryWebhooks, times: int) -> None:
        """Take the outbox, and how often it is away."""
        self._outbox = outbox
        self._times = times

    async def take(self, *arguments: Any, **named: Any) -> list[Parcel]:
        """Take messages."""
        self._times -= 1
        if self._times >= 0:
            raise Unavailable
        return await self._outbox.take(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Return the rest as it is."""
        return getattr(self._outbox, name)
