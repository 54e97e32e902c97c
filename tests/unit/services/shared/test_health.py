"""Whether a process can serve: what it knows itself, and how long that has been so."""

from collections.abc import Sequence

import pytest

from services.shared.errors import Unavailable
from services.shared.health import AWAY_SECONDS, LATE_SECONDS, LOOK_SECONDS, Degraded, Vitals

ASIDE = Degraded("MATCHES_SET_ASIDE", "1 matches cannot be read")


class Seconds:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        """Begin anywhere."""
        self.now = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class Reader:
    """A reader of the log."""

    def __init__(self, at: float) -> None:
        """Take when it has read last."""
        self.read_at = at


class World:
    """What does not go well, and how often one looked."""

    def __init__(self) -> None:
        """Begin with all well."""
        self.degraded: Sequence[Degraded] = ()
        self.away = False
        self.looked = 0

    async def look(self) -> Sequence[Degraded]:
        """Return what does not go well."""
        self.looked += 1
        if self.away:
            raise Unavailable
        return self.degraded


@pytest.fixture
def seconds() -> Seconds:
    """The time."""
    return Seconds()


@pytest.fixture
def world() -> World:
    """What does not go well."""
    return World()


@pytest.fixture
def vitals(seconds: Seconds, world: World) -> Vitals:
    """What a process knows of itself, which has just begun."""
    return Vitals(world.look, seconds)


async def test_what_is_degraded_takes_nothing_down(vitals: Vitals, world: World, seconds: Seconds) -> None:
    """It is told with the answer that requests are served, and looked at every few seconds only."""
    world.degraded = [ASIDE]
    for _ in range(5):
        assert await vitals.degraded() == [ASIDE]
    assert world.looked == 1
    world.degraded = []
    seconds.now += LOOK_SECONDS
    assert await vitals.degraded() == []
    assert await vitals.ready()


async def test_a_database_that_is_away_for_long_is_told(vitals: Vitals, seconds: Seconds) -> None:
    """A moment is nothing; after 15 seconds others had better be asked, until it is back."""
    vitals.failed()
    seconds.now += AWAY_SECONDS
    assert await vitals.ready()
    seconds.now += 1
    assert not await vitals.ready()
    with pytest.raises(Unavailable) as raised:
        await vitals.degraded()
    assert raised.value.reason == "STORE_UNAVAILABLE"
    vitals.answered()
    assert await vitals.ready()


async def test_streams_that_are_late_are_told(vitals: Vitals, seconds: Seconds) -> None:
    """As soon as one of them is over 10 seconds late though the database is there."""
    early, late = Reader(seconds.now), Reader(seconds.now)
    vitals.follow(early)
    vitals.follow(late)
    seconds.now += LATE_SECONDS + 1
    vitals.answered()
    early.read_at = seconds.now
    assert vitals.why_not == "STREAMS_LATE"
    late.read_at = seconds.now
    assert vitals.why_not is None


async def test_streams_have_time_once_the_database_is_back(vitals: Vitals, seconds: Seconds) -> None:
    """While it is away they cannot read, and after that they have as long as ever."""
    vitals.follow(Reader(seconds.now))
    vitals.failed()
    seconds.now += AWAY_SECONDS - 1
    assert vitals.why_not is None
    vitals.answered()
    assert vitals.why_not is None
    seconds.now += LATE_SECONDS + 1
    vitals.answered()
    assert vitals.why_not == "STREAMS_LATE"


async def test_what_was_seen_last_stands_while_the_database_is_away(
    vitals: Vitals, world: World, seconds: Seconds
) -> None:
    """To look is no failure: the process is as ready as before."""
    world.degraded = [ASIDE]
    await vitals.degraded()
    world.away = True
    seconds.now += LOOK_SECONDS
    assert await vitals.degraded() == [ASIDE]
