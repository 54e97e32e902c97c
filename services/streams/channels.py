"""The engine of all streams. A reader holds no queue, only the place that it has reached.

A channel is what some readers read: a match, a chat, what concerns a player. It learns that there is
something new and wakes its readers; each reads what comes after its own place, as fast as it sends.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any

from msgspec import Struct

from services.shared.errors import Unavailable
from services.shared.rate_limits import ROWS
from services.shared.time import Clock, Time

TICK = 5.0
"""Seconds between two looks at all readers."""
TICKS_A_HEARTBEAT = 2
TICKS_TO_SEND = 4
"""How many ticks what a reader was given may take to be sent; then the reader is cut off."""
TOGETHER = 256
"""How many readers are woken in one turn of the event loop, so that commands get their turn too."""


class StreamItem(Struct, frozen=True, tag_field="type"):
    """What a stream sends."""

    @property
    def place(self) -> str | None:
        """The place after which a new stream goes on; None if the item names none."""
        return None


class Encoded:
    """An item on its way to any number of readers.

    Attributes:
        item: What is sent.
    """

    __slots__ = ("_forms", "item")

    def __init__(self, item: Any) -> None:
        """Take the item of any kind of stream; it is encoded when the first reader asks for it."""
        self.item = item
        self._forms: dict[Callable[[Any], Any], Any] = {}

    def encoded[Form](self, encode: Callable[[Any], Form]) -> Form:
        """Return what `encode` makes of the item; it is made once."""
        try:
            form: Form = self._forms[encode]
        except KeyError:
            form = self._forms[encode] = encode(self.item)
        return form


class CommonEnd(StrEnum):
    """Why a stream of any kind ends; each kind has an enumeration of its own with these and more."""

    SERVER_STOPPING = "SERVER_STOPPING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    TOKEN_ENDED = "TOKEN_ENDED"  # noqa: S105 - no token


class Channel[Id: Hashable]:
    """What some readers read.

    Attributes:
        id: Which.
        users: How many read or are about to.
        readers: Those who read.
    """

    def __init__(self, id: Id) -> None:
        """Begin without a reader."""
        self.id = id
        self.users = 0
        self.readers: set[Reading[Any]] = set()
        self._asleep: list[asyncio.Future[None]] = []

    def wake(self) -> None:
        """Let all readers look at what is new, some at a time."""
        asleep, self._asleep = self._asleep, []
        _rouse(asleep, 0)

    def sleep(self) -> asyncio.Future[None]:
        """Return what is done when there is something to look at."""
        sleeping = asyncio.get_running_loop().create_future()
        self._asleep.append(sleeping)
        return sleeping

    def end(self) -> None:
        """End the channel: nobody reads it any more."""


class Channels[Id: Hashable, C: Channel[Any]](ABC):
    """All channels of one kind in the process.

    Attributes:
        closed: Whether the process is about to stop.
        ticks: How often all readers were looked at.
        beats: How many signs of life there were.
        beat_at: When the last of them was.
    """

    def __init__(self, clock: Clock) -> None:
        """Take the time."""
        self.closed = False
        self.ticks = 0
        self.beats = 0
        self.beat_at: Time = clock.now()
        self._clock = clock
        self._open: dict[Id, C] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    @abstractmethod
    def made(self, id: Id) -> C:
        """Return a new channel."""

    @property
    def watched(self) -> bool:
        """Whether anybody reads any of them."""
        return bool(self._open)

    def channel(self, id: Id) -> C | None:
        """Return a channel, if anybody reads it."""
        return self._open.get(id)

    async def idle(self) -> None:
        """Return when nobody reads any of them."""
        await self._empty.wait()

    def join(self, id: Id) -> C:
        """Return a channel for a reader to come; `part` if none comes.

        The channel hears what happens from now on: a reader that looks at what there is after this misses
        nothing.
        """
        if (channel := self._open.get(id)) is None:
            channel = self._open[id] = self.made(id)
            self._empty.clear()
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)
        channel.users += 1
        return channel

    def part(self, channel: C) -> None:
        """Give a channel up; it ends with its last user."""
        channel.users -= 1
        if not channel.users:
            channel.end()
            del self._open[channel.id]
            if not self._open:
                self._empty.set()

    async def close(self, seconds: float) -> None:
        """End all streams, and wait until their last items were taken; at most so long."""
        self.closed = True
        for channel in self._open.values():
            channel.wake()
        if self._timer is not None:
            self._timer.cancel()
        try:
            async with asyncio.timeout(seconds):
                await self.idle()
        except TimeoutError:
            for channel in tuple(self._open.values()):
                for reading in tuple(channel.readers):
                    reading.cut_off()

    def _tick(self) -> None:
        self.ticks += 1
        if beats := self.ticks % TICKS_A_HEARTBEAT == 0:
            self.beats += 1
            self.beat_at = self._clock.now()
        for channel in tuple(self._open.values()):
            if beats:
                channel.wake()
            for reading in tuple(channel.readers):
                reading.look(self.ticks)
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick) if self._open else None


class Reading[C: Channel[Any]](ABC):
    """One reader of a channel.

    Attributes:
        over: Whether it was given its last item.
        cut_off: Called, once, when what it was given is not sent in time.
        left: Called, once, when it is left.
        charge: Called with how many requests more what it is given counts as, until it has caught up.
    """

    def __init__(self, channels: Channels[Any, C], channel: C) -> None:
        """Read a channel that was joined for it."""
        self.over = False
        self.cut_off: Callable[[], None] = _nothing
        self.left: Callable[[], None] = _nothing
        self.charge: Callable[[int], None] = _free
        self._channels = channels
        self._channel = channel
        self._first: Encoded | None = None
        self._live = False
        self._revoked = False
        self._nudged = False
        self._caught = 0
        self._beats = channels.beats
        self._sleeping: asyncio.Future[None] | None = None
        self._given_at: int | None = None
        channel.readers.add(self)

    async def next(self) -> Sequence[Encoded]:
        """Return the next items, as soon as there are some; none if `nudge` was called or all is over."""
        self._given_at = None
        given = await self._next()
        self._given_at = self._channels.ticks
        return given

    def nudge(self) -> None:
        """Let `next` return at once, with what there is."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """Look at what is new."""
        if self._sleeping is not None and not self._sleeping.done():
            self._sleeping.set_result(None)

    def revoke(self) -> None:
        """End it: the token that it is open by is no longer good."""
        self._revoked = True
        self.nudge()

    def leave(self) -> None:
        """Stop reading; may be called again."""
        if self in self._channel.readers:
            self._channel.readers.discard(self)
            self.gone()
            self._channels.part(self._channel)
            # What is called knows its connection or this reader: kept, it would keep the channel too.
            left, self.left, self.cut_off = self.left, _nothing, _nothing
            left()

    def look(self, ticks: int) -> None:
        """Cut the reader off if what it was given has waited too long to be sent."""
        if self._given_at is not None and ticks - self._given_at > TICKS_TO_SEND:
            self._given_at = None
            self.cut_off()

    def gone(self) -> None:  # noqa: B027 - most hold nothing more
        """Let go of what it holds besides its channel."""

    @abstractmethod
    def has_news(self) -> bool:
        """Return whether there may be something after its place."""

    @abstractmethod
    async def news(self) -> Sequence[Encoded]:
        """Return what comes after its place, and go on after that; there may be nothing for this reader.

        Raises:
            Unavailable: The store is away; the stream ends.
        """

    @abstractmethod
    def caught_up(self) -> Sequence[Encoded]:
        """Return what says that all was sent, and what follows is live."""

    def aside(self) -> Sequence[Encoded]:
        """Return what is sent now and then beside the news; nothing if there is nothing now."""
        return ()

    @abstractmethod
    def heartbeat(self, at: Time) -> Encoded:
        """Return the sign of life of a time."""

    @abstractmethod
    def ended(self, reason: StrEnum) -> StreamItem:
        """Return the item that ends the stream, for a reason of `CommonEnd` or of its own kind."""

    def end(self, reason: StrEnum) -> Sequence[Encoded]:
        """Return the last item."""
        self.over = True
        return [Encoded(self.ended(reason))]

    async def _next(self) -> Sequence[Encoded]:
        if self._first is not None:
            first, self._first = self._first, None
            return [first]
        while not self.over:
            if self._channels.closed:
                return self.end(CommonEnd.SERVER_STOPPING)
            if self._revoked:
                return self.end(CommonEnd.TOKEN_ENDED)
            if self.has_news():
                try:
                    given = await self.news()
                except Unavailable:
                    return self.end(CommonEnd.STORE_UNAVAILABLE)
                if given:
                    self._count(len(given))
                    return given
                continue
            if self._nudged:
                break
            if not self._live:
                self._live = True
                return self.caught_up()
            if given := self.aside():
                return given
            if self._beats < self._channels.beats:
                self._beats = self._channels.beats
                return [self.heartbeat(self._channels.beat_at)]
            self._sleeping = self._channel.sleep()
            await self._sleeping
        self._nudged = False
        return []

    def _count(self, given: int) -> None:
        """Count what is given before all that has happened is."""
        if not self._live:
            before, self._caught = self._caught, self._caught + given
            self.charge(self._caught // ROWS - before // ROWS)


def _rouse(asleep: list[asyncio.Future[None]], first: int) -> None:
    for sleeping in islice(asleep, first, first + TOGETHER):
        if not sleeping.done():
            sleeping.set_result(None)
    if first + TOGETHER < len(asleep):
        asyncio.get_running_loop().call_soon(_rouse, asleep, first + TOGETHER)


def _free(_: int) -> None:
    """Count nothing: nobody is there to be charged."""


def _nothing() -> None:
    """Do nothing: nobody is there to be told."""
