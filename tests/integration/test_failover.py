"""What a failover takes away: nothing is built upon versions that are gone, and nobody is left with them."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from adapters.backing import measures
from adapters.backing.postgres import ports_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.log.recorders import postgres_store
from adapters.postgres.log.tail import Followed, Tail
from adapters.postgres.migrate import migrate
from adapters.settings import Settings
from domain.games import GAMES
from domain.match import PlayerId
from services.matches.commands import Answer
from services.matches.decisions import as_given
from services.shared.errors import NotFound, Unavailable
from services.shared.ids import MatchId
from services.streams.match_stream import End, EndReason, EventItem, Watch
from services.use_cases import Services, build
from tests.support.games.montana import ENDLESS, WALK
from tests.support.stores.standby import Pair, pair
from tests.support.stores.use_cases import APPEND_QUEUE, POOL, proposal

ANN = PlayerId("player_00000000000000000000000001")


@pytest.fixture(scope="module")
def pairs() -> Iterator[Pair]:
    """A primary and its standby, on which the service's tables are."""
    with pair() as servers:
        migrate(servers.conninfo)
        yield servers


@dataclass
class Node:
    """A process of the service."""

    services: Services
    datastore: Datastore
    tail: Tail

    @classmethod
    async def started(cls, conninfo: str) -> "Node":
        """Return one on a database."""
        datastore = Datastore(conninfo, POOL)
        store = postgres_store(dict(GAMES), datastore, APPEND_QUEUE)
        ports = ports_of(Settings(), datastore, store, PostgresKeys(datastore))
        services = build(ports, measures(Settings()))
        channels = services.match_streams.channels
        tail = Tail(
            conninfo,
            Followed(channels.hear, own=lambda: store.writer),
            back=channels.doubt_all,
        )
        await tail.start()
        return cls(services, datastore, tail)

    async def stop(self) -> None:
        """End it."""
        await self.tail.stop()
        await self.services.drain()
        self.datastore.close()

    async def move(self, match: MatchId, key: str) -> Answer:
        """Carry the 2 to and fro, as soon as the store is there."""
        async with asyncio.timeout(30):
            while True:
                try:
                    return await self.services.commands.submit(
                        ANN, match, as_given(WALK), key=key, expected_version=None, validate_only=False
                    )
                except Unavailable:
                    await asyncio.sleep(0.1)


async def opened(node: Node) -> MatchId:
    """Return a match that can be played for ever, at version 4."""
    _, listed = await node.services.openings.open(
        ANN, proposal(options=GAMES["montana"].options(deal=ENDLESS)), None
    )
    return listed.id


async def followed(watch: Watch) -> tuple[list[int], End]:
    """Return the versions of the events of a stream up to its end, and the end."""
    versions = []
    async with asyncio.timeout(30):
        while True:
            for told in await watch.next():
                if isinstance(told.item, EventItem):
                    versions.append(told.item.event.version)
                elif isinstance(told.item, End):
                    watch.leave()
                    return versions, told.item


async def test_the_new_primary_lacks_what_a_node_remembers(pairs: Pair) -> None:
    """The next move follows what is stored, the lost ones are made again, and streams end where that was."""
    one, other = await Node.started(pairs.conninfo), await Node.started(pairs.conninfo)
    match, quiet = await opened(one), await opened(one)
    for number in range(4):
        await one.move(match, f"{number}")
    pairs.caught_up()
    # The first sees the losses at its own command, the second when the server is back.
    watches = [
        await node.services.match_streams.watch(match, ANN, after=4, looking_as=None) for node in (one, other)
    ]
    still = await other.services.match_streams.watch(quiet, ANN, after=0, looking_as=None)
    following = [asyncio.create_task(followed(watch)) for watch in watches]
    pairs.part()
    lost = await opened(one)
    for number in range(4, 6):
        assert (await one.move(match, f"{number}")).version == number + 5
    await asyncio.sleep(0.3)
    pairs.fail_over()

    assert (await one.move(match, "6")).version == 9
    assert [event.version for event in await one.services.decisions.store.read(match)] == list(range(1, 10))
    for versions, end in [await task for task in following]:
        assert versions == list(range(5, 11))
        assert end == End(8, EndReason.EVENTS_LOST, resumable=True)
    again = await one.move(match, "5")
    assert (again.version, [event.version for event in again.events]) == (10, [10])
    assert await one.move(match, "5") == again
    for node in (one, other):
        view = await node.services.queries.view(match, ANN, version=None, looking_as=None)
        assert view.version == 10
        with pytest.raises(NotFound):
            await node.services.queries.view(lost, ANN, version=None, looking_as=None)
        resumed = await node.services.match_streams.watch(match, ANN, after=8, looking_as=None)
        given = [told.item for told in await resumed.next()]
        assert [item.event.version for item in given if isinstance(item, EventItem)] == [9, 10]
        resumed.leave()
    still.nudge()
    assert [type(told.item).__name__ for told in await still.next()] == ["EventItem"] * 4
    still.leave()
    await one.stop()
    await other.stop()
