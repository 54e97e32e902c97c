"""Streams of a match, on real sockets and PostgreSQL: complete, live and resumable."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import msgspec
import psycopg
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.v1 import games_pb2, match_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from domain.games import GAMES
from domain.shared.game import fold
from domain.shared.viewers import SPECTATOR
from tests.support.faces.server import STOP_SECONDS, Client, Server, children, eventually
from tests.support.faces.streams import (
    READERS,
    Lines,
    Playing,
    Reader,
    ServerSentEvents,
    Socket,
    streaming_client,
    version_of,
    watch_request,
)

MONTANA = GAMES["montana"]
EVENT = msgspec.json.Decoder(MONTANA.events[0] | MONTANA.events[1] | MONTANA.events[2])


@pytest.fixture(scope="module")
def server(databases: Any) -> Iterator[Server]:
    """A server that speaks everything."""
    with databases.fresh() as database, Server("--database-url", database) as server:
        yield server


@pytest.fixture(params=READERS, ids=list(READERS))
def reader(request: pytest.FixtureRequest) -> Any:
    """Each way in which a stream is read."""
    return READERS[request.param]


NINE = games_pb2.Command(
    montana=montana_pb2.Command(move_card=montana_pb2.MoveCard(card=montana_pb2.CARD_9H))
)
REDEAL = games_pb2.Command(montana=montana_pb2.Command(redeal=montana_pb2.Redeal()))
RESIGN = games_pb2.Command(resign=match_pb2.Resign())


def opened(client: Client) -> str:
    """Return a match of deal 1 that the client plays, at version 4."""
    match = client.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})
    return str(match["id"])


def play(client: Client, match: str, command: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a command."""
    answer: dict[str, Any] = client.post(f"/v1/matches/{match}/commands", {"command": command})
    return answer


def move(client: Client, match: str, dice: random.Random) -> dict[str, Any]:
    """Let the client make any legal move, and return the answer."""
    moves = client.get(f"/v1/matches/{match}/legal-moves")["legal_moves"]
    return play(client, match, dice.choice(moves))


def test_a_stream_is_complete_and_live(server: Server, reader: Any) -> None:
    """A snapshot, the live edge, every event as it happens, and the end of the match."""
    ann = streaming_client(server)
    match = opened(ann)
    with reader(ann, match) as stream:
        snapshot, edge = stream.until("caught_up")
        assert (snapshot["type"], snapshot["version"], edge["version"]) == ("snapshot", 4, 4)
        assert snapshot["view"]["match"] == match
        assert len(snapshot["view"]["legal_moves"]) > 0
        assert snapshot["presence"] == [0]
        for version in (5, 6, 7):
            move(ann, match, random.Random(version))
            (event,) = stream.until("event")
            assert event["event"]["version"] == version
            assert event["event"]["type"] == "montana.card_moved"
        play(ann, match, {"type": "resign"})
        *events, end = stream.until("end")
        assert [event["event"]["type"] for event in events] == ["match.resigned", "match.finished"]
        assert end == {"type": "end", "version": 9, "reason": "MATCH_OVER", "resumable": False}
        with pytest.raises((StopIteration, ConnectionClosed)):
            stream.next()


def test_a_stream_of_json_says_what_the_list_says(server: Server) -> None:
    """Each event has the same form in the stream, in the list and in the command's answer."""
    ann = streaming_client(server)
    match = opened(ann)
    with ServerSentEvents(ann, match, after=0) as sse, Lines(ann, match, after=0) as lines:
        answer = move(ann, match, random.Random(1))
        listed = ann.all_events(match)
        assert listed[-1:] == answer["events"]
        assert _five(sse) == _five(lines) == listed


def _five(stream: Reader) -> list[Any]:
    events: list[Any] = []
    while len(events) < 5:
        events.append(stream.until("event")[-1]["event"])
    return events


def test_a_snapshot_has_the_view(server: Server) -> None:
    """Byte for byte what a fresh view says, and no longer than that after many moves."""
    ann = streaming_client(server)
    match = opened(ann)
    for turn in range(30):
        move(ann, match, random.Random(turn))
    with Lines(ann, match) as stream:
        (snapshot, _) = stream.until("caught_up")
    assert snapshot["view"] == ann.get(f"/v1/matches/{match}/view")


def test_a_stream_resumes_behind_any_version(server: Server, reader: Any) -> None:
    """`after` begins exactly after it; a version that is not there yet is refused."""
    ann = streaming_client(server)
    match = opened(ann)
    for after in range(5):
        with reader(ann, match, after=after) as stream:
            items = stream.until("caught_up")
            assert [version_of(item) for item in items] == [*range(after + 1, 5), 4]


def test_a_browser_resumes_by_the_id_of_its_last_event(server: Server) -> None:
    """`Last-Event-ID` goes before `after`; of a match that is over, the answer is 204 and it stays away."""
    ann = streaming_client(server)
    match = opened(ann)
    with ServerSentEvents(ann, match, {"Last-Event-ID": "3"}, after=1) as stream:
        assert [version_of(item) for item in stream.until("caught_up")] == [4, 4]
    play(ann, match, {"type": "resign"})
    with ServerSentEvents(ann, match, {"Last-Event-ID": "6"}) as stream:
        assert stream.response.status_code == 204
    with ServerSentEvents(ann, match, {"Last-Event-ID": "5"}) as stream:
        assert [item["type"] for item in stream.until("end")] == ["event", "caught_up", "end"]


def test_what_may_not_be_watched_is_refused(server: Server) -> None:
    """The same problems as for a view, before a stream begins; over a WebSocket they come as a message."""
    ann, ben = streaming_client(server), streaming_client(server, "Ben")
    private = ann.post("/v1/matches", {"game": "montana", "seat": 0, "visibility": "private"})["id"]
    match = opened(ann)
    for client, path, reason, status in (
        (ben, f"{private}/events", "NO_SUCH_MATCH", 404),
        (ben, f"{match}/events?as=0", "NOT_YOUR_VIEW", 403),
        (ben, f"{match}/events?after=99", "NO_SUCH_VERSION", 404),
        (ben, f"{match}/events?since=3", "UNKNOWN_FIELD", 400),
    ):
        found = client.problem("GET", f"/v1/matches/{path}", headers={"Accept": "text/event-stream"})
        assert (found["reason"], found["status"]) == (reason, status)
        problem, code = refused_socket(client, path.replace("events", "socket"))
        assert (problem["reason"], code) == (reason, 4000 + status)
    found = ben.problem(
        "GET", f"/v1/matches/{match}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "x"}
    )
    assert (found["reason"], found["details"]["field"]) == ("INVALID_FIELD", "Last-Event-ID")


def refused_socket(client: Client, path: str) -> tuple[dict[str, Any], int]:
    """Return the problem that a WebSocket tells, and the code that it is closed with."""
    url = f"{str(client.http.base_url).replace('http', 'ws', 1)}/v1/matches/{path}"
    with connect(url, additional_headers={"Authorization": client.http.headers["Authorization"]}) as socket:
        problem = msgspec.json.decode(socket.recv(timeout=5))["problem"]
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=5)
        assert closed.value.rcvd is not None
        return problem, closed.value.rcvd.code


def test_a_match_is_played_over_a_websocket(server: Server) -> None:
    """Commands in, answers and events out; what is refused is told, and the socket goes on."""
    ann = streaming_client(server)
    match = opened(ann)
    with Socket(ann, match) as socket:
        socket.until("caught_up")
        socket.send(
            {"type": "command", "id": "a", "command": {"type": "move_card", "card": "9H"}, "key": "k"}
        )
        result = socket.next()
        assert (result["id"], result["key"], result["version"]) == ("a", "k", 5)
        assert result["events"] == ann.all_events(match)[4:]
        assert result["view"] == ann.get(f"/v1/matches/{match}/view")
        move(ann, match, random.Random(1))
        assert version_of(socket.until("event")[-1]) == 6
        for message, id, reason in (
            ({"type": "command", "id": "b", "command": {"type": "redeal"}}, "b", "NOT_STUCK"),
            ({"type": "command", "id": "c", "command": {"type": "jump"}}, "c", "INVALID_FIELD"),
            ({"type": "command", "id": "d", "command": {"type": "redeal"}, "x": 1}, "", "UNKNOWN_FIELD"),
            ({"type": "shout"}, "", "INVALID_FIELD"),
            (
                {"type": "command", "id": "e", "command": {"type": "resign"}, "expected_version": 1},
                "e",
                "VERSION_CONFLICT",
            ),
            (
                {"type": "command", "id": "f", "command": {"type": "resign"}, "key": "k"},
                "f",
                "IDEMPOTENCY_KEY_REUSED",
            ),
        ):
            socket.send(message)
            problem = socket.until("problem")[-1]
            assert (problem["id"], problem["problem"]["reason"]) == (id, reason)
        socket.socket.send(b"\xff\x00")
        assert socket.until("problem")[-1]["problem"]["reason"] == "MALFORMED_REQUEST"
        socket.send({"type": "command", "command": {"type": "resign"}, "validate_only": True})
        assert socket.until("result")[-1]["version"] == 6
        socket.send(
            {"type": "command", "command": {"type": "resign"}, "validate_only": True, "without_view": True}
        )
        assert socket.until("result")[-1]["view"] is None
        socket.send({"type": "command", "command": {"type": "resign"}})
        assert socket.until("end")[-1]["reason"] == "MATCH_OVER"


def test_a_stream_of_a_branch_plays_all_sides(server: Server) -> None:
    """Its player names the seat; what another seat than the watched one sees comes beside the items."""
    ann, ben = streaming_client(server), streaming_client(server, "Ben")
    match = ann.post("/v1/matches", {"game": "mountains", "seats": 2, "seat": 0})["id"]
    version = ben.http.put(f"/v1/matches/{match}/seats/1", json={}).json()["version"]
    branches = [ann.post(f"/v1/matches/{match}/branches", {"version": version})["id"] for _ in range(4)]
    for seat, branch in enumerate(branches[:2]):
        with Socket(ann, branch) as socket:
            socket.until("caught_up")
            socket.send({"type": "command", "command": {"type": "resign"}, "seat": seat})
            parts = [socket.next() for _ in range(2 if seat == 0 else 4)]
        (result,) = [part for part in parts if part["type"] == "result"]
        assert result["view"]["viewer"] == {"kind": "seat", "seat": seat}
        assert [event["version"] for event in result["events"]] == [3, 4]
        assert [version_of(part) for part in parts if part["type"] == "event"] == [3, 4][: 2 * seat]
    for seat, branch in enumerate(branches[2:]):
        with Playing(ann, branch) as stream:
            stream.until("caught_up")
            stream.send(pb.PlayCommand(command=RESIGN, seat=seat))
            played = [stream.next() for _ in range(2 if seat == 0 else 4)]
        (done,) = [part.result for part in played if part.WhichOneof("response") == "result"]
        assert done.view.viewer.seat == seat
        items = [part.item for part in played if part.item.WhichOneof("item") == "event"]
        assert [item.event.event.version for item in items] == [3, 4][: 2 * seat]


def test_a_browser_names_its_token_in_a_subprotocol(server: Server) -> None:
    """A WebSocket of a browser has no headers of its own; a bad token is refused as anywhere."""
    ann = streaming_client(server)
    match = opened(ann)
    token = ann.http.headers["Authorization"].removeprefix("Bearer ")
    url = f"{server.url.replace('http', 'ws', 1)}/v1/matches/{match}/socket"
    protocols: Any = ["montane.v1", f"montane.bearer.{token}"]
    with connect(url, subprotocols=protocols) as socket:
        assert socket.subprotocol == "montane.v1"
        snapshot = msgspec.json.decode(socket.recv(timeout=5))
        assert snapshot["view"]["viewer"] == {"kind": "seat", "seat": 0}
    protocols[1] = "montane.bearer.nobody"
    with connect(url, subprotocols=protocols) as socket:
        assert msgspec.json.decode(socket.recv(timeout=5))["problem"]["reason"] == "TOKEN_MALFORMED"
    with connect(url) as socket:
        assert msgspec.json.decode(socket.recv(timeout=5))["view"]["viewer"]["kind"] == "spectator"
        socket.send('{"type": "command", "command": {"type": "resign"}}')
        while "problem" not in (message := msgspec.json.decode(socket.recv(timeout=5))):
            pass
        assert message["problem"]["reason"] == "TOKEN_MISSING"


def test_a_match_is_played_over_a_grpc_stream(server: Server) -> None:
    """The first request watches, the others are commands; each is answered, and what happens comes too."""
    ann = streaming_client(server)
    match = opened(ann)
    with Playing(ann, match) as stream:
        stream.until("caught_up")
        stream.send(pb.PlayCommand(id="a", command=NINE, idempotency_key="k"))
        result = stream.next().result
        assert (result.id, result.version, result.idempotency_key) == ("a", 5, "k")
        assert [event.version for event in result.events] == [5]
        assert (
            result.view
            == stream.client.call(stream.client.matches.GetView, pb.GetViewRequest(match=match)).view
        )
        move(ann, match, random.Random(1))
        assert stream.next().item.event.event.version == 6
        for command, code, reason in (
            (pb.PlayCommand(id="b", command=REDEAL), 9, "NOT_STUCK"),
            (pb.PlayCommand(id="c"), 3, "MISSING_FIELD"),
            (pb.PlayCommand(id="d", command=RESIGN, expected_version=1), 10, "VERSION_CONFLICT"),
            (pb.PlayCommand(id="e", command=RESIGN, idempotency_key="k"), 9, "IDEMPOTENCY_KEY_REUSED"),
        ):
            stream.send(command)
            refusal = stream.next().refusal
            assert (refusal.id, refusal.code, refusal.reason) == (command.id, code, reason)
            assert [missed.version for missed in refusal.conflict.events] == (
                [2, 3, 4, 5, 6] if code == 10 else []
            )
        stream.send(pb.PlayCommand(command=RESIGN, validate_only=True))
        assert stream.next().result.version == 6
        stream.send(pb.PlayCommand(command=RESIGN, validate_only=True, without_view=True))
        assert not stream.next().result.HasField("view")
        stream.send(pb.PlayCommand(command=RESIGN))
        assert [event.version for event in stream.next().result.events] == [7, 8]
        assert stream.until("end")[-1].item.end.reason == pb.END_REASON_MATCH_OVER
        with pytest.raises(StopIteration):
            stream.next()


def test_a_grpc_stream_begins_with_what_is_watched(server: Server) -> None:
    """Anything else, or a match that the caller may not know of, is refused as a status."""
    ann, nobody = streaming_client(server), streaming_client(server, None)
    match = opened(ann)
    private = ann.post("/v1/matches", {"game": "montana", "seat": 0, "visibility": "private"})["id"]
    for client, first, code in (
        (ann, pb.PlayRequest(command=pb.PlayCommand(command=RESIGN)), grpc.StatusCode.INVALID_ARGUMENT),
        (ann, pb.PlayRequest(watch=watch_request("")), grpc.StatusCode.INVALID_ARGUMENT),
        (nobody, pb.PlayRequest(watch=watch_request(private)), grpc.StatusCode.NOT_FOUND),
        (ann, pb.PlayRequest(watch=watch_request(match, after=9)), grpc.StatusCode.NOT_FOUND),
    ):
        with Playing(client, match, first) as stream:
            with pytest.raises(grpc.RpcError) as refused:
                stream.next()
            assert refused.value.code() is code
    with Playing(nobody, match) as stream:
        stream.until("caught_up")
        stream.send(pb.PlayCommand(command=RESIGN))
        assert stream.next().refusal.reason == "TOKEN_MISSING"


def folded(state: Any, items: list[dict[str, Any]]) -> Any:
    """Return the table of Montana after the events of a stream, as a client folds it."""
    payloads = [item["event"]["payload"] for item in items if item["type"] == "event"]
    own = [payload for payload in payloads if payload["type"].startswith("montana.")]
    return fold(MONTANA, [EVENT.decode(msgspec.json.encode(payload)) for payload in own], state)


def test_a_watcher_that_is_killed_again_and_again_misses_nothing(server: Server) -> None:
    """200 times its connection dies at random while play goes on; what it folds equals a fresh view."""
    ann, ben, dice = streaming_client(server), streaming_client(server, None), random.Random(3)
    kills = 0
    while kills < 200:
        match = opened(ann)
        player = threading.Thread(target=play_on, args=(ann, match, random.Random(kills)))
        player.start()
        version, state, over = 0, None, False
        while not over:
            kills += 1
            with READERS[dice.choice(["server-sent events", "lines", "websocket"])](
                ben, match, after=version
            ) as stream:
                items = some(stream, dice.randrange(1, 7))
            versions = [version_of(item) for item in items if item["type"] == "event"]
            assert versions == list(range(version + 1, version + 1 + len(versions)))
            state, version = folded(state, items), versions[-1] if versions else version
            over = items[-1]["type"] == "end"
            if version >= 4:
                fresh = ben.get(f"/v1/matches/{match}/view", version=version)
                table = msgspec.json.encode(MONTANA.view(state, SPECTATOR))
                assert msgspec.json.decode(table) == fresh["table"]
        player.join()
        assert ben.get(f"/v1/matches/{match}/view")["version"] == version


def play_on(client: Client, match: str, dice: random.Random) -> None:
    """Play a match at random to its end, or resign when it becomes long."""
    for _ in range(60):
        if move(client, match, dice)["view"]["state"] == "finished":
            return
        time.sleep(0.005)
    play(client, match, {"type": "resign"})


def some(stream: Reader, most: int) -> list[dict[str, Any]]:
    """Return the next items, as many as asked for, or up to the end."""
    items = [stream.next()]
    while len(items) < most and items[-1]["type"] != "end":
        items.append(stream.next())
    return items


def test_streams_are_complete_across_servers(database: str, reader: Any) -> None:
    """What one server commits another streams, soon, also after its LISTEN connection is lost."""
    flags = ("--database-url", database)
    with Server(*flags) as here, Server(*flags) as there:
        ann, far = streaming_client(here), streaming_client(there, None)
        match = opened(ann)
        with reader(far, match) as stream:
            stream.until("caught_up")
            for turn, cut in enumerate((False, False, True, True)):
                if cut:
                    terminate_listeners(database)
                answer = move(ann, match, random.Random(turn))
                began = time.monotonic()
                (event,) = stream.until("event")
                assert event["event"]["version"] == answer["version"]
                assert time.monotonic() - began < 2


def terminate_listeners(database: str) -> None:
    """End every connection that listens for commits, as soon as there is one."""
    with psycopg.connect(database, autocommit=True) as connection:
        eventually(
            lambda: connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND datname = current_database()"
                " AND query ~ '^LISTEN|notification_id >|position > .* WITH TIES'"
            ).fetchall()
        )


def test_a_stream_goes_on_at_another_server_when_its_own_dies(database: str) -> None:
    """A reader whose server is killed resumes at another and misses nothing."""
    flags = ("--database-url", database)
    with Server(*flags) as here, Server(*flags) as there:
        ann = streaming_client(there)
        match = opened(ann)
        near = Client(here.url, None)
        with ServerSentEvents(near, match, after=0) as stream:
            seen = [version_of(item) for item in stream.until("caught_up")[:-1]]
            here.kill()
            with pytest.raises(httpx.HTTPError):
                stream.next()
        move(ann, match, random.Random(1))
        far = Client(there.url, None)
        with ServerSentEvents(far, match, after=seen[-1]) as stream:
            seen += [version_of(item) for item in stream.until("caught_up")[:-1]]
        assert seen == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopping_ends_streams_with_a_reason(database: str, number: signal.Signals) -> None:
    """Every reader is told that it may go on elsewhere, and the server is gone within 5 seconds."""
    with Server("--database-url", database) as server:
        ann = streaming_client(server)
        match = opened(ann)
        streams = [reader(ann, match) for reader in READERS.values()]
        for stream in streams:
            stream.until("caught_up")
        began = time.monotonic()
        server.stop(number)
        assert time.monotonic() - began < STOP_SECONDS
        assert server.process.returncode == 0
        for stream in streams:
            end = stream.until("end")[-1]
            assert end == {"type": "end", "version": 4, "reason": "SERVER_STOPPING", "resumable": True}
            stream.close()


def test_a_lost_database_does_not_end_streams(tmp_path: Path) -> None:
    """While its own PostgreSQL is away a quiet stream waits; once it is back, events come again."""
    with Server("--data-dir", str(tmp_path / "data")) as server:
        ann = streaming_client(server)
        match = opened(ann)
        with Lines(ann, match) as stream:
            stream.until("caught_up")
            (postmaster,) = children(server.process.pid)
            os.kill(postmaster, signal.SIGKILL)

            def resigned() -> bool:
                """Return whether the command was carried out; until it can be, the answer is 503."""
                response = ann.http.post(
                    f"/v1/matches/{match}/commands",
                    json={"command": {"type": "resign"}},
                    headers={"Idempotency-Key": "k"},
                )
                assert response.status_code in {200, 503}
                return response.status_code == 200

            eventually(resigned)
            assert [item["type"] for item in stream.until("end")] == ["event", "event", "end"]
