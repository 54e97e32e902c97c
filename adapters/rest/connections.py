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


class SocketConnection(WebSocketsSansIOProtocol):
    """A connection that became a WebSocket."""

    def handle_connect(self, event: Request) -> None:
        """Begin the conversation."""
        super().handle_connect(event)
        if not self.close_sent:
            cast(Any, self.scope)["extensions"][ABORT] = self.transport.abort


def abort_of(scope: Mapping[str, Any]) -> Callable[[], None]:
    """Return what gives the connection of a scope up; on another server, nothing does."""
    found: Callable[[], None] = (scope.get("extensions") or {}).get(ABORT, _unable)
    return found


def _unable() -> None:
    """Do nothing: the server has no way."""
