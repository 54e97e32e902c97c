"""Answers of JSON, sent with as little work as ASGI allows: the framework's own take a fifth of a command."""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import msgspec
from litestar import Response

from adapters.rest.requests import Call, unchanged
from domain.shared.viewers import Viewer

JSON = "application/json"
LINES = "application/x-ndjson"

NO_HEADERS: Mapping[str, str] = {}
UNSTORED = ((b"cache-control", b"no-store"), (b"vary", b"authorization"))
"""Nobody keeps the answer, which depends on who calls."""
REVALIDATED = ((b"cache-control", b"private, no-cache"), (b"vary", b"authorization"))
"""The caller alone keeps the answer, and asks each time whether it is still the same."""
PUBLIC = ()
"""The answer is the same for all; its own headers say how long it may be kept."""

_encoder = msgspec.json.Encoder()

type Headers = tuple[tuple[bytes, bytes], ...]


class Answer(Response[Any]):
    """A whole answer, its body encoded."""

    def __init__(
        self,
        status: int,
        media_type: str,
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,
        caching: Headers = UNSTORED,
    ) -> None:
        """Take all of it; what the framework would work out is not asked for."""
        self._headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", b"%d" % len(body)),
            *caching,
            *((name.lower().encode(), value.encode()) for name, value in headers.items()),
        ]
        self._start = {"type": "http.response.start", "status": status, "headers": self._headers}
        self._body = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        """Return what sends it."""
        return self._send

    async def _send(self, scope: Any, receive: Any, send: Any) -> None:
        await send(self._start)
        await send(self._body)


class Empty(Answer):
    """An answer without a body."""

    def __init__(
        self, status: int = 204, headers: Mapping[str, str] = NO_HEADERS, caching: Headers = UNSTORED
    ) -> None:
        """Take all of it."""
        super().__init__(status, "", b"", headers, caching)
        self._start["headers"] = self._headers[2:]


def answer(
    content: Any, *, status: int = 200, version: int | None = None, headers: Mapping[str, str] = NO_HEADERS
) -> Answer:
    """Return a JSON answer for the caller alone, tagged with the match's version if a command led to it."""
    body = _encoder.encode(content)
    if version is None:
        return Answer(status, JSON, body, headers)
    return Answer(status, JSON, body, {**headers, "ETag": f'"{version}"'}, REVALIDATED)


def reading(
    request: Call, content: Any, version: int, viewer: Viewer, *, changes_between_versions: bool = False
) -> Answer:
    """Return what was read of a match, tagged with its version and who looks; 304 if the caller has it.

    Args:
        request: The request.
        content: What was read.
        version: The version of the match.
        viewer: From where the caller looks.
        changes_between_versions: Whether the content can change though the version does not; its checksum is
            then a part of the tag.
    """
    tag = f"{version}.{viewer.kind if viewer.seat is None else viewer.seat}"
    body = None
    if changes_between_versions:
        body = _encoder.encode(content)
        tag += f".{crc32(body):08x}"
    headers = {"ETag": f'"{tag}"'}
    if unchanged(request, headers["ETag"]):
        return Empty(304, headers, REVALIDATED)
    return Answer(200, JSON, _encoder.encode(content) if body is None else body, headers, REVALIDATED)
