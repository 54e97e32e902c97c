"""What is over is gone: a server frees what it drops by reference counts, without the garbage collector."""

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import grpc
import pytest
from websockets.exceptions import ConnectionClosed

from adapters.grpc.generated.montane.v1 import chat_pb2, games_pb2, match_pb2, player_feed_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceStub
from tests.support.faces.server import Client
from tests.support.faces.streams import Socket, streaming_client, watch_request
from tests.support.faces.uncollected import UncollectedServer

MATCHES = 500
FEW = 50
"""What may be there more or less at any moment, of one type: far fewer than matches were played."""
SETTLING = 10.0
"""Seconds within which the last streams are over."""
SLACK = 12 * 2**20
"""Bytes that memory may grow by, in caches that are bounded and in what the allocator keeps."""
NO_MATCH = "match_" + "0" * 26

CACHED = {"builtins.tuple", "hmac.HMAC", "uuid.UUID", "montane.v1.games_pb2.Command"}
"""What caches of a fixed size hold: keys of chance, ids, moves as messages."""
OF_GRPC = {
    "cython_function_or_method",
    "__pyx_scope_struct_35__find_method_handler",
    "_HandlerCallDetails",
    "_Metadatum",
}
"""What gRPC leaves of every call: a function that its own closure holds, with the call's metadata."""


class Audience:
    """A player whose matches are watched, each in another way."""

    def __init__(self, server: UncollectedServer) -> None:
        """Open an account, and a connection for calls."""
        self.client: Client = streaming_client(server)
        self.address = ("127.0.0.1", server.http_port)
        self.token = self.client.http.headers["Authorization"]
        self.metadata = (("authorization", self.token),)
        channel = grpc.insecure_channel(server.grpc_target)
        # Untyped, as the stubs of gRPC's own calls are half typed.
        self.matches: Any = MatchServiceStub(channel)
        self.chats: Any = ChatServiceStub(channel)
        self.feeds: Any = PlayerFeedServiceStub(channel)

    def open(self) -> str:
        """Return a match that has just begun."""
        return str(self.client.post("/v1/matches", {"game": "montana", "seat": 0})["id"])

    def end(self, match: str) -> None:
        """Resign it."""
        self.client.post(f"/v1/matches/{match}/commands", {"command": {"type": "resign"}})

    def stream(self, path: str, media_type: str) -> HTTPResponse:
        """Return a stream over a connection of its own."""
        connection = HTTPConnection(*self.address, timeout=20)
        connection.request("GET", path, headers={"Accept": media_type, "Authorization": self.token})
        return connection.getresponse()

    def send(self, head: str, *, wait: float = 0.0) -> None:
        """Send the head of a request and break the connection off."""
        with socket.create_connection(self.address) as connection:
            connection.sendall(head.encode())
            time.sleep(wait)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def seen(stream: HTTPResponse, wanted: bytes) -> None:
    """Read a stream up to the line that says so."""
    for line in stream:
        if wanted in line:
            return
    raise AssertionError(f"there is no {wanted!r}")


def server_sent_events(audience: Audience, match: str) -> None:
    """Watch a match to its end by server-sent events."""
    with audience.stream(f"/v1/matches/{match}/events", "text/event-stream") as stream:
        seen(stream, b'"caught_up"')
        audience.end(match)
        seen(stream, b'"end"')


def lines(audience: Audience, match: str) -> None:
    """Watch a match to its end by lines."""
    with audience.stream(f"/v1/matches/{match}/events?after=0", "application/x-ndjson") as stream:
        seen(stream, b'"caught_up"')
        audience.end(match)
        seen(stream, b'"end"')


def left(audience: Audience, match: str) -> None:
    """Watch a match for a while only."""
    with audience.stream(f"/v1/matches/{match}/events", "application/x-ndjson") as stream:
        seen(stream, b'"caught_up"')
    audience.end(match)


def websocket(audience: Audience, match: str) -> None:
    """Play a match over a WebSocket."""
    with Socket(audience.client, match) as stream:
        stream.until("caught_up")
        stream.send({"id": "1", "command": {"type": "move_card"}})
        stream.send({"id": "2", "command": {"type": "resign"}})
        stream.until("end")


def websocket_left(audience: Audience, match: str) -> None:
    """Watch a match over a WebSocket for a while only."""
    with Socket(audience.client, match) as stream:
        stream.until("caught_up")
    audience.end(match)


def watch_match(audience: Audience, match: str) -> None:
    """Watch a match to its end by gRPC."""
    call = audience.matches.WatchMatch(watch_request(match), metadata=audience.metadata)
    for response in call:
        if response.item.HasField("caught_up"):
            audience.end(match)


def watch_match_left(audience: Audience, match: str) -> None:
    """Watch a match by gRPC for a while only."""
    call = audience.matches.WatchMatch(watch_request(match), metadata=audience.metadata)
    next(call)
    call.cancel()
    audience.end(match)


def play(audience: Audience, match: str) -> None:
    """Play a match over one stream of gRPC."""
    resign = pb.PlayCommand(id="1", command=games_pb2.Command(resign=match_pb2.Resign()))
    requests = [pb.PlayRequest(watch=watch_request(match)), pb.PlayRequest(command=resign)]
    for response in audience.matches.Play(iter(requests), metadata=audience.metadata):
        if response.item.HasField("end"):
            return


def chat(audience: Audience, match: str) -> None:
    """Listen to a match's chat by server-sent events."""
    with audience.stream(f"/v1/matches/{match}/chat", "text/event-stream") as stream:
        seen(stream, b'"caught_up"')
        audience.end(match)


def watch_messages(audience: Audience, match: str) -> None:
    """Listen to a match's chat by gRPC."""
    call = audience.chats.WatchMessages(
        chat_pb2.WatchMessagesRequest(match=match), metadata=audience.metadata
    )
    next(call)
    call.cancel()
    audience.end(match)


def player_feed(audience: Audience, match: str) -> None:
    """Watch what concerns the player by lines."""
    with audience.stream("/v1/players/me/events", "application/x-ndjson") as stream:
        seen(stream, b'"caught_up"')
    audience.end(match)


def watch_player(audience: Audience, match: str) -> None:
    """Watch what concerns the player by gRPC."""
    call = audience.feeds.WatchPlayer(player_feed_pb2.WatchPlayerRequest(), metadata=audience.metadata)
    next(call)
    call.cancel()
    audience.end(match)


def broken(audience: Audience, match: str) -> None:
    """Ask for streams over connections that break at once, or soon."""
    head = f"GET /v1/matches/{match}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    audience.send(head)
    audience.send(head, wait=0.01)
    audience.send("POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", wait=0.01)
    audience.end(match)


def websocket_broken(audience: Audience, match: str) -> None:
    """Shake hands over connections that break, or badly."""
    head = (
        f"GET /v1/matches/{match}/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    )
    key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    audience.send(f"{head}Sec-WebSocket-Version: 13\r\n{key}\r\n", wait=0.01)
    audience.send(f"{head}Sec-WebSocket-Version: 13\r\n\r\n", wait=0.01)
    audience.end(match)


def refused(audience: Audience, match: str) -> None:
    """Ask for what there is none of, in each way."""
    path = f"/v1/matches/{NO_MATCH}/events"
    with audience.stream(path, "text/event-stream") as stream:
        assert stream.status == 404
    with closing(Socket(audience.client, NO_MATCH)) as stream, suppress(ConnectionClosed):
        assert stream.next()["problem"]["status"] == 404
    asked = watch_request(NO_MATCH)
    for call in (
        audience.matches.WatchMatch(asked, metadata=audience.metadata),
        audience.matches.Play(iter([pb.PlayRequest(watch=asked)]), metadata=audience.metadata),
    ):
        with pytest.raises(grpc.RpcError):
            next(call)
    commands = f"/v1/matches/{match}/commands"
    assert audience.client.http.post(commands, json={"command": {"type": "resign"}, "expected_version": 1})
    audience.end(match)
    audience.client.problem("POST", commands, json={"command": {"type": "resign"}})


WAYS: tuple[Callable[[Audience, str], None], ...] = (
    server_sent_events,
    lines,
    left,
    websocket,
    websocket_left,
    watch_match,
    watch_match_left,
    play,
    chat,
    watch_messages,
    player_feed,
    watch_player,
    broken,
    websocket_broken,
    refused,
)


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[UncollectedServer]:
    """A server without a garbage collector, which remembers few matches."""
    flags = ("--database-url", database, "--remembered-matches", "10")
    with UncollectedServer(*flags, counts=tmp_path / "counts") as server:
        yield server


def test_what_is_over_is_gone(server: UncollectedServer) -> None:
    """After 500 matches, watched in all ways, no more objects are there than before, and no more memory."""
    audience = Audience(server)

    def played(matches: int) -> None:
        for number in range(matches):
            WAYS[number % len(WAYS)](audience, audience.open())

    def grown() -> dict[str, int]:
        now = server.objects()
        more = {name: now[name] - count for name, count in before.items()} | dict(now - before)
        return {
            name: count
            for name, count in more.items()
            if count > FEW and name not in CACHED and name.rpartition(".")[2] not in OF_GRPC
        }

    played(3 * len(WAYS))
    before, memory = server.objects(), server.memory()
    played(MATCHES)
    deadline = time.monotonic() + SETTLING
    while (more := grown()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert more == {}
    assert server.memory() - memory < SLACK
