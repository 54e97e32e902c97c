"""Chat of two servers on one database: live across both, over every kind of stream, and to nobody else."""

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict

from adapters.grpc.generated.montane.v1 import chat_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceStub
from tests.support.faces.server import Client, Server

QUIET = 20.0
"""Seconds without an item after which a reader gives up."""


class Stream:
    """A stream of a chat, and all that came over it."""

    def __init__(self, items: Iterator[dict[str, Any]]) -> None:
        """Take what gives the items."""
        self._items = items
        self.heard: list[dict[str, Any]] = []

    def until(self, kind: str) -> list[str]:
        """Return the texts that come before the next item of a kind, and with it."""
        texts = []
        while True:
            item = next(self._items)
            self.heard.append(item)
            if item["type"] == "message":
                texts.append(item["message"]["text"])
            if item["type"] == kind:
                return texts


@pytest.fixture(scope="module")
def servers(databases: Any) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database."""
    with (
        databases.fresh() as database,
        Server("--database-url", database) as here,
        Server("--database-url", database) as there,
    ):
        yield here, there


def over_http(
    client: Client, path: str, media_type: str, after: str | None = None
) -> Iterator[dict[str, Any]]:
    """Give the items of a stream over HTTP; of server-sent events, the id is the message's."""
    headers = {"accept": media_type} | ({} if after is None else {"last-event-id": after})
    with client.http.stream("GET", path, headers=headers, timeout=QUIET) as response:
        assert response.headers["content-type"] == media_type
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            if media_type == "application/x-ndjson":
                yield json.loads(line)
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                item = json.loads(fields["data"])
                assert fields["event"] == item["type"]
                assert fields.get("id") == (item["message"]["id"] if item["type"] == "message" else None)
                yield item
                fields = {}


def over_grpc(server: Server, token: str | None, match: str) -> Iterator[dict[str, Any]]:
    """Give the items of a stream over gRPC, with the names that JSON has."""
    metadata = () if token is None else (("authorization", token),)
    with grpc.insecure_channel(server.grpc_target) as channel:
        stub = ChatServiceStub(channel)
        for part in stub.WatchMessages(
            pb.WatchMessagesRequest(match=match), metadata=metadata, timeout=QUIET
        ):
            ((kind, content),) = MessageToDict(part.item, preserving_proto_field_name=True).items()
            yield {"type": kind, **content}


def test_a_chat_is_live_on_every_node_for_those_who_may_read_it(servers: tuple[Server, Server]) -> None:
    """What is written over one server comes over the other, by any stream, and only where it belongs."""
    here, there = servers
    ann, ben, cid = (
        Client(server.url, name) for server, name in ((here, "Ann"), (there, "Ben"), (here, "Cid"))
    )
    nobody = Client(there.url, None)
    match = ann.post("/v1/matches", {"game": "mountains", "seats": 3, "seat": 0})["id"]
    for seat, client in enumerate((ben, cid), start=1):
        client.http.put(f"/v1/matches/{match}/seats/{seat}", json={}).raise_for_status()
    dan = Client(there.url, "Dan")
    path = f"/v1/matches/{match}/chat"
    streams = {
        "ann": Stream(over_http(ann, path, "text/event-stream")),
        "ben": Stream(over_http(ben, path, "application/x-ndjson")),
        "cid": Stream(over_grpc(there, cid.http.headers["Authorization"], match)),
        "dan": Stream(over_http(dan, path, "text/event-stream")),
        "nobody": Stream(over_grpc(here, None, match)),
    }
    for stream in streams.values():
        assert stream.until("caught_up") == []
    ben.post(path, {"room": "seat", "to_seat": 0, "text": "a whisper"})
    dan.post(path, {"room": "spectators", "text": "advice"})
    assert streams["ann"].until("message") == streams["ben"].until("message") == ["a whisper"]
    assert streams["dan"].until("message") == streams["nobody"].until("message") == ["advice"]
    first = cid.post(path, {"room": "players", "text": "to all"})
    for name in ("ann", "ben", "cid"):
        assert streams[name].until("message") == ["to all"]
    for client, texts in (
        (ann, ["a whisper", "to all"]),
        (cid, ["to all"]),
        (dan, ["advice"]),
        (nobody, ["advice"]),
    ):
        assert [message["text"] for message in client.get(path)["items"]] == texts
    heard = {name: json.dumps(stream.heard) for name, stream in streams.items()}
    for text, readers in (
        ("a whisper", {"ann", "ben"}),
        ("advice", {"dan", "nobody"}),
        ("to all", {"ann", "ben", "cid"}),
    ):
        assert {name for name, said in heard.items() if text in said} == readers
    resumed = Stream(over_http(ann, path, "text/event-stream", first["id"]))
    ben.post(path, {"room": "players", "text": "again"})
    assert resumed.until("message") == ["again"]
