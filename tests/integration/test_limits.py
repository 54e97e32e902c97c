"""Limits on both faces, on real sockets: what is counted, what is notified of it, and how a refusal looks."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect

from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.v1 import catalogue_pb2, games_pb2, matches_pb2, players_pb2
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceStub
from adapters.grpc.server import GrpcServer
from adapters.main import start_rest
from adapters.rest.app import build
from adapters.setting_values import Address
from services.shared.rate_limits import UNLIMITED, Budget, Limiter, Limits
from tests.support.stores.use_cases import memory_stores

JSON = {"Content-Type": "application/json"}
WRONG = "montane_" + "x" * 43
WALK = {"command": {"type": "move_card", "card": "9H"}}
STOPPED = 1_000 * 10**9
"""What the limiters' clock shows for ever, so that no budget comes back."""


class Faces:
    """REST and gRPC on stores in memory, which share a limiter; a player and a match of deal 1."""

    def __init__(self, limits: Limits) -> None:
        """Take the budgets."""
        self.limiter = Limiter(limits, lambda: STOPPED)

    async def prepare(self, open_ones: AsyncExitStack) -> None:
        """Serve, connect, open an account and a match."""
        stores = memory_stores()
        services = self.services = stores.node()
        self.address, stop = await start_rest(Address("127.0.0.1", 0), services, self.limiter)
        open_ones.push_async_callback(stop)
        server = GrpcServer(services, "127.0.0.1:0", self.limiter)
        await server.start()
        open_ones.push_async_callback(server.stop, 0)
        open_ones.push_async_callback(services.match_streams.channels.close, 1)
        # The stubs are typed for channels that block, and the channel's own types want what has a default.
        channel: Any = await open_ones.enter_async_context(
            grpc.aio.insecure_channel(f"127.0.0.1:{server.port}")
        )
        self.channel = channel
        self.catalogue: Any = CatalogueServiceStub(channel)
        self.players: Any = PlayerServiceStub(channel)
        self.matches: Any = MatchServiceStub(channel)
        self.health: Any = health_pb2_grpc.HealthStub(channel)
        self.http = await open_ones.enter_async_context(httpx.AsyncClient(base_url=f"http://{self.address}"))
        self.player, self.token = await services.players.open_guest("Ann")
        self.auth = {"Authorization": f"Bearer {self.token}"}
        self.metadata = (("authorization", f"Bearer {self.token}"),)
        self.match = ""

    async def open(self) -> None:
        """Open the match."""
        asked = {"game": "montana", "options": {"deal": 1}, "seat": 0}
        self.match = (await self.http.post("/v1/matches", json=asked, headers=self.auth)).json()["id"]

    def socket(self, **asked: Any) -> connect:
        """Return a WebSocket at the match."""
        return connect(f"ws://{self.address}/v1/matches/{self.match}/socket", **asked)


@asynccontextmanager
async def serving(**budgets: Any) -> AsyncIterator[Faces]:
    """Give both faces with these budgets alone."""
    faces = Faces(replace(UNLIMITED, **budgets))
    async with AsyncExitStack() as open_ones:
        await faces.prepare(open_ones)
        yield faces


def told(answer: httpx.Response) -> tuple[str | None, str | None]:
    """Return what an answer says of budgets."""
    return answer.headers.get("RateLimit-Policy"), answer.headers.get("RateLimit")


def is_refused(answer: httpx.Response, policy: str, seconds: int) -> None:
    """Check that an answer is the refusal of a spent budget."""
    assert answer.status_code == 429
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == str(seconds)
    problem = answer.json()
    assert (problem["type"], problem["reason"]) == ("/problems/rate-limited", "RATE_LIMITED")
    assert problem["details"] == {"policy": policy, "retry_after": seconds}
    assert f'"{policy}";r=0' in answer.headers["RateLimit"]
    assert f'"{policy}";q=' in answer.headers["RateLimit-Policy"]


async def refused(calling: Any, policy: str, seconds: int) -> None:
    """Check that a call of gRPC is refused because a budget is spent."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await calling
    error: Any = raised.value
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = rpc_status.from_call(error)
    assert status is not None
    info, retry = ErrorInfo(), RetryInfo()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(retry)
    assert (info.reason, info.domain) == ("RATE_LIMITED", "montane")
    assert dict(info.metadata) == {"policy": policy, "retry_after": str(seconds)}
    assert retry.retry_delay.seconds == seconds
    assert f'"{policy}";r=0' in dict(error.trailing_metadata())["ratelimit"]


GENEROUS = {"token": Budget(600, 60), "anonymous": Budget(600, 60), "address": Budget(6_000, 60)}


async def test_every_answer_says_how_the_caller_stands() -> None:
    """Good and bad, whatever was asked for under /v1: by which budgets it was counted and what is left."""
    async with serving(**GENEROUS) as faces:
        await faces.open()
        match = f"/v1/matches/{faces.match}"
        asked: list[tuple[int, str, str, dict[str, Any]]] = [
            (200, "GET", match, {}),
            (200, "POST", f"{match}/commands", {"json": WALK}),
            (400, "POST", f"{match}/commands", {"content": b"{", "headers": JSON}),
            (400, "GET", f"{match}?unknown=1", {}),
            (404, "GET", "/v1/matches/none", {}),
            (404, "GET", "/v1/none", {}),
            (404, "GET", "/v1", {}),
            (405, "DELETE", "/v1/games", {}),
            (413, "POST", "/v1/matches", {"content": b"x" * 70_000, "headers": JSON}),
            (415, "POST", "/v1/matches", {"content": b"x"}),
            (422, "POST", "/v1/matches", {"json": {"game": "montana", "seats": 2}}),
            (200, "GET", "//v1/games/", {}),
        ]
        for number, (status, method, path, request) in enumerate(asked, 1):
            request["headers"] = request.get("headers", {}) | faces.auth
            answer = await faces.http.request(method, f"http://{faces.address}{path}", **request)
            assert answer.status_code == status, (method, path, answer.text)
            assert told(answer) == (
                '"token";q=600;w=60, "address";q=6000;w=60',
                f'"token";r={599 - number};t=60, "address";r={5_999 - number};t=60',
            )
        answer = await faces.http.get("/v1/players/me")
        assert answer.status_code == 401
        assert told(answer)[0] == '"anonymous";q=600;w=60, "address";q=6000;w=60'
        streams = {"Accept": "application/x-ndjson"}
        async with faces.http.stream("GET", f"{match}/events", headers=faces.auth | streams) as stream:
            assert stream.headers["RateLimit"].startswith('"token";r=')
        async with faces.socket(additional_headers=faces.auth) as socket:
            assert socket.response is not None
            assert socket.response.headers["RateLimit"].startswith('"token";r=')


async def test_pages_and_health_are_not_counted() -> None:
    """Anyone who has spent its budget can still read why, and a watchman can still look."""
    async with serving(anonymous=Budget(1, 60)) as faces:
        await faces.http.get("/v1/games")
        is_refused(await faces.http.get("/v1/games"), "anonymous", 60)
        for path in ("/health/live", "/health/ready", "/docs", "/openapi.json", "/problems/rate-limited"):
            answer = await faces.http.get(path)
            assert (answer.status_code, told(answer)) == (200, (None, None))
        checked = await faces.health.Check(health_pb2.HealthCheckRequest())
        assert checked.status == health_pb2.HealthCheckResponse.SERVING
        for path in ("//v1/games", "/v1//games/", "/v1/none"):
            answer = await faces.http.get(f"http://{faces.address}{path}")
            is_refused(answer, "anonymous", 60)


async def test_a_page_of_another_origin_reads_that_it_was_refused() -> None:
    """A refusal may be read across origins, with its headers; asking whether one may call costs nothing."""
    origin = {"Origin": "https://games.example"}
    async with serving(anonymous=Budget(1, 60)) as faces:
        for _ in range(3):
            ask = origin | {"Access-Control-Request-Method": "GET"}
            assert (await faces.http.options("/v1/games", headers=ask)).status_code == 204
        assert (await faces.http.get("/v1/games", headers=origin)).status_code == 200
        answer = await faces.http.get("/v1/games", headers=origin)
        is_refused(answer, "anonymous", 60)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert {"RateLimit", "RateLimit-Policy", "Retry-After"} <= exposed


async def test_faces_share_budgets() -> None:
    """What a token spends over REST is spent over gRPC too, where the metadata say the same."""
    async with serving(token=Budget(3, 60), address=Budget(60, 60)) as faces:
        await faces.open()
        call = faces.matches.GetMatch(matches_pb2.GetMatchRequest(match=faces.match), metadata=faces.metadata)
        assert (await call).match.id == faces.match
        metadata = dict(await call.trailing_metadata())
        assert metadata["ratelimit-policy"] == '"token";q=3;w=60, "address";q=60;w=60'
        assert metadata["ratelimit"] == '"token";r=1;t=60, "address";r=58;t=60'
        call = faces.matches.GetMatch(matches_pb2.GetMatchRequest(match="none"), metadata=faces.metadata)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await call
        assert raised.value.code() is grpc.StatusCode.NOT_FOUND
        assert dict(await call.trailing_metadata())["ratelimit"] == '"token";r=0;t=60, "address";r=57;t=60'
        call = faces.matches.GetMatch(matches_pb2.GetMatchRequest(match=faces.match), metadata=faces.metadata)
        await refused(call, "token", 60)
        is_refused(await faces.http.get("/v1/players/me", headers=faces.auth), "token", 60)
        assert (await faces.http.get("/v1/games")).status_code == 200


async def test_a_key_and_how_the_caller_stands_are_both_told() -> None:
    """The metadata after an answer have the idempotency key as well."""
    async with serving(token=Budget(3, 60)) as faces:
        request = matches_pb2.CreateMatchRequest(game="montana")
        call = faces.matches.CreateMatch(request, metadata=(*faces.metadata, ("idempotency-key", "k")))
        metadata = dict(await call.trailing_metadata())
        assert (metadata["idempotency-key"], metadata["ratelimit"]) == ("k", '"token";r=2;t=60')


async def test_nobody_else_says_who_calls() -> None:
    """Without a trusted proxy the address is the connection's own, whatever headers a caller makes up."""
    async with serving(anonymous=Budget(1, 60)) as faces:
        assert (await faces.http.get("/v1/games", headers={"X-Forwarded-For": "6.6.6.1"})).status_code == 200
        is_refused(await faces.http.get("/v1/games", headers={"X-Forwarded-For": "6.6.6.2"}), "anonymous", 60)
        forwarded = (("x-forwarded-for", "6.6.6.3"),)
        call = faces.catalogue.ListGames(catalogue_pb2.ListGamesRequest(), metadata=forwarded)
        await refused(call, "anonymous", 60)


async def test_a_trusted_proxy_says_who_calls() -> None:
    """After one, addresses are told apart by the header's last entry, on both faces."""
    async with serving(anonymous=Budget(1, 60), trusted_proxies=1) as faces:
        for last in ("198.51.100.1", "198.51.100.2"):
            headers = [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", last)]
            assert (await faces.http.get("/v1/games", headers=headers)).status_code == 200
            is_refused(await faces.http.get("/v1/games", headers=headers), "anonymous", 60)
            forwarded = (("x-forwarded-for", f"9.9.9.9, {last}"),)
            call = faces.catalogue.ListGames(catalogue_pb2.ListGamesRequest(), metadata=forwarded)
            await refused(call, "anonymous", 60)


async def test_accounts_are_opened_on_a_tighter_budget() -> None:
    """Guest accounts of both faces come out of one budget of their address; playing goes on."""
    async with serving(login=Budget(2, 300)) as faces:
        body = {"display_name": "Ben"}
        answer = await faces.http.post("/v1/players", json=body)
        assert (answer.status_code, *told(answer)) == (201, '"login";q=2;w=300', '"login";r=1;t=300')
        request = players_pb2.CreatePlayerRequest(display_name="Ben")
        assert (await faces.players.CreatePlayer(request)).token
        is_refused(await faces.http.post("/v1/players/", json=body), "login", 300)
        await refused(faces.players.CreatePlayer(request), "login", 300)
        assert (await faces.http.get("/v1/players/me", headers=faces.auth)).status_code == 200


async def test_wrong_tokens_are_tried_on_the_same_budget() -> None:
    """A token that nobody has is 401 for a while, then 429; on every way in, and a good one always passes."""
    wrong = {"Authorization": f"Bearer {WRONG}"}
    async with serving(login=Budget(3, 300)) as faces:
        await faces.open()
        answer = await faces.http.get("/v1/players/me", headers=wrong)
        assert (answer.status_code, *told(answer)) == (401, '"login";q=3;w=300', '"login";r=2;t=300')
        async with faces.socket(additional_headers=wrong) as socket:
            assert json.loads(await socket.recv())["problem"]["status"] == 401
        asked = matches_pb2.WatchMatchRequest(match=faces.match)
        metadata = (("authorization", f"Bearer {WRONG}"),)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await anext(aiter(faces.matches.WatchMatch(asked, metadata=metadata)))
        assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED
        is_refused(await faces.http.get("/v1/matches", headers=wrong), "login", 300)
        async with faces.socket(subprotocols=["montane.v1", f"montane.bearer.{WRONG}"]) as socket:
            assert json.loads(await socket.recv())["problem"]["reason"] == "RATE_LIMITED"
        assert (await faces.http.get("/v1/players/me", headers=faces.auth)).status_code == 200
        assert (await faces.http.get("/v1/players/me")).status_code == 401


async def test_commands_over_a_socket_are_requests() -> None:
    """Each message counts, one that cannot be read too; one too many is told as 429, and the socket stays."""
    async with serving(token=Budget(4, 60)) as faces:
        await faces.open()
        async with faces.socket(additional_headers=faces.auth) as socket:
            for message in (json.dumps(WALK | {"id": "1"}), "{", json.dumps(WALK | {"id": "3"})):
                await socket.send(message)
            results = [await reply(socket) for _ in range(3)]
            assert [result.get("id") for result in results] == ["1", "", "3"]
            assert "version" in results[0]
            assert results[1]["problem"]["status"] == 400
            assert results[2]["problem"]["status"] == 429
            assert results[2]["problem"]["details"] == {"policy": "token", "retry_after": 60}
        is_refused(await faces.http.get("/v1/players/me", headers=faces.auth), "token", 60)


async def test_a_socket_that_may_not_open_says_why() -> None:
    """The problem comes as a message, and the socket is closed with 4429."""
    async with serving(token=Budget(1, 60)) as faces:
        await faces.open()
        async with faces.socket(subprotocols=["montane.v1", f"montane.bearer.{faces.token}"]) as socket:
            assert socket.subprotocol == "montane.v1"
            assert json.loads(await socket.recv())["problem"]["details"]["policy"] == "token"
            await socket.wait_closed()
            assert (socket.close_code, socket.close_reason) == (4429, "RATE_LIMITED")


async def test_commands_within_play_are_requests() -> None:
    """One too many is refused within the stream, which goes on."""
    async with serving(token=Budget(3, 60)) as faces:
        await faces.open()
        stream = faces.matches.Play(metadata=faces.metadata)
        await stream.write(matches_pb2.PlayRequest(watch=matches_pb2.WatchMatchRequest(match=faces.match)))
        walk = games_pb2.Command(
            montana=montana_pb2.Command(move_card=montana_pb2.MoveCard(card=montana_pb2.CARD_9H))
        )
        for id in ("1", "2"):
            await stream.write(matches_pb2.PlayRequest(command=matches_pb2.PlayCommand(id=id, command=walk)))
        heard = [await stream.read()]
        while heard[-1].WhichOneof("response") != "refusal":
            heard.append(await stream.read())
        assert [one.result.id for one in heard if one.WhichOneof("response") == "result"] == ["1"]
        refusal = heard[-1].refusal
        assert (refusal.id, refusal.reason) == ("2", "RATE_LIMITED")
        assert refusal.code == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
        assert dict(refusal.metadata) == {"policy": "token", "retry_after": "60"}
        stream.cancel()


async def test_so_many_streams_are_open_at_once() -> None:
    """Of all kinds together; one that ends makes room for another."""
    async with serving(open_streams=3) as faces:
        await faces.open()
        events = f"/v1/matches/{faces.match}/events"
        accept = faces.auth | {"Accept": "text/event-stream"}
        asked = matches_pb2.WatchMatchRequest(match=faces.match)
        async with AsyncExitStack() as open_ones:
            sse = await open_ones.enter_async_context(faces.http.stream("GET", events, headers=accept))
            assert sse.headers["RateLimit"] == '"open-streams";r=2'
            socket = await open_ones.enter_async_context(faces.socket(additional_headers=faces.auth))
            watching = faces.matches.WatchMatch(asked, metadata=faces.metadata)
            await watching.read()
            metadata = dict(await watching.initial_metadata())
            assert metadata["ratelimit-policy"] == '"open-streams";q=3;qu="concurrent-requests"'
            assert metadata["ratelimit"] == '"open-streams";r=0'
            is_refused(await faces.http.get(events, headers=accept), "open-streams", 10)
            one_more = faces.matches.WatchMatch(asked, metadata=faces.metadata)
            await refused(anext(aiter(one_more)), "open-streams", 10)
            async with faces.socket(additional_headers=faces.auth) as late:
                assert json.loads(await late.recv())["problem"]["details"]["policy"] == "open-streams"
            assert (await faces.http.get(events, headers=faces.auth)).status_code == 200
            await socket.close()
            watching.cancel()
        assert faces.limiter.open_streams is not None
        async with asyncio.timeout(10):
            while len(faces.limiter.open_streams):
                await faces.http.get("/health/live")


@pytest.mark.parametrize("face", ["REST", "gRPC"])
async def test_at_once_no_more_pass_than_may(face: str) -> None:
    """Of many calls at the same time exactly as many are served as the budget has."""

    async def over_rest(faces: Faces) -> bool:
        return (await faces.http.get("/v1/games", headers=faces.auth)).status_code == 200

    async def over_grpc(faces: Faces) -> bool:
        call = faces.catalogue.ListGames(catalogue_pb2.ListGamesRequest(), metadata=faces.metadata)
        code: grpc.StatusCode = await call.code()
        assert code in {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}
        return code is grpc.StatusCode.OK

    one: Callable[[Faces], Awaitable[bool]] = {"REST": over_rest, "gRPC": over_grpc}[face]
    async with serving(token=Budget(30, 60)) as faces:
        assert sum(await asyncio.gather(*(one(faces) for _ in range(80)))) == 30


def documented(limits: Limits) -> dict[str, Any]:
    """Return the OpenAPI document of a server with these budgets."""
    stores = memory_stores()
    app = build(stores.node(), "0", Limiter(limits))
    document: dict[str, Any] = json.loads(app.state.openapi)
    return document


def test_the_documentation_has_the_budgets_as_they_are() -> None:
    """The description lists each budget with its figures; one that is off is not listed."""
    text = documented(Limits(token=Budget(7, 9), login=None, open_streams=11))["info"]["description"]
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| .* \| (.+) \|$", text, re.MULTILINE))
    assert rows == {
        "token": "7 in 9 seconds",
        "anonymous": "600 in 60 seconds",
        "address": "6000 in 60 seconds",
        "streams": "600 in 60 seconds",
        "open-streams": "11",
        "address-streams": "1000",
    }


def test_every_operation_documents_the_headers() -> None:
    """Each answer of each operation under /v1 names them, and each may be 429 with the seconds to wait."""
    document = documented(Limits())
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert ("429" in operation["responses"]) == path.startswith("/v1/")
            for status, response in operation["responses"].items():
                names = set(response.get("headers", ()))
                assert {"RateLimit", "RateLimit-Policy"} <= names or not path.startswith("/v1/")
                assert ("Retry-After" in names) == (status in {"429", "503"})


def test_a_server_without_limits_says_so() -> None:
    """Nothing is documented that does not happen."""
    document = documented(UNLIMITED)
    assert "This server sets none." in document["info"]["description"]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    # Chat has a pace of its own, which no setting turns off.
    assert [one["operationId"] for one in operations if "429" in one["responses"]] == ["post_message"]
    answers = [response for one in operations for response in one["responses"].values()]
    assert {name for answer in answers for name in answer.get("headers", ())} == {"Retry-After"}


async def reply(socket: ClientConnection) -> dict[str, Any]:
    """Return the next answer to a command, past what happens."""
    while (found := json.loads(await socket.recv())).get("type") in {
        "snapshot",
        "presence",
        "event",
        "caught_up",
    }:
        pass
    read: dict[str, Any] = found
    return read
