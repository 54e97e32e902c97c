"""Streams over HTTP: server-sent events or lines of JSON."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import msgspec
from litestar import Response
from litestar.response.base import ASGIResponse

from adapters.rest.answers import JSON, LINES, UNSTORED
from adapters.rest.parameters import number_in
from adapters.rest.requests import HEAD, Call, preferred, visit
from adapters.rest.server.connections import ClientGone, abort_of
from services.chat.stream import ChatItem, ChatMessageItem
from services.notify.player_feed import (
    PlayerEnd,
    PlayerEventItem,
    PlayerHeartbeat,
    PlayerItem,
    PlayerTruncated,
)
from services.shared.errors import RateLimited
from services.shared.rate_limits import EVENTS, Visit
from services.streams.match_stream import CaughtUp, Encoded, EventItem, Item, SnapshotItem, Watch

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


def server_sent_event(item: Item) -> bytes:
    """Return an item as a server-sent event, whose id is the version that a stream resumes behind."""
    name = item.__struct_config__.tag
    match item:
        case EventItem(event=event):
            return b"id: %d\nevent: event\ndata: %b\n\n" % (event.version, encoded(item))
        case SnapshotItem(version=version) | CaughtUp(version=version):
            return b"id: %d\nevent: %b\ndata: %b\n\n" % (version, str(name).encode(), encoded(item))
        case _:
            return b"event: %b\ndata: %b\n\n" % (str(name).encode(), encoded(item))


def chat_event(item: ChatItem) -> bytes:
    """Return an item of a chat as a server-sent event, whose id is the message to resume behind."""
    name = str(item.__struct_config__.tag).encode()
    if isinstance(item, ChatMessageItem):
        return b"id: %b\nevent: message\ndata: %b\n\n" % (item.message.id.encode(), encoded(item))
    return b"event: %b\ndata: %b\n\n" % (name, encoded(item))


def player_event(item: PlayerItem) -> bytes:
    """Return an item of a player's feed as a server-sent event, whose id is the position to resume behind."""
    name = str(item.__struct_config__.tag).encode()
    if isinstance(item, PlayerTruncated | PlayerHeartbeat | PlayerEnd):
        return b"event: %b\ndata: %b\n\n" % (name, encoded(item))
    position = item.event.position if isinstance(item, PlayerEventItem) else item.position
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (position.encode(), name, encoded(item))


FORMS: dict[str, Callable[[Item], bytes]] = {SERVER_SENT_EVENTS: server_sent_event, LINES: line}
"""How an item of a match's stream is written, by media type."""

CHAT_FORMS: dict[str, Callable[[ChatItem], bytes]] = {SERVER_SENT_EVENTS: chat_event, LINES: line}
"""How an item of a chat's stream is written, by media type."""


PLAYER_FORMS: dict[str, Callable[[PlayerItem], bytes]] = {SERVER_SENT_EVENTS: player_event, LINES: line}
"""How an item of a player's feed is written, by media type."""


class Reading(Protocol):
    """What a stream sends.

    Attributes:
        over: Whether it has given its last item.
        cut_off: Called when what it gave is not sent in time.
    """

    over: bool
    cut_off: Callable[[], None]

    async def next(self) -> Sequence[Encoded]:
        """Return the next items, as soon as there are some."""

    def nudge(self) -> None:
        """Let `next` return at once."""

    def leave(self) -> None:
        """Stop reading."""


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

    def __init__(self, watch: Reading, media_type: str, form: Callable[[Any], bytes]) -> None:
        """Take what is sent, as which media type, and how an item is written."""
        super().__init__(None, media_type=media_type)
        self._watch = watch
        self._media_type = media_type
        self._form = form

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:
        """Return what sends it."""
        return _Stream(self._watch, self._media_type, self._form)


class _Stream(ASGIResponse):
    def __init__(self, watch: Reading, media_type: str, form: Callable[[Any], bytes]) -> None:
        super().__init__()
        self._headers = [
            (b"content-type", media_type.encode()),
            *UNSTORED,
            (b"x-accel-buffering", b"no"),
        ]
        self._watch = watch
        self._form = form
        self._preface = RECONNECT if media_type == SERVER_SENT_EVENTS else b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send item after item until the stream is over or its reader gone; to `HEAD` send no item."""
        watch, form = self._watch, self._form
        if HEAD in scope:
            watch.leave()
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        watch.cut_off = abort_of(scope)
        gone = asyncio.create_task(reader_gone(receive))
        gone.add_done_callback(lambda _: watch.nudge())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            body = self._preface
            while not (watch.over or gone.done()):
                body += b"".join([told.encoded(form) for told in await watch.next()])
                if body:
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                body = b""
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            watch.leave()
            gone.cancel()


async def reader_gone(receive: Any) -> None:
    """Return when the reader has gone, or sends nothing more."""
    with suppress(ClientGone):
        while (await receive())["type"] != "http.disconnect":
            pass
