"""Targets of webhooks that echo their challenge."""

import msgspec

from services.notify.deliveries import Reply, sent
from services.notify.subscriptions import MessageType, WebhookId
from services.shared.time import Clock

EVERYTHING = 10_000


def echo(body: bytes) -> Reply:
    """Return the reply of a target that meets a challenge."""
    challenge = msgspec.json.decode(body)["data"]["challenge"]
    return Reply(latency_ms=1, status=200, body=msgspec.json.encode({"challenge": challenge}))


async def proved(outbox: object, clock: Clock, *webhooks: WebhookId) -> None:
    """Let the targets of webhooks echo their challenges; all else that is due stays due."""
    now = clock.now()
    taken = await outbox.take(now, now, most=EVERYTHING, per_target=EVERYTHING, under_way={})  # type: ignore[attr-defined]
    for parcel in taken:
        if parcel.type is MessageType.CHALLENGE and parcel.webhook in webhooks:
            await outbox.settle(parcel, sent(parcel, echo(parcel.body), now, now, 0))  # type: ignore[attr-defined]
