"""What a request passes first: the path that clients see in front of all others, and `HEAD`."""

from collections.abc import Awaitable, Callable
from typing import Any

from adapters.faces.base_path import Place, forwarded, is_own
from adapters.rest.requests import BASE, HEAD

NOWHERE = "/%2F"
"""A path that nothing has."""


class Front:
    """The application where clients see it, with `HEAD` wherever `GET` is.

    A proxy may cut off the path in front, or leave it: both reach the same.
    """

    def __init__(self, app: Callable[..., Awaitable[None]], place: Place) -> None:
        """Take the application and where clients find it."""
        self._app = app
        self._base = place.base
        self._believed = 0 if place.base else place.trusted_proxies

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        """Answer a request."""
        base = scope[BASE] = forwarded(scope["headers"], self._believed) if self._believed else self._base
        if base and f"{scope['path']}/".startswith(f"{base}/") and not is_own(base):
            scope["path"] = scope["path"][len(base) :] or "/"
        raw_path = scope.get("raw_path") or b""
        if b"%" in raw_path and b"%2f" in raw_path.lower():
            # A part of a name, which nothing here has: it must not pass for what separates names.
            scope["path"] = NOWHERE
        if scope.get("method") != "HEAD":
            return self._app(scope, receive, send)

        async def bodiless(message: Any) -> None:
            await send({**message, "body": b""} if "body" in message else message)

        return self._app({**scope, "method": "GET", HEAD: True}, receive, bodiless)
