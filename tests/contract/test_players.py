"""Accounts and tokens over REST and gRPC: the same calls give the same answers and the same refusals."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

import grpc
import httpx
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from grpc_status import rpc_status
from msgspec.structs import replace

from adapters.grpc.generated.montane.v1 import chat_pb2, matches_pb2, player_feed_pb2
from adapters.grpc.generated.montane.v1 import players_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceStub
from adapters.grpc.server import SERVICES, GrpcServer
from adapters.keys.openid import OpenIdIssuer
from adapters.rest.app import build
from domain.match import PlayerId
from services.players import sessions
from services.players.accounts import TOKEN_PREFIX, Players, hash_of
from services.players.store import Player, Token
from services.shared.ids import TokenId, new_uuid, written
from services.use_cases import Services
from tests.support.faces.issuer import AUDIENCE, LocalIssuer
from tests.support.stores.use_cases import ManualClock, memory_stores

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STORES = memory_stores()
AWAY = LocalIssuer(1)
"""An issuer that is trusted, and is not there."""


def services() -> Services:
    """Return the use cases of one more process, which trusts the issuer."""
    issuer = OpenIdIssuer(AWAY.url, audience=AUDIENCE, jwks_url=None, clock_skew=0, clock=ManualClock(NOW))
    return replace(STORES.node(), players=Players(STORES.accounts, STORES.clock, issuer))


APP = build(services(), "0")
DOCUMENT: dict[str, Any] = json.loads(APP.state.openapi)
USELESS = TOKEN_PREFIX + "u" * 43


class Said(NamedTuple):
    """An answer, good or bad.

    Attributes:
        reason: Why it is refused; empty if it is not.
        details: What belongs to the reason.
        content: What was answered.
    """

    reason: str
    details: dict[str, Any]
    content: dict[str, Any]


class Face:
    """The service as one protocol shows it."""

    async def say(self, method: str, token: str | None = None, /, **fields: Any) -> Said:
        """Call a method by its name in gRPC, with the request's fields as JSON."""
        raise NotImplementedError

    async def close(self) -> None:
        """Hang up."""
        raise NotImplementedError


REST = {
    "CreatePlayer": ("POST", "/v1/players"),
    "GetMe": ("GET", "/v1/players/me"),
    "UpdateMe": ("PATCH", "/v1/players/me"),
    "DeleteMe": ("DELETE", "/v1/players/me"),
    "GetPlayer": ("GET", "/v1/players/{player}"),
    "ListTokens": ("GET", "/v1/players/me/tokens"),
    "CreateToken": ("POST", "/v1/players/me/tokens"),
    "DeleteToken": ("DELETE", "/v1/players/me/tokens/{token}"),
}


class Rest(Face):
    """REST."""

    def __init__(self) -> None:
        """Connect to the application."""
        transport = httpx.ASGITransport(app=cast(Any, APP), raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://montane")

    async def say(self, method: str, token: str | None = None, /, **fields: Any) -> Said:
        """Call a method by its name in gRPC, with the request's fields as JSON."""
        verb, path = REST[method]
        path, rest = path.format(**fields), {k: v for k, v in fields.items() if f"{{{k}}}" not in path}
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        sent: dict[str, Any] = {"json": rest} if verb in {"POST", "PATCH"} else {"params": rest}
        answer = await self.http.request(verb, path, headers=headers, **sent)
        content = answer.json() if answer.content else {}
        if answer.status_code < 400:
            return Said("", {}, content)
        return Said(content["reason"], content["details"], {})

    async def close(self) -> None:
        """Hang up."""
        await self.http.aclose()


class Grpc(Face):
    """gRPC."""

    async def start(self) -> None:
        """Serve and connect."""
        self.server = GrpcServer(services(), "127.0.0.1:0")
        await self.server.start()
        self.channel: Any = grpc.aio.insecure_channel(f"127.0.0.1:{self.server.port}")

    async def say(self, method: str, token: str | None = None, /, **fields: Any) -> Said:
        """Call a method by its name in gRPC, with the request's fields as JSON."""
        described = pb.DESCRIPTOR.services_by_name["PlayerService"].methods_by_name[method]
        written = {
            name: [f"SCOPE_{scope.upper()}" for scope in value] if name == "scopes" else value
            for name, value in fields.items()
        }
        request = json_format.ParseDict(written, GetMessageClass(described.input_type)())
        return await self.send(f"/montane.v1.PlayerService/{method}", request, described.output_type, token)

    async def send(self, method: str, request: Message, answers: Any, token: str | None) -> Said:
        """Send a request."""
        call = self.channel.unary_unary(
            method, type(request).SerializeToString, GetMessageClass(answers).FromString
        )
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        try:
            answer = await call(request, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            return refused(error)
        content: dict[str, Any] = json_format.MessageToDict(answer, preserving_proto_field_name=True)
        for token_said in (content.get("details"), *content.get("items", ())):
            if token_said is not None:
                token_said["scopes"] = [s.removeprefix("SCOPE_").lower() for s in token_said["scopes"]]
        return Said("", {}, content)

    async def close(self) -> None:
        """Hang up and stop serving."""
        await self.channel.close()
        await self.server.stop(1)


def refused(error: grpc.aio.AioRpcError) -> Said:
    """Return why a call failed."""
    info = ErrorInfo()
    status: Any = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert any(detail.Unpack(info) for detail in status.details), error
    return Said(info.reason, dict(info.metadata), {})


@pytest.fixture
async def rest() -> AsyncIterator[Rest]:
    """The application."""
    rest = Rest()
    yield rest
    await rest.close()


@pytest.fixture
async def grpc_face() -> AsyncIterator[Grpc]:
    """A gRPC server and a client."""
    face = Grpc()
    await face.start()
    yield face
    await face.close()


@pytest.fixture(params=[Rest, Grpc])
async def face(request: pytest.FixtureRequest) -> AsyncIterator[Face]:
    """The service as each protocol shows it."""
    face = request.param()
    if isinstance(face, Grpc):
        await face.start()
    yield face
    await face.close()


async def useless() -> str:
    """Return a token that allows nothing."""
    player = PlayerId(written("player", new_uuid(NOW)))
    account = Player(id=player, display_name="Useless", avatar_seed="u", locale="en", created_at=NOW)
    id = TokenId(written("token", new_uuid(NOW)))
    token = Token(id=id, player=player, scopes=(), created_at=NOW, expires_at=None)
    await STORES.accounts.add(account, token, hash_of(USELESS))
    return USELESS


async def test_an_account_is_opened_read_changed_and_erased(face: Face) -> None:
    """As its player sees it, and as everybody does."""
    made = (await face.say("CreatePlayer", display_name="Ann")).content
    me, token = made["player"], made["token"]
    assert me | {"display_name": "Ann", "avatar_seed": me["id"][-8:], "locale": "en"} == me
    assert (await face.say("GetMe", token)).content in (me, {"player": me})
    changed = (await face.say("UpdateMe", token, display_name="Anna", locale="de-at")).content
    after = me | {"display_name": "Anna", "locale": "de-AT"}
    assert changed in (after, {"player": after})
    public = {name: value for name, value in after.items() if name != "locale"}
    for caller in (None, token):
        assert (await face.say("GetPlayer", caller, player=me["id"])).content in (public, {"player": public})
    assert await face.say("DeleteMe", token) == Said("", {}, {})
    assert (await face.say("GetMe", token)).reason == "TOKEN_UNKNOWN"
    gone = await face.say("GetPlayer", player=me["id"])
    assert gone == Said("NO_SUCH_PLAYER", {"player": me["id"]}, {})


async def test_tokens_are_made_listed_and_revoked(face: Face) -> None:
    """The secret is told once, with what it allows; it is never listed."""
    token = (await face.say("CreatePlayer", display_name="Ann")).content["token"]
    until = (NOW + timedelta(days=365)).isoformat().replace("+00:00", "Z")
    made = (await face.say("CreateToken", token, scopes=["bot", "read"], expires_at=until)).content
    assert (made["details"]["scopes"], made["details"]["expires_at"]) == (["read", "bot"], until)
    listed = (await face.say("ListTokens", token)).content
    assert listed["items"][0] == made["details"]
    assert listed["items"][1]["scopes"] == ["play", "read", "webhooks"]
    assert made["token"] not in str(listed)
    first = (await face.say("ListTokens", token, page_size=1)).content
    second = (await face.say("ListTokens", token, page_size=1, page_token=first["next_page_token"])).content
    assert first["items"] + second["items"] == listed["items"]
    assert second.get("next_page_token") is None
    assert (await face.say("GetMe", made["token"])).reason == ""
    assert await face.say("DeleteToken", token, token=made["details"]["id"]) == Said("", {}, {})
    assert (await face.say("GetMe", made["token"])).reason == "TOKEN_UNKNOWN"
    again = await face.say("DeleteToken", token, token=made["details"]["id"])
    assert again == Said("NO_SUCH_TOKEN", {"token": made["details"]["id"]}, {})


PAST, FAR = "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("method", "fields", "field"),
    [
        ("CreatePlayer", {"display_name": "x" * 65}, "display_name"),
        ("CreatePlayer", {"display_name": "x" * 10_000}, "display_name"),
        ("CreatePlayer", {"display_name": "   "}, "display_name"),
        ("CreatePlayer", {"display_name": "\u202eevil"}, "display_name"),
        ("CreatePlayer", {"display_name": "a\u200bb"}, "display_name"),
        ("CreatePlayer", {"display_name": "a\x00b"}, "display_name"),
        ("UpdateMe", {"display_name": ""}, "display_name"),
        ("UpdateMe", {"display_name": "a\nb"}, "display_name"),
        ("UpdateMe", {"avatar_seed": "a\u2060"}, "avatar_seed"),
        ("UpdateMe", {"avatar_seed": "x" * 65}, "avatar_seed"),
        ("UpdateMe", {"locale": "klingon!"}, "locale"),
        ("UpdateMe", {"locale": "en_US"}, "locale"),
        ("ListTokens", {"page_size": 0}, "page_size"),
        ("ListTokens", {"page_size": 201}, "page_size"),
        ("ListTokens", {"page_token": "token_x"}, "page_token"),
        ("CreateToken", {"scopes": []}, "scopes"),
        ("CreateToken", {"scopes": ["unspecified"]}, "scopes"),
        ("CreateToken", {"scopes": ["read"], "expires_at": PAST}, "expires_at"),
    ],
)
async def test_what_is_malformed_is_named(
    face: Face, method: str, fields: dict[str, Any], field: str
) -> None:
    """Names, tags, pages, scopes and times that cannot be are refused with the field."""
    token = (await face.say("CreatePlayer", display_name="Ann")).content["token"]
    said = await face.say(method, token, **fields)
    assert (said.reason, said.details["field"].partition("[")[0]) == ("INVALID_FIELD", field)


async def test_a_time_that_is_none(rest: Rest, grpc_face: Grpc) -> None:
    """Times that the protocols can carry and no calendar has are malformed as well."""
    token = (await rest.say("CreatePlayer", display_name="Ann")).content["token"]
    for time in ("soon", "2026-13-01T00:00:00Z", "2027-01-01T00:00:00", 1_800_000_000):
        said = await rest.say("CreateToken", token, scopes=["read"], expires_at=time)
        assert (said.reason, said.details) == ("INVALID_FIELD", {"field": "expires_at"})
    for seconds, nanos in ((10**12, 0), (-(10**12), 0), (0, -1), (1_800_000_000, 10**9)):
        request = pb.CreateTokenRequest(scopes=[pb.SCOPE_READ])
        request.expires_at.seconds, request.expires_at.nanos = seconds, nanos
        method = "/montane.v1.PlayerService/CreateToken"
        said = await grpc_face.send(method, request, pb.CreateTokenResponse.DESCRIPTOR, token)
        assert (said.reason, said.details["field"]) == ("INVALID_FIELD", "expires_at")


async def test_more_than_a_token_may(face: Face) -> None:
    """What it lacks it neither does nor gives; nor does it make what outlives it."""
    token = (await face.say("CreatePlayer", display_name="Ann")).content["token"]
    made = await face.say("CreateToken", token, scopes=["admin"])
    assert made == Said("SCOPE_MISSING", {"scope": "admin"}, {})
    reads = (await face.say("CreateToken", token, scopes=["read"])).content["token"]
    bot = (await face.say("CreateToken", token, scopes=["bot"])).content["token"]
    for weak in (reads, bot):
        assert (await face.say("GetMe", weak)).reason == ""
        for method, fields in (
            ("UpdateMe", {}),
            ("DeleteMe", {}),
            ("ListTokens", {}),
            ("CreateToken", {"scopes": ["read"]}),
            ("DeleteToken", {"token": "token_x"}),
        ):
            assert await face.say(method, weak, **fields) == Said("SCOPE_MISSING", {"scope": "play"}, {})
    brief = (await face.say("CreateToken", token, scopes=["play"], expires_at=FAR)).content["token"]
    assert (await face.say("CreateToken", brief, scopes=["play"])).details["field"] == "expires_at"


async def test_what_a_bots_token_holds_is_shown_as_a_bots(rest: Rest, grpc_face: Grpc) -> None:
    """The seat that it opens a match with, and the one that it takes; on either face."""
    token = (await rest.say("CreatePlayer", display_name="Ann")).content["token"]
    bot = (await rest.say("CreateToken", token, scopes=["bot"])).content["token"]
    for opener, second in ((bot, None), (token, bot)):
        headers = {"Authorization": f"Bearer {opener}"}
        fields = {"game": "montmartre", "seats": 2, "seat": 0 if second is None else None}
        match = (await rest.http.post("/v1/matches", json=fields, headers=headers)).json()
        if second is not None:
            path, headers = f"/v1/matches/{match['id']}/seats/1", {"Authorization": f"Bearer {second}"}
            match = (await rest.http.put(path, json={}, headers=headers)).json()
        assert [seat["kind"] for seat in match["seats"] if seat["player"]] == ["bot"]
        opening = matches_pb2.CreateMatchRequest(game="montmartre", seats=2)
        if second is None:
            opening.seat = 0
        method, answers = "/montane.v1.MatchService/CreateMatch", matches_pb2.CreateMatchResponse
        shown = (await grpc_face.send(method, opening, answers.DESCRIPTOR, opener)).content["match"]
        if second is not None:
            taking = matches_pb2.TakeSeatRequest(match=shown["id"], seat=1)
            method, taken = "/montane.v1.MatchService/TakeSeat", matches_pb2.TakeSeatResponse
            shown = (await grpc_face.send(method, taking, taken.DESCRIPTOR, second)).content["match"]
        kinds = [seat["kind"] for seat in shown["seats"] if "player" in seat]
        assert kinds == ["HOLDER_KIND_BOT"]


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("", "TOKEN_MISSING"),
        ("x", "TOKEN_MALFORMED"),
        ("montane_x", "TOKEN_MALFORMED"),
        ("montane_" + "n" * 43, "TOKEN_UNKNOWN"),
        (AWAY.token(iss="https://other.example"), "TOKEN_FOREIGN"),
        (AWAY.token(header={"typ": "logout+jwt"}), "TOKEN_MALFORMED"),
        (AWAY.token(), "ISSUER_UNAVAILABLE"),
    ],
)
async def test_a_token_that_is_not_good_is_told_why(face: Face, token: str, reason: str) -> None:
    """Whatever is wrong with it, as far as its bearer may know, and on either face the same."""
    for method, fields in (("GetMe", {}), ("GetPlayer", {"player": "player_x"}), ("ListTokens", {})):
        said = await face.say(method, token, **fields)
        assert said.reason == reason
        assert said.details in ({}, {"retry_after": 5}, {"retry_after": "5"})


async def test_an_expired_token_is_told_so(face: Face) -> None:
    """It is not said of one that was revoked."""
    token = (await face.say("CreatePlayer", display_name="Ann")).content["token"]
    soon = (STORES.clock.now() + timedelta(seconds=6)).isoformat().replace("+00:00", "Z")
    brief = (await face.say("CreateToken", token, scopes=["read"], expires_at=soon)).content["token"]
    for _ in range(6):
        STORES.clock.now()
    assert (await face.say("GetMe", brief)).reason == "TOKEN_EXPIRED"


async def test_an_issuer_that_is_away_says_when_to_come_again(rest: Rest, grpc_face: Grpc) -> None:
    """By `Retry-After` and `RetryInfo`."""
    token = AWAY.token()
    answer = await rest.http.get("/v1/players/me", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    call = grpc_face.channel.unary_unary(
        "/montane.v1.PlayerService/GetMe", pb.GetMeRequest.SerializeToString, pb.GetMeResponse.FromString
    )
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(pb.GetMeRequest(), metadata=(("authorization", f"Bearer {token}"),))
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    info = RetryInfo()
    status: Any = rpc_status.from_call(raised.value)  # type: ignore[arg-type]
    assert any(detail.Unpack(info) for detail in status.details)
    assert info.retry_delay.seconds == 5


async def test_the_matches_of_an_erased_player_read_as_before(rest: Rest, grpc_face: Grpc) -> None:
    """By all others, on either face; only its name is gone."""
    made = (await rest.say("CreatePlayer", display_name="Ann")).content
    headers = {"Authorization": f"Bearer {made['token']}"}
    fields = {"game": "montana", "options": {"deal": 1}, "seat": 0}
    match = (await rest.http.post("/v1/matches", json=fields, headers=headers)).json()
    path = f"/v1/matches/{match['id']}"
    given_up = {"command": {"type": "resign"}}
    assert (await rest.http.post(f"{path}/commands", json=given_up, headers=headers)).is_success
    parts = ("", "/view", "/events")
    before = [(await rest.http.get(path + part)).json() for part in parts]
    assert before[0]["seats"][0]["player"] == {"id": made["player"]["id"], "display_name": "Ann"}
    assert await rest.say("DeleteMe", made["token"]) == Said("", {}, {})
    after = [(await rest.http.get(path + part)).json() for part in parts]
    assert after[1:] == before[1:]
    before[0]["seats"][0]["player"]["display_name"] = ""
    assert after[0] == before[0]
    stub: Any = MatchServiceStub(grpc_face.channel)
    shown = await stub.GetMatch(matches_pb2.GetMatchRequest(match=match["id"]))
    (seat,) = shown.match.seats
    assert (seat.player.id, seat.player.display_name) == (made["player"]["id"], "")


async def test_a_stream_ends_with_its_token(grpc_face: Grpc, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch, a conversation, a chat and a player's feed; the reason is told."""
    monkeypatch.setattr(sessions, "PERIOD", 0.01)
    token = (await grpc_face.say("CreatePlayer", display_name="Ann")).content["token"]
    made = (await grpc_face.say("CreateToken", token, scopes=["bot"])).content
    bearer = (("authorization", f"Bearer {made['token']}"),)
    stub: Any = MatchServiceStub(grpc_face.channel)
    opened = await stub.CreateMatch(matches_pb2.CreateMatchRequest(game="montana", seat=0), metadata=bearer)
    asked = matches_pb2.WatchMatchRequest(match=opened.match.id)
    watch = stub.WatchMatch(asked, metadata=bearer)
    play = stub.Play(metadata=bearer)
    await play.write(matches_pb2.PlayRequest(watch=asked))
    chat = ChatServiceStub(grpc_face.channel).WatchMessages(
        chat_pb2.WatchMessagesRequest(match=opened.match.id), metadata=bearer
    )
    feed = PlayerFeedServiceStub(grpc_face.channel).WatchPlayer(
        player_feed_pb2.WatchPlayerRequest(), metadata=bearer
    )
    streams: Any = {
        watch: matches_pb2.END_REASON_TOKEN_ENDED,
        play: matches_pb2.END_REASON_TOKEN_ENDED,
        chat: chat_pb2.CHAT_END_REASON_TOKEN_ENDED,
        feed: player_feed_pb2.PLAYER_END_REASON_TOKEN_ENDED,
    }
    for stream in streams:
        while (await stream.read()).item.WhichOneof("item") != "caught_up":
            pass
    assert (await grpc_face.say("DeleteToken", token, token=made["details"]["id"])).reason == ""
    for stream, reason in streams.items():
        while (item := (await stream.read()).item).WhichOneof("item") != "end":
            pass
        assert item.end.reason == reason


async def test_a_stream_over_http_ends_with_its_token(rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events of a match, its chat, and a player's feed; the reason is told."""
    monkeypatch.setattr(sessions, "PERIOD", 0.01)
    token = (await rest.say("CreatePlayer", display_name="Ann")).content["token"]
    made = (await rest.say("CreateToken", token, scopes=["bot"])).content
    headers = {"Authorization": f"Bearer {made['token']}", "Accept": "application/x-ndjson"}
    asked = {"game": "montana", "seat": 0}
    match = (await rest.http.post("/v1/matches", json=asked, headers=headers)).json()["id"]
    paths = (f"/v1/matches/{match}/events", f"/v1/matches/{match}/chat", "/v1/players/me/events")
    streams, held = APP.state.services.players.sessions, asyncio.Semaphore(0)
    hold = streams.hold

    def counted(credential: Any, stream: Any) -> None:
        hold(credential, stream)
        held.release()

    monkeypatch.setattr(streams, "hold", counted)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        reading = [group.create_task(rest.http.get(path, headers=headers)) for path in paths]
        for _ in paths:
            await held.acquire()
        assert (await rest.say("DeleteToken", token, token=made["details"]["id"])).reason == ""
    for answer in reading:
        last = json.loads(answer.result().text.splitlines()[-1])
        assert (last["type"], last["reason"]) == ("end", "TOKEN_ENDED")


async def test_no_secret_is_kept_by_those_between(rest: Rest) -> None:
    """An answer with a token in it is not to be stored by any cache."""
    made = await rest.http.post("/v1/players", json={"display_name": "Ann"})
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    token = await rest.http.post("/v1/players/me/tokens", json={"scopes": ["bot"]}, headers=headers)
    assert (made.status_code, token.status_code) == (201, 201)
    for answer in (made, token):
        assert answer.headers["Cache-Control"] == "no-store"


async def test_a_path_tells_all_its_methods(rest: Rest) -> None:
    """OPTIONS names the methods of a path, whichever handler has them."""
    for path, methods in (
        ("/v1/players/me", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/players/player_x", "GET, HEAD, OPTIONS"),
        ("/v1/players/me/tokens/token_x", "DELETE, OPTIONS"),
    ):
        answer = await rest.http.options(path)
        assert (answer.status_code, answer.headers["Allow"]) == (204, methods)


async def test_every_operation_that_knows_its_caller_demands_a_scope(rest: Rest) -> None:
    """A token that allows nothing opens nothing, not even what needs none."""
    headers = {"Authorization": f"Bearer {await useless()}"}
    asked = 0
    for path, operations in DOCUMENT["paths"].items():
        for verb, operation in operations.items():
            if {"token": []} not in operation["security"]:
                continue
            named = dict.fromkeys(("game", "match", "message", "player", "token", "webhook"), "x")
            address = path.format(**named, seat=0)
            sent: dict[str, Any] = {"json": {}} if "requestBody" in operation else {}
            answer = await rest.http.request(verb, address, headers=headers, **sent)
            assert (answer.status_code, answer.json()["reason"]) == (403, "SCOPE_MISSING"), operation
            asked += 1
    assert asked >= 15


OPEN = {"CatalogueService", "CreatePlayer", "ListDays", "GetDay", "ListKeys"}
"""The services and methods that have no caller."""


async def test_every_method_that_knows_its_caller_demands_a_scope(grpc_face: Grpc) -> None:
    """The same over gRPC, within streams as well."""
    metadata = (("authorization", f"Bearer {await useless()}"),)
    asked = 0
    for service in map(Default().FindServiceByName, SERVICES):
        for method in service.methods:
            if {service.name, method.name} & OPEN:
                continue
            proto: Any = method
            request = filled(GetMessageClass(proto.input_type)())
            kind = (proto.client_streaming, proto.server_streaming)
            make = {
                (False, False): grpc_face.channel.unary_unary,
                (False, True): grpc_face.channel.unary_stream,
                (True, True): grpc_face.channel.stream_stream,
            }[kind]
            call = make(
                f"/{service.full_name}/{method.name}",
                type(request).SerializeToString,
                GetMessageClass(proto.output_type).FromString,
            )
            sent: Any = iter([request]) if proto.client_streaming else request
            answer = call(sent, metadata=metadata)
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await (answer.read() if proto.server_streaming else answer)
            assert refused(raised.value).reason == "SCOPE_MISSING", method.full_name
            asked += 1
    assert asked >= 15


def filled(message: Message) -> Message:
    """Return a message in which all is given that has to be."""
    for oneof in message.DESCRIPTOR.oneofs:
        if len(oneof.fields) > 1:
            filled(getattr(message, oneof.fields[0].name))
            getattr(message, oneof.fields[0].name).SetInParent()
    for field in message.DESCRIPTOR.fields:
        if field.is_repeated or field.containing_oneof is not None:
            continue
        if field.message_type is not None:
            filled(getattr(message, field.name))
            getattr(message, field.name).SetInParent()
        elif field.type == FieldDescriptor.TYPE_STRING:
            setattr(message, field.name, "x")
        elif field.enum_type is not None:
            setattr(message, field.name, 1)
    return message
