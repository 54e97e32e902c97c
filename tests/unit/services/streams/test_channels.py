"""The engine of all streams, with a stream of numbers."""

import asyncio
import gc
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import override

import pytest

from services.shared.errors import Unavailable
from services.shared.rate_limits import ROWS
from services.shared.time import Time
from services.streams import channels
from services.streams.channels import Channel, Channels, CommonEnd, Encoded, Reading, StreamItem
from tests.support.stores.use_cases import ManualClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Number(StreamItem, frozen=True, tag="number"):
    """A number."""

    value: int


class Edge(StreamItem, frozen=True, tag="edge"):
    """All numbers were given."""


class Beat(StreamItem, frozen=True, tag="beat"):
    """A sign of life."""

    at: Time


class Over(StreamItem, frozen=True, tag="over"):
    """The end."""

    reason: str


class Numbers(Channel[str]):
    """The numbers from 1 up to one that grows; the store may be away."""

    highest = 0
    away = False

    def grow(self, more: int = 1) -> None:
        """Let there be more numbers."""
        self.highest += more
        self.wake()


class AllNumbers(Channels[str, Numbers]):
    """All channels of numbers."""

    @override
    def made(self, id: str) -> Numbers:
        """Return a new channel."""
        return Numbers(id)

    def read(self, id: str) -> "Counting":
        """Return a reader of a channel."""
        return Counting(self, self.join(id))


class Counting(Reading[Numbers]):
    """Reads numbers."""

    reached = 0

    @override
    def has_news(self) -> bool:
        return self.reached < self._channel.highest

    @override
    async def news(self) -> Sequence[Encoded]:
        if self._channel.away:
            raise Unavailable
        before, self.reached = self.reached, self._channel.highest
        return [Encoded(Number(value)) for value in range(before + 1, self.reached + 1)]

    @override
    def caught_up(self) -> Sequence[Encoded]:
        return [Encoded(Edge())]

    @override
    def heartbeat(self, at: Time) -> Encoded:
        return Encoded(Beat(at))

    @override
    def ended(self, reason: StrEnum) -> Over:
        return Over(reason)


@pytest.fixture
def numbers() -> AllNumbers:
    """No channel yet."""
    return AllNumbers(ManualClock(NOW))


async def taken(reading: Counting) -> list[StreamItem]:
    """Return the next items."""
    async with asyncio.timeout(5):
        return [one.item for one in await reading.next()]


async def test_a_reader_is_given_what_comes_after_its_place(numbers: AllNumbers) -> None:
    """All there is, then that it was all, then what is new, as soon as it is there."""
    reading = numbers.read("a")
    channel = numbers.join("a")
    channel.grow(2)
    assert await taken(reading) == [Number(1), Number(2)]
    assert await taken(reading) == [Edge()]
    waiting = asyncio.create_task(taken(reading))
    await asyncio.sleep(0)
    assert not waiting.done()
    channel.grow()
    assert await waiting == [Number(3)]


async def test_readers_are_woken_some_at_a_time(numbers: AllNumbers) -> None:
    """However many wait, each turn of the event loop wakes a bounded number of them, and at last all."""
    readings = [numbers.read("a") for _ in range(2 * channels.TOGETHER + 1)]
    for reading in readings:
        await taken(reading)
    waiting = [asyncio.create_task(taken(reading)) for reading in readings]
    await asyncio.sleep(0)
    numbers.join("a").grow()
    woken = [0]
    while woken[-1] < len(waiting):
        await asyncio.sleep(0)
        woken.append(sum(task.done() for task in waiting))
    assert max(now - before for before, now in pairwise(woken)) <= channels.TOGETHER


async def test_a_quiet_stream_shows_that_it_is_alive(
    numbers: AllNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every second tick there is a sign of life, with the time."""
    monkeypatch.setattr(channels, "TICK", 0.001)
    reading = numbers.read("a")
    assert await taken(reading) == [Edge()]
    assert await taken(reading) == [Beat(NOW)]
    assert numbers.ticks >= channels.TICKS_A_HEARTBEAT


async def test_a_reader_that_takes_nothing_is_cut_off(
    numbers: AllNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, some ticks after it was given something; one that has left is not."""
    monkeypatch.setattr(channels, "TICK", 0.001)
    slow, gone = numbers.read("a"), numbers.read("a")
    cut: list[int] = []
    done = asyncio.Event()

    def cut_slow() -> None:
        cut.append(numbers.ticks)
        done.set()

    slow.cut_off, gone.cut_off = cut_slow, lambda: cut.append(-1)
    await taken(slow)
    await taken(gone)
    gone.leave()
    async with asyncio.timeout(5):
        await done.wait()
    slow.look(numbers.ticks + 1)
    assert cut == [channels.TICKS_TO_SEND + 1]


async def test_a_nudge_and_the_end_of_a_token(numbers: AllNumbers) -> None:
    """Nudged, a reader looks up with nothing; revoked, it is told and given no more."""
    reading = numbers.read("a")
    await taken(reading)
    reading.nudge()
    assert await taken(reading) == []
    reading.revoke()
    assert await taken(reading) == [Over(CommonEnd.TOKEN_ENDED)]
    assert reading.over
    assert await taken(reading) == []


async def test_a_store_that_is_away_ends_a_stream(numbers: AllNumbers) -> None:
    """The reader is told so."""
    reading = numbers.read("a")
    channel = numbers.join("a")
    channel.away = True
    channel.grow()
    assert await taken(reading) == [Over(CommonEnd.STORE_UNAVAILABLE)]


async def test_what_a_reader_catches_up_with_is_charged(numbers: AllNumbers) -> None:
    """One more for so many items before it is live, none after."""
    reading = numbers.read("a")
    charged: list[int] = []
    reading.charge = charged.append
    channel = numbers.join("a")
    for more in (ROWS, ROWS - 1, 1):
        channel.grow(more)
        await taken(reading)
    assert sum(charged) == 2
    await taken(reading)
    channel.grow(3 * ROWS)
    await taken(reading)
    assert sum(charged) == 2


async def test_stopping_waits_for_readers_and_gives_up_the_rest(numbers: AllNumbers) -> None:
    """Each is told; anyone who does not leave in time is cut off."""
    fine, stuck = numbers.read("a"), numbers.read("b")
    cut: list[str] = []
    fine.cut_off, stuck.cut_off = partial(cut.append, "fine"), partial(cut.append, "stuck")
    await taken(fine)
    closing = asyncio.create_task(numbers.close(0.05))
    assert await taken(fine) == [Over(CommonEnd.SERVER_STOPPING)]
    fine.leave()
    await closing
    assert cut == ["stuck"]
    stuck.leave()
    assert not numbers.watched


async def test_a_channel_goes_with_its_last_reader(numbers: AllNumbers) -> None:
    """By reference counts alone, though what is called when it is left knows the reader."""
    first, last = numbers.read("a"), numbers.read("a")
    last.left = last.cut_off = partial(Counting.nudge, last)
    await taken(last)
    first.leave()
    first.leave()
    channel = numbers.channel("a")
    assert channel is not None
    held = weakref.ref(channel), weakref.ref(last)
    gc.disable()
    try:
        last.leave()
        del channel, last, first
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()
