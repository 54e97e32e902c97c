"""The HTTP server's connections, with the one thing that ASGI lacks: a way to give one up.

A reader that takes nothing keeps what was sent to it in memory, and closing waits until it has taken it.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

ABORT = "montane.abort"
"""The extension of an ASGI scope that gives its connection up at once."""


class HttpConnection(HttpToolsProtocol):
    """A connection that speaks HTTP."""

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        cast(Any, self.scope)["extensions"] = {ABORT: self.transport.abort}

    def connection_lost(self, exc: Exception | None) -> None:
        """End it, and its timer also if it broke off: that would keep the last request as long as it runs."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over, and let go of the parser, which holds this."""
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]


class SocketConnection(WebSocketsSansIOProtocol):
    """A connection that became a WebSocket."""

    def handle_connect(self, event: Request) -> None:
        """Begin the conversation."""
        super().handle_connect(event)
        if not self.close_sent:
            cast(Any, self.scope)["extensions"][ABORT] = self.transport.abort

    def connection_lost(self, exc: Exception | None) -> None:
        """End the conversation, and let go of what holds this in turn."""
        super().connection_lost(exc)
        protocol = cast(Any, self.conn)
        # A generator within the protocol, and the error of a handshake that was refused, with its frames.
        protocol.parser = None
        if (refused := protocol.handshake_exc) is not None:
            refused.__traceback__ = refused.__context__ = refused.__cause__ = None


def abort_of(scope: Mapping[str, Any]) -> Callable[[], None]:
    """Return what gives the connection of a scope up; on another server, nothing does."""
    found: Callable[[], None] = (scope.get("extensions") or {}).get(ABORT, _unable)
    return found


def _unable() -> None:
    """Do nothing: the server has no way."""
