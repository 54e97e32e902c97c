"""Connections that became WebSockets, with bounds on the frames that the application never sees.

The library parses and answers whatever has come, at once: thousands of pings in one read hold everybody up.
"""

from typing import Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from adapters.rest.server.bounds import LINGER_SECONDS, HttpConnections, Unsent
from adapters.rest.server.connections import ABORT, LINGER

MOST_CONTROLS = 20
"""How many pings and pongs may come in a second."""
MOST_FRAGMENTS = 32
"""How many frames a message may consist of."""
PIECE = 1_024
"""Bytes that are parsed at once."""

ENDED: Any = {"type": "websocket.receive", "text": None, "bytes": None}
"""What the application is given when the client has said that it sends nothing more."""


class SocketConnection(WebSocketsSansIOProtocol):
    """A connection that became a WebSocket."""

    def __init__(self, connections: HttpConnections, **given: Any) -> None:
        """Take what counts it, and what the server gives."""
        super().__init__(**given)
        self._connections = connections
        self._held = b""
        self._ended = self._failed = False
        self._dropped = 0
        self._controls = 0
        self._second = 0.0
        self._unsent = Unsent()

    # What the server calls

    def connection_lost(self, exc: Exception | None) -> None:
        """End the conversation, and let go of what holds this in turn."""
        self._connections.leave(self)
        self._held = b""
        super().connection_lost(exc)
        protocol = cast(Any, self.conn)
        # A generator within the protocol, and the error of a handshake that was refused, with its frames.
        protocol.parser = None
        if (refused := protocol.handshake_exc) is not None:
            refused.__traceback__ = refused.__context__ = refused.__cause__ = None

    def resume_writing(self) -> None:
        """Go on sending."""
        self._unsent.taken()
        super().resume_writing()

    def eof_received(self) -> bool:  # type: ignore[override] # asyncio asks
        """Answer what was sent, though nothing more comes; then close."""
        self._ended = True
        if not self.handshake_complete or self.close_sent:
            return False
        if not self._held:
            self.queue.put_nowait(ENDED)
        return True

    def look(self, now: float) -> None:
        """Give the connection up if its client does not read."""
        if self._unsent.stuck(self.transport, now):
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read what the client sends."""
        if self._failed:
            self._dropped += len(data)
            if self._dropped > LINGER:
                self.transport.abort()
        elif self._held:
            self._held += data
        else:
            self._take(data)

    # Reading

    def _take(self, data: bytes) -> None:
        """Parse what came, as long as the application has read all before; the rest is held until it has."""
        while data and not self._failed:
            if self.read_paused or (self.handshake_initiated and not self.handshake_complete):
                self._held = data
                self._pause()
                return
            piece, data = data[:PIECE], data[PIECE:]
            super().data_received(piece)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def _pause(self) -> None:
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def _go_on(self) -> None:
        """Take in what is held, now that all before it was read."""
        held, self._held = self._held, b""
        self._take(held)
        if self._ended and not self._held:
            self.queue.put_nowait(ENDED)

    def handle_connect(self, event: Request) -> None:
        """Begin the conversation."""
        super().handle_connect(event)
        if not self.close_sent:
            cast(Any, self.scope)["extensions"][ABORT] = self.transport.abort

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        if self._count():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take in a pong, unless there are too many."""
        if self._count():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take in a further part of a message, unless there are too many."""
        if len(self.frames) < MOST_FRAGMENTS:
            super().handle_cont(event)
        else:
            self._fail(CloseCode.POLICY_VIOLATION, "a message in too many fragments")

    def send_receive_event_to_app(self) -> None:
        """Give the application a message."""
        if self.close_sent:
            # Nobody reads it, so that nothing else slows its sender down.
            self.frames = []
            self._count()
            return
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self._fail(CloseCode.INVALID_DATA, "a text that is not UTF-8")
                return
        super().send_receive_event_to_app()

    def _count(self) -> bool:
        """Count a frame that the application never sees, and return whether it is allowed."""
        now = self.loop.time()
        if now - self._second >= 1:
            self._second, self._controls = now, 0
        self._controls += 1
        if self._controls > MOST_CONTROLS:
            self._fail(CloseCode.POLICY_VIOLATION, "too many control frames")
        return not self.close_sent

    def _fail(self, code: CloseCode, reason: str) -> None:
        """Close the connection for what the client did."""
        if not self._failed:
            self.conn.fail(code, reason)
            self.handle_parser_exception()

    def handle_parser_exception(self) -> None:
        """Close the connection, and read on for a while: a client that still sends reads no reason."""
        self._failed = self.close_sent = True
        self._held = b""
        self.stop_keepalive()
        code = self.conn.close_sent.code if self.conn.close_sent else CloseCode.ABNORMAL_CLOSURE
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.write_eof()
        if self.close_timer is None:
            self.close_timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    # What the application calls

    async def receive(self) -> Any:
        """Give what the client sent next."""
        message = await super().receive()
        if self._held and not self.read_paused:
            self._go_on()
        return message

    async def send(self, message: Any) -> None:
        """Send something to the client.

        Raises:
            ClientDisconnected: It is not there any more.
        """
        if self._failed or (self.close_sent and self.transport.is_closing()):
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.accept" and self._held:
            self.read_paused = False
            self.transport.resume_reading()
            self._go_on()
        elif message["type"] == "websocket.close" and self._ended:
            self.transport.close()
