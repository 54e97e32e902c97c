"""Full garbage collections, made when they disturb least."""

import gc
import weakref

import pytest

from adapters.collector import LATEST, SOONEST, Collector


class Knot:
    """Something that refers to itself."""

    def __init__(self) -> None:
        """Tie it."""
        self.self = self


class Times:
    """The time, and the processor time that was used; both stand still unless they are set."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.now = self.used = 0.0

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def cpu(self) -> float:
        """Return the processor time."""
        return self.used

    def pass_by(self, seconds: float, *, used: float) -> None:
        """Let time go by, a share of which is used."""
        self.now += seconds
        self.used += seconds * used


@pytest.fixture
def times() -> Times:
    """The time."""
    return Times()


def old_knot() -> weakref.ref[Knot]:
    """Return what tells whether something is there that only a full collection can free."""
    knot = Knot()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(knot)


async def test_a_quiet_process_looks_for_cycles_now_and_then(times: Times) -> None:
    """Not before so long, and not while much is done; the pause is measured."""
    collector = Collector(times.clock, times.cpu)
    knot = old_knot()
    times.pass_by(SOONEST / 2, used=0)
    await collector.step()
    assert knot() is not None
    times.pass_by(SOONEST, used=0.5)
    await collector.step()
    assert knot() is not None
    times.pass_by(60, used=0.01)
    await collector.step()
    assert knot() is None
    assert collector.found > 0
    assert collector.pause > 0


async def test_a_busy_process_looks_for_cycles_at_the_latest(times: Times) -> None:
    """However much is done, a full collection comes."""
    collector = Collector(times.clock, times.cpu)
    knot = old_knot()
    times.pass_by(LATEST, used=1)
    await collector.step()
    assert knot() is None


async def test_where_nothing_is_new_nothing_is_looked_for(times: Times) -> None:
    """An idle process does not look through the same objects again and again."""
    collector = Collector(times.clock, times.cpu)
    gc.disable()
    try:
        times.pass_by(LATEST, used=0)
        await collector.step()
        assert collector.pause == 0
    finally:
        gc.enable()
