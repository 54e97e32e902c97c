"""Time that is up, and matches that nobody fills (common §7), on stores in memory."""

import asyncio
from collections.abc import Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.games import GAMES
from domain.match import MatchStatus, OnTimeOut, PlayerId, Reason, TimeControl, TimeControlKind
from domain.shared.outcomes import OutcomeKind
from domain.shared.rejections import Rejected
from services.background.timekeeper import POLL, TOGETHER, Due, Timekeeper
from services.matches.decisions import as_given
from services.matches.store import Recorded
from services.shared.errors import Unavailable
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.use_cases import ManualClock, Stores, lobby_of, memory_stores, proposal

ANN, BEN = PlayerId("player_00000000000000000000000001"), PlayerId("player_00000000000000000000000002")
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
OPEN_FOR = 24 * HOUR
PER_MOVE = TimeControl(TimeControlKind.PER_MOVE, seconds=30)


class Table:
    """A deployment whose time stands, and one node of it."""

    def __init__(self) -> None:
        """Begin with no match."""
        self.clock = ManualClock(NOW)
        self.stores: Stores = memory_stores()
        self.stores.clock = self.clock
        self.node = self.stores.node()
        self.timekeeper = self.another()

    def another(self, store: Any = None) -> Timekeeper:
        """Return the timekeeper of one more node, on a log of its own if one is given."""
        stores = copy(self.stores)
        stores.store = store or stores.store
        return self.keeping(stores.node(), stores.agenda)

    def keeping(self, node: Services, deadlines: Any) -> Timekeeper:
        """Return a timekeeper that finds deadlines there."""
        return Timekeeper(node.decisions, deadlines, self.clock, OPEN_FOR)

    async def duel(self, control: TimeControl = PER_MOVE, **changes: object) -> MatchId:
        """Return a match of Mountains in which Ann is to act first, against Ben."""
        options = GAMES["mountains"].options(first_seat=0)
        wanted = proposal(game="mountains", options=options, time_control=control, **changes)
        _, listed = await self.node.openings.open(ANN, wanted, None)
        await lobby_of(self.node).take_seat(BEN, listed.id, 1, "", None)
        return listed.id

    async def move(self, match: MatchId, player: PlayerId = ANN) -> None:
        """Make a player's first legal move."""
        command = (await self.node.queries.legal_moves(match, player)).legal_moves[0]
        await self.node.commands.submit(
            player, match, as_given(command), key=None, expected_version=None, validate_only=False
        )

    async def names(self, match: MatchId) -> list[str]:
        """Return the names of a match's events."""
        page = await self.node.queries.events(match, ANN, after=0, size=200, looking_as=None)
        return [event.type for event in page.items]


@pytest.fixture
def table() -> Table:
    """A deployment whose time stands."""
    return Table()


async def test_time_that_is_up_ends_a_duel(table: Table) -> None:
    """At the deadline, and not before, the seat resigns and the other one wins (common §7, §8)."""
    match = await table.duel()
    table.clock.advance(29 * SECOND)
    await table.timekeeper.step()
    assert "match.timed_out" not in await table.names(match)
    table.clock.advance(SECOND)
    await table.timekeeper.step()
    assert (await table.names(match))[-3:] == ["match.timed_out", "match.resigned", "match.finished"]
    outcome = (await table.node.queries.read(match, ANN)).match.outcome
    assert outcome is not None
    assert (outcome.kind, outcome.winners) == (OutcomeKind.TIMED_OUT, (1,))


async def test_a_default_move_may_be_made_instead(table: Table) -> None:
    """Where the match says so, the seat moves and plays on; that happens once, however often one looks."""
    match = await table.duel(on_time_out=OnTimeOut.DEFAULT_MOVE)
    table.clock.advance(30 * SECOND)
    for _ in range(3):
        await table.timekeeper.step()
    names = await table.names(match)
    assert names.count("match.timed_out") == 1
    assert names[-1] == "match.clocks_set"
    view = await table.node.queries.view(match, ANN, version=None, looking_as=None)
    (acting,) = view.to_act
    assert (view.status, view.clocks and view.clocks.deadline(acting)) == (
        MatchStatus.PLAYING,
        table.clock.now() + 30 * SECOND,
    )


async def test_days_are_kept_like_seconds(table: Table) -> None:
    """A seat that has three days for each move is out of time on the third day."""
    match = await table.duel(TimeControl(TimeControlKind.DAYS, days=3))
    table.clock.advance(3 * DAY - SECOND)
    await table.timekeeper.step()
    assert (await table.node.queries.read(match, ANN)).match.status is MatchStatus.PLAYING
    table.clock.advance(SECOND)
    await table.timekeeper.step()
    assert (await table.node.queries.read(match, ANN)).match.status is MatchStatus.FINISHED


async def test_a_move_in_time_keeps_it_going(table: Table) -> None:
    """Each move sets a new deadline; the one before is nothing any more."""
    match = await table.duel()
    table.clock.advance(20 * SECOND)
    await table.move(match)
    table.clock.advance(20 * SECOND)
    await table.timekeeper.step()
    assert (await table.node.queries.read(match, ANN)).match.status is MatchStatus.PLAYING


async def test_it_happens_once_whoever_keeps_the_time(table: Table) -> None:
    """Of many nodes that find the same time up at once, one says so, and nobody is troubled."""
    matches = [await table.duel() for _ in range(3)]
    table.clock.advance(30 * SECOND)
    await asyncio.gather(*(table.another().step() for _ in range(8)))
    for match in matches:
        assert (await table.names(match)).count("match.timed_out") == 1


class Dying:
    """A log whose node dies as it writes, before or after the commit."""

    def __init__(self, store: Any, *, stored: bool) -> None:
        """Take the log, and whether what is written last is stored."""
        self._store, self._stored = store, stored

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events, or do not, and tell nobody."""
        if self._stored:
            await self._store.append(match, events)
        raise Unavailable

    def __getattr__(self, name: str) -> Any:
        """Do everything else as ever."""
        return getattr(self._store, name)


@pytest.mark.parametrize("stored", [False, True])
async def test_a_node_that_dies_leaves_it_to_the_others(table: Table, *, stored: bool) -> None:
    """Whether it dies before the commit or after it, the time-out happens once."""
    match = await table.duel(on_time_out=OnTimeOut.DEFAULT_MOVE)
    table.clock.advance(30 * SECOND)
    dying = table.another(Dying(table.stores.store, stored=stored))
    with pytest.raises(Unavailable):
        await dying.step()
    assert (await table.names(match)).count("match.timed_out") == stored
    await table.another().step()
    assert (await table.names(match)).count("match.timed_out") == 1


class Recollected:
    """Deadlines as they were some time ago."""

    def __init__(self, deadlines: Sequence[Due] = (), opened: Sequence[Due] = ()) -> None:
        """Take what is remembered."""
        self._deadlines, self._opened = deadlines, opened

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return what is remembered, once."""
        return () if after else self._deadlines

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return what is remembered, once."""
        return () if after else self._opened


async def test_what_has_changed_meanwhile_is_let_be(table: Table) -> None:
    """A deadline that the seat has met, a match that is over or has begun: nothing happens, silently."""
    met, over, late = await table.duel(), await table.duel(), await table.duel()
    await table.timekeeper.step()
    table.clock.advance(20 * SECOND)
    await table.move(met)
    table.clock.advance(10 * SECOND)
    await table.timekeeper.step()
    before = [await table.names(match) for match in (met, over, late)]
    stale = [Due(match, NOW + 30 * SECOND) for match in (met, over, late)]
    await table.keeping(table.stores.node(), Recollected(stale, stale)).step()
    assert [await table.names(match) for match in (met, over, late)] == before


async def test_a_late_move_is_refused_until_the_time_keeper_comes(table: Table) -> None:
    """At the deadline it is too late, whether or not anybody has said so yet."""
    match = await table.duel()
    command = (await table.node.queries.legal_moves(match, ANN)).legal_moves[0]
    table.clock.advance(30 * SECOND)
    with pytest.raises(Rejected) as refusal:
        await table.node.commands.submit(
            ANN, match, as_given(command), key=None, expected_version=None, validate_only=False
        )
    assert refusal.value.reason is Reason.OUT_OF_TIME


async def test_it_comes_back_at_the_next_deadline(table: Table) -> None:
    """It wakes when the first seat's time is up, and otherwise soon enough to hear of new ones."""
    await table.duel()
    assert await table.timekeeper.step() == POLL
    table.clock.advance(29.75 * SECOND)
    assert await table.timekeeper.step() == 0.25 * SECOND


async def test_one_that_fails_holds_up_no_other(table: Table) -> None:
    """What cannot be decided is told after all others, however many there are."""
    matches = [await table.duel() for _ in range(2)]
    table.clock.advance(30 * SECOND)
    unknown = [Due(MatchId(f"match_{number:026}"), NOW) for number in range(TOGETHER)]
    due = [*unknown, *(Due(match, NOW) for match in matches)]

    class Paged(Recollected):
        async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
            first = 0 if after is None else due.index(after) + 1
            return due[first : first + most]

    with pytest.raises(Exception, match="NO_SUCH_MATCH"):
        await table.keeping(table.stores.node(), Paged()).step()
    for match in matches:
        assert (await table.node.queries.read(match, ANN)).match.status is MatchStatus.FINISHED


async def test_a_match_that_nobody_fills_is_called_off(table: Table) -> None:
    """After the set time, whatever its clocks; one that waits for less, or has begun, stays."""
    begun = await table.duel(TimeControl())
    _, old = await table.node.openings.open(ANN, proposal(seat=None), None)
    slow = proposal(seat=None, time_control=TimeControl(TimeControlKind.DAYS, days=7))
    _, days = await table.node.openings.open(ANN, slow, None)
    table.clock.advance(HOUR)
    _, young = await table.node.openings.open(ANN, proposal(seat=None), None)
    table.clock.advance(OPEN_FOR - HOUR - SECOND)
    await table.another().step()
    assert (await table.node.queries.read(old.id, ANN)).match.status is MatchStatus.OPEN
    table.clock.advance(SECOND)
    await asyncio.gather(*(table.another().step() for _ in range(3)))
    phases = [
        (await table.node.queries.read(id, ANN)).match.status for id in (old.id, days.id, young.id, begun)
    ]
    assert phases == [MatchStatus.CANCELLED, MatchStatus.CANCELLED, MatchStatus.OPEN, MatchStatus.PLAYING]
    last = (await table.node.queries.events(old.id, ANN, after=1, size=9, looking_as=None)).items
    assert [(event.type, event.seat) for event in last] == [("match.cancelled", None)]


async def test_it_looks_for_those_every_minute(table: Table) -> None:
    """A match becomes too old while the timekeeper runs, and is cancelled within a minute."""
    _, old = await table.node.openings.open(ANN, proposal(seat=None), None)
    await table.timekeeper.step()
    table.clock.advance(OPEN_FOR)
    await table.timekeeper.step()
    assert (await table.node.queries.read(old.id, ANN)).match.status is MatchStatus.CANCELLED


async def test_a_store_that_is_away_is_said_so(table: Table) -> None:
    """Anyone who watches the worker learns that the deadlines could not be read."""

    class Away(Recollected):
        async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
            raise Unavailable

    with pytest.raises(Unavailable):
        await table.keeping(table.node, Away()).step()
