"""Viewers who keep what they are served of a match, as bytes, while it is played and afterwards."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import grpc
import httpx
import msgspec
from google.protobuf.message import Message
from msgspec import Raw, Struct

from adapters.grpc.generated.montane.v1 import match_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.mapping import COMMAND
from adapters.grpc.server import GrpcServer
from adapters.main import start_rest
from adapters.setting_values import Address
from domain.shared.viewers import Viewer
from services.use_cases import Services
from tests.support.faces.faces import mapper
from tests.support.stores.use_cases import Stores

FREE = Address("127.0.0.1", 0)
PAGE = 200
METHODS = "/montane.v1.MatchService/"
JSON_EVENT = "JSON event"
JSON_VIEW = "JSON view"
GRPC_EVENT = "gRPC event"
GRPC_VIEW = "gRPC view"
"""The forms in which things are served."""

type Kept = dict[tuple[str, int], set[bytes]]
"""What was served of each form and version."""


class Served(NamedTuple):
    """Where a node is served.

    Attributes:
        url: REST.
        target: gRPC.
    """

    url: str
    target: str


class _Item(Struct):
    type: str
    event: Raw = Raw(b"{}")
    view: Raw = Raw(b"{}")


class _Result(Struct):
    events: list[Raw]
    view: Raw


class _Page(Struct):
    items: list[Raw]
    next_page_token: str | None


class _Versioned(Struct):
    version: int


@asynccontextmanager
async def serving(stores: Stores, node: Services) -> AsyncIterator[Served]:
    """Give both faces of a node on real sockets; they stop when all its streams were told so."""
    services = node
    address, stop = await start_rest(FREE, services)
    server = GrpcServer(services, str(FREE))
    await server.start()
    try:
        yield Served(f"http://{address}", f"127.0.0.1:{server.port}")
    finally:
        await node.match_streams.channels.close(1)
        await stop()
        await server.stop(1)


class Witness:
    """A viewer on both faces.

    Attributes:
        viewer: From where it looks.
        token: Its token; None for nobody in particular.
        kept: All that it was served, by form and version.
    """

    def __init__(self, viewer: Viewer, token: str | None) -> None:
        """Take from where it looks, and its token if it has one; without, it asks to look from there."""
        self.viewer = viewer
        self.token = token
        self.kept: Kept = defaultdict(set)
        self._watching: list[asyncio.Task[None]] = []

    def meet(self, served: Served) -> None:
        """Connect to a node."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        self._http = httpx.AsyncClient(base_url=f"{served.url}/v1", headers=headers, timeout=30)
        self._channel: Any = grpc.aio.insecure_channel(served.target)
        self._metadata = tuple((name.lower(), value) for name, value in headers.items())

    async def watched(self) -> None:
        """Wait until all streams have ended."""
        await asyncio.gather(*self._watching)
        self._watching.clear()

    def versions(self, form: str) -> set[int]:
        """Return the versions of which it was served something in a form."""
        return {version for kept, version in self.kept if kept == form}

    async def leave(self) -> None:
        """Hang up, when all streams have ended."""
        await self.watched()
        await self._http.aclose()
        await self._channel.close()

    async def watch(self, match: str, after: int | None = None) -> None:
        """Keep all that streams of every form send until the match is over, once they have begun."""
        for read in (self._lines, self._server_sent_events, self._messages):
            begun = asyncio.Event()
            self._watching.append(asyncio.create_task(read(match, after, begun)))
            await begun.wait()

    async def look(self, match: str, version: int | None = None) -> None:
        """Keep the view in both forms, now or at a version."""
        asked = {} if version is None else {"version": str(version)}
        self._keep(JSON_VIEW, await self._get(f"/matches/{match}/view", asked))
        raw = await self._call("GetView", pb.GetViewRequest(match=match, version=version))
        self._keep(GRPC_VIEW, written(pb.GetViewResponse.FromString(raw).view), within=raw)

    async def read(self, match: str, after: int) -> None:
        """Keep all events after a version in both forms."""
        token: str | None = str(after)
        while token is not None:
            asked = {"page_token": token, "page_size": str(PAGE)}
            page = msgspec.json.decode(await self._get(f"/matches/{match}/events", asked), type=_Page)
            for event in page.items:
                self._keep(JSON_EVENT, bytes(event))
            token = page.next_page_token
        token = str(after)
        while token:
            request = pb.ListEventsRequest(match=match, page_token=token, page_size=PAGE)
            raw = await self._call("ListEvents", request)
            said = pb.ListEventsResponse.FromString(raw)
            for told in said.items:
                self._keep(GRPC_EVENT, written(told), within=raw)
            token = said.next_page_token

    async def command(self, match: str, command: Any, *, over_rest: bool) -> None:
        """Give a command over either face, and keep the answer."""
        if over_rest:
            body = {"command": msgspec.to_builtins(command)}
            answer = await self._http.post(f"/matches/{match}/commands", json=body)
            assert answer.is_success, answer.text
            result = msgspec.json.decode(answer.content, type=_Result)
            for event in result.events:
                self._keep(JSON_EVENT, bytes(event))
            self._keep(JSON_VIEW, bytes(result.view))
        else:
            message: Any = mapper().to_message(COMMAND, command)
            request = pb.SubmitCommandRequest(match=match, command=message)
            raw = await self._call("SubmitCommand", request)
            said = pb.SubmitCommandResponse.FromString(raw)
            for told in said.events:
                self._keep(GRPC_EVENT, written(told), within=raw)
            self._keep(GRPC_VIEW, written(said.view), within=raw)

    async def _lines(self, match: str, after: int | None, begun: asyncio.Event) -> None:
        async for line in self._stream(match, after, "application/x-ndjson", b"\n"):
            self._take(line)
            begun.set()

    async def _server_sent_events(self, match: str, after: int | None, begun: asyncio.Event) -> None:
        async for block in self._stream(match, after, "text/event-stream", b"\n\n"):
            if b"data: " in block:
                self._take(block.partition(b"data: ")[2])
                begun.set()

    async def _stream(self, match: str, after: int | None, form: str, end: bytes) -> AsyncIterator[bytes]:
        """Give the parts of a stream as they came."""
        params = {} if after is None else {"after": str(after)}
        request = ("GET", f"/matches/{match}/events")
        async with self._http.stream(*request, params=params, headers={"Accept": form}) as answer:
            assert answer.is_success
            left = b""
            async for chunk in answer.aiter_raw():
                *parts, left = (left + chunk).split(end)
                for part in parts:
                    yield part

    async def _messages(self, match: str, after: int | None, begun: asyncio.Event) -> None:
        watch = self._channel.unary_stream(f"{METHODS}WatchMatch")
        request = pb.WatchMatchRequest(match=match, after=after)
        async for raw in watch(request.SerializeToString(), metadata=self._metadata):
            item = pb.WatchMatchResponse.FromString(raw).item
            if item.WhichOneof("item") == "event":
                self._keep(GRPC_EVENT, written(item.event.event), within=raw)
            if item.WhichOneof("item") == "snapshot":
                self._keep(GRPC_VIEW, written(item.snapshot.view), within=raw)
            begun.set()

    async def _get(self, path: str, asked: dict[str, str]) -> bytes:
        """Return what REST answers, seen from where it looks."""
        own = {} if self._sits_there else {"as": _place(self.viewer)}
        answer = await self._http.get(path, params=asked | own)
        assert answer.is_success, answer.text
        return answer.content

    async def _call(self, method: str, request: Message) -> bytes:
        """Return what gRPC answers, seen from where it looks."""
        if not self._sits_there:
            kind = match_pb2.ViewerKind.Value(f"VIEWER_KIND_{self.viewer.kind.upper()}")
            getattr(request, "as").CopyFrom(pb.Viewer(kind=kind, seat=self.viewer.seat))
        call = self._channel.unary_unary(f"{METHODS}{method}")
        answer: bytes = await call(request.SerializeToString(), metadata=self._metadata, timeout=30)
        return answer

    @property
    def _sits_there(self) -> bool:
        """Whether it need not say from where it looks."""
        return self.token is not None or self.viewer.seat is None

    def _take(self, said: bytes) -> None:
        item = msgspec.json.decode(said, type=_Item)
        if item.type == "event":
            self._keep(JSON_EVENT, bytes(item.event))
        if item.type == "snapshot":
            self._keep(JSON_VIEW, bytes(item.view))

    def _keep(self, form: str, content: bytes, *, within: bytes | None = None) -> None:
        """Keep an event or a view in the form in which it came."""
        assert within is None or content in within
        read: Any = {GRPC_EVENT: pb.Event, GRPC_VIEW: pb.View}.get(form)
        said = msgspec.json.decode(content, type=_Versioned) if read is None else read.FromString(content)
        self.kept[form, said.version].add(content)


def _place(viewer: Viewer) -> str:
    """Return a viewer as REST takes it."""
    return str(viewer.kind) if viewer.seat is None else str(viewer.seat)


def written(message: Message) -> bytes:
    """Return a message as a server writes it."""
    return bytes(message.SerializeToString(deterministic=True))
