"""Nobody is charged the time in which the service or its database was away."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.postgres.log.audit import FIRST, LAST, StoredAudit
from adapters.postgres.outages import PostgresOutages
from domain.games import GAMES
from domain.match import MatchStatus, PlayerId, Resign, TimeControl, TimeControlKind
from services.background.timekeeper import Timekeeper
from services.matches.decisions import as_given
from services.matches.outages import BEAT, Heart, Settlement
from services.shared.health import Degraded, Vitals
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.use_cases import ManualClock, PostgresStores, lobby_of, postgres_stores, proposal

ANN, BEN = PlayerId("player_00000000000000000000000001"), PlayerId("player_00000000000000000000000002")
SECOND = timedelta(seconds=1)
OPEN_FOR = timedelta(hours=24)
PER_MOVE = TimeControl(TimeControlKind.PER_MOVE, seconds=30)


class Deployment:
    """A service whose time stands, while the database goes by its own clock."""

    def __init__(self, stores: PostgresStores) -> None:
        """Begin with a beat."""
        self.stores = stores
        self.clock = ManualClock(datetime.now(UTC))
        stores.clock = self.clock
        self.outages = stores.outages = PostgresOutages(stores.datastore)
        self.node = stores.node()
        self.timekeeper = self.keeper(self.node)

    def keeper(self, node: Services) -> Timekeeper:
        """Return what says that time is up, of a node."""
        return Timekeeper(node.decisions, self.stores.agenda, self.clock, OPEN_FOR)

    def settlement(self, node: Services) -> Settlement:
        """Return what moves all deadlines, of a node."""
        return Settlement(self.outages, self.stores.agenda.timed, node.decisions.settle, self.clock.now)

    async def away(self, seconds: float) -> None:
        """Let the last beat be so long ago, and the time go on by as much."""
        await self.stores.datastore.execute(
            "UPDATE beats SET at = clock_timestamp() - %s", (timedelta(seconds=seconds),)
        )
        self.clock.advance(timedelta(seconds=seconds))

    async def duel(self, control: TimeControl = PER_MOVE, **changes: Any) -> MatchId:
        """Return a match of Mountains in which Ann is to act first, against Ben."""
        options = GAMES["mountains"].options(first_seat=0)
        wanted = proposal(game="mountains", options=options, time_control=control, **changes)
        _, listed = await self.node.openings.open(ANN, wanted, None)
        await lobby_of(self.node).take_seat(BEN, listed.id, 1, "", None)
        return listed.id

    async def move(self, match: MatchId, key: str | None = None, node: Services | None = None) -> int:
        """Make Ann's first legal move, and return the version that it leads to."""
        node = node or self.node
        command = (await node.queries.legal_moves(match, ANN)).legal_moves[0]
        given = await node.commands.submit(
            ANN, match, as_given(command), key=key, expected_version=None, validate_only=False
        )
        return given.version

    async def names(self, match: MatchId) -> list[str]:
        """Return the names of a match's events."""
        page = await self.node.queries.events(match, ANN, after=0, size=200, looking_as=None)
        return [event.type for event in page.items]

    async def moved(self, match: MatchId) -> int:
        """Return how often a match's deadline was moved."""
        return (await self.names(match)).count("match.deadline_moved")


@pytest.fixture
async def there(database: str) -> AsyncIterator[Deployment]:
    """A deployment that works."""
    async with postgres_stores(database) as stores:
        deployment = Deployment(stores)
        await deployment.outages.beat()
        yield deployment


async def test_a_beat_is_due_every_two_seconds_whoever_gives_it(there: Deployment) -> None:
    """The first of any number of processes gives it, the others change nothing."""
    query = "SELECT at, xmin::text AS writer FROM beats"
    before = await there.stores.datastore.execute(query)
    assert max(await asyncio.gather(*(there.outages.beat() for _ in range(20)))) < BEAT
    assert await there.stores.datastore.execute(query) == before
    await there.away(3)
    await asyncio.gather(*(there.outages.beat() for _ in range(20)))
    after = await there.stores.datastore.execute(query)
    assert after != before
    assert await there.outages.since(there.clock.now() - 60 * SECOND) == []


async def test_a_beat_to_come_keeps_nobody_from_the_next(there: Deployment) -> None:
    """The clock was set back, or the new primary's is slow: beats go on at once, and it was no outage."""
    await there.stores.datastore.execute("UPDATE beats SET at = clock_timestamp() + interval '1 hour'")
    heart = Heart(there.outages, Vitals(nothing))
    assert timedelta() < await heart.step() <= BEAT + SECOND
    (row,) = await there.stores.datastore.execute("SELECT at <= clock_timestamp() AS past FROM beats")
    assert row["past"]
    assert await there.outages.unsettled() == []


async def nothing() -> list[Degraded]:
    """Return that all goes well."""
    return []


async def test_the_first_beat_of_all_ends_no_outage(there: Deployment) -> None:
    """A database that has never had one says nothing of the time before."""
    await there.stores.datastore.execute("UPDATE beats SET at = NULL")
    await there.outages.beat()
    assert await there.outages.unsettled() == []


async def test_an_outage_is_put_down_once(there: Deployment) -> None:
    """However many processes are back at the same moment, with when it began and ended."""
    await there.away(17)
    await asyncio.gather(*(there.outages.beat() for _ in range(20)))
    (outage,) = await there.outages.unsettled()
    assert 17 * SECOND <= outage.ended_at - outage.began_at < 20 * SECOND


async def test_a_move_that_comes_again_with_its_key_is_made(there: Deployment) -> None:
    """The database was away beyond the deadline; the player kept sending, and may move once it is back."""
    match = await there.duel()
    at = (await there.node.queries.read(match, ANN)).version
    command = (await there.node.queries.legal_moves(match, ANN)).legal_moves[0]
    await there.away(45)
    given = [
        await there.node.commands.submit(
            ANN, match, as_given(command), key="k", expected_version=at, validate_only=False
        )
        for _ in range(2)
    ]
    assert given[0] == given[1]
    assert (await there.names(match)).count("match.deadline_moved") == 1
    assert "match.timed_out" not in await there.names(match)


async def test_what_would_be_legal_is_said_of_the_moved_deadline(there: Deployment) -> None:
    """To validate a move gives the outage back, too."""
    match = await there.duel()
    command = (await there.node.queries.legal_moves(match, ANN)).legal_moves[0]
    await there.away(45)
    answer = await there.node.commands.submit(
        ANN, match, as_given(command), key=None, expected_version=None, validate_only=True
    )
    assert answer.events == ()
    assert await there.moved(match) == 1


async def test_nobody_is_timed_out_by_an_outage(there: Deployment) -> None:
    """Nodes that come back look at the clocks at once: the deadline moves by the outage and 10 seconds."""
    match = await there.duel()
    there.stores.catch_up()
    await there.away(45)
    nodes = [there.stores.node() for _ in range(3)]
    await asyncio.gather(*(there.keeper(node).step() for node in nodes))
    there.stores.catch_up()
    assert await there.moved(match) == 1
    view = await there.node.queries.view(match, ANN, version=None, looking_as=None)
    assert view.clocks is not None
    deadline = view.clocks.deadline(view.clocks.running[0])
    assert deadline is not None
    assert 39 * SECOND < deadline - there.clock.now() < 43 * SECOND
    there.clock.advance(38 * SECOND)
    await there.timekeeper.step()
    assert "match.timed_out" not in await there.names(match)
    there.clock.advance(6 * SECOND)
    await there.timekeeper.step()
    assert (await there.names(match))[-3:] == ["match.timed_out", "match.resigned", "match.finished"]


async def test_all_deadlines_move_once_for_each_outage(there: Deployment, database: str) -> None:
    """Several outages, racing nodes, and one that died in between; a reserve too; what has no clock stays."""
    quick, slow = await there.duel(), await there.duel(TimeControl(TimeControlKind.RESERVE, seconds=600))
    without = await there.duel(TimeControl())
    over = await there.duel()
    await there.node.commands.submit(
        ANN, over, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    there.stores.catch_up()
    await there.away(10)
    await there.outages.beat()
    # One died when it had moved one of the matches.
    await there.node.decisions.settle(slow)
    await there.away(8)
    await there.outages.beat()
    nodes = [there.stores.node() for _ in range(3)]
    for _ in range(2):
        await asyncio.gather(*(there.settlement(node).step() for node in nodes))
        there.stores.catch_up()
    assert [await there.moved(match) for match in (quick, slow, without, over)] == [2, 2, 0, 0]
    assert len(await there.outages.unsettled()) == 2
    there.clock.advance(60 * SECOND)
    await there.settlement(there.node).step()
    assert await there.outages.unsettled() == []
    audit = StoredAudit(database, dict(GAMES))
    assert audit.part(FIRST, LAST).found == ()
    audit.close()


async def test_a_clock_that_began_later_is_not_moved(there: Deployment) -> None:
    """An outage before a seat came to act is none of its business."""
    await there.away(20)
    await there.outages.beat()
    there.clock.advance(5 * SECOND)
    match = await there.duel()
    assert await there.node.decisions.settle(match) is False
    assert await there.moved(match) == 0


async def test_matches_wait_for_players_as_much_longer(there: Deployment) -> None:
    """Of the time in which a match waits to be filled an outage is no part, either."""
    wanted = proposal(game="mountains", options=GAMES["mountains"].options())
    _, waiting = await there.node.openings.open(ANN, wanted, None)
    there.stores.catch_up()
    there.clock.advance(OPEN_FOR - 60 * SECOND)
    await there.away(120)
    await there.keeper(there.stores.node()).step()
    assert (await there.node.queries.read(waiting.id, ANN)).match.status is MatchStatus.OPEN
    there.clock.advance(75 * SECOND)
    await there.keeper(there.stores.node()).step()
    assert (await there.node.queries.read(waiting.id, ANN)).match.status is MatchStatus.CANCELLED
