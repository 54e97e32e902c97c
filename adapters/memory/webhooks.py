"""Webhooks and the messages to them in memory, gone with the process."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from adapters.memory.history import MemoryHistory
from adapters.postgres.read_models.model import Happened
from adapters.postgres.webhooks.outbox import Subscriber, messages, noticed
from domain.match import PlayerId
from domain.shared.game import Games
from services.chat.log import ChatLog
from services.matches.store import Seeds
from services.notify.addresses import Target
from services.notify.deliveries import Parcel, Sent
from services.notify.subscriptions import (
    KEPT_PENDING,
    MOST,
    MOST_PENDING,
    OF_NO_MATCH,
    Challenge,
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
    WebhookState,
    new_delivery_id,
    state_of,
)
from services.notify.webhook_messages import chat_body
from services.shared.ids import MatchId, match_id, parsed


class KeptWebhook(Struct):
    """A webhook with what is not shown of it."""

    webhook: Webhook
    player: PlayerId | None
    target: str
    secret: bytes
    proved: bool
    since: int
    chat_since: int
    before: tuple[bytes, datetime] | None = None


class Queued(Struct):
    """A message with what is not shown of it."""

    webhook: WebhookId
    delivery: Delivery
    body: bytes
    held: bool = False

    @property
    def shown(self) -> Delivery:
        """The message as it is shown: one that is held is tried at no time that is known."""
        return msgspec.structs.replace(self.delivery, next_attempt_at=None) if self.held else self.delivery

    def settle(self, state: DeliveryState) -> None:
        """Note that it is not tried any more."""
        self.delivery = msgspec.structs.replace(self.delivery, state=state, next_attempt_at=None)


class MemoryWebhooks:
    """The ports `WebhookStore` and `Outbox` over what has happened."""

    def __init__(
        self,
        games: Games,
        history: MemoryHistory,
        seeds: Seeds,
        chat_log: ChatLog,
        notify: Callable[[PlayerId, WebhookId, datetime], None],
    ) -> None:
        """Take the games, what happens, the secrets of matches, the chat, and what tells of a pause."""
        self._notify = notify
        self._games = games
        self._seeds = seeds
        self._chat_log = chat_log
        self._webhooks: dict[WebhookId, KeptWebhook] = {}
        self._queued: dict[DeliveryId, Queued] = {}
        self._told = 0
        self._unread: list[Happened] = []
        history.happened.listen(self._unread.append)

    async def add(
        self, webhook: Webhook, player: PlayerId | None, target: Target, secret: bytes, challenge: Challenge
    ) -> bool:
        """Store a webhook of a player, or of the deployment; return False if that has `MOST` already."""
        if sum(kept.player == player for kept in self._webhooks.values()) >= MOST:
            return False
        since, chat_since = await self._log_end(), await self._chat_end(player)
        proved = webhook.state is not WebhookState.UNPROVED
        self._webhooks[webhook.id] = KeptWebhook(
            webhook, player, str(target), secret, proved, since, chat_since
        )
        await self.put(webhook.id, challenge.delivery, challenge.body)
        return True

    async def all(self, reach: Reach) -> list[Webhook]:
        """Return the webhooks within reach, oldest first."""
        found = [kept.webhook for kept in self._webhooks.values() if _within(reach, kept)]
        return sorted(found, key=lambda webhook: webhook.id)

    async def find(self, reach: Reach, id: WebhookId) -> Webhook | None:
        """Return a webhook within reach."""
        kept = self._webhooks.get(id)
        return kept.webhook if kept is not None and _within(reach, kept) else None

    async def change(
        self,
        id: WebhookId,
        changes: Changes,
        target: Target | None,
        challenge: Challenge | None,
        at: datetime,
    ) -> Webhook | None:
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
                self._resume(id, at)
        kept.webhook = msgspec.structs.replace(kept.webhook, **changed)
        if changes.enabled is False:
            self._give_up(id)
        kept.proved = kept.proved and target is None
        if challenge is not None and not kept.proved:
            for queued in self._pending(id):
                if queued.delivery.type in OF_NO_MATCH:
                    queued.settle(DeliveryState.FAILED)
                else:
                    queued.held = True
            await self.put(id, challenge.delivery, challenge.body)
        self._stands(kept)
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
            queued.shown
            for queued in self._queued.values()
            if queued.webhook == id and (before is None or queued.delivery.id < before)
        ]
        return sorted(found, key=lambda delivery: delivery.id, reverse=True)[:limit]

    async def put(self, id: WebhookId, delivery: Delivery, body: bytes) -> Delivery:
        """Record a message that no event makes; instead of a second test return the one that is pending."""
        for queued in self._queued.values():
            pending = queued.delivery.state is DeliveryState.PENDING
            same = queued.delivery.type is delivery.type and delivery.type in OF_NO_MATCH
            if queued.webhook == id and same and pending:
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
            if queued.delivery.next_attempt_at is not None
            and queued.delivery.next_attempt_at <= now
            and not queued.held
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
        queued.held = not kept.proved and parcel.type not in OF_NO_MATCH
        if not kept.webhook.enabled:
            return None
        if parcel.type is MessageType.CHALLENGE:
            return await self._challenged(kept, sent)
        health = sent.health(kept.webhook.failing_since)
        kept.webhook = msgspec.structs.replace(
            kept.webhook,
            failing_since=health.failing_since,
            enabled=health.disabled is None,
            disabled_reason=health.disabled,
        )
        self._stands(kept)
        if health.disabled is not None:
            self._give_up(parcel.webhook)
        return health.disabled

    async def purge(self, before: datetime, most: int) -> int:
        """Forget what is not pending and was recorded before a time, or has `most` messages after it."""
        behind: Counter[WebhookId] = Counter()
        gone = []
        for queued in sorted(self._queued.values(), key=lambda one: one.delivery.id, reverse=True):
            behind[queued.webhook] += 1
            old = queued.delivery.created_at < before or behind[queued.webhook] > most
            if old and queued.delivery.next_attempt_at is None:
                gone.append(queued)
        for queued in gone:
            del self._queued[queued.delivery.id]
        return len(gone)

    async def _catch_up(self) -> None:
        """Record what happened and was said since the last time."""
        if self._unread:
            await self._put_events()
        for id, kept in self._webhooks.items():
            if kept.webhook.state is WebhookState.ACTIVE and MessageType.CHAT in kept.webhook.events:
                await self._put_chat(id, kept)

    async def _put_events(self) -> None:
        """Record what the log tells since the last time."""
        subscribers: dict[PlayerId | None, list[Subscriber]] = {}
        ids: dict[UUID, WebhookId] = {}
        for id, kept in self._webhooks.items():
            if kept.webhook.state is WebhookState.ACTIVE and (number := parsed("webhook", id)) is not None:
                ids[number] = id
                subscriber = Subscriber(number, kept.target, frozenset(kept.webhook.events), kept.since)
                subscribers.setdefault(kept.player, []).append(subscriber)
        for happened in self._unread:
            self._told = happened.position
            at = happened.recorded.at
            told = noticed(happened)
            secrets = await self._seeds.secrets(match_id(happened.number))
            for put in messages(self._games, secrets.seed, happened, told, subscribers):
                match = match_id(happened.number)
                self._put(ids[put.subscriber.id], _pending(put.id, put.type, match, at), put.body)
        self._unread.clear()

    async def _put_chat(self, id: WebhookId, kept: KeptWebhook) -> None:
        """Record what was said to a webhook's player since the last time."""
        if kept.player is None:
            return
        for said in await self._chat_log.for_player(kept.player, after=kept.chat_since, limit=1_000_000):
            kept.chat_since = said.position
            delivery = _pending(new_delivery_id(said.sent_at), MessageType.CHAT, said.match, said.sent_at)
            self._put(id, delivery, chat_body(said.match, kept.player, said.id, said.room, said.sent_at))

    def _put(self, id: WebhookId, delivery: Delivery, body: bytes) -> None:
        """Put a message down, or pause its webhook if so many are pending already."""
        kept = self._webhooks[id]
        if not kept.webhook.enabled:
            return
        if len(self._pending(id)) < MOST_PENDING:
            self._queued[delivery.id] = Queued(id, delivery, body)
            return
        kept.webhook = msgspec.structs.replace(
            kept.webhook, enabled=False, disabled_reason=DisabledReason.BACKLOG
        )
        self._stands(kept)
        if kept.player is not None:
            self._notify(kept.player, id, delivery.created_at)

    def _pending(self, id: WebhookId) -> list[Queued]:
        """Return the messages that are pending for a webhook, newest first."""
        pending = [
            queued
            for queued in self._queued.values()
            if queued.webhook == id and queued.delivery.next_attempt_at is not None
        ]
        return sorted(pending, key=lambda queued: queued.delivery.id, reverse=True)

    def _resume(self, id: WebhookId, at: datetime) -> None:
        """Send the newest of what is pending at once, and give the others up."""
        for place, queued in enumerate(self._pending(id)):
            if place < KEPT_PENDING:
                queued.delivery = msgspec.structs.replace(queued.delivery, next_attempt_at=at)
            else:
                queued.settle(DeliveryState.FAILED)

    async def _challenged(self, kept: KeptWebhook, sent: Sent) -> DisabledReason | None:
        """Note what came of a challenge, and return why its webhook is disabled, if it is."""
        if sent.state is DeliveryState.DELIVERED:
            kept.since, kept.chat_since = await self._log_end(), await self._chat_end(kept.player)
            kept.proved = True
            for queued in self._pending(kept.webhook.id):
                queued.held = False
        if sent.state is DeliveryState.FAILED:
            kept.webhook = msgspec.structs.replace(
                kept.webhook, enabled=False, disabled_reason=DisabledReason.UNPROVED
            )
            self._give_up(kept.webhook.id)
        self._stands(kept)
        return kept.webhook.disabled_reason

    def _stands(self, kept: KeptWebhook) -> None:
        """Let a webhook say how far it is."""
        webhook = kept.webhook
        state = state_of(enabled=webhook.enabled, proved=kept.proved, reason=webhook.disabled_reason)
        kept.webhook = msgspec.structs.replace(webhook, state=state)

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
        for queued in self._pending(id):
            queued.settle(DeliveryState.FAILED)

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


def _within(reach: Reach, kept: KeptWebhook) -> bool:
    if kept.webhook.owner is WebhookOwner.DEPLOYMENT:
        return reach.deployment
    return kept.player == reach.player
