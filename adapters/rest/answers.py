"""Answers of JSON, sent with as little work as ASGI allows: the framework's own take a fifth of a command."""

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Response

JSON = "application/json"
LINES = "application/x-ndjson"
UNSTORED = {"Cache-Control": "no-store"}
"""For answers with a secret in them."""

_encoder = msgspec.json.Encoder()


class Answer(Response[bytes]):
    """A whole answer, its body encoded."""

    def __init__(self, status: int, media_type: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Take all of it; what the framework would work out is not asked for."""
        self._start = {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", media_type.encode()),
                (b"content-length", b"%d" % len(body)),
                *((name.lower().encode(), value.encode()) for name, value in headers.items()),
            ],
        }
        self._body = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        """Return what sends it."""
        return self._send

    async def _send(self, scope: Any, receive: Any, send: Any) -> None:
        await send(self._start)
        await send(self._body)


def answer(
    content: Any, *, status: int = 200, version: int | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Return a JSON answer, with the match's version as its entity tag where it has one."""
    extra = headers or {}
    if version is not None:
        extra = {**extra, "ETag": f'"{version}"'}
    return Answer(status, JSON, _encoder.encode(content), extra)
