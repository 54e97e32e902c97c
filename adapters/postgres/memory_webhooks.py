"""Webhooks and the messages to them in memory, gone with the process: the twin for fast tests."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import msgspec
from eventsourcing.persistence import ApplicationRecorder
from msgspec import Struct

from adapters.postgres.outbox import Subscriber, messages, noticed
from adapters.postgres.read_models.reader import whole_log
from domain.match import PlayerId
from services.addresses import Target
from services.chat_log import ChatLog
from services.deliveries import Parcel, Sent
from services.ids import MatchId, match_id, parsed
from services.live import Games
from services.messages import chat_body
from services.ports import Seeds
from services.webhooks import (
    MOST,
    Changes,
    Delivery,
    DeliveryId,
    DeliveryState,
    DisabledReason,
    MessageType,
    Reach,
    Webhook,
    WebhookId,
    WebhookOwner,
    new_delivery_id,
)


class Kept(Struct):
    """A webhook with what is not shown of it."""

    webhook: Webhook
    player: PlayerId | None
    target: str
    secret: bytes
    since: int
    chat_since: int
    before: tuple[bytes, datetime] | None = None


class Queued(Struct):
    """A message with what is not shown of it."""

    webhook: WebhookId
    delivery: Delivery
    body: bytes


class MemoryWebhooks:
    """The ports `WebhookStore` and `Outbox` over a log in memory."""

    def __init__(self, games: Games, log: ApplicationRecorder, seeds: Seeds, chat_log: ChatLog) -> None:
        """Take the registered games, the log, the secrets of matches, and what is said in them."""
        self._games = games
        self._log = log
        self._seeds = seeds
        self._chat_log = chat_log
        self._webhooks: dict[WebhookId, Kept] = {}
        self._queued: dict[DeliveryId, Queued] = {}
        self._told = 0

    async def add(self, webhook: Webhook, player: PlayerId | None, target: Target, secret: bytes) -> bool:
        """Store a webhook of a player, or of the deployment; return False if that has `MOST` already."""
        if sum(kept.player == player for kept in self._webhooks.values()) >= MOST:
            return False
        since, chat_since = await self._log_end(), await self._chat_end(player)
        self._webhooks[webhook.id] = Kept(webhook, player, str(target), secret, since, chat_since)
        return True

    async def all(self, reach: Reach) -> list[Webhook]:
        """Return the webhooks within reach, oldest first."""
        found = [kept.webhook for kept in self._webhooks.values() if _within(reach, kept)]
        return sorted(found, key=lambda webhook: webhook.id)

    async def find(self, reach: Reach, id: WebhookId) -> Webhook | None:
        """Return a webhook within reach."""
        kept = self._webhooks.get(id)
        return kept.webhook if kept is not None and _within(reach, kept) else None

    async def change(self, id: WebhookId, changes: Changes, target: Target | None) -> Webhook | None:
        """Change a webhook and return it as it is then."""
        if (kept := self._webhooks.get(id)) is None:
            return None
        await self._catch_up()
        changed = {
            name: value for name, value in msgspec.structs.asdict(changes).items() if value is not None
        }
        if target is not None:
            kept.target = str(target)
        if changes.enabled is not None:
            changed["disabled_reason"] = None if changes.enabled else DisabledReason.BY_OWNER
            changed["failing_since"] = None
            if changes.enabled:
                kept.since, kept.chat_since = await self._log_end(), await self._chat_end(kept.player)
        kept.webhook = msgspec.structs.replace(kept.webhook, **changed)
        if changes.enabled is False:
            self._give_up(id)
        return kept.webhook

    async def remove(self, reach: Reach, id: WebhookId) -> bool:
        """Remove a webhook within reach with its log; return whether there was one."""
        if await self.find(reach, id) is None:
            return False
        del self._webhooks[id]
        self._queued = {delivery: queued for delivery, queued in self._queued.items() if queued.webhook != id}
        return True

    async def rotate(self, reach: Reach, id: WebhookId, secret: bytes, both_until: datetime) -> bool:
        """Sign with a new secret, and until a time with the one before too; return if there is a webhook."""
        if await self.find(reach, id) is None:
            return False
        kept = self._webhooks[id]
        kept.before, kept.secret = (kept.secret, both_until), secret
        return True

    async def deliveries(self, id: WebhookId, before: DeliveryId | None, limit: int) -> list[Delivery]:
        """Return the messages to a webhook, newest first, older than `before`."""
        await self._catch_up()
        found = [
            queued.delivery
            for queued in self._queued.values()
            if queued.webhook == id and (before is None or queued.delivery.id < before)
        ]
        return sorted(found, key=lambda delivery: delivery.id, reverse=True)[:limit]

    async def put(self, id: WebhookId, delivery: Delivery, body: bytes) -> Delivery:
        """Put down a message that no event makes; instead of a second test return the one that is pending."""
        for queued in self._queued.values():
            pending = queued.delivery.state is DeliveryState.PENDING
            if queued.webhook == id and queued.delivery.type is MessageType.TEST and pending:
                return queued.delivery
        self._queued[delivery.id] = Queued(id, delivery, body)
        return delivery

    async def take(
        self, now: datetime, until: datetime, *, most: int, per_target: int, under_way: Mapping[str, int]
    ) -> list[Parcel]:
        """Take messages that are due; nobody else takes them meanwhile."""
        await self._catch_up()
        due = [
            (queued.delivery.next_attempt_at, queued)
            for queued in self._queued.values()
            if queued.delivery.next_attempt_at is not None and queued.delivery.next_attempt_at <= now
        ]
        taken: list[Queued] = []
        counts = Counter(under_way)
        for _, queued in sorted(due, key=lambda one: (one[0], one[1].delivery.id)):
            target = self._webhooks[queued.webhook].target
            if counts[target] < per_target and len(taken) < most:
                counts[target] += 1
                queued.delivery = msgspec.structs.replace(queued.delivery, next_attempt_at=until)
                taken.append(queued)
        return [self._parcel(queued, now) for queued in taken]

    async def settle(self, parcel: Parcel, sent: Sent) -> DisabledReason | None:
        """Note what an attempt made of a message, unless another process has tried it since."""
        queued, kept = self._queued.get(parcel.id), self._webhooks.get(parcel.webhook)
        if queued is None or kept is None or queued.delivery.next_attempt_at is None:
            return None
        if len(queued.delivery.attempts) != parcel.tried:
            return None
        queued.delivery = msgspec.structs.replace(
            queued.delivery,
            state=sent.state,
            next_attempt_at=sent.due_at,
            attempts=(*queued.delivery.attempts, sent.attempt),
        )
        if not kept.webhook.enabled:
            return None
        health = sent.health(kept.webhook.failing_since)
        kept.webhook = msgspec.structs.replace(
            kept.webhook,
            failing_since=health.failing_since,
            enabled=health.disabled is None,
            disabled_reason=health.disabled,
        )
        if health.disabled is not None:
            self._give_up(parcel.webhook)
        return health.disabled

    async def purge(self, before: datetime) -> int:
        """Forget messages that were put down before a time and are not pending; return how many."""
        gone = [
            queued
            for queued in self._queued.values()
            if queued.delivery.created_at < before and queued.delivery.next_attempt_at is None
        ]
        for queued in gone:
            del self._queued[queued.delivery.id]
        return len(gone)

    async def _catch_up(self) -> None:
        """Put down what happened and was said since the last time."""
        if self._log.max_notification_id() != self._told:
            await self._put_events()
        for id, kept in self._webhooks.items():
            if kept.webhook.enabled and MessageType.CHAT in kept.webhook.events:
                await self._put_chat(id, kept)

    async def _put_events(self) -> None:
        """Put down what the log tells since the last time."""
        subscribers: dict[PlayerId | None, list[Subscriber]] = {}
        ids: dict[UUID, WebhookId] = {}
        for id, kept in self._webhooks.items():
            if kept.webhook.enabled and (number := parsed("webhook", id)) is not None:
                ids[number] = id
                subscriber = Subscriber(number, kept.target, frozenset(kept.webhook.events), kept.since)
                subscribers.setdefault(kept.player, []).append(subscriber)
        for happened in whole_log(self._games, self._log):
            if happened.position <= self._told:
                continue
            self._told = happened.position
            at = happened.recorded.at
            told = noticed(happened)
            secrets = await self._seeds.secrets(match_id(happened.number))
            for put in messages(self._games, secrets.seed, happened, told, subscribers):
                match = match_id(happened.number)
                self._put(ids[put.subscriber.id], _pending(put.id, put.type, match, at), put.body)

    async def _put_chat(self, id: WebhookId, kept: Kept) -> None:
        """Put down what was said to a webhook's player since the last time."""
        if kept.player is None:
            return
        for said in await self._chat_log.for_player(kept.player, after=kept.chat_since, limit=1_000_000):
            kept.chat_since = said.position
            delivery = _pending(new_delivery_id(said.sent_at), MessageType.CHAT, said.match, said.sent_at)
            self._put(id, delivery, chat_body(said.match, kept.player, said.id, said.room, said.sent_at))

    def _put(self, id: WebhookId, delivery: Delivery, body: bytes) -> None:
        self._queued[delivery.id] = Queued(id, delivery, body)

    async def _chat_end(self, player: PlayerId | None) -> int:
        """Return the position of what was said to a player last."""
        if player is None:
            return 0
        said = await self._chat_log.for_player(player, after=0, limit=1_000_000)
        return said[-1].position if said else 0

    async def _log_end(self) -> int:
        await self._catch_up()
        return self._told

    def _give_up(self, id: WebhookId) -> None:
        """Give up what is pending for a webhook that is disabled."""
        for queued in self._queued.values():
            if queued.webhook == id and queued.delivery.next_attempt_at is not None:
                queued.delivery = msgspec.structs.replace(
                    queued.delivery, state=DeliveryState.FAILED, next_attempt_at=None
                )

    def _parcel(self, queued: Queued, now: datetime) -> Parcel:
        kept = self._webhooks[queued.webhook]
        secrets = [kept.secret]
        if kept.before is not None and kept.before[1] > now:
            secrets.append(kept.before[0])
        return Parcel(
            id=queued.delivery.id,
            webhook=queued.webhook,
            type=queued.delivery.type,
            url=kept.webhook.url,
            target=kept.target,
            secrets=tuple(secrets),
            body=queued.body,
            tried=len(queued.delivery.attempts),
        )


def _pending(id: DeliveryId, type: MessageType, match: MatchId, at: datetime) -> Delivery:
    return Delivery(
        id=id,
        type=type,
        match=match,
        state=DeliveryState.PENDING,
        created_at=at,
        next_attempt_at=at,
        attempts=(),
    )


def _within(reach: Reach, kept: Kept) -> bool:
    if kept.webhook.owner is WebhookOwner.DEPLOYMENT:
        return reach.deployment
    return kept.player == reach.player
