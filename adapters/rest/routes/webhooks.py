"""Webhooks: make, show, change and test them; look up what was sent."""

from litestar import Response, delete, get, patch, post
from litestar.params import FromPath
from msgspec import UNSET

from adapters.rest.answers import Empty, answer
from adapters.rest.bodies.matches import Items
from adapters.rest.bodies.webhooks import NewWebhook, WebhookChangesRequest, WebhookRequest, WebhookSecret
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken, paged
from adapters.rest.requests import Call, body, caller, link, services
from services.notify.subscriptions import Changes, Reach, WebhookId
from services.players.store import Scope


@post(
    "/webhooks",
    opt=describes(
        asks="WebhookRequest", answers="NewWebhook", fails=(400, 401, 403, 413, 415, 422), secured=True
    ),
)
async def create_webhook(request: Call) -> Response[bytes]:
    """Make a webhook: messages to a server of yours when something happens.

    It is notified of the matches in which the caller sits, as its seat sees them; one of the deployment of
    all public matches, as a spectator sees them. The answer holds the secret that verifies its messages; it
    is shown this once. Its target must first echo a challenge; until then the webhook is `unproved`. What is
    sent, and how it is tried again, is described under `webhooks`. An owner may have 10. Needs the scope
    `webhooks`.
    """
    reach = await _reach(request)
    asked = await body(request, WebhookRequest)
    webhook, secret = await services(request).webhooks.create(
        reach, asked.owner, asked.url, asked.events, asked.description
    )
    headers = {"Location": link(request, f"/v1/webhooks/{webhook.id}")}
    return answer(NewWebhook(webhook, secret), status=201, headers=headers)


@get("/webhooks", opt=describes(answers="WebhookPage", fails=(401, 403), secured=True))
async def list_webhooks(request: Call) -> Response[bytes]:
    """List the caller's webhooks, oldest first.

    For a token with the scope `admin` those of the deployment too. There are so few that they come in one
    part. Needs the scope `webhooks`.
    """
    found = await services(request).webhooks.all(await _reach(request))
    return answer(Items(tuple(found), None))


@get("/webhooks/{webhook:str}", opt=describes(answers="Webhook", fails=(401, 403, 404), secured=True))
async def get_webhook(request: Call, webhook: FromPath[str]) -> Response[bytes]:
    """Tell a webhook.

    Needs the scope `webhooks`.
    """
    reach = await _reach(request)
    return answer(await services(request).webhooks.read(reach, WebhookId(webhook)))


@patch(
    "/webhooks/{webhook:str}",
    opt=describes(
        asks="WebhookChangesRequest",
        answers="Webhook",
        fails=(400, 401, 403, 404, 413, 415),
        secured=True,
    ),
)
async def update_webhook(request: Call, webhook: FromPath[str]) -> Response[bytes]:
    """Change a webhook, enable one that was disabled, or resume one that is paused.

    A webhook that is given another `url` is asked to echo a challenge again; nothing is sent before. Needs
    the scope `webhooks`.
    """
    reach = await _reach(request)
    asked = await body(request, WebhookChangesRequest)
    changes = Changes(
        url=None if asked.url is UNSET else asked.url,
        description=None if asked.description is UNSET else asked.description,
        events=None if asked.events is UNSET else asked.events,
        enabled=None if asked.enabled is UNSET else asked.enabled,
    )
    return answer(await services(request).webhooks.change(reach, WebhookId(webhook), changes))


@delete("/webhooks/{webhook:str}", opt=describes(answers=None, fails=(401, 403, 404), secured=True))
async def delete_webhook(request: Call, webhook: FromPath[str]) -> Response[None]:
    """Remove a webhook and its log.

    What is under way may still arrive. Needs the scope `webhooks`.
    """
    await services(request).webhooks.remove(await _reach(request), WebhookId(webhook))
    return Empty()


@post(
    "/webhooks/{webhook:str}/rotate-secret",
    status_code=200,
    opt=describes(answers="WebhookSecret", fails=(401, 403, 404), secured=True),
)
async def rotate_webhook_secret(request: Call, webhook: FromPath[str]) -> Response[bytes]:
    """Give a webhook a new secret.

    It is shown this once. For 24 hours messages are signed with the one before too, in a second signature, so
    that a receiver can change over at its leisure. Needs the scope `webhooks`.
    """
    secret = await services(request).webhooks.rotate_secret(await _reach(request), WebhookId(webhook))
    return answer(WebhookSecret(secret))


@post(
    "/webhooks/{webhook:str}/test",
    status_code=202,
    opt=describes(answers="Delivery", fails=(401, 403, 404), secured=True),
)
async def test_webhook(request: Call, webhook: FromPath[str]) -> Response[bytes]:
    """Send a message of type `test`, also to a webhook that is disabled.

    To one that has yet to prove itself the challenge is sent again instead.

    It is tried once, within moments; the log tells what came of it. While one is under way no other is sent.
    Needs the scope `webhooks`.
    """
    delivery = await services(request).webhooks.test(await _reach(request), WebhookId(webhook))
    return answer(delivery, status=202)


@get(
    "/webhooks/{webhook:str}/deliveries",
    opt=describes(answers="DeliveryPage", lines="Delivery", fails=(400, 401, 403, 404), secured=True),
)
async def list_deliveries(
    request: Call, webhook: FromPath[str], page_size: PageSize = 50, page_token: PageToken = None
) -> Response[bytes]:
    """List the messages to a webhook and what became of them, newest first.

    They are kept for some weeks. With `Accept: application/x-ndjson` each is a line, and the token of the
    next page the header `Next-Page-Token`. Needs the scope `webhooks`.
    """
    page = await services(request).webhooks.deliveries(
        await _reach(request), WebhookId(webhook), after=page_token, size=page_size
    )
    return paged(request, page.items, page.next)


async def _reach(request: Call) -> Reach:
    """Return whose webhooks the caller may know of."""
    found = await caller(request, Scope.WEBHOOKS)
    return Reach(found.id, deployment=Scope.ADMIN in found.scopes)


ROUTES = (
    create_webhook,
    list_webhooks,
    get_webhook,
    update_webhook,
    delete_webhook,
    rotate_webhook_secret,
    test_webhook,
    list_deliveries,
)
