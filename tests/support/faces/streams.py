"""Readers of a match's stream, one for each way in which it is served."""

from collections.abc import Iterator
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any, Self

import httpx
import msgspec
from google.protobuf.json_format import MessageToDict
from websockets.sync.client import ClientConnection, connect

from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from tests.support.faces.grpc_client import GrpcClient
from tests.support.faces.server import Client, Server

QUIET = 20.0
"""Seconds without an item, heartbeats included, after which a reader gives up."""


class Reader:
    """A stream as a client reads it; over gRPC, payloads and tables are as messages have them."""

    def next(self) -> dict[str, Any]:
        """Return the next item."""
        raise NotImplementedError

    def close(self) -> None:
        """Hang up."""
        raise NotImplementedError

    def until(self, kind: str) -> list[dict[str, Any]]:
        """Return all items up to the next of a kind; those that come whatever happens are left out."""
        items = []
        while True:
            item = self.next()
            if item["type"] != kind and item["type"] in ("heartbeat", "presence"):
                continue
            items.append(item)
            if item["type"] == kind:
                return items

    def __enter__(self) -> Self:
        """Return the open stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self.close()


class HttpReader(Reader):
    """Reads server-sent events or lines of JSON."""

    media_type = ""

    def __init__(
        self, client: Client, match: str, headers: dict[str, str] | None = None, **query: object
    ) -> None:
        """Open the stream."""
        self.http = httpx.Client(base_url=client.http.base_url, timeout=httpx.Timeout(5, read=QUIET))
        request = self.http.build_request(
            "GET",
            f"/v1/matches/{match}/events",
            params={name.rstrip("_"): str(value) for name, value in query.items()},
            headers={"accept": self.media_type, **_authorization(client), **(headers or {})},
        )
        self.response = self.http.send(request, stream=True)
        self.items: Iterator[dict[str, Any]] = iter(())
        if self.response.status_code == 200:
            assert self.response.headers["content-type"] == self.media_type
            self.items = self.parsed(self.response.iter_lines())

    def parsed(self, lines: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Give the items that lines say."""
        raise NotImplementedError

    def next(self) -> dict[str, Any]:
        """Return the next item."""
        return next(self.items)

    def close(self) -> None:
        """Hang up."""
        self.response.close()
        self.http.close()


class Lines(HttpReader):
    """Reads lines of JSON."""

    media_type = "application/x-ndjson"

    def parsed(self, lines: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Give the items that lines say."""
        yield from (msgspec.json.decode(line) for line in lines)


class ServerSentEvents(HttpReader):
    """Reads server-sent events."""

    media_type = "text/event-stream"

    def parsed(self, lines: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Give the items that lines say; where one can resume after an item, its id is the version."""
        fields: dict[str, str] = {}
        for line in lines:
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if "data" in fields:
                item = msgspec.json.decode(fields["data"])
                assert fields["event"] == item["type"]
                assert ("id" in fields) == (item["type"] in {"snapshot", "event", "caught_up"})
                assert "id" not in fields or fields["id"] == str(version_of(item))
                yield item
            fields = {}


class Socket(Reader):
    """Reads a WebSocket, and gives commands over it."""

    def __init__(self, client: Client, match: str, **query: object) -> None:
        """Open the stream."""
        asked = "&".join(f"{name.rstrip('_')}={value}" for name, value in query.items())
        server = str(client.http.base_url).rstrip("/").replace("http", "ws", 1)
        url = f"{server}/v1/matches/{match}/socket?{asked}"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(url, additional_headers=_authorization(client), compression=None, close_timeout=1)
        )

    def next(self) -> dict[str, Any]:
        """Return the next item."""
        item: dict[str, Any] = msgspec.json.decode(self.socket.recv(timeout=QUIET))
        return item

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.socket.send(msgspec.json.encode(message).decode())

    def close(self) -> None:
        """Hang up."""
        self._open.close()


class Calls(Reader):
    """Reads a server stream of gRPC."""

    def __init__(self, client: Client, match: str, **query: object) -> None:
        """Open the stream, as the same player as over REST."""
        self.client = GrpcClient(grpc_target(client), None)
        metadata = tuple((name.lower(), value) for name, value in _authorization(client).items())
        self.call: Any = self.client.matches.WatchMatch(watch_request(match, **query), metadata=metadata)

    def next(self) -> dict[str, Any]:
        """Return the next item."""
        return item_of(next(self.call).item)

    def close(self) -> None:
        """Hang up."""
        self.call.cancel()
        self.client.close()


class Playing:
    """Plays a match over one stream of gRPC."""

    def __init__(self, client: Client, match: str, first: pb.PlayRequest | None = None) -> None:
        """Open the stream, as the same player as over REST."""
        self.client = GrpcClient(grpc_target(client), None)
        self.client.metadata = tuple((name.lower(), value) for name, value in _authorization(client).items())
        self._requests: SimpleQueue[pb.PlayRequest | None] = SimpleQueue()
        self._requests.put(first or pb.PlayRequest(watch=watch_request(match)))
        self.call: Any = self.client.matches.Play(
            iter(self._requests.get, None), metadata=self.client.metadata
        )

    def next(self) -> pb.PlayResponse:
        """Return the next part."""
        part: pb.PlayResponse = next(self.call)
        return part

    def until(self, kind: str) -> list[pb.PlayResponse]:
        """Return all parts up to the next item of a kind."""
        parts = [self.next()]
        while parts[-1].item.WhichOneof("item") != kind:
            parts.append(self.next())
        return parts

    def send(self, command: pb.PlayCommand) -> None:
        """Give a command."""
        self._requests.put(pb.PlayRequest(command=command))

    def __enter__(self) -> Self:
        """Return the open stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self.call.cancel()
        self._requests.put(None)
        self.client.close()


READERS: dict[str, Any] = {
    "server-sent events": ServerSentEvents,
    "lines": Lines,
    "websocket": Socket,
    "grpc": Calls,
}
"""Every way in which a stream is read; each takes a client, a match, and what else is asked for."""

GRPC_TARGETS: dict[str, str] = {}


def streaming_client(server: Server, name: str | None = "Ann") -> Client:
    """Return a player who speaks REST, and whose streams may be read over gRPC too."""
    GRPC_TARGETS[str(httpx.URL(server.url))] = server.grpc_target
    return Client(server.url, name)


def grpc_target(client: Client) -> str:
    """Return where the server of a client speaks gRPC."""
    return GRPC_TARGETS[str(client.http.base_url).rstrip("/")]


def watch_request(match: str, **query: object) -> pb.WatchMatchRequest:
    """Return what asks for a stream."""
    return pb.WatchMatchRequest(match=match, **query)  # type: ignore[arg-type]


def item_of(item: pb.StreamItem) -> dict[str, Any]:
    """Return an item of gRPC with the names that JSON has."""
    said = MessageToDict(item, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    ((kind, content),) = said.items()
    if kind == "event":
        content["event"]["version"] = item.event.event.version
    if kind == "end":
        content["reason"] = content["reason"].removeprefix("END_REASON_")
    return {"type": kind, **content}


def version_of(item: dict[str, Any]) -> int:
    """Return the version that an item has reached."""
    version: int = item["event"]["version"] if item["type"] == "event" else item["version"]
    return version


def _authorization(client: Client) -> dict[str, str]:
    return {name: client.http.headers[name] for name in ("Authorization",) if name in client.http.headers}
