"""Streams whose readers hold no queue, only the place that they have reached.

A channel is what some readers read of: a chat, what concerns a player. It hears that there is something new
and wakes its readers, and each reads what comes behind its own place, as fast as it sends.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from services.shared.rate_limits import ROWS
from services.shared.time import Clock
from services.streams.match_stream import TICK, TICKS_A_HEARTBEAT, TICKS_TO_SEND, Encoded

HEARTBEAT = TICK * TICKS_A_HEARTBEAT
"""Seconds without news after which there is a sign of life."""
TO_SEND = TICK * TICKS_TO_SEND
"""Seconds that what a reader was given may take to be sent; then the reader is cut off."""


class Channel:
    """What some readers read of.

    Attributes:
        id: Which.
        readers: Those who read.
    """

    def __init__(self, id: Any) -> None:
        """Begin without a reader."""
        self.id = id
        self.readers: set[Reading] = set()

    def wake(self) -> None:
        """Let all readers look at what is new."""
        for reader in self.readers:
            reader.wake()


class Streams[C: Channel]:
    """All channels of one kind in the process.

    Attributes:
        closed: Whether the process is about to stop.
        clock: The time.
    """

    def __init__(self, clock: Clock) -> None:
        """Take the time."""
        self.closed = False
        self.clock = clock
        self._channels: dict[Any, C] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def watched(self) -> bool:
        """Whether anybody reads any of them."""
        return bool(self._channels)

    def channel(self, id: Any) -> C | None:
        """Return a channel, if anybody reads it."""
        return self._channels.get(id)

    def opened(self, id: Any, make: Callable[[], C]) -> C:
        """Return the channel that a reader is about to join."""
        if (channel := self._channels.get(id)) is None:
            channel = self._channels[id] = make()
            self._empty.clear()
        return channel

    def part(self, channel: Channel, reader: "Reading") -> None:
        """Give a reader up; with the last of them the channel ends."""
        channel.readers.discard(reader)
        if not channel.readers and self._channels.get(channel.id) is channel:
            del self._channels[channel.id]
            if not self._channels:
                self._empty.set()

    async def close(self, seconds: float) -> None:
        """End all streams, and wait until their readers were told; at most so long."""
        self.closed = True
        for channel in self._channels.values():
            channel.wake()
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            for channel in tuple(self._channels.values()):
                for reader in tuple(channel.readers):
                    reader.cut_off()


class Reading(ABC):
    """One reader of a channel.

    Attributes:
        over: Whether it was given its last item.
        cut_off: Called, once, when what it was given is not sent in time.
        left: Called, once, when it is left.
        charge: Called with how many requests more what it is given counts as, until it has caught up.
    """

    def __init__(self, streams: Streams[Any], channel: Channel) -> None:
        """Join a channel."""
        self.over = False
        self.cut_off: Callable[[], None] = _nothing
        self.left: Callable[[], None] = _nothing
        self.charge: Callable[[int], None] = _free
        self._caught = 0
        self._revoked = False
        self._streams = streams
        self._channel = channel
        self._live = False
        self._nudged = False
        self._woken = asyncio.Event()
        self._sending: asyncio.TimerHandle | None = None
        channel.readers.add(self)

    async def next(self) -> Sequence[Encoded]:
        """Return the next items, as soon as there are some; none if `nudge` was called or all is over."""
        self._sent()
        told = await self._next()
        self._sending = asyncio.get_running_loop().call_later(TO_SEND, lambda: self.cut_off())
        return told

    def nudge(self) -> None:
        """Let `next` return at once, with what there is."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """Look at what is new."""
        self._woken.set()

    def revoke(self) -> None:
        """End it: the token that it is open by is no longer good."""
        self._revoked = True
        self.nudge()

    def leave(self) -> None:
        """Stop reading; may be called again."""
        self._sent()
        if self in self._channel.readers:
            self._streams.part(self._channel, self)
            # What is called knows its connection or this reader: kept, it would keep the channel too.
            left, self.left, self.cut_off = self.left, _nothing, _nothing
            left()

    @abstractmethod
    def is_behind(self) -> bool:
        """Return whether there may be something behind its place."""

    @abstractmethod
    async def news(self) -> Sequence[Encoded]:
        """Return what comes behind its place, and go on behind that; there may be nothing for this reader."""

    @abstractmethod
    def caught_up(self) -> Any:
        """Return the item that says that what follows is live."""

    @abstractmethod
    def heartbeat(self) -> Any:
        """Return the item that says that the stream is alive."""

    @abstractmethod
    def stopping(self) -> Any:
        """Return the item that ends the stream because the server stops."""

    @abstractmethod
    def token_ended(self) -> Any:
        """Return the item that ends the stream because its token is no longer good."""

    def end(self, item: Any) -> Sequence[Encoded]:
        """Return the last item."""
        self.over = True
        return [Encoded(item)]

    def _count(self, given: int) -> None:
        """Count what is given before all that has happened is."""
        if not self._live:
            before, self._caught = self._caught, self._caught + given
            self.charge(self._caught // ROWS - before // ROWS)

    def _sent(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    async def _next(self) -> Sequence[Encoded]:
        while not self.over:
            self._woken.clear()
            if self._streams.closed:
                return self.end(self.stopping())
            if self._revoked:
                return self.end(self.token_ended())
            if self.is_behind():
                if told := await self.news():
                    self._count(len(told))
                    return told
                continue
            if self._nudged:
                break
            if not self._live:
                self._live = True
                return [Encoded(self.caught_up())]
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await self._woken.wait()
            except TimeoutError:
                return [Encoded(self.heartbeat())]
        self._nudged = False
        return []


def _free(_: int) -> None:
    """Count nothing: nobody is there to be charged."""


def _nothing() -> None:
    """Do nothing: nobody is there to be told."""
