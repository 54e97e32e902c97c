"""Webhooks: who is notified of what, and where; what was sent is in a log.

What is to be sent is recorded with the log of matches (`services.notify.webhook_messages` says what that is)
and sent by `services.notify.deliveries`.
"""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_bytes
from typing import NewType, Protocol

import msgspec
from msgspec import Struct

from domain.match import PlayerId
from services.notify.addresses import Target, target_of
from services.shared.errors import FailureReason, Forbidden, Malformed, NotFound, TooMany
from services.shared.ids import MatchId, new_uuid, parsed, placed_uuid, written
from services.shared.pages import Page, cut, ended_at
from services.shared.time import Clock, Time

WebhookId = NewType("WebhookId", str)
DeliveryId = NewType("DeliveryId", str)

MOST = 10
"""The most webhooks of one owner."""
LONGEST_DESCRIPTION = 200
SECRET_BYTES = 32
CHALLENGE_BYTES = 24
MOST_PENDING = 1_000
"""The most messages that are pending for a webhook; the next one pauses it."""
KEPT_PENDING = MOST_PENDING // 2
"""How many of them are sent when it is resumed, the newest; the others are given up."""
BOTH_SIGN = timedelta(hours=24)
"""How long the secret before still signs too, so that receivers can change over without a gap."""


class MessageType(StrEnum):
    """What a message tells."""

    YOUR_TURN = "your_turn"
    INVITED = "invited"
    STARTED = "started"
    ENDED = "ended"
    CANCELLED = "cancelled"
    CHAT = "chat"
    MATCH_EVENT = "match.event"
    TEST = "test"
    CHALLENGE = "webhook.challenge"


OF_A_PLAYER = frozenset({MessageType.INVITED, MessageType.CHAT})
"""What is between players, and no business of the deployment's webhooks."""


OF_NO_MATCH = (MessageType.TEST, MessageType.CHALLENGE)
"""What may be sent to a target that has not proved itself."""


class WebhookOwner(StrEnum):
    """Whose a webhook is."""

    PLAYER = "player"
    DEPLOYMENT = "deployment"


class DisabledReason(StrEnum):
    """Why nothing is sent to a webhook."""

    BY_OWNER = "by_owner"
    GONE = "gone"
    FAILING = "failing"
    BACKLOG = "backlog"
    UNPROVED = "unproved"


class WebhookState(StrEnum):
    """How far a webhook is."""

    UNPROVED = "unproved"
    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"


class Webhook(Struct, frozen=True, kw_only=True):
    """A subscription to what happens.

    Attributes:
        id: `webhook_...`.
        owner: Whose it is: notified of a player's own matches, or of all public ones.
        url: Where messages are sent.
        description: What it is for, in the owner's words.
        events: The types of messages that are sent.
        state: Its target has yet to echo a challenge; it is notified of what happens; it is paused, as too
            much is pending; or it is disabled.
        enabled: Whether messages are recorded for it.
        disabled_reason: Why none are: the owner said so, the target answered 410, it failed for days, too
            much was pending, or it has never proved that it wants messages; None while it is enabled.
        failing_since: Since when no attempt has succeeded and some have failed; None while all is well.
        created_at: When it was made, UTC.
    """

    id: WebhookId
    owner: WebhookOwner
    url: str
    description: str
    events: tuple[MessageType, ...]
    state: WebhookState
    enabled: bool
    disabled_reason: DisabledReason | None
    failing_since: Time | None
    created_at: Time


class AttemptError(StrEnum):
    """Why an attempt to deliver did not succeed."""

    BAD_STATUS = "BAD_STATUS"
    REDIRECTED = "REDIRECTED"
    TIMED_OUT = "TIMED_OUT"
    NAME_UNKNOWN = "NAME_UNKNOWN"
    ADDRESS_REFUSED = "ADDRESS_REFUSED"
    CONNECTION_FAILED = "CONNECTION_FAILED"
    TLS_FAILED = "TLS_FAILED"
    NOT_ECHOED = "NOT_ECHOED"


class Attempt(Struct, frozen=True, kw_only=True):
    """One try to deliver a message.

    Attributes:
        attempt: Its number, from 1.
        at: When it began, UTC.
        latency_ms: Milliseconds until the target answered, or the attempt was given up.
        status: The HTTP status of the answer; None if there was none.
        error: Why it did not succeed; None if it did.
    """

    attempt: int
    at: Time
    latency_ms: int
    status: int | None
    error: AttemptError | None


class DeliveryState(StrEnum):
    """How far a message is."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Delivery(Struct, frozen=True, kw_only=True):
    """A message to a webhook, and what became of it.

    Attributes:
        id: `delivery_...`; the message's `webhook-id`, the same at each attempt.
        type: What it tells.
        match: The match that it tells of; None in a test and a challenge.
        state: How far it is.
        created_at: When it was recorded, UTC.
        next_attempt_at: When it is tried next; None once it is delivered or given up, and while it waits for
            its webhook's target to prove itself.
        attempts: What was tried, in order.
    """

    id: DeliveryId
    type: MessageType
    match: MatchId | None
    state: DeliveryState
    created_at: Time
    next_attempt_at: Time | None
    attempts: tuple[Attempt, ...]


class Reach(Struct, frozen=True):
    """Whose webhooks a caller may know of.

    Attributes:
        player: The caller: its own.
        deployment: Whether also the deployment's.
    """

    player: PlayerId
    deployment: bool


class Changes(Struct, frozen=True, kw_only=True):
    """What is to be different of a webhook; None where it stays.

    Attributes:
        url: Where messages are sent.
        description: What it is for.
        events: The types of messages that are sent.
        enabled: Whether messages are sent.
    """

    url: str | None = None
    description: str | None = None
    events: tuple[MessageType, ...] | None = None
    enabled: bool | None = None


class Challenge(Struct, frozen=True):
    """What a target must echo before it is sent anything.

    Attributes:
        delivery: The message.
        body: Its body.
    """

    delivery: Delivery
    body: bytes


class WebhookStore(Protocol):
    """Webhooks and the log of what was sent. Every method raises `Unavailable` while the store is away."""

    async def add(
        self, webhook: Webhook, player: PlayerId | None, target: Target, secret: bytes, challenge: Challenge
    ) -> bool:
        """Store a webhook of a player, or of the deployment; return False if that has `MOST` already.

        It is notified of what is logged once its target has met the challenge.

        Raises:
            NotFound: The player was erased a moment ago.
        """

    async def all(self, reach: Reach) -> list[Webhook]:
        """Return the webhooks within reach, oldest first."""

    async def find(self, reach: Reach, id: WebhookId) -> Webhook | None:
        """Return a webhook within reach."""

    async def change(
        self,
        id: WebhookId,
        changes: Changes,
        target: Target | None,
        challenge: Challenge | None,
        at: datetime,
    ) -> Webhook | None:
        """Change a webhook and return it as it is then.

        One that is disabled gives up what is pending; one that is enabled is notified of what is logged
        from now on, and of the newest `KEPT_PENDING` that were pending while it was paused.

        Args:
            id: The webhook.
            changes: What is to be different.
            target: Where it points then, if that changes: what is pending goes there.
            challenge: What the target must echo if it is another one, or is enabled and has yet to prove
                itself; nothing of a match is sent before.
            at: The time, UTC.
        """

    async def remove(self, reach: Reach, id: WebhookId) -> bool:
        """Remove a webhook within reach with its log; return whether there was one."""

    async def rotate(self, reach: Reach, id: WebhookId, secret: bytes, both_until: datetime) -> bool:
        """Sign with a new secret, and until a time with the one before too; return if there is a webhook."""

    async def deliveries(self, id: WebhookId, before: DeliveryId | None, limit: int) -> list[Delivery]:
        """Return the messages to a webhook, newest first, older than `before`."""

    async def put(self, id: WebhookId, delivery: Delivery, body: bytes) -> Delivery:
        """Record a message that no event makes.

        Returns:
            It, or the one of this type that is pending.
        """


class Webhooks:
    """Makes, shows and changes webhooks."""

    def __init__(self, store: WebhookStore, clock: Clock, *, private: bool) -> None:
        """Take where webhooks are kept, the time, and whether private addresses are allowed."""
        self._store = store
        self._clock = clock
        self._private = private

    async def create(
        self, reach: Reach, owner: WebhookOwner, url: str, events: Sequence[MessageType], description: str
    ) -> tuple[Webhook, str]:
        """Return a new webhook and its secret; the secret is shown this once only.

        Raises:
            Malformed: The address, the types or the description are not as they must be.
            Forbidden: The deployment's webhooks are not the caller's to make.
            TooMany: The owner has as many as it may.
        """
        if owner is WebhookOwner.DEPLOYMENT and not reach.deployment:
            raise Forbidden(FailureReason.SCOPE_MISSING, scope="admin")
        target = target_of(url, private=self._private)
        now = self._clock.now()
        webhook = Webhook(
            id=WebhookId(written("webhook", new_uuid(now))),
            owner=owner,
            url=url,
            description=_checked_description(description),
            events=_checked_types(owner, events),
            state=WebhookState.UNPROVED,
            enabled=True,
            disabled_reason=None,
            failing_since=None,
            created_at=now,
        )
        secret = token_bytes(SECRET_BYTES)
        player = reach.player if owner is WebhookOwner.PLAYER else None
        if not await self._store.add(webhook, player, target, secret, new_challenge(now)):
            raise TooMany(FailureReason.TOO_MANY_WEBHOOKS, most=MOST)
        return webhook, written_secret(secret)

    async def all(self, reach: Reach) -> list[Webhook]:
        """Return the webhooks that the caller may know of, oldest first."""
        return await self._store.all(reach)

    async def read(self, reach: Reach, id: WebhookId) -> Webhook:
        """Return a webhook.

        Raises:
            NotFound: There is none, or none that the caller may know of.
        """
        webhook = await self._store.find(reach, _checked_id(id))
        if webhook is None:
            raise NotFound(FailureReason.NO_SUCH_WEBHOOK, webhook=id)
        return webhook

    async def change(self, reach: Reach, id: WebhookId, changes: Changes) -> Webhook:
        """Change a webhook and return it as it is then; enabling one begins again, or resumes it.

        Another address must prove that it wants messages.

        Raises:
            NotFound: There is none, or none that the caller may know of.
            Malformed: The address, the types or the description are not as they must be.
        """
        webhook = await self.read(reach, id)
        url = None if changes.url == webhook.url else changes.url
        target = None if url is None else target_of(url, private=self._private)
        checked = Changes(
            url=url,
            description=None if changes.description is None else _checked_description(changes.description),
            events=None if changes.events is None else _checked_types(webhook.owner, changes.events),
            enabled=None if _is_already(webhook, changes.enabled) else changes.enabled,
        )
        now = self._clock.now()
        challenge = new_challenge(now) if url is not None or checked.enabled else None
        changed = await self._store.change(id, checked, target, challenge, now)
        if changed is None:
            raise NotFound(FailureReason.NO_SUCH_WEBHOOK, webhook=id)
        return changed

    async def remove(self, reach: Reach, id: WebhookId) -> None:
        """Remove a webhook; nothing more is sent, but for what is on its way.

        Raises:
            NotFound: There is none, or none that the caller may know of.
        """
        if not await self._store.remove(reach, _checked_id(id)):
            raise NotFound(FailureReason.NO_SUCH_WEBHOOK, webhook=id)

    async def rotate_secret(self, reach: Reach, id: WebhookId) -> str:
        """Return a webhook's new secret, shown this once only; for a day the one before signs too.

        Raises:
            NotFound: There is none, or none that the caller may know of.
        """
        secret = token_bytes(SECRET_BYTES)
        if not await self._store.rotate(reach, _checked_id(id), secret, self._clock.now() + BOTH_SIGN):
            raise NotFound(FailureReason.NO_SUCH_WEBHOOK, webhook=id)
        return written_secret(secret)

    async def deliveries(
        self, reach: Reach, id: WebhookId, *, after: str | None, size: int
    ) -> Page[Delivery]:
        """Return the messages to a webhook, newest first.

        Raises:
            NotFound: There is no such webhook, or none that the caller may know of.
            Malformed: `after` is not where a page ended.
        """
        before = ended_at("delivery", after, DeliveryId)
        await self.read(reach, id)
        found = await self._store.deliveries(id, before, size + 1)
        return cut(found, size, lambda last: last.id)

    async def test(self, reach: Reach, id: WebhookId) -> Delivery:
        """Record a test message, also to a webhook that is disabled; it is tried once.

        To a target that has yet to prove itself the challenge is sent again instead.

        Returns:
            The message; while one is pending, that one.

        Raises:
            NotFound: There is no such webhook, or none that the caller may know of.
        """
        webhook = await self.read(reach, id)
        now = self._clock.now()
        if webhook.state is WebhookState.UNPROVED:
            challenge = new_challenge(now)
            return await self._store.put(id, challenge.delivery, challenge.body)
        body = msgspec.json.encode({"type": MessageType.TEST, "timestamp": now, "data": {}})
        return await self._store.put(id, _pending(MessageType.TEST, now), body)


def state_of(*, enabled: bool, proved: bool, reason: DisabledReason | None) -> WebhookState:
    """Return how far a webhook is."""
    if enabled:
        return WebhookState.ACTIVE if proved else WebhookState.UNPROVED
    return WebhookState.PAUSED if reason is DisabledReason.BACKLOG else WebhookState.DISABLED


def new_challenge(at: datetime) -> Challenge:
    """Return a fresh challenge."""
    data = {"challenge": urlsafe_b64encode(token_bytes(CHALLENGE_BYTES)).decode()}
    body = msgspec.json.encode({"type": MessageType.CHALLENGE, "timestamp": at, "data": data})
    return Challenge(_pending(MessageType.CHALLENGE, at), body)


def new_delivery_id(at: datetime, version: int = 0, ordinal: int = 0) -> DeliveryId:
    """Return the id of a message: the messages of a match sort in the order of what they tell."""
    return DeliveryId(written("delivery", placed_uuid(at, version << 6 | ordinal)))


def _pending(type: MessageType, at: datetime) -> Delivery:
    """Return a message that is to be sent at once and tells of no match."""
    return Delivery(
        id=new_delivery_id(at),
        type=type,
        match=None,
        state=DeliveryState.PENDING,
        created_at=at,
        next_attempt_at=at,
        attempts=(),
    )


def _is_already(webhook: Webhook, enabled: bool | None) -> bool:
    """Return whether a webhook is enabled as is asked for; one that is paused can still be disabled."""
    return enabled is webhook.enabled and webhook.state is not WebhookState.PAUSED


def written_secret(secret: bytes) -> str:
    """Return a secret as receivers are told it: `whsec_` and base 64."""
    return f"whsec_{b64encode(secret).decode()}"


def _checked_id(id: WebhookId) -> WebhookId:
    if parsed("webhook", id) is None:
        raise NotFound(FailureReason.NO_SUCH_WEBHOOK, webhook=id)
    return id


def _checked_description(description: str) -> str:
    if len(description) > LONGEST_DESCRIPTION or not description.isprintable():
        raise Malformed(
            FailureReason.INVALID_FIELD, field="description", expected="at most 200 printable characters"
        )
    return description


def _checked_types(owner: WebhookOwner, types: Sequence[MessageType]) -> tuple[MessageType, ...]:
    """Return the types, each once, in the order in which they are listed."""
    wanted = tuple(type for type in MessageType if type in types)
    if not wanted:
        raise Malformed(FailureReason.INVALID_FIELD, field="events", expected="at least one type of message")
    if owner is WebhookOwner.DEPLOYMENT and OF_A_PLAYER & set(wanted):
        names = ", ".join(type for type in MessageType if type not in OF_A_PLAYER)
        raise Malformed(
            FailureReason.INVALID_FIELD, field="events", expected=f"of these for a deployment: {names}"
        )
    return wanted
