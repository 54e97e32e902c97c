"""An answer is asked for once within its time, by however many."""

import asyncio

import pytest

from services.shared.remembered import Remembered


class Asked:
    """Something that is asked, and a clock.

    Attributes:
        times: How often it was asked.
        now: The time in seconds.
        fails: Whether it fails.
    """

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.times = 0
        self.now = 0.0
        self.fails = False
        self.remembered = Remembered(self.ask, 1.0, lambda: self.now)

    async def ask(self) -> int:
        """Return how often it was asked."""
        self.times += 1
        await asyncio.sleep(0)
        if self.fails:
            raise OSError("away")
        return self.times


async def test_it_is_asked_once_within_its_time() -> None:
    """Who asks at once, or within the time, gets one answer; afterwards there is another."""
    asked = Asked()
    assert await asyncio.gather(*(asked.remembered() for _ in range(20))) == [1] * 20
    asked.now = 0.9
    assert await asked.remembered() == 1
    asked.now = 1.0
    assert await asyncio.gather(*(asked.remembered() for _ in range(20))) == [2] * 20


async def test_a_failure_is_not_remembered() -> None:
    """The next one asks again."""
    asked = Asked()
    asked.fails = True
    with pytest.raises(OSError, match="away"):
        await asked.remembered()
    asked.fails = False
    assert await asked.remembered() == 2


async def test_who_goes_away_stops_nobody() -> None:
    """Others that wait for the same answer get it."""
    asked = Asked()
    first = asyncio.ensure_future(asked.remembered())
    second = asyncio.ensure_future(asked.remembered())
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 1
