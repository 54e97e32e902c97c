"""Webhooks and the messages to them, in PostgreSQL."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from psycopg import Cursor

from adapters.postgres.connection.connections import NOTIFY
from adapters.postgres.connection.datastore import Datastore, hold
from adapters.postgres.webhooks.outbox import DELIVERIES
from domain.match import PlayerId
from services.notify.addresses import Target
from services.notify.deliveries import LEASE, Parcel, Sent
from services.notify.subscriptions import (
    KEPT_PENDING,
    MOST,
    OF_NO_MATCH,
    Attempt,
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
    state_of,
)
from services.shared.errors import FailureReason, NotFound
from services.shared.ids import made_before, match_id, parsed, written

PURGED = 1_000
"""How many messages are forgotten in one transaction."""

ADD = """
INSERT INTO webhooks
    (webhook_id, player_id, url, target, description, events, enabled, proved, secret, created_at, since,
    chat_since)
SELECT %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,
    (SELECT coalesce(max(notification_id), 0) FROM match_events),
    (SELECT coalesce(max(position), 0) FROM chat_messages)
WHERE (SELECT count(*) FROM webhooks WHERE player_id IS NOT DISTINCT FROM %s) < %s
"""

CHANGE = """
UPDATE webhooks SET
    url = coalesce(%(url)s, url),
    target = coalesce(%(target)s, target),
    description = coalesce(%(description)s, description),
    events = coalesce(%(events)s::text[], events),
    enabled = coalesce(%(enabled)s, enabled),
    proved = proved AND NOT %(challenged)s,
    disabled_reason = CASE
        WHEN %(enabled)s::boolean IS NULL THEN disabled_reason WHEN NOT %(enabled)s THEN %(by_owner)s
    END,
    failing_since = CASE WHEN %(enabled)s::boolean IS NULL THEN failing_since END,
    since = CASE
        WHEN %(enabled)s::boolean THEN (SELECT coalesce(max(notification_id), 0) FROM match_events) ELSE since
    END,
    chat_since = CASE
        WHEN %(enabled)s::boolean THEN (SELECT coalesce(max(position), 0) FROM chat_messages) ELSE chat_since
    END
WHERE webhook_id = %(id)s RETURNING *
"""

TAKE = """
WITH RECURSIVE targets AS (
    (SELECT target FROM webhook_deliveries WHERE due_at IS NOT NULL ORDER BY target LIMIT 1)
    UNION ALL
    SELECT (
        SELECT later.target FROM webhook_deliveries AS later
        WHERE later.due_at IS NOT NULL AND later.target > targets.target ORDER BY later.target LIMIT 1
    ) FROM targets WHERE targets.target IS NOT NULL
),
ready AS (
    SELECT due.delivery_id, due.due_at, targets.target,
        coalesce(busy.count, 0) + row_number() OVER (
            PARTITION BY targets.target ORDER BY due.due_at, due.delivery_id
        ) AS place
    FROM targets
    LEFT JOIN unnest(%(busy)s::text[], %(counts)s::integer[]) AS busy (target, count)
        ON busy.target = targets.target
    CROSS JOIN LATERAL (
        SELECT delivery_id, due_at FROM webhook_deliveries AS waiting
        WHERE waiting.target = targets.target AND due_at <= %(now)s
        ORDER BY due_at, delivery_id LIMIT %(per_target)s FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE coalesce(busy.count, 0) < %(per_target)s
),
taken AS (
    UPDATE webhook_deliveries SET due_at = %(until)s
    WHERE delivery_id IN (
        SELECT delivery_id FROM ready WHERE place <= %(per_target)s
        ORDER BY due_at, delivery_id LIMIT %(most)s
    )
    RETURNING delivery_id, webhook_id, type, target, body, tried
)
SELECT taken.*, url, secret, CASE WHEN before_until > %(now)s THEN secret_before END AS secret_before
FROM taken JOIN webhooks USING (webhook_id)
ORDER BY delivery_id
"""
"""Steps from target to target by the index, so that a long queue for one costs the others nothing."""


PUT = """
INSERT INTO webhook_deliveries (delivery_id, webhook_id, type, target, body, state, created_at, due_at)
SELECT %s, webhook_id, %s, target, %s, %s, %s, %s FROM webhooks WHERE webhook_id = %s ON CONFLICT DO NOTHING
"""

RESUME = """
UPDATE webhook_deliveries SET
    state = CASE WHEN kept THEN state ELSE %(failed)s END,
    due_at = CASE WHEN kept THEN least(due_at, %(now)s) END
FROM (
    SELECT delivery_id AS id, row_number() OVER (ORDER BY delivery_id DESC) <= %(most)s AS kept
    FROM webhook_deliveries WHERE webhook_id = %(webhook)s AND due_at IS NOT NULL
) AS pending
WHERE delivery_id = id AND (NOT kept OR due_at > %(leased)s)
"""
"""What a process has taken meanwhile is left to it."""

PROVED = """
UPDATE webhooks SET proved = true, failing_since = NULL,
    since = (SELECT coalesce(max(notification_id), 0) FROM match_events),
    chat_since = (SELECT coalesce(max(position), 0) FROM chat_messages)
WHERE webhook_id = %s
"""

HELD = datetime(9999, 1, 1, tzinfo=UTC)
"""When what waits for its target to prove itself is due."""

OLD = """
SELECT delivery_id FROM webhook_deliveries WHERE delivery_id < %(before)s AND due_at IS NULL
ORDER BY delivery_id LIMIT %(limit)s
"""
MANY = """
SELECT delivery_id FROM webhooks CROSS JOIN LATERAL (
    SELECT delivery_id AS last FROM webhook_deliveries AS newer WHERE newer.webhook_id = webhooks.webhook_id
    ORDER BY delivery_id DESC OFFSET %(most)s LIMIT 1
) AS kept JOIN webhook_deliveries ON webhook_deliveries.webhook_id = webhooks.webhook_id
WHERE delivery_id <= last AND due_at IS NULL LIMIT %(limit)s
"""

PURGE = """
WITH gone AS (
    DELETE FROM webhook_deliveries WHERE delivery_id IN ({forgotten})
    RETURNING webhook_id, type, position
),
latest AS (
    SELECT
        webhook_id,
        max(position) FILTER (WHERE type <> 'chat') AS event,
        max(position) FILTER (WHERE type = 'chat') AS chat
    FROM gone GROUP BY webhook_id
),
told AS (
    UPDATE webhooks SET since = greatest(since, event), chat_since = greatest(chat_since, chat)
    FROM latest WHERE webhooks.webhook_id = latest.webhook_id
)
SELECT count(*) AS purged FROM gone
"""
"""What is forgotten counts as told, so that it is not recorded again were it read again."""


class PostgresWebhooks:
    """The ports `WebhookStore` and `Outbox`.

    What changes a webhook locks its row before any message's, so that nobody waits in a circle.
    """

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def add(
        self, webhook: Webhook, player: PlayerId | None, target: Target, secret: bytes, challenge: Challenge
    ) -> bool:
        """Store a webhook of a player, or of the deployment; return False if that has `MOST` already."""
        owner = None if player is None else parsed("player", player)

        def work() -> bool:
            with self._datastore.transaction() as cursor:
                # One owner's webhooks are added one after the other, so that none slips past the limit.
                if player is None:
                    hold(cursor, "webhooks of the deployment")
                elif not cursor.execute(
                    "SELECT FROM players WHERE player_id = %s FOR NO KEY UPDATE", (owner,)
                ).rowcount:
                    raise NotFound(FailureReason.NO_SUCH_PLAYER, player=player)
                cursor.execute(
                    ADD,
                    (
                        parsed("webhook", webhook.id),
                        owner,
                        webhook.url,
                        str(target),
                        webhook.description,
                        list(webhook.events),
                        webhook.enabled,
                        webhook.state is not WebhookState.UNPROVED,
                        secret,
                        webhook.created_at,
                        owner,
                        MOST,
                    ),
                )
                if cursor.rowcount != 1:
                    return False
                _put(cursor, parsed("webhook", webhook.id), challenge.delivery, challenge.body)
                return True

        return await self._datastore.run(work)

    async def all(self, reach: Reach) -> list[Webhook]:
        """Return the webhooks within reach, oldest first."""
        rows = await self._datastore.execute(
            "SELECT * FROM webhooks WHERE player_id = %s OR (%s AND player_id IS NULL) ORDER BY webhook_id",
            _within(reach),
        )
        return [_webhook(row) for row in rows]

    async def find(self, reach: Reach, id: WebhookId) -> Webhook | None:
        """Return a webhook within reach."""
        rows = await self._datastore.execute(
            "SELECT * FROM webhooks WHERE webhook_id = %s AND (player_id = %s OR (%s AND player_id IS NULL))",
            (parsed("webhook", id), *_within(reach)),
        )
        return _webhook(rows[0]) if rows else None

    async def change(
        self,
        id: WebhookId,
        changes: Changes,
        target: Target | None,
        challenge: Challenge | None,
        at: datetime,
    ) -> Webhook | None:
        """Change a webhook and return it as it is then."""
        number = parsed("webhook", id)
        values = {
            "id": number,
            "url": changes.url,
            "target": None if target is None else str(target),
            "description": changes.description,
            "events": None if changes.events is None else list(changes.events),
            "enabled": changes.enabled,
            "by_owner": DisabledReason.BY_OWNER,
            "challenged": target is not None,
            "held": HELD,
            "of_no_match": list(OF_NO_MATCH),
        }
        resumed = {
            "webhook": number,
            "failed": DeliveryState.FAILED,
            "now": at,
            "leased": at + LEASE,
            "most": KEPT_PENDING,
        }

        def work() -> Webhook | None:
            with self._datastore.transaction() as cursor:
                row = cursor.execute(CHANGE, values).fetchone()
                if changes.enabled is False:
                    _give_up(cursor, number)
                elif changes.enabled:
                    cursor.execute(RESUME, resumed)
                    cursor.execute(NOTIFY, {"name": DELIVERIES})
                if challenge is not None and row is not None and not row["proved"]:
                    _give_up(cursor, number, OF_NO_MATCH)
                    _put(cursor, number, challenge.delivery, challenge.body)
                    cursor.execute(
                        "UPDATE webhook_deliveries SET due_at = %(held)s,"
                        " target = coalesce(%(target)s, target)"
                        " WHERE webhook_id = %(id)s AND due_at IS NOT NULL AND type <> ALL(%(of_no_match)s)",
                        values,
                    )
                return None if row is None else _webhook(row)

        return await self._datastore.run(work)

    async def remove(self, reach: Reach, id: WebhookId) -> bool:
        """Remove a webhook within reach with its log; return whether there was one."""
        rows = await self._datastore.execute(
            "DELETE FROM webhooks WHERE webhook_id = %s AND (player_id = %s OR (%s AND player_id IS NULL))"
            " RETURNING webhook_id",
            (parsed("webhook", id), *_within(reach)),
        )
        return bool(rows)

    async def rotate(self, reach: Reach, id: WebhookId, secret: bytes, both_until: datetime) -> bool:
        """Sign with a new secret, and until a time with the one before too; return if there is a webhook."""
        rows = await self._datastore.execute(
            "UPDATE webhooks SET secret = %s, secret_before = secret, before_until = %s"
            " WHERE webhook_id = %s AND (player_id = %s OR (%s AND player_id IS NULL)) RETURNING webhook_id",
            (secret, both_until, parsed("webhook", id), *_within(reach)),
        )
        return bool(rows)

    async def deliveries(self, id: WebhookId, before: DeliveryId | None, limit: int) -> list[Delivery]:
        """Return the messages to a webhook, newest first, older than `before`."""
        last = UUID(int=2**128 - 1) if before is None else parsed("delivery", before)
        rows = await self._datastore.execute(
            "SELECT * FROM webhook_deliveries WHERE webhook_id = %s AND delivery_id < %s"
            " ORDER BY delivery_id DESC LIMIT %s",
            (parsed("webhook", id), last, limit),
        )
        return [_delivery(row) for row in rows]

    async def put(self, id: WebhookId, delivery: Delivery, body: bytes) -> Delivery:
        """Record a message that no event makes; instead of a second test return the one that is pending."""
        number = parsed("webhook", id)

        def work() -> Delivery:
            with self._datastore.transaction() as cursor:
                _put(cursor, number, delivery, body)
                row = cursor.execute(
                    "SELECT * FROM webhook_deliveries"
                    " WHERE webhook_id = %s AND type = %s AND due_at IS NOT NULL",
                    (number, delivery.type),
                ).fetchone()
                return delivery if row is None else _delivery(row)

        return await self._datastore.run(work)

    async def take(
        self, now: datetime, until: datetime, *, most: int, per_target: int, under_way: Mapping[str, int]
    ) -> list[Parcel]:
        """Take messages that are due; nobody else takes them meanwhile."""
        values: Any = {
            "now": now,
            "until": until,
            "most": most,
            "per_target": per_target,
            "busy": list(under_way),
            "counts": list(under_way.values()),
        }
        return [_parcel(row) for row in await self._datastore.execute(TAKE, values)]

    async def settle(self, parcel: Parcel, sent: Sent) -> DisabledReason | None:
        """Note what an attempt made of a message, unless another process has tried it since."""
        number = parsed("webhook", parcel.webhook)

        def work() -> DisabledReason | None:
            with self._datastore.transaction() as cursor:
                webhook = cursor.execute(
                    "SELECT enabled, proved, failing_since FROM webhooks WHERE webhook_id = %s"
                    " FOR NO KEY UPDATE",
                    (number,),
                ).fetchone()
                due_at = sent.due_at
                if (
                    due_at is not None
                    and webhook
                    and not webhook["proved"]
                    and parcel.type not in OF_NO_MATCH
                ):
                    # It was sent to another address, and may not go to the new one yet.
                    due_at = HELD
                noted = cursor.execute(
                    "UPDATE webhook_deliveries SET state = %s, due_at = %s, tried = tried + 1,"
                    " attempts = attempts || %s::jsonb WHERE delivery_id = %s AND tried = %s"
                    " AND due_at IS NOT NULL",
                    (
                        sent.state,
                        due_at,
                        msgspec.json.encode([sent.attempt]).decode(),
                        parsed("delivery", parcel.id),
                        parcel.tried,
                    ),
                ).rowcount
                if webhook is None or not webhook["enabled"] or noted == 0:
                    return None
                if parcel.type is MessageType.CHALLENGE:
                    return _challenged(cursor, number, sent)
                health = sent.health(webhook["failing_since"])
                if health.failing_since != webhook["failing_since"] or health.disabled is not None:
                    cursor.execute(
                        "UPDATE webhooks SET failing_since = %s, enabled = %s, disabled_reason = %s"
                        " WHERE webhook_id = %s",
                        (health.failing_since, health.disabled is None, health.disabled, number),
                    )
                if health.disabled is not None:
                    _give_up(cursor, number)
                return health.disabled

        return await self._datastore.run(work)

    async def purge(self, before: datetime, most: int) -> int:
        """Forget what is not pending and was recorded before a time, or has `most` messages after it."""
        values = {"before": made_before(before), "most": most, "limit": PURGED}
        total = 0
        for forgotten in (OLD, MANY):
            purged = PURGED
            while purged == PURGED:
                rows = await self._datastore.execute(PURGE.format(forgotten=forgotten), values)
                purged = rows[0]["purged"]
                total += purged
        return total


def _put(cursor: Cursor[Any], webhook: UUID | None, delivery: Delivery, body: bytes) -> None:
    """Record a message that no event makes, unless one of its type is pending."""
    cursor.execute(
        PUT,
        (
            parsed("delivery", delivery.id),
            delivery.type,
            body,
            delivery.state,
            delivery.created_at,
            delivery.next_attempt_at,
            webhook,
        ),
    )
    cursor.execute(NOTIFY, {"name": DELIVERIES})


def _challenged(cursor: Cursor[Any], webhook: UUID | None, sent: Sent) -> DisabledReason | None:
    """Note what came of a challenge, and return why its webhook is disabled, if it is."""
    if sent.state is DeliveryState.DELIVERED:
        cursor.execute(PROVED, (webhook,))
        cursor.execute(
            "UPDATE webhook_deliveries SET due_at = %s WHERE webhook_id = %s AND due_at = %s",
            (sent.attempt.at, webhook, HELD),
        )
        cursor.execute(NOTIFY, {"name": DELIVERIES})
    if sent.state is not DeliveryState.FAILED:
        return None
    cursor.execute(
        "UPDATE webhooks SET enabled = false, disabled_reason = %s WHERE webhook_id = %s",
        (DisabledReason.UNPROVED, webhook),
    )
    _give_up(cursor, webhook)
    return DisabledReason.UNPROVED


def _give_up(
    cursor: Cursor[Any], webhook: UUID | None, types: Sequence[MessageType] = tuple(MessageType)
) -> None:
    """Give up what is pending for a webhook, of all types or of some."""
    cursor.execute(
        "UPDATE webhook_deliveries SET state = %s, due_at = NULL"
        " WHERE webhook_id = %s AND due_at IS NOT NULL AND type = ANY(%s)",
        (DeliveryState.FAILED, webhook, list(types)),
    )


def _within(reach: Reach) -> tuple[UUID | None, bool]:
    return parsed("player", reach.player), reach.deployment


def _webhook(row: Mapping[str, Any]) -> Webhook:
    reason = None if row["disabled_reason"] is None else DisabledReason(row["disabled_reason"])
    return Webhook(
        id=WebhookId(written("webhook", row["webhook_id"])),
        owner=WebhookOwner.DEPLOYMENT if row["player_id"] is None else WebhookOwner.PLAYER,
        url=row["url"],
        description=row["description"],
        events=tuple(map(MessageType, row["events"])),
        state=state_of(
            enabled=row["enabled"], proved=row["proved"], reason=reason and DisabledReason(reason)
        ),
        enabled=row["enabled"],
        disabled_reason=reason,
        failing_since=row["failing_since"],
        created_at=row["created_at"],
    )


def _delivery(row: Mapping[str, Any]) -> Delivery:
    return Delivery(
        id=DeliveryId(written("delivery", row["delivery_id"])),
        type=MessageType(row["type"]),
        match=None if row["match_id"] is None else match_id(row["match_id"]),
        state=DeliveryState(row["state"]),
        created_at=row["created_at"],
        next_attempt_at=None if row["due_at"] == HELD else row["due_at"],
        attempts=msgspec.convert(row["attempts"], tuple[Attempt, ...]),
    )


def _parcel(row: Mapping[str, Any]) -> Parcel:
    secrets: Sequence[bytes | None] = row["secret"], row["secret_before"]
    return Parcel(
        id=DeliveryId(written("delivery", row["delivery_id"])),
        webhook=WebhookId(written("webhook", row["webhook_id"])),
        type=MessageType(row["type"]),
        url=row["url"],
        target=row["target"],
        secrets=tuple(bytes(secret) for secret in secrets if secret is not None),
        body=bytes(row["body"]),
        tried=row["tried"],
    )
