"""Streams over HTTP: server-sent events or lines of JSON."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from litestar import Response
from litestar.response.base import ASGIResponse

from adapters.rest.answers import JSON, LINES, UNSTORED
from adapters.rest.parameters import number_in
from adapters.rest.requests import HEAD, Call, preferred, visit
from adapters.rest.server.connections import ClientGone, abort_of
from services.shared.errors import RateLimited
from services.shared.rate_limits import EVENTS, Visit
from services.streams.channels import Reading, StreamItem
from services.streams.match_stream import Watch

SERVER_SENT_EVENTS = "text/event-stream"

RECONNECT = b"retry: 1000\n\n"
"""How many milliseconds a browser waits before it resumes by itself."""

_encoder = msgspec.json.Encoder()


def encoded(item: Any) -> bytes:
    """Return an item as JSON."""
    return _encoder.encode(item)


def line(item: Any) -> bytes:
    """Return an item as a line of JSON."""
    return _encoder.encode(item) + b"\n"


def server_sent_event(item: StreamItem) -> bytes:
    """Return an item as a server-sent event, whose id is the place that a stream resumes behind."""
    event = b"event: %b\ndata: %b\n\n" % (str(item.__struct_config__.tag).encode(), encoded(item))
    return event if item.place is None else b"id: %b\n%b" % (item.place.encode(), event)


FORMS: dict[str, Callable[[StreamItem], bytes]] = {SERVER_SENT_EVENTS: server_sent_event, LINES: line}
"""How an item of a stream is written, by media type."""


def streamed(request: Call) -> str | None:
    """Return the media type of the stream that a request accepts, and count it; None if it wants no stream.

    Raises:
        RateLimited: There have been too many streams, or too many are open.
    """
    wanted = preferred(request, JSON, *FORMS)
    if wanted not in FORMS:
        return None
    visit(request).stream()
    return wanted


def weighed(watch: Watch, counted: Visit) -> None:
    """Count what a stream of a match catches up with, before it is sent.

    Raises:
        RateLimited: It would be too much; the watch is left.
    """
    try:
        counted.weigh(watch.backlog // EVENTS)
    except RateLimited:
        watch.leave()
        raise


def resumed_behind(request: Call, after: int | None) -> int | None:
    """Return the version that a stream begins behind: a browser that comes back names the last it was sent.

    Raises:
        Malformed: `Last-Event-ID` is no version.
    """
    if (last := request.headers.get("last-event-id")) is None:
        return after
    return number_in(last, "Last-Event-ID", "the id of an event of this stream")


class EventStream(Response[None]):
    """An answer that goes on as long as what it tells of and its reader do."""

    def __init__(self, reading: Reading[Any], media_type: str) -> None:
        """Take what is sent, and as which media type."""
        super().__init__(None, media_type=media_type)
        self._reading = reading
        self._media_type = media_type

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:
        """Return what sends it."""
        return _Stream(self._reading, self._media_type)


class _Stream(ASGIResponse):
    def __init__(self, reading: Reading[Any], media_type: str) -> None:
        super().__init__()
        self._headers = [
            (b"content-type", media_type.encode()),
            *UNSTORED,
            (b"x-accel-buffering", b"no"),
        ]
        self._reading = reading
        self._form = FORMS[media_type]
        self._preface = RECONNECT if media_type == SERVER_SENT_EVENTS else b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send item after item until the stream is over or its reader gone; to `HEAD` send no item."""
        reading, form = self._reading, self._form
        if HEAD in scope:
            reading.leave()
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        reading.cut_off = abort_of(scope)
        gone = asyncio.create_task(reader_gone(receive))
        gone.add_done_callback(lambda _: reading.nudge())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            body = self._preface
            while not (reading.over or gone.done()):
                body += b"".join([told.encoded(form) for told in await reading.next()])
                if body:
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                body = b""
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            reading.leave()
            gone.cancel()


async def reader_gone(receive: Any) -> None:
    """Return when the reader has gone, or sends nothing more."""
    with suppress(ClientGone):
        while (await receive())["type"] != "http.disconnect":
            pass
