"""Webhooks."""

from collections.abc import Iterable
from typing import override

from adapters.grpc.calls import caller
from adapters.grpc.generated.montane.v1 import webhooks_pb2 as pb
from adapters.grpc.generated.montane.v1.webhooks_pb2_grpc import WebhookServiceServicer
from adapters.grpc.mapping import member_of, members_of, numbers_of, timestamp_of
from adapters.grpc.rate_limits import Context
from adapters.grpc.requests import page_size
from services.notify.subscriptions import (
    Attempt,
    AttemptError,
    Changes,
    Delivery,
    DeliveryState,
    DisabledReason,
    MessageType,
    Reach,
    Webhook,
    WebhookId,
    WebhookOwner,
    Webhooks,
    WebhookState,
)
from services.players.accounts import Players
from services.players.store import Scope

TYPES = numbers_of(pb.MessageType.DESCRIPTOR, MessageType)
OWNERS = numbers_of(pb.WebhookOwner.DESCRIPTOR, WebhookOwner)
REASONS = numbers_of(pb.DisabledReason.DESCRIPTOR, DisabledReason)
HOW_FAR = numbers_of(pb.WebhookState.DESCRIPTOR, WebhookState)
STATES = numbers_of(pb.DeliveryState.DESCRIPTOR, DeliveryState)
ERRORS = numbers_of(pb.AttemptError.DESCRIPTOR, AttemptError)


class WebhookCalls(WebhookServiceServicer):
    """The service `WebhookService`."""

    def __init__(self, webhooks: Webhooks, players: Players) -> None:
        """Take the use cases, and who calls."""
        self._webhooks = webhooks
        self._players = players

    @override
    async def CreateWebhook(
        self, request: pb.CreateWebhookRequest, context: Context
    ) -> pb.CreateWebhookResponse:
        """Make a webhook."""
        reach = await self._reach(context)
        owner = WebhookOwner.PLAYER
        if request.HasField("owner"):
            owner = member_of(WebhookOwner, pb.WebhookOwner.DESCRIPTOR, request.owner)
        webhook, secret = await self._webhooks.create(
            reach, owner, request.url, _types(request.events), request.description
        )
        return pb.CreateWebhookResponse(webhook=_webhook(webhook), secret=secret)

    @override
    async def ListWebhooks(
        self, request: pb.ListWebhooksRequest, context: Context
    ) -> pb.ListWebhooksResponse:
        """Return the webhooks that the caller may know of."""
        found = await self._webhooks.all(await self._reach(context))
        return pb.ListWebhooksResponse(items=map(_webhook, found))

    @override
    async def GetWebhook(self, request: pb.GetWebhookRequest, context: Context) -> pb.GetWebhookResponse:
        """Return a webhook."""
        webhook = await self._webhooks.read(await self._reach(context), WebhookId(request.webhook))
        return pb.GetWebhookResponse(webhook=_webhook(webhook))

    @override
    async def UpdateWebhook(
        self, request: pb.UpdateWebhookRequest, context: Context
    ) -> pb.UpdateWebhookResponse:
        """Change a webhook."""
        changes = Changes(
            url=request.url if request.HasField("url") else None,
            description=request.description if request.HasField("description") else None,
            events=_types(request.events) or None,
            enabled=request.enabled if request.HasField("enabled") else None,
        )
        webhook = await self._webhooks.change(await self._reach(context), WebhookId(request.webhook), changes)
        return pb.UpdateWebhookResponse(webhook=_webhook(webhook))

    @override
    async def DeleteWebhook(
        self, request: pb.DeleteWebhookRequest, context: Context
    ) -> pb.DeleteWebhookResponse:
        """Remove a webhook."""
        await self._webhooks.remove(await self._reach(context), WebhookId(request.webhook))
        return pb.DeleteWebhookResponse()

    @override
    async def RotateWebhookSecret(
        self, request: pb.RotateWebhookSecretRequest, context: Context
    ) -> pb.RotateWebhookSecretResponse:
        """Give a webhook a new secret."""
        reach = await self._reach(context)
        secret = await self._webhooks.rotate_secret(reach, WebhookId(request.webhook))
        return pb.RotateWebhookSecretResponse(secret=secret)

    @override
    async def TestWebhook(self, request: pb.TestWebhookRequest, context: Context) -> pb.TestWebhookResponse:
        """Send a test message."""
        delivery = await self._webhooks.test(await self._reach(context), WebhookId(request.webhook))
        return pb.TestWebhookResponse(delivery=_delivery(delivery))

    @override
    async def ListDeliveries(
        self, request: pb.ListDeliveriesRequest, context: Context
    ) -> pb.ListDeliveriesResponse:
        """Return the messages to a webhook."""
        page = await self._webhooks.deliveries(
            await self._reach(context),
            WebhookId(request.webhook),
            after=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        return pb.ListDeliveriesResponse(items=map(_delivery, page.items), next_page_token=page.next)

    async def _reach(self, context: Context) -> Reach:
        """Return whose webhooks the caller may know of."""
        found = await caller(self._players, Scope.WEBHOOKS)
        return Reach(found.id, deployment=Scope.ADMIN in found.scopes)


def _types(numbers: Iterable[int]) -> tuple[MessageType, ...]:
    return tuple(members_of(MessageType, pb.MessageType.DESCRIPTOR, numbers, "events"))


def _webhook(webhook: Webhook) -> pb.Webhook:
    return pb.Webhook(
        id=webhook.id,
        owner=pb.WebhookOwner.ValueType(OWNERS[webhook.owner]),
        url=webhook.url,
        description=webhook.description,
        events=[pb.MessageType.ValueType(TYPES[type]) for type in webhook.events],
        state=pb.WebhookState.ValueType(HOW_FAR[webhook.state]),
        enabled=webhook.enabled,
        disabled_reason=None
        if webhook.disabled_reason is None
        else pb.DisabledReason.ValueType(REASONS[webhook.disabled_reason]),
        failing_since=None if webhook.failing_since is None else timestamp_of(webhook.failing_since),
        created_at=timestamp_of(webhook.created_at),
    )


def _delivery(delivery: Delivery) -> pb.Delivery:
    due = delivery.next_attempt_at
    return pb.Delivery(
        id=delivery.id,
        type=pb.MessageType.ValueType(TYPES[delivery.type]),
        match=delivery.match,
        state=pb.DeliveryState.ValueType(STATES[delivery.state]),
        created_at=timestamp_of(delivery.created_at),
        next_attempt_at=None if due is None else timestamp_of(due),
        attempts=map(_attempt, delivery.attempts),
    )


def _attempt(attempt: Attempt) -> pb.Attempt:
    return pb.Attempt(
        attempt=attempt.attempt,
        at=timestamp_of(attempt.at),
        latency_ms=attempt.latency_ms,
        status=attempt.status,
        error=None if attempt.error is None else pb.AttemptError.ValueType(ERRORS[attempt.error]),
    )
