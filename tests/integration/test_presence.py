"""Who is there is told over all nodes, from memory and from PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from adapters.postgres import presence as stored
from domain.games import GAMES
from domain.match import Disclosure, PlayerId, Resign, StartMode, Visibility
from domain.shared.seats import Seat
from services.matches.decisions import as_given
from services.shared.ids import MatchId
from services.streams import presence
from services.streams.match_stream import CaughtUp, SnapshotItem, Watch
from services.streams.presence import PresenceItem, SeatPresence
from services.use_cases import Services
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores, proposal

MOUNTAINS = GAMES["mountains"]
ANN, BEN, CAM = (PlayerId(f"player_0000000000000000000000000{number}") for number in (1, 2, 3))
HERE, NEVER = SeatPresence(Seat(0), present=True, away_since=None), SeatPresence(Seat(1), False, None)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes look at one another often."""
    monkeypatch.setattr(presence, "RENEW", 0.1)
    monkeypatch.setattr(presence, "PACE", 0.02)
    monkeypatch.setattr("services.streams.match_stream.APART", 0.2)


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Both kinds of stores."""
    if request.param == "memory":
        yield memory_stores()
        return
    async with postgres_stores(request.getfixturevalue("database")) as found:
        yield found


async def begun(node: Services, **changes: Any) -> MatchId:
    """Return a match of two seats, of which Ann has the first."""
    terms = {"game": "mountains", "options": MOUNTAINS.options(), "seats": 2, "start": StartMode.MANUAL}
    _, listed = await node.openings.open(ANN, proposal(**terms | changes), None)
    return listed.id


@asynccontextmanager
async def watching(
    node: Services, match: MatchId, player: PlayerId | None, **asked: Any
) -> AsyncIterator[Watch]:
    """Give a stream that is left at the end."""
    watch = await node.match_streams.watch(
        match, player, after=asked.pop("after", None), looking_as=asked.pop("as_", None), **asked
    )
    try:
        yield watch
    finally:
        watch.leave()


async def told(watch: Watch, holds: Callable[[PresenceItem], bool]) -> PresenceItem:
    """Return the first item that tells who is there for which something holds."""
    async with asyncio.timeout(10):
        while True:
            for one in await watch.next():
                if isinstance(one.item, PresenceItem) and holds(one.item):
                    return one.item


async def test_each_stream_says_who_is_there_before_it_is_live(stores: Stores) -> None:
    """Also one that is resumed, of a seat or of somebody who looks on."""
    node = stores.node()
    match = await begun(node)
    async with (
        watching(node, match, ANN) as seated,
        watching(node, match, None) as onlooker,
        watching(node, match, BEN, after=0) as resumed,
    ):
        for watch in (seated, onlooker, resumed):
            items: list[Any] = []
            while not items or not isinstance(items[-1], CaughtUp):
                items += [one.item for one in await watch.next()]
            assert items[-2] == PresenceItem((HERE, NEVER), 2)
            if watch is not resumed:
                assert isinstance(items[0], SnapshotItem)
                assert items[0].presence == (Seat(0),)
                assert len(items) == 3


async def test_who_comes_and_goes_on_one_node_is_told_on_another(stores: Stores) -> None:
    """A player is there as long as any of its streams is open; then it is told since when it is not."""
    here, there = stores.node(), stores.node()
    match = await begun(here)
    async with watching(here, match, None) as watch:
        assert await told(watch, lambda item: True) == PresenceItem(
            (SeatPresence(Seat(0), present=False, away_since=None), NEVER), 1
        )
        async with watching(there, match, ANN), watching(there, match, CAM):
            assert await told(watch, lambda item: item.onlookers == 2) == PresenceItem((HERE, NEVER), 2)
            async with watching(here, match, ANN):
                pass
            late = await here.match_streams.watch(match, None, after=None, looking_as=None)
            assert (await late.next())[0].item.presence == (Seat(0),)
            late.leave()
        away = await told(watch, lambda item: not item.seats[0].present)
        assert away.onlookers == 1
        assert away.seats[0].away_since is not None
        async with watching(there, match, ANN):
            assert (await told(watch, lambda item: item.seats[0].present)).seats == (HERE, NEVER)


async def test_a_node_that_dies_takes_its_streams_along(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has stored counts until its lease ends."""
    monkeypatch.setattr(stored, "LEASE", timedelta(seconds=0.5))
    async with postgres_stores(database) as stores:
        here, there = stores.node(), stores.node()
        match = await begun(here)
        async with watching(here, match, None) as watch, watching(there, match, ANN):
            await told(watch, lambda item: item.seats[0].present)
            task = there.match_streams.channels.presences._task
            assert task is not None
            task.cancel()
            assert (await told(watch, lambda item: not item.seats[0].present)).seats[0].away_since is not None


async def test_what_a_crash_of_the_server_takes_is_stored_again(database: str) -> None:
    """The tables are not logged: those who have stored something look whether it is there still."""
    async with postgres_stores(database) as stores:
        here, there = stores.node(), stores.node()
        match = await begun(here)
        async with watching(there, match, ANN), watching(here, match, None) as watch:
            await told(watch, lambda item: item.seats[0].present)
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute("TRUNCATE presence_nodes, match_presence")
            async with watching(here, match, None) as other:
                assert (await told(other, lambda item: item.seats[0].present)).seats == (HERE, NEVER)


async def test_only_the_holder_of_a_seat_is_present_there(stores: Stores) -> None:
    """After a disclosed end anybody may look as a seat; of those who look on only the number is told."""
    node = stores.node()
    _, listed = await node.openings.open(ANN, proposal(disclosure=Disclosure.AT_END), None)
    await node.commands.submit(
        ANN, listed.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    away = SeatPresence(Seat(0), present=False, away_since=None)
    async with watching(node, listed.id, BEN, as_="0") as stranger:
        assert await told(stranger, lambda item: True) == PresenceItem((away,), 1)
        async with watching(node, listed.id, ANN, as_="spectator") as holder:
            assert await told(holder, lambda item: True) == PresenceItem((HERE,), 1)
    match = await begun(node, visibility=Visibility.PRIVATE)
    shown = (await node.decisions.secrets(match)).invitation.hex()
    async with watching(node, match, CAM, invitation=shown), watching(node, match, ANN) as watch:
        assert CAM not in repr(await told(watch, lambda item: item.onlookers == 1))


async def test_who_looks_on_is_present_at_a_seat_it_takes_meanwhile(stores: Stores) -> None:
    """On every node, without a new stream; with the seat it is gone, as its stream ends."""
    here, there = stores.node(), stores.node()
    match = await begun(here)
    async with watching(here, match, ANN) as ann, watching(there, match, BEN) as ben:
        assert await told(ann, lambda item: item.onlookers == 1) == PresenceItem((HERE, NEVER), 1)
        await told(ben, lambda item: True)
        await there.lobby.take_seat(BEN, match, Seat(1), "", None)
        both = PresenceItem((HERE, SeatPresence(Seat(1), present=True, away_since=None)), 0)
        assert await told(ben, lambda item: item.seats[1].present) == both
        assert await told(ann, lambda item: item.seats[1].present and not item.onlookers) == both
        async with watching(here, match, BEN):
            pass
        ben.leave()
        away = await told(ann, lambda item: not item.seats[1].present)
        assert (away.onlookers, away.seats[1].away_since is None) == (0, False)


async def test_who_asks_for_a_head_alone_and_sits_down_is_not_there() -> None:
    """It has no stream that would show it."""
    node = memory_stores().node()
    match = await begun(node)
    async with watching(node, match, BEN, unseen=True) as unseen, watching(node, match, ANN) as watch:
        await told(unseen, lambda item: True)
        await node.lobby.take_seat(BEN, match, Seat(1), "", None)
        assert any(one.item.event.seat == 1 for one in await unseen.next())
        assert await told(watch, lambda item: True) == PresenceItem((HERE, NEVER), 0)


async def test_changes_are_told_at_most_once_a_second(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many come and go, a stream is told the outcome, and nothing is stored if it is the same."""
    monkeypatch.setattr("services.streams.match_stream.APART", 0.5)
    node = stores.node()
    match = await begun(node)
    async with watching(node, match, ANN) as watch:
        await told(watch, lambda item: True)
        began = asyncio.get_running_loop().time()
        for _ in range(20):
            async with watching(node, match, None):
                await asyncio.sleep(0)
        async with watching(node, match, None):
            changed = await told(watch, lambda item: True)
            assert asyncio.get_running_loop().time() - began > 0.4
            assert changed == PresenceItem((HERE, NEVER), 1)


async def test_a_crowd_is_told_of_seats_at_once_and_of_its_size_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who looks on comes and goes all the time; each time is told to everybody."""
    monkeypatch.setattr("services.streams.match_stream.CROWD", 0.01)
    node = memory_stores().node()
    match = await begun(node)
    async with watching(node, match, BEN) as watch:
        await told(watch, lambda item: True)
        async with watching(node, match, None), watching(node, match, ANN):
            assert await told(watch, lambda item: True) == PresenceItem((HERE, NEVER), 2)
