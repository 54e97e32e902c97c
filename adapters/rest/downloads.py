"""Files that are sent as they are made, in constant memory."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from litestar import Response
from litestar.response.base import ASGIResponse

from adapters.rest.answers import UNSTORED
from adapters.rest.requests import HEAD
from adapters.rest.server.connections import abort_of
from adapters.rest.streams import reader_gone
from services.shared.errors import SetAside, Unavailable

SECONDS_TO_SEND = 20
"""How long a part may take to be sent; then its reader is cut off."""


class Download(Response[None]):
    """An answer that is a file, sent part by part as its reader takes it."""

    def __init__(self, parts: AsyncGenerator[Sequence[bytes]], media_type: str, name: str) -> None:
        """Take what is sent, as which media type, and what the file is called."""
        super().__init__(None, media_type=media_type)
        self._sending = _Download(parts, media_type, name)

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:
        """Return what sends it."""
        return self._sending


class _Download(ASGIResponse):
    def __init__(self, parts: AsyncGenerator[Sequence[bytes]], media_type: str, name: str) -> None:
        super().__init__()
        self._headers = [
            (b"content-type", media_type.encode()),
            (b"content-disposition", f'attachment; filename="{name}"'.encode()),
            *UNSTORED,
            (b"x-accel-buffering", b"no"),
        ]
        self._parts = parts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send part after part; the connection is given up if one cannot be read, or is not taken.

        To `HEAD` only what comes before is sent, and none is made.
        """
        gone = asyncio.create_task(reader_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            async with aclosing(self._parts) as parts:
                while HEAD not in scope and (part := await anext(parts, None)) is not None:
                    if gone.done():
                        return
                    async with asyncio.timeout(SECONDS_TO_SEND):
                        await send({"type": "http.response.body", "body": b"".join(part), "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (SetAside, Unavailable, TimeoutError):
            # Its status is told already; a file that ends in the midst must not look whole.
            abort_of(scope)()
        finally:
            gone.cancel()
