"""Workers go on whatever fails, and end when they are asked to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import pairwise

import pytest

from adapters import workers
from adapters.workers import Steps, Workers
from services.shared.errors import Unavailable
from services.shared.ticks import until

AT_ONCE = timedelta()
GRACE = 5.0


class Outcomes:
    """Steps that turn out as they are told to; the last one from then on.

    Attributes:
        taken: How many were begun.
    """

    def __init__(self, *outcomes: Exception | None) -> None:
        """Take what each step fails of; None is none."""
        self._outcomes = outcomes
        self._waiting: list[tuple[int, asyncio.Event]] = []
        self.taken = 0

    async def __call__(self) -> timedelta:
        """Take the next step."""
        outcome = self._outcomes[min(self.taken, len(self._outcomes) - 1)]
        self.taken += 1
        for number, reached in self._waiting:
            if self.taken >= number:
                reached.set()
        if outcome is not None:
            raise outcome
        await asyncio.sleep(0)
        return AT_ONCE

    async def reached(self, number: int) -> None:
        """Return when so many steps were begun."""
        reached = asyncio.Event()
        self._waiting.append((number, reached))
        async with asyncio.timeout(GRACE):
            await reached.wait()


@asynccontextmanager
async def at_work(step: Outcomes) -> AsyncIterator[None]:
    """Keep a worker at it, and see that it ends."""
    working = Workers([Steps("toil", step)])
    working.start()
    try:
        yield
    finally:
        async with asyncio.timeout(GRACE):
            await working.stop(GRACE)


def told(caplog: pytest.LogCaptureFixture) -> Sequence[tuple[str, str]]:
    """Return what was logged."""
    return [(record.levelname, record.message) for record in caplog.records]


async def test_a_failure_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails is tried again, and the steps after it are taken."""
    monkeypatch.setattr(workers, "PAUSES", (0.001,))
    step = Outcomes(KeyError("a"), ValueError("b"), None)
    async with at_work(step):
        await step.reached(10)


async def test_a_trouble_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each kind is logged once for as long as it lasts, one line says that it is over, and no more."""
    monkeypatch.setattr(workers, "PAUSES", (0.001,))
    caplog.set_level("INFO", workers.log.name)
    away, broken = Unavailable(), KeyError("a")
    step = Outcomes(away, broken, away, KeyError("b"), None, None, away, None)
    async with at_work(step):
        await step.reached(10)
    assert told(caplog) == [
        ("WARNING", "toil: waiting for the database"),
        ("ERROR", "toil: a step failed"),
        ("INFO", "toil: going on"),
        ("WARNING", "toil: waiting for the database"),
        ("INFO", "toil: going on"),
    ]


async def test_it_waits_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After failures it pauses as it is told to, and for no longer than after the last of them."""
    monkeypatch.setattr(workers, "PAUSES", (0.001, 0.002, 0.02))
    step = Outcomes(KeyError("a"))
    async with at_work(step):
        began = asyncio.get_running_loop().time()
        await step.reached(5)
        took = asyncio.get_running_loop().time() - began
    assert took >= 0.001 + 0.002 + 0.02 + 0.02


async def test_it_ends_behind_the_step_under_way() -> None:
    """Anyone who stops it waits for what was begun, and nothing more is."""
    begun, may_end, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow() -> timedelta:
        begun.set()
        await may_end.wait()
        done.set()
        return AT_ONCE

    working = Workers([Steps("toil", slow)])
    working.start()
    await begun.wait()
    stopping = asyncio.create_task(working.stop(GRACE))
    await asyncio.sleep(0)
    begun.clear()
    may_end.set()
    async with asyncio.timeout(GRACE):
        await stopping
    assert (done.is_set(), begun.is_set()) == (True, False)


async def test_it_gives_up_a_step_that_does_not_end() -> None:
    """What is under way when the grace is over is cancelled."""
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def endless() -> timedelta:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return AT_ONCE

    working = Workers([Steps("toil", endless)])
    working.start()
    await begun.wait()
    async with asyncio.timeout(GRACE):
        await working.stop(0.01)
    assert cancelled.is_set()


async def test_it_is_woken_but_not_too_soon() -> None:
    """What happens ends a long pause; however often it happens, some time lies between two steps."""
    begun: list[float] = []
    clock = asyncio.get_running_loop().time

    async def step() -> timedelta:
        begun.append(clock())
        return timedelta(minutes=1)

    worker = Steps("toil", step, timedelta(seconds=0.05))
    worker.start()
    async with asyncio.timeout(GRACE):
        while len(begun) < 4:
            worker.wake()
            await asyncio.sleep(0.001)
        await worker.stop(GRACE)
    assert all(later - earlier >= 0.05 for earlier, later in pairwise(begun))


async def test_pauses_of_whole_seconds_end_together() -> None:
    """Whenever two workers began, they wake an idle process once."""
    begun: dict[str, list[float]] = {"early": [], "late": []}
    clock, twice = asyncio.get_running_loop().time, asyncio.Event()

    def worker(name: str) -> Steps:
        async def step() -> timedelta:
            begun[name].append(clock())
            if min(map(len, begun.values())) == 2:
                twice.set()
            return timedelta(seconds=1)

        return Steps(name, step)

    early, late = worker("early"), worker("late")
    await asyncio.sleep(until(1.0))
    early.start()
    await asyncio.sleep(0.4)
    late.start()
    async with asyncio.timeout(GRACE):
        await twice.wait()
        await asyncio.gather(early.stop(GRACE), late.stop(GRACE))
    first, second = ([times[number] for times in begun.values()] for number in (0, 1))
    assert abs(second[0] - second[1]) < abs(first[0] - first[1]) / 2
