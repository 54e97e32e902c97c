"""Webhooks over REST and gRPC: the same on both, and bad input is told as what it is."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc
import httpx
import pytest

from adapters.grpc.generated.montane.v1 import webhooks_pb2 as pb
from adapters.grpc.generated.montane.v1.webhooks_pb2_grpc import WebhookServiceStub
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from services.notify.subscriptions import MOST
from services.players.store import Scope
from tests.support.faces.grpc_client import refusal_of
from tests.support.faces.proving import proved
from tests.support.stores.use_cases import Stores, memory_stores, proposal

URL = "https://ann.example/hook"
PATH = "/v1/webhooks"
STARTED = pb.MESSAGE_TYPE_STARTED
ENDED = pb.MESSAGE_TYPE_ENDED


async def token(stores: Stores, *scopes: Scope) -> tuple[Any, str]:
    """Return a new player, and a token of it that allows just this."""
    player, _ = await stores.players().open_guest("Ann")
    return player.id, (await stores.players().issue_token(player.id, scopes, None))[1]


@asynccontextmanager
async def rest(stores: Stores, token: str | None) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of REST."""
    transport = httpx.ASGITransport(app=cast(Any, build(stores.node(), "0")))
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://montane", headers=headers) as http:
        yield http


class Calls:
    """A client of gRPC."""

    def __init__(self, channel: Any, token: str | None) -> None:
        """Take the channel and the token."""
        self._stub: Any = WebhookServiceStub(channel)
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)

    async def __call__(self, method: str, request: Any) -> Any:
        """Return a method's answer."""
        return await getattr(self._stub, method)(request, metadata=self._metadata)

    async def refusal(self, method: str, request: Any) -> tuple[str, str, dict[str, str]]:
        """Return the code, the reason and the named values with which a call fails."""
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await self(method, request)
        return refusal_of(error.value)


@asynccontextmanager
async def calls(stores: Stores, *tokens: str | None) -> AsyncIterator[list[Calls]]:
    """Give clients of gRPC, one for each token."""
    server = GrpcServer(stores.node(), "127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield [Calls(channel, token) for token in tokens]
    finally:
        await server.stop(None)


def asked(**changes: Any) -> dict[str, Any]:
    """Return a request for a webhook over REST."""
    return {"url": URL, "events": ["started"], **changes}


async def test_a_webhook_s_life_over_rest() -> None:
    """It is made, shown without its secret, changed, tested, looked up and removed."""
    stores = memory_stores()
    player, secret = await token(stores, Scope.WEBHOOKS)
    async with rest(stores, secret) as http:
        made = await http.post(PATH, json=asked(events=["ended", "started"], description="mine"))
        webhook = made.json()["webhook"]
        assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
        assert made.headers["location"] == f"{PATH}/{webhook['id']}"
        assert webhook == {
            "id": webhook["id"],
            "owner": "player",
            "url": URL,
            "description": "mine",
            "events": ["started", "ended"],
            "state": "unproved",
            "enabled": True,
            "disabled_reason": None,
            "failing_since": None,
            "created_at": webhook["created_at"],
        }
        path = f"{PATH}/{webhook['id']}"
        assert (await http.get(path)).json() == webhook
        again = (await http.post(f"{path}/test")).json()
        assert (again["type"], again["state"]) == ("webhook.challenge", "pending")
        await proved(stores.webhooks, stores.clock, webhook["id"])
        webhook |= {"state": "active"}
        assert (await http.get(path)).json() == webhook
        assert (await http.get(PATH)).json() == {"items": [webhook], "next_page_token": None}
        disabled = (await http.patch(path, json={"enabled": False})).json()
        assert disabled == webhook | {
            "state": "disabled",
            "enabled": False,
            "disabled_reason": "by_owner",
        }
        changed = await http.patch(path, json={"enabled": True, "events": ["started"], "description": ""})
        assert changed.json() == webhook | {"events": ["started"], "description": ""}
        await stores.node().openings.open(player, proposal(), None)
        tested = await http.post(f"{path}/test")
        assert (tested.status_code, tested.json()["type"]) == (202, "test")
        page = (await http.get(f"{path}/deliveries", params={"page_size": 1})).json()
        assert page["items"] == [tested.json()]
        later = {"page_token": page["next_page_token"]}
        (started, met) = (await http.get(f"{path}/deliveries", params=later)).json()["items"]
        assert (met["id"], met["state"]) == (again["id"], "delivered")
        assert (started["type"], started["state"], started["attempts"]) == ("started", "pending", [])
        rotated = await http.post(f"{path}/rotate-secret")
        assert rotated.json()["secret"] != made.json()["secret"]
        assert rotated.headers["cache-control"] == "no-store"
        moved = (await http.patch(path, json={"url": "https://ann.example/other"})).json()
        assert (moved["state"], moved["enabled"]) == ("unproved", True)
        assert (await http.delete(path)).status_code == 204
        assert (await http.get(path)).status_code == 404


async def test_a_webhook_s_life_over_grpc() -> None:
    """The same, in the same words."""
    stores = memory_stores()
    player, secret = await token(stores, Scope.WEBHOOKS)
    async with calls(stores, secret) as (call,):
        request = pb.CreateWebhookRequest(url=URL, events=[ENDED, STARTED], description="mine")
        made = await call("CreateWebhook", request)
        webhook, name = made.webhook, made.webhook.id
        assert (webhook.owner, webhook.url, webhook.description) == (pb.WEBHOOK_OWNER_PLAYER, URL, "mine")
        assert (list(webhook.events), webhook.enabled) == ([STARTED, ENDED], True)
        assert not webhook.HasField("disabled_reason")
        assert webhook.state == pb.WEBHOOK_STATE_UNPROVED
        again = (await call("TestWebhook", pb.TestWebhookRequest(webhook=name))).delivery
        assert again.type == pb.MESSAGE_TYPE_WEBHOOK_CHALLENGE
        await proved(stores.webhooks, stores.clock, name)
        webhook.state = pb.WEBHOOK_STATE_ACTIVE
        assert (await call("GetWebhook", pb.GetWebhookRequest(webhook=name))).webhook == webhook
        assert list((await call("ListWebhooks", pb.ListWebhooksRequest())).items) == [webhook]
        update = pb.UpdateWebhookRequest(webhook=name, enabled=False)
        disabled = (await call("UpdateWebhook", update)).webhook
        assert (disabled.enabled, disabled.disabled_reason) == (False, pb.DISABLED_REASON_BY_OWNER)
        update = pb.UpdateWebhookRequest(webhook=name, enabled=True, events=[STARTED], description="")
        changed = (await call("UpdateWebhook", update)).webhook
        assert (changed.enabled, list(changed.events), changed.description) == (True, [STARTED], "")
        await stores.node().openings.open(player, proposal(), None)
        tested = (await call("TestWebhook", pb.TestWebhookRequest(webhook=name))).delivery
        assert tested.type == pb.MESSAGE_TYPE_TEST
        page = await call("ListDeliveries", pb.ListDeliveriesRequest(webhook=name, page_size=1))
        assert list(page.items) == [tested]
        behind = pb.ListDeliveriesRequest(webhook=name, page_token=page.next_page_token)
        (started, met) = (await call("ListDeliveries", behind)).items
        assert (met.id, met.state) == (again.id, pb.DELIVERY_STATE_DELIVERED)
        assert (started.type, started.state) == (STARTED, pb.DELIVERY_STATE_PENDING)
        rotated = await call("RotateWebhookSecret", pb.RotateWebhookSecretRequest(webhook=name))
        assert rotated.secret != made.secret
        update = pb.UpdateWebhookRequest(webhook=name, url="https://ann.example/other")
        assert (await call("UpdateWebhook", update)).webhook.state == pb.WEBHOOK_STATE_UNPROVED
        await call("DeleteWebhook", pb.DeleteWebhookRequest(webhook=name))
        refused = await call.refusal("GetWebhook", pb.GetWebhookRequest(webhook=name))
        assert refused == ("NOT_FOUND", "NO_SUCH_WEBHOOK", {"webhook": name})


BAD: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"url": "http://ann.example/"}, "INVALID_FIELD", "url"),
    ({"url": "https://169.254.169.254/latest"}, "ADDRESS_REFUSED", "url"),
    ({"url": "https://[::ffff:10.0.0.1]/"}, "ADDRESS_REFUSED", "url"),
    ({"url": ""}, "INVALID_FIELD", "url"),
    ({"url": "https://ann.example/" + "a" * 10_000}, "INVALID_FIELD", "url"),
    ({"events": []}, "INVALID_FIELD", "events"),
    ({"events": ["nonsense"]}, "INVALID_FIELD", "events[0]"),
    ({"description": "\u0007"}, "INVALID_FIELD", "description"),
    ({"description": "a" * 10_000}, "INVALID_FIELD", "description"),
    ({"owner": "nobody"}, "INVALID_FIELD", "owner"),
    ({"secret": "mine"}, "UNKNOWN_FIELD", "secret"),
)


async def test_bad_input_is_told_over_rest() -> None:
    """The field is named, and nothing is made or changed."""
    stores = memory_stores()
    _, secret = await token(stores, Scope.WEBHOOKS)
    async with rest(stores, secret) as http:
        for changes, reason, field in BAD:
            answer = await http.post(PATH, json=asked(**changes))
            problem = answer.json()
            assert (answer.status_code, problem["reason"]) == (400, reason), changes
            assert problem["details"]["field"] == field
        assert (await http.get(PATH)).json()["items"] == []
        path = f"{PATH}/{(await http.post(PATH, json=asked())).json()['webhook']['id']}"
        for changes, reason, field in BAD:
            if "owner" not in changes:
                answer = await http.patch(path, json=changes)
                assert (answer.status_code, answer.json()["reason"]) == (400, reason), changes
                assert answer.json()["details"]["field"] == field
        for query in ({"page_token": "delivery_x"}, {"page_size": 0}, {"page_size": 201}, {"after": 1}):
            answer = await http.get(f"{path}/deliveries", params=cast(Any, query))
            assert answer.status_code == 400
        for _ in range(MOST - 1):
            assert (await http.post(PATH, json=asked())).status_code == 201
        answer = await http.post(PATH, json=asked())
        assert (answer.status_code, answer.json()["reason"]) == (422, "TOO_MANY_WEBHOOKS")
        assert answer.json()["details"] == {"most": MOST}


def requests() -> Iterable[tuple[pb.CreateWebhookRequest, str, str]]:
    """Yield bad requests, with the reason and field that they are refused for."""
    numbers = {"nonsense": 99, "nobody": 99}
    for changes, reason, field in BAD:
        given = asked(**changes)
        if "secret" not in given:
            yield (
                pb.CreateWebhookRequest(
                    url=given["url"],
                    events=[cast(Any, numbers.get(type, STARTED)) for type in given["events"]],
                    description=given.get("description"),
                    owner=cast(Any, numbers.get(given.get("owner", ""))),
                ),
                reason,
                field,
            )


async def test_bad_input_is_told_over_grpc() -> None:
    """As over REST: what is empty is missing."""
    stores = memory_stores()
    _, secret = await token(stores, Scope.WEBHOOKS)
    async with calls(stores, secret) as (call,):
        for request, reason, field in requests():
            expected = reason if request.url else "MISSING_FIELD"
            code, found, details = await call.refusal("CreateWebhook", request)
            assert (code, found, details["field"]) == ("INVALID_ARGUMENT", expected, field)
        for _ in range(MOST):
            await call("CreateWebhook", pb.CreateWebhookRequest(url=URL, events=[STARTED]))
        refused = await call.refusal("CreateWebhook", pb.CreateWebhookRequest(url=URL, events=[STARTED]))
        assert refused == ("FAILED_PRECONDITION", "TOO_MANY_WEBHOOKS", {"most": str(MOST)})
        unspecified = [pb.MESSAGE_TYPE_UNSPECIFIED]
        (webhook, *_) = (await call("ListWebhooks", pb.ListWebhooksRequest())).items
        for method, asked in (
            ("CreateWebhook", pb.CreateWebhookRequest(url=URL, events=unspecified)),
            ("UpdateWebhook", pb.UpdateWebhookRequest(webhook=webhook.id, events=unspecified)),
        ):
            code, found, details = await call.refusal(method, asked)
            assert (code, found, details["field"]) == ("INVALID_ARGUMENT", "INVALID_FIELD", "events")
        for fields in ({"page_size": 0}, {"page_size": 201}, {"page_token": "delivery_x"}):
            listing = pb.ListDeliveriesRequest(webhook=webhook.id, **cast(Any, fields))
            assert (await call.refusal("ListDeliveries", listing))[0] == "INVALID_ARGUMENT"


async def test_scopes_are_demanded_over_rest() -> None:
    """`webhooks` for all of it, `admin` as well for the deployment's; without a token nothing."""
    stores = memory_stores()
    tokens = {
        name: (await token(stores, *scopes))[1]
        for name, scopes in {
            "player": (Scope.WEBHOOKS,),
            "reader": (Scope.PLAY, Scope.READ),
            "admin": (Scope.WEBHOOKS, Scope.ADMIN),
        }.items()
    }
    mine = asked(owner="deployment")
    async with rest(stores, tokens["player"]) as http:
        answer = await http.post(PATH, json=mine)
        assert (answer.status_code, answer.json()["details"]) == (403, {"scope": "admin"})
    async with rest(stores, tokens["admin"]) as http:
        made = (await http.post(PATH, json=mine)).json()["webhook"]
        assert made["owner"] == "deployment"
        assert (await http.get(PATH)).json()["items"] == [made]
        refused = await http.post(PATH, json=asked(owner="deployment", events=["chat"]))
        assert refused.json()["details"]["field"] == "events"
    path = f"{PATH}/{made['id']}"
    everything: tuple[tuple[str, str, Any], ...] = (
        ("POST", PATH, asked()),
        ("GET", PATH, None),
        ("GET", path, None),
        ("PATCH", path, {}),
        ("DELETE", path, None),
        ("GET", f"{path}/deliveries", None),
        ("POST", f"{path}/test", None),
        ("POST", f"{path}/rotate-secret", None),
    )
    for secret, status in ((None, 401), (tokens["reader"], 403)):
        async with rest(stores, secret) as http:
            for method, where, body in everything:
                assert (await http.request(method, where, json=body)).status_code == status, (method, where)
    async with rest(stores, tokens["player"]) as http:
        for method, where, body in everything[2:]:
            assert (await http.request(method, where, json=body)).status_code == 404, (method, where)


async def test_scopes_are_demanded_over_grpc() -> None:
    """As over REST."""
    stores = memory_stores()
    _, player = await token(stores, Scope.WEBHOOKS)
    _, reader = await token(stores, Scope.PLAY, Scope.READ)
    _, admin = await token(stores, Scope.WEBHOOKS, Scope.ADMIN)
    async with calls(stores, None, reader, player, admin) as (nobody, reading, own, all_of_it):
        mine = pb.CreateWebhookRequest(url=URL, events=[STARTED], owner=pb.WEBHOOK_OWNER_DEPLOYMENT)
        assert (await own.refusal("CreateWebhook", mine))[:2] == ("PERMISSION_DENIED", "SCOPE_MISSING")
        made = (await all_of_it("CreateWebhook", mine)).webhook
        assert list((await all_of_it("ListWebhooks", pb.ListWebhooksRequest())).items) == [made]
        everything: tuple[tuple[str, Any], ...] = (
            ("GetWebhook", pb.GetWebhookRequest(webhook=made.id)),
            ("UpdateWebhook", pb.UpdateWebhookRequest(webhook=made.id)),
            ("DeleteWebhook", pb.DeleteWebhookRequest(webhook=made.id)),
            ("ListDeliveries", pb.ListDeliveriesRequest(webhook=made.id)),
            ("TestWebhook", pb.TestWebhookRequest(webhook=made.id)),
            ("RotateWebhookSecret", pb.RotateWebhookSecretRequest(webhook=made.id)),
        )
        for method, request in everything:
            assert (await nobody.refusal(method, request))[0] == "UNAUTHENTICATED"
            assert (await reading.refusal(method, request))[0] == "PERMISSION_DENIED"
            assert (await own.refusal(method, request))[0] == "NOT_FOUND"
