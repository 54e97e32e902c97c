"""The HTTP server's connections: bounded in size and time, and with a way to give one up, which ASGI lacks.

A request's head is measured while it comes: the parser puts it together at a cost that grows with its square.
Requests that are sent before those ahead of them are answered wait unread.
"""

import re
from asyncio import Event
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import unquote

import httptools
import msgspec
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import (
    HEADER_VALUE_RE,
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from adapters.faces.sentences import SENTENCES
from adapters.rest.problems import HTTP_KINDS, MEDIA_TYPE, problem
from adapters.rest.server.bounds import (
    BODY_RATE,
    HEAD_SECONDS,
    IDLE_SECONDS,
    LINGER_SECONDS,
    HttpConnections,
    Unsent,
)

ABORT = "montane.abort"
"""The extension of an ASGI scope that gives its connection up at once."""

LONGEST_LINE = 8_192
"""Bytes of the longest request line, and of the longest line of a head."""
MOST_LINES = 100
"""The most lines of a head."""
LARGEST_HEAD = 32_768
"""Bytes of the largest head, and of all that stands around a body: sizes of chunks, extensions, trailers."""
PIECE = 4_096
"""Bytes that are parsed at once."""
LINGER = 1 << 20
"""Bytes that are read and dropped of a request that is answered already."""
RETRY_SECONDS = 10
"""When to try again to make a connection that was refused."""

HEEDED = frozenset({b"host", b"transfer-encoding", b"upgrade", b"expect"})
"""The fields of a head that say how its request is read."""
HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]*)(?::[0-9]*)?")
"""What a `Host` may say (RFC 9110, 7.2): an address or a name, and a port."""
ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE)
"""A target with its authority, as clients send it to proxies (RFC 9112, 3.2.2)."""
SOCKET = re.compile(rb"[^?#]*/matches/+[^/?#]+/+socket/*(?:[?#].*)?")
"""The target of a WebSocket, whatever stands in front; nothing else here switches."""


class Part(Enum):
    """What is read next."""

    REQUEST = auto()
    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


_BODY = Part.BODY

type ReceivedHeaders = Iterable[tuple[bytes, bytes]]


class ClientGone(Exception):  # noqa: N818 - it may go
    """The client has gone before its request was whole."""


class Refused(Exception):  # noqa: N818 - how the parser is stopped
    """A request is refused before it is whole."""

    def __init__(self, status: int) -> None:
        """Take the status of the answer."""
        super().__init__(status)
        self.status = status


class HttpConnection(HttpToolsProtocol):
    """A connection that speaks HTTP."""

    def __init__(self, connections: HttpConnections, base: str = "", **given: Any) -> None:
        """Take what counts it, the path that clients see in front, and what the server gives."""
        super().__init__(**given)
        self._connections = connections
        self._base = base
        self._part = Part.REQUEST
        self._since = self.loop.time()
        self._patience = HEAD_SECONDS
        self._read = self._body_read = 0
        self._head_size = self._lines = 0
        self._hosts: list[bytes] = []
        self._host: bytes | None = None
        self._codings: list[bytes] = []
        self._upgrade: bytes | None = None
        self._refusal = 400
        self._answering: Exchange | None = None
        self._held = b""
        self._last_answer: int | None = None
        self._ended = False
        self._unsent = Unsent()

    # What the server calls

    def connection_made(self, transport: Any) -> None:
        """Begin, or refuse to if there are too many connections."""
        super().connection_made(transport)
        self.flow: _Flow = _Flow(transport)
        self._extensions = {ABORT: transport.abort}
        if not self._connections.admit(self, self.client[0] if self.client else ""):
            self._answer_last(503)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._connections.leave(self)
        self._extensions = {}
        self._held = b""
        if self._answering is not None:
            self._answering.disconnected = True
            self._answering.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Go on sending."""
        self._unsent.taken()
        super().resume_writing()

    def eof_received(self) -> bool:  # type: ignore[override] # asyncio asks
        """Answer what was sent whole, though nothing more comes; then close."""
        self._ended = True
        self._drop_unfinished()
        if self._answering is None:
            return False
        self._answering.end()
        return True

    def data_received(self, data: bytes) -> None:
        """Read what the client sends."""
        if self._held:
            self._held += data
        else:
            self._take(data)

    def look(self, now: float) -> None:
        """Give the connection up if its client is too slow, to send or to read."""
        if self._unsent.stuck(self.transport, now):
            self.transport.abort()
            return
        waited = now - self._since
        match self._part:
            case Part.REQUEST:
                if self._answering is None and waited > self._patience:
                    self.transport.close()
            case Part.HEAD:
                if waited > HEAD_SECONDS:
                    self._refuse(408)
            case Part.BODY:
                if not self.flow.read_paused and waited > HEAD_SECONDS + self._body_read / BODY_RATE:
                    self._refuse(408)
            case Part.NOTHING:
                if self._answering is None and waited > LINGER_SECONDS:
                    self.transport.close()

    # Reading

    def _take(self, data: bytes) -> None:
        """Parse what came, piece by piece, as long as it can be answered; the rest is held until it can."""
        while data:
            if self._part is Part.NOTHING:
                self._drop(len(data))
                return
            if self.pipeline:
                self._held = data
                return
            piece, data = (data, b"") if len(data) <= PIECE else (data[:PIECE], data[PIECE:])
            try:
                self.parser.feed_data(piece)
            except httptools.HttpParserUpgrade as upgrade:
                self._switch(piece[upgrade.args[0] :] + data)
                return
            except httptools.HttpParserError:
                self._refuse(self._refusal)
                return
            self._read += len(piece)
            if self._read - self._body_read > LARGEST_HEAD:
                self._refuse(431)

    def _drop(self, size: int) -> None:
        """Drop what comes after the last answer, as long as it is not too much."""
        self._body_read += size
        if self._body_read > LINGER:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self.scope["extensions"] = self._extensions
        self._part = Part.HEAD
        self._since = self.loop.time()
        self._read = self._body_read = self._head_size = self._lines = 0
        self._hosts.clear()
        self._codings.clear()
        self._upgrade = None
        self._refusal = 400

    def on_url(self, url: bytes) -> None:
        """Read a part of the target."""
        self.url += url
        if len(self.url) > LONGEST_LINE - 32:
            self._stop(414)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a line of a head, or of a trailer: what stands there is dropped."""
        size = len(name) + len(value) + 4
        self._head_size = head_size = self._head_size + size
        self._lines = lines = self._lines + 1
        if size > LONGEST_LINE or lines > MOST_LINES or head_size > LARGEST_HEAD:
            self._stop(431)
        if self._part is _BODY:
            return
        name = name.lower()
        self.headers.append((name, value))
        if name not in HEEDED:
            return
        match name:
            case b"host":
                self._hosts.append(value)
            case b"transfer-encoding":
                self._codings.append(value.strip().lower())
            case b"upgrade":
                self._upgrade = value.lower()
            case _:
                if value.strip().lower() != b"100-continue":
                    self._stop(417)
                self.expect_100_continue = True

    def on_headers_complete(self) -> None:
        """Begin to answer a request whose head is whole, or let it wait for those ahead of it."""
        version = self.parser.get_http_version()
        method = self.parser.get_method()
        scope = cast(Any, self.scope)
        scope["method"] = method.decode("ascii")
        scope["http_version"] = version
        self._check(version, method)
        if self.parser.should_upgrade():
            if self._asks_for_socket():
                self.url = self._origin_form()
            return
        app = self.app
        if method == b"OPTIONS" and self.url == b"*":
            app, self.url = _ping, b"/"
        target = httptools.parse_url(self._origin_form())
        path = target.path.decode("ascii")
        scope["path"] = self.root_path + (unquote(path) if "%" in path else path)
        scope["raw_path"] = self.root_path.encode("ascii") + target.path
        scope["query_string"] = target.query or b""
        self._part = Part.BODY
        self._since = self.loop.time()
        self._read = 0
        kind = Exchange if version == "1.1" and not self.expect_100_continue else CarefulExchange
        exchange = self.cycle = kind(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=Event(),
            expect_100_continue=self.expect_100_continue and version == "1.1",
            keep_alive=version == "1.1" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if self._answering is None:
            self._start(exchange, app)
        else:
            self.flow.hold()
            self.pipeline.appendleft((exchange, app))

    def _check(self, version: str, method: bytes) -> None:
        """Refuse a head that is not as RFC 9110 and 9112 demand."""
        if version not in ("1.1", "1.0"):
            self._stop(505)
        if method == b"CONNECT" or (self._codings and set(self._codings) != {b"chunked"}):
            self._stop(501)
        hosts = self._hosts
        if (self._codings if version == "1.0" else not hosts) or len(hosts) > 1:
            self._stop(400)
        # Most clients say the same with every request of a connection.
        if hosts and hosts[0] != self._host:
            if not HOST.fullmatch(hosts[0].strip()):
                self._stop(400)
            self._host = hosts[0]

    def _origin_form(self) -> bytes:
        """Return the target without its authority, which goes before `Host`."""
        if self.url.startswith(b"/"):
            return self.url
        found = ABSOLUTE.fullmatch(self.url)
        if found is None or not found[1] or not HOST.fullmatch(found[1]):
            self._stop(400)
            return b""
        self.headers[:] = [*(pair for pair in self.headers if pair[0] != b"host"), (b"host", found[1])]
        return found[2] if found[2].startswith(b"/") else b"/" + found[2]

    def on_body(self, body: bytes) -> None:
        """Read a part of a body."""
        self._body_read += len(body)
        exchange = self.cycle
        if exchange.response_complete:
            if self._body_read > LINGER:
                self.transport.abort()
            return
        exchange.body += body
        if len(exchange.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        exchange.message_event.set()

    def on_message_complete(self) -> None:
        """End a request."""
        if self.parser.should_upgrade():
            return
        self._part = Part.REQUEST
        self._since = self.loop.time()
        self._patience = IDLE_SECONDS
        if not self.cycle.response_complete:
            self.cycle.more_body = False
            self.cycle.message_event.set()

    # Answering

    def _start(self, exchange: "Exchange", app: Any) -> None:
        """Begin to answer a request."""
        self._answering = exchange
        exchange.ended = self._ended
        self._start_asgi_task(exchange, app)

    def on_response_complete(self) -> None:
        """Go on to the next request, now that one is answered."""
        self.server_state.total_requests += 1
        self._answering = None
        if self.transport.is_closing():
            return
        self._since = self.loop.time()
        if self.pipeline:
            self._start(*cast(Any, self.pipeline.pop()))
        elif self._last_answer is not None:
            self._answer_last(self._last_answer)
        elif self._held:
            held, self._held = self._held, b""
            self._take(held)
            if self._ended:
                self._drop_unfinished()
        if not self._held and not self.pipeline:
            self.flow.release()
        if self._ended and self._answering is None:
            self.transport.close()

    def _stop(self, status: int) -> None:
        """Stop the parser, to answer with a status.

        Raises:
            Refused: Always.
        """
        self._refusal = status
        raise Refused(status)

    def _refuse(self, status: int) -> None:
        """Answer what was sent whole, then with a status; and close."""
        self._drop_unfinished()
        self._part = Part.NOTHING
        self._since = self.loop.time()
        self._body_read = 0
        self._held = b""
        if self._answering is None:
            self._answer_last(status)
        else:
            self._last_answer = status
            self.flow.hold()

    def _drop_unfinished(self) -> None:
        """Give up the request whose body is not whole, if there is one."""
        if self._part is not Part.BODY:
            return
        exchange = cast(Exchange, self.cycle)
        exchange.disconnected = True
        exchange.message_event.set()
        if self._answering is exchange:
            self._answering = None
        elif self.pipeline:
            self.pipeline.popleft()
        if exchange.response_started:
            self.transport.close()

    def _answer_last(self, status: int) -> None:
        """Answer with a problem, and read on for a while: a client that still sends reads no answer."""
        if self.transport.is_closing():
            return
        body = msgspec.json.encode(_problem(self._base, status))
        lines = [STATUS_LINE[status]]
        for name, value in self.server_state.default_headers:
            lines += [name, b": ", value, b"\r\n"]
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            lines.append(b"retry-after: %d\r\n" % RETRY_SECONDS)
        lines.append(
            b"content-type: %b\r\ncontent-length: %d\r\n"
            b"cache-control: no-store\r\nconnection: close\r\n\r\n%b" % (MEDIA_TYPE.encode(), len(body), body)
        )
        self.transport.write(b"".join(lines))
        self.transport.write_eof()
        self._last_answer = None
        self._since = self.loop.time()

    # Other protocols

    def _switch(self, rest: bytes) -> None:
        """Become a WebSocket, if that is asked for; any other protocol is ignored (RFC 9110, 7.8)."""
        scope = cast(Any, self.scope)
        lines = [b"%b %b HTTP/%b" % (scope["method"].encode(), self.url, scope["http_version"].encode())]
        kept = [(name, value) for name, value in self.headers if name != b"upgrade"]
        if not self._asks_for_socket():
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            lines += [name + b": " + value for name, value in kept]
            self._part = Part.REQUEST
            self._take(b"\r\n".join(lines) + b"\r\n\r\n" + rest)
        elif self._answering is not None:
            self._refuse(400)
        else:
            self._become_socket(lines, rest)

    def _asks_for_socket(self) -> bool:
        """Return whether a request that asks to switch is the handshake of a WebSocket."""
        wanted = [name.strip() for name in (self._upgrade or b"").split(b",")]
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        scope = cast(Any, self.scope)
        return (
            b"websocket" in wanted
            and (scope["method"], scope["http_version"]) == ("GET", "1.1")
            and not self._codings
            and length.strip(b"0") == b""
            and SOCKET.fullmatch(self.url) is not None
        )

    def _become_socket(self, lines: list[bytes], rest: bytes) -> None:
        """Hand the connection on, with the handshake and what came after it."""
        lines += [name + b": " + value for name, value in self.headers]
        self.connections.discard(self)
        socket = cast(Any, self.ws_protocol_class)(
            config=self.config, server_state=self.server_state, app_state=self.app_state
        )
        self._connections.pass_on(self, socket)
        socket.connection_made(self.transport)
        self.transport.set_protocol(socket)
        self.parser = None  # type: ignore[assignment] # it holds on to this protocol
        socket.data_received(b"\r\n".join(lines) + b"\r\n\r\n")
        if rest:
            socket.data_received(rest)


class Exchange(RequestResponseCycle):
    """A request and its answer.

    Attributes:
        ended: Whether the client has said that it sends nothing more.
    """

    ended = False
    _given = False
    _start: Any = None
    """How the answer begins, until its body comes."""

    def end(self) -> None:
        """Let those know who wait for the client to go."""
        self.ended = True
        self.message_event.set()

    async def receive(self) -> Any:
        """Give the request's body, then wait for the client to go.

        Raises:
            ClientGone: It has gone before its request was whole.
        """
        if self._given:
            while not (self.ended or self.disconnected or self.response_complete):
                await self.message_event.wait()
                self.message_event.clear()
            return {"type": "http.disconnect"}
        if not (
            self.more_body or self.waiting_for_100_continue or self.disconnected or self.response_complete
        ):
            # As most requests come: whole.
            self._given = True
            self.flow.resume_reading()
            body, self.body = bytes(self.body), bytearray()
            return {"type": "http.request", "body": body, "more_body": False}
        message = await super().receive()
        if message["type"] == "http.request":
            self._given = not message["more_body"]
        elif self.disconnected:
            raise ClientGone
        return message

    async def send(self, message: Any) -> None:
        """Send a part of the answer: its head together with its body, where it says how long that is."""
        if message["type"] == "http.response.start":
            if not self.response_started and _tells_length(message["headers"]):
                self._start = message
                return
        elif (start := self._start) is not None:
            self._start = None
            body = message.get("body", b"")
            if not message.get("more_body", False) and self.scope["method"] != "HEAD":
                await self._send_whole(start["status"], start["headers"], body)
                return
            await super().send(start)
        await super().send(message)

    async def _send_whole(self, status: int, headers: ReceivedHeaders, body: bytes) -> None:
        """Send an answer in one piece: two would be two packets, and wake the client twice."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        lines = [STATUS_LINE[status]]
        for name, value in self.default_headers:
            lines += (name, b": ", value, b"\r\n")
        for name, value in headers:
            if HEADER_VALUE_RE.search(value):
                raise ValueError(f"the header {name.decode()} would end within its value")
            if name == b"content-length" and int(value) != len(body):
                raise ValueError("the body is not as long as its header says")
            if name == b"connection" and b"close" in value:
                self.keep_alive = False
            else:
                lines += (name, b": ", value, b"\r\n")
        lines.append(b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n")
        lines.append(body)
        self.response_started = self.response_complete = True
        self.transport.write(b"".join(lines))
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()


class CarefulExchange(Exchange):
    """A request whose client knows no chunks, or asks whether to go on, and its answer."""

    _until_close = False

    async def send(self, message: Any) -> None:
        """Send a part of the answer."""
        if not self.response_started:
            self._prepare(message)
        elif self._until_close and not message.get("more_body", False):
            self.expected_content_length = len(message.get("body", b""))
        await RequestResponseCycle.send(self, message)

    def _prepare(self, start: Any) -> None:
        """Say how an answer ends, where its request does not allow what is usual."""
        if self.waiting_for_100_continue and self.more_body:
            # Whether the body comes is up to the client: what follows could be it, or another request.
            self.keep_alive = False
        if self.scope["http_version"] == "1.0" and all(
            name.lower() != b"content-length" for name, _ in start.get("headers", ())
        ):
            self._until_close = True
            self.chunked_encoding = False
            self.expected_content_length = 1 << 62


def _tells_length(headers: ReceivedHeaders) -> bool:
    return any(name == b"content-length" for name, _ in headers)


class _Flow(FlowControl):
    """Flow control that can hold a client back until what it has sent is answered."""

    def __init__(self, transport: Any) -> None:
        super().__init__(transport)
        self._held = False

    def hold(self) -> None:
        """Read nothing, anyone who wants to."""
        self._held = True
        self.pause_reading()

    def release(self) -> None:
        """Read again."""
        self._held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Read again, unless the client is held back."""
        if not self._held:
            super().resume_reading()


def abort_of(scope: Mapping[str, Any]) -> Callable[[], None]:
    """Return what gives the connection of a scope up; on another server, nothing does."""
    found: Callable[[], None] = (scope.get("extensions") or {}).get(ABORT, _unable)
    return found


def _unable() -> None:
    """Do nothing: the server has no way."""


def _problem(base: str, status: int) -> Any:
    reason, kind = HTTP_KINDS[status]
    return problem(base, kind, reason, SENTENCES.get(reason) or kind.meaning.replace("`", ""), {})


async def _ping(scope: Any, receive: Any, send: Any) -> None:
    """Answer `OPTIONS *`, which asks of nothing but whether the server is there."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})
