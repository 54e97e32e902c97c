"""Chat over REST and gRPC: the same answers, and for bad input the same reasons, codes and named fields."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import grpc
import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from grpc_status import rpc_status

from adapters.grpc.generated.montane.v1 import chat_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceStub
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from services.chat.chat import PACE
from services.players.store import Scope
from tests.support.stores.use_cases import memory_stores

UNKNOWN = "message_01j00000000000000000000000"
OF_ROOM = {"players": pb.CHAT_ROOM_PLAYERS, "seat": pb.CHAT_ROOM_SEAT, "spectators": pb.CHAT_ROOM_SPECTATORS}


class Faces:
    """Both faces on stores in memory, a match of Mountains with Ann and Ben, and Cid, who looks on."""

    async def start(self) -> None:
        """Serve, and open the accounts and the match."""
        stores = memory_stores()
        services = stores.node()
        app = build(services, "0")
        transport = httpx.ASGITransport(app=cast(Any, app), raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://montane")
        self.server = GrpcServer(services, "127.0.0.1:0")
        await self.server.start()
        self.channel: Any = grpc.aio.insecure_channel(f"127.0.0.1:{self.server.port}")
        self.grpc: Any = ChatServiceStub(self.channel)
        self.tokens = {name: (await services.players.open_guest(name))[1] for name in ("Ann", "Ben", "Cid")}
        moderator, _ = await services.players.open_guest("Moderator")
        _, self.tokens["Moderator"] = await services.players.issue_token(moderator.id, [Scope.ADMIN], None)
        _, self.tokens["Reader"] = await services.players.issue_token(moderator.id, [Scope.READ], None)
        self.match = await self.opened()

    async def stop(self) -> None:
        """Hang up and stop serving."""
        await self.http.aclose()
        await self.channel.close()
        await self.server.stop(0)

    async def opened(self, **fields: object) -> str:
        """Return a match of two that Ann opened, with Ben beside her."""
        body = {"game": "mountains", "seats": 2, "seat": 0} | fields
        match = (await self.http.post("/v1/matches", json=body, headers=self.bearer("Ann"))).json()["id"]
        await self.http.put(f"/v1/matches/{match}/seats/1", json={}, headers=self.bearer("Ben"))
        return str(match)

    def bearer(self, name: str | None) -> dict[str, str]:
        """Return the headers with which somebody calls."""
        return {} if name is None else {"authorization": f"Bearer {self.tokens[name]}"}

    async def rest(
        self, name: str | None, method: str, path: str, **request: Any
    ) -> tuple[httpx.Response, dict[str, Any]]:
        """Return the answer over REST, and its body."""
        headers = self.bearer(name) | request.pop("headers", {})
        answer = await self.http.request(
            method, f"/v1/matches/{self.match}/chat{path}", headers=headers, **request
        )
        return answer, answer.json()

    async def call(self, name: str | None, method: str, request: Any, *metadata: tuple[str, str]) -> Any:
        """Return the answer over gRPC."""
        return await getattr(self.grpc, method)(request, metadata=(*self.bearer(name).items(), *metadata))

    async def refused(
        self, name: str | None, method: str, request: Any
    ) -> tuple[str, str, dict[str, str], RetryInfo]:
        """Return code, reason, named values and when to come again, of a call over gRPC that fails."""
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.call(name, method, request)
        info, retry = ErrorInfo(), RetryInfo()
        status = rpc_status.from_call(raised.value)  # type: ignore[arg-type]
        assert status is not None
        for detail in status.details:
            detail.Unpack(info)
            detail.Unpack(retry)
        return raised.value.code().name, info.reason, dict(info.metadata), retry


@pytest.fixture
async def faces() -> AsyncIterator[Faces]:
    """Both faces."""
    faces = Faces()
    await faces.start()
    yield faces
    await faces.stop()


def as_json(message: Any) -> dict[str, Any]:
    """Return a message with the names and values that JSON has."""
    said = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    for field, prefix in (("room", "CHAT_ROOM_"), ("reason", "REPORT_REASON_")):
        if field in said:
            said[field] = said[field].removeprefix(prefix).lower()
    if "message" in said:
        said["message"] = as_json(message.message)
    return {"player": None, "seat": None, "to_seat": None} | said if "room" in said else said


async def test_both_faces_say_the_same(faces: Faces) -> None:
    """What one face writes or reports the other reads, in the same words."""
    answer, first = await faces.rest(
        "Ann", "POST", "", json={"room": "players", "text": "hi"}, headers={"Idempotency-Key": "k"}
    )
    assert (answer.status_code, answer.headers["Idempotency-Key"]) == (201, "k")
    assert (first["player"]["display_name"], first["seat"], first["removed"]) == ("Ann", 0, False)
    request = pb.PostMessageRequest(match=faces.match, room=pb.CHAT_ROOM_SEAT, to_seat=0, text="psst")
    posted = await faces.call("Ben", "PostMessage", request, ("idempotency-key", "k"))
    assert posted.idempotency_key == "k"
    again = await faces.call("Ben", "PostMessage", request, ("idempotency-key", "k"))
    assert again == posted
    second = as_json(posted.message)
    assert (second["seat"], second["to_seat"]) == (1, 0)
    _, page = await faces.rest("Ann", "GET", "?page_size=1")
    assert page["items"] == [first]
    _, rest = await faces.rest("Ann", "GET", f"?page_token={page['next_page_token']}")
    assert rest == {"items": [second], "next_page_token": None}
    listed = await faces.call("Ann", "ListMessages", pb.ListMessagesRequest(match=faces.match, page_size=1))
    assert [as_json(item) for item in listed.items] == [first]
    listed = await faces.call(
        "Ann", "ListMessages", pb.ListMessagesRequest(match=faces.match, page_token=listed.next_page_token)
    )
    assert [as_json(item) for item in listed.items] == [second]
    assert not listed.HasField("next_page_token")
    _, behind = await faces.rest("Ann", "GET", f"?after={first['id']}&room=seat")
    assert behind["items"] == [second]
    _, report = await faces.rest(
        "Ann", "POST", f"/{second['id']}/report", json={"reason": "other", "text": "x"}
    )
    asked = pb.ReportMessageRequest(
        match=faces.match, message=second["id"], reason=pb.REPORT_REASON_OTHER, text="x"
    )
    assert as_json((await faces.call("Ann", "ReportMessage", asked)).report) == report
    assert (report["message"], report["reporter"]["display_name"]) == (second, "Ann")


@pytest.mark.parametrize(
    ("name", "body", "status", "code", "reason", "field"),
    [
        ("Cid", {"room": "players", "text": "x"}, 403, "PERMISSION_DENIED", "NOT_SEATED", None),
        ("Ann", {"room": "spectators", "text": "x"}, 403, "PERMISSION_DENIED", "NOT_YOUR_ROOM", None),
        (None, {"room": "players", "text": "x"}, 401, "UNAUTHENTICATED", "TOKEN_MISSING", None),
        ("Ann", {"room": "seat", "text": "x"}, 400, "INVALID_ARGUMENT", "INVALID_FIELD", "to_seat"),
        (
            "Ann",
            {"room": "players", "to_seat": 1, "text": "x"},
            400,
            "INVALID_ARGUMENT",
            "INVALID_FIELD",
            "to_seat",
        ),
        (
            "Ann",
            {"room": "seat", "to_seat": 0, "text": "x"},
            422,
            "FAILED_PRECONDITION",
            "WHISPER_TO_SELF",
            None,
        ),
        (
            "Ann",
            {"room": "seat", "to_seat": 2, "text": "x"},
            422,
            "FAILED_PRECONDITION",
            "NO_SUCH_SEAT",
            None,
        ),
        ("Ann", {"room": "players", "text": " "}, 400, "INVALID_ARGUMENT", "INVALID_FIELD", "text"),
        ("Ann", {"room": "players", "text": "x" * 501}, 400, "INVALID_ARGUMENT", "INVALID_FIELD", "text"),
        ("Ann", {"room": "players", "text": "\u202ex"}, 400, "INVALID_ARGUMENT", "INVALID_FIELD", "text"),
    ],
)
async def test_a_message_that_is_refused(
    faces: Faces,
    name: str | None,
    body: dict[str, Any],
    status: int,
    code: str,
    reason: str,
    field: str | None,
) -> None:
    """Both faces refuse it for the same reason, and name the same field."""
    answer, problem = await faces.rest(name, "POST", "", json=body)
    assert (answer.status_code, problem["reason"]) == (status, reason)
    assert problem["details"].get("field") == field
    request = pb.PostMessageRequest(match=faces.match, **(body | {"room": OF_ROOM[body["room"]]}))
    told = await faces.refused(name, "PostMessage", request)
    assert told[:2] == (code, reason)
    assert told[2].get("field") == field


@pytest.mark.parametrize(
    ("query", "request_fields", "reason", "field"),
    [
        ("room=players", {"room": pb.CHAT_ROOM_PLAYERS}, "NOT_YOUR_ROOM", None),
        (f"after={UNKNOWN}", {"after": UNKNOWN}, "NO_SUCH_MESSAGE", None),
        ("after=", {"after": ""}, "NO_SUCH_MESSAGE", None),
        ("page_token=x", {"page_token": "x"}, "INVALID_FIELD", "page_token"),
        ("page_token=x&after=y", {"page_token": "x", "after": "y"}, "INVALID_FIELD", "page_token"),
        ("page_size=201", {"page_size": 201}, "INVALID_FIELD", "page_size"),
        ("room=kitchen", {"room": 9}, "INVALID_FIELD", "room"),
    ],
)
async def test_a_page_that_is_refused(
    faces: Faces, query: str, request_fields: dict[str, Any], reason: str, field: str | None
) -> None:
    """Rooms, messages and tokens that the caller does not have are the same on both faces."""
    _, problem = await faces.rest("Cid", "GET", f"?{query}")
    assert (problem["reason"], problem["details"].get("field")) == (reason, field)
    request = pb.ListMessagesRequest(match=faces.match, **request_fields)
    _, told, named, _ = await faces.refused("Cid", "ListMessages", request)
    assert (told, named.get("field")) == (reason, field)


async def test_a_report_that_is_refused(faces: Faces) -> None:
    """One of a message that is not the caller's to read, or of an unknown kind."""
    _, whisper = await faces.rest("Ann", "POST", "", json={"room": "seat", "to_seat": 1, "text": "psst"})
    for id in (whisper["id"], UNKNOWN, "x"):
        answer, problem = await faces.rest("Cid", "POST", f"/{id}/report", json={"reason": "spam"})
        assert (answer.status_code, problem["reason"]) == (404, "NO_SUCH_MESSAGE")
        request = pb.ReportMessageRequest(match=faces.match, message=id, reason=pb.REPORT_REASON_SPAM)
        assert (await faces.refused("Cid", "ReportMessage", request))[:2] == ("NOT_FOUND", "NO_SUCH_MESSAGE")
    for body in ({"reason": "boring"}, {"reason": "spam", "text": "a\nb"}, {}):
        answer, problem = await faces.rest("Ben", "POST", f"/{whisper['id']}/report", json=body)
        assert answer.status_code == 400


async def test_whoever_writes_too_fast_is_told_when_to_come_again(faces: Faces) -> None:
    """429 with `Retry-After`, and RESOURCE_EXHAUSTED with a RetryInfo; both faces count together."""
    body = {"room": "players", "text": "x"}
    for _ in range(PACE.messages):
        assert (await faces.rest("Ann", "POST", "", json=body))[0].status_code == 201
    answer, problem = await faces.rest("Ann", "POST", "", json=body)
    assert (answer.status_code, problem["type"], problem["reason"]) == (
        429,
        "/problems/rate-limited",
        "CHAT_TOO_FAST",
    )
    seconds = problem["details"]["retry_after"]
    assert 1 <= seconds <= 30
    assert answer.headers["Retry-After"] == str(seconds)
    assert (await faces.http.get(problem["type"])).status_code == 200
    request = pb.PostMessageRequest(match=faces.match, room=pb.CHAT_ROOM_PLAYERS, text="x")
    code, reason, named, retry = await faces.refused("Ann", "PostMessage", request)
    assert (code, reason) == ("RESOURCE_EXHAUSTED", "CHAT_TOO_FAST")
    assert 1 <= retry.retry_delay.seconds == int(named["retry_after"]) <= 30


async def test_what_an_admin_may_do(faces: Faces) -> None:
    """It lists reports, also as lines, and takes a text away, whatever the match; nobody else does."""
    ids = []
    for text in ("rude", "ruder"):
        _, said = await faces.rest("Ann", "POST", "", json={"room": "seat", "to_seat": 1, "text": text})
        ids.append(said["id"])
        await faces.rest("Ben", "POST", f"/{said['id']}/report", json={"reason": "harassment", "text": "see"})
    listed = await faces.call("Moderator", "ListReports", pb.ListReportsRequest(page_size=1))
    page = (await faces.http.get("/v1/reports?page_size=1", headers=faces.bearer("Moderator"))).json()
    assert [as_json(item) for item in listed.items] == page["items"]
    assert (page["items"][0]["message"]["text"], page["items"][0]["text"]) == ("ruder", "see")
    assert listed.next_page_token == page["next_page_token"]
    query = f"?page_token={page['next_page_token']}"
    lines = await faces.http.get(
        f"/v1/reports{query}", headers=faces.bearer("Moderator") | {"Accept": "application/x-ndjson"}
    )
    assert [line["message"]["text"] for line in map(json.loads, lines.text.splitlines())] == ["rude"]
    answer, removed = await faces.rest("Moderator", "DELETE", f"/{ids[0]}")
    assert (answer.status_code, removed["id"], removed["text"], removed["removed"]) == (200, ids[0], "", True)
    request = pb.RemoveMessageRequest(match=faces.match, message=ids[0])
    assert as_json((await faces.call("Moderator", "RemoveMessage", request)).message) == removed
    _, page = await faces.rest("Ben", "GET", "")
    assert [message["text"] for message in page["items"]] == ["", "ruder"]


async def test_who_is_no_admin(faces: Faces) -> None:
    """Reports and removal are refused alike, whether there is anything or not; and writing without `play`."""
    _, said = await faces.rest("Ann", "POST", "", json={"room": "players", "text": "mine"})
    for name, status, code, reason in (
        ("Ann", 403, "PERMISSION_DENIED", "SCOPE_MISSING"),
        ("Reader", 403, "PERMISSION_DENIED", "SCOPE_MISSING"),
        (None, 401, "UNAUTHENTICATED", "TOKEN_MISSING"),
    ):
        found = await faces.http.get("/v1/reports", headers=faces.bearer(name))
        assert (found.status_code, found.json()["reason"]) == (status, reason)
        assert (await faces.refused(name, "ListReports", pb.ListReportsRequest()))[:2] == (code, reason)
        for id in (said["id"], UNKNOWN):
            answer, problem = await faces.rest(name, "DELETE", f"/{id}")
            assert (answer.status_code, problem["reason"]) == (status, reason)
            request = pb.RemoveMessageRequest(match=faces.match, message=id)
            assert (await faces.refused(name, "RemoveMessage", request))[:2] == (code, reason)
    for id in (UNKNOWN, "x"):
        answer, problem = await faces.rest("Moderator", "DELETE", f"/{id}")
        assert (answer.status_code, problem["reason"]) == (404, "NO_SUCH_MESSAGE")
    answer, problem = await faces.rest("Reader", "POST", "", json={"room": "spectators", "text": "x"})
    assert (answer.status_code, problem["reason"]) == (403, "SCOPE_MISSING")


async def test_a_match_without_chat(faces: Faces) -> None:
    """Both faces say so, to anyone who may know of the match."""
    faces.match = await faces.opened(chat="off")
    for method, body in (("GET", None), ("POST", {"room": "players", "text": "x"})):
        answer, problem = await faces.rest("Ann", method, "", json=body)
        assert (answer.status_code, problem["reason"]) == (422, "CHAT_OFF")
    request = pb.ListMessagesRequest(match=faces.match)
    assert (await faces.refused(None, "ListMessages", request))[:2] == ("FAILED_PRECONDITION", "CHAT_OFF")


async def test_a_private_chat_is_read_by_its_link(faces: Faces) -> None:
    """Over both faces, by anyone who shows the invitation, and by nobody else."""
    faces.match = await faces.opened(visibility="private")
    link = await faces.http.get(f"/v1/matches/{faces.match}/invitation", headers=faces.bearer("Ann"))
    shown = link.json()["invitation"]
    empty: dict[str, Any] = {"items": [], "next_page_token": None}
    assert (await faces.rest("Cid", "GET", f"?invitation={shown}"))[1] == empty
    assert (await faces.rest("Cid", "GET", ""))[0].status_code == 404
    listed = await faces.call(
        None, "ListMessages", pb.ListMessagesRequest(match=faces.match, invitation=shown)
    )
    assert not listed.items
    stream = faces.grpc.WatchMessages(pb.WatchMessagesRequest(match=faces.match, invitation=shown))
    assert (await stream.read()).item.HasField("caught_up")
    stream.cancel()
    code, reason, *_ = await faces.refused("Cid", "ListMessages", pb.ListMessagesRequest(match=faces.match))
    assert (code, reason) == ("NOT_FOUND", "NO_SUCH_MATCH")
