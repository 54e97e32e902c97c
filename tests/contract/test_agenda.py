"""What the service has to handle, in memory and in PostgreSQL alike."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from domain.games import GAMES
from domain.match import (
    HolderKind,
    PlayerId,
    Resign,
    StartMode,
    TimeControl,
    TimeControlKind,
)
from services.background.timekeeper import Due, Timekeeper
from services.bots.policies import at_random
from services.bots.turns import BotPlayers
from services.matches.decisions import as_given
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.use_cases import (
    ManualClock,
    Stores,
    lobby_of,
    memory_stores,
    postgres_stores,
    proposal,
)

ANN, BEN, BOT, DOT = (PlayerId(f"player_0000000000000000000000000{number}") for number in (1, 2, 3, 4))
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PER_MOVE = TimeControl(TimeControlKind.PER_MOVE, seconds=30)


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind, at a time that stands."""
    if request.param == "memory":
        kept = memory_stores()
        kept.clock = ManualClock(NOW)
        yield kept
    else:
        async with postgres_stores(request.getfixturevalue("database")) as kept_there:
            kept_there.clock = ManualClock(NOW)
            yield kept_there


def moved_on(stores: Stores, by: timedelta) -> datetime:
    """Return the time after moving it on."""
    assert isinstance(stores.clock, ManualClock)
    stores.clock.advance(by)
    return stores.clock.now()


async def duel(
    node: Services, control: TimeControl = PER_MOVE, *, kind: HolderKind = HolderKind.HUMAN
) -> MatchId:
    """Return a match of Mountains in which Ann is to act first, against Ben or a bot."""
    options = GAMES["mountains"].options(first_seat=0)
    wanted = proposal(game="mountains", options=options, time_control=control)
    _, listed = await node.openings.open(ANN, wanted, None)
    other = BEN if kind is HolderKind.HUMAN else BOT
    await lobby_of(node).take_seat(other, listed.id, 1, "", None, kind=kind)
    return listed.id


async def deadlines(stores: Stores, up_to: datetime, after: Due | None = None, most: int = 9) -> list[Due]:
    """Return the deadlines, once the read model is up."""
    stores.catch_up()
    return list(await stores.agenda.deadlines(up_to, after, most))


async def opened(stores: Stores, up_to: datetime, after: Due | None = None, most: int = 9) -> list[Due]:
    """Return the matches that wait for players, once the read model is up."""
    stores.catch_up()
    return list(await stores.agenda.opened(up_to, after, most))


async def waiting(stores: Stores, *bots: PlayerId, most: int = 9) -> set[tuple[MatchId, PlayerId]]:
    """Return where bots are to act, once the read model is up."""
    stores.catch_up()
    return set(await stores.agenda.waiting(bots, most))


async def test_a_deadline_is_there_while_the_clocks_run(stores: Stores) -> None:
    """It begins with play, moves on with each move, and goes with the end of the match."""
    node = stores.node()
    match = await duel(node)
    assert await deadlines(stores, NOW + 30 * SECOND) == [Due(match, NOW + 30 * SECOND)]
    assert await deadlines(stores, NOW + 29 * SECOND) == []
    moved_on(stores, 10 * SECOND)
    moves = (await node.queries.legal_moves(match, ANN)).legal_moves
    await node.commands.submit(
        ANN, match, as_given(moves[0]), key=None, expected_version=None, validate_only=False
    )
    assert await deadlines(stores, NOW + 99 * SECOND) == [Due(match, NOW + 40 * SECOND)]
    await node.commands.submit(
        ANN, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    assert await deadlines(stores, NOW + 99 * SECOND) == []


async def test_without_clocks_there_is_no_deadline(stores: Stores) -> None:
    """A match without time control waits for ever."""
    await duel(stores.node(), TimeControl())
    assert await deadlines(stores, NOW + timedelta(days=999)) == []


async def test_deadlines_come_in_order_part_by_part(stores: Stores) -> None:
    """The earliest is first, then by match; each part goes on after the last."""
    node, matches = stores.node(), []
    for seconds in (30, 20, 20):
        control = TimeControl(TimeControlKind.PER_MOVE, seconds=seconds)
        matches.append(await duel(node, control))
    later, *sooner = matches
    expected = [*(Due(match, NOW + 20 * SECOND) for match in sorted(sooner)), Due(later, NOW + 30 * SECOND)]
    first = await deadlines(stores, NOW + 60 * SECOND, most=2)
    assert first == expected[:2]
    assert await deadlines(stores, NOW + 60 * SECOND, first[-1], most=2) == expected[2:]
    assert await deadlines(stores, NOW + 60 * SECOND, expected[0]) == expected[1:]


async def test_a_match_waits_for_players_until_it_begins_or_is_called_off(stores: Stores) -> None:
    """It counts from its opening, anyone who comes and goes; a manual start is waited for as well."""
    node = stores.node()
    await duel(node)
    options = GAMES["mountains"].options()
    wanted = proposal(game="mountains", options=options, start=StartMode.MANUAL)
    _, listed = await node.openings.open(ANN, wanted, None)
    moved_on(stores, 5 * SECOND)
    await lobby_of(node).take_seat(BEN, listed.id, 1, "", None)
    assert await opened(stores, NOW) == [Due(listed.id, NOW)]
    assert await opened(stores, NOW - SECOND) == []
    assert await opened(stores, NOW, Due(listed.id, NOW)) == []


async def test_bots_wait_for_their_turn(stores: Stores) -> None:
    """A bot is named while its seat is to act; people, and bots that are not asked for, are not."""
    node = stores.node()
    match = await duel(node, TimeControl(), kind=HolderKind.BOT)
    assert await waiting(stores, ANN, BEN, BOT) == set()
    while (view := await node.queries.legal_moves(match, ANN)).to_act == (0,):
        await node.commands.submit(
            ANN, match, as_given(view.legal_moves[-1]), key=None, expected_version=None, validate_only=False
        )
    assert view.to_act == (1,)
    assert await waiting(stores, ANN, BOT) == {(match, BOT)}
    assert await waiting(stores, DOT) == set()
    assert await waiting(stores, BOT, most=0) == set()
    await node.commands.submit(
        ANN, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    assert await waiting(stores, BOT) == set()


async def test_whoever_waits_gets_a_turn(stores: Stores) -> None:
    """Of more than are wanted it is not always the same ones, so that nobody waits after what is stuck."""
    node = stores.node()
    for _ in range(6):
        wanted = proposal(kind=HolderKind.BOT)
        await node.openings.open(BOT, wanted, None)
    seen: set[tuple[MatchId, PlayerId]] = set()
    for _ in range(60):
        seen |= await waiting(stores, BOT, most=2)
    assert len(seen) == 6


async def test_nodes_that_race_do_everything_once(database: str) -> None:
    """Nodes of two processes that find the same times up and bots to act do each thing once, untroubled."""
    async with postgres_stores(database) as one, postgres_stores(database) as other:
        clock = one.clock = other.clock = ManualClock(NOW)
        late = [await duel(one.node()) for _ in range(6)]
        _, by_bot = await one.node().openings.open(BOT, proposal(kind=HolderKind.BOT), None)
        clock.advance(30 * SECOND)
        one.catch_up()
        nodes = [stores.node() for stores in (one, other, one, other)]
        keepers = [Timekeeper(node.decisions, other.agenda, clock, timedelta(days=1)) for node in nodes]
        bots = [
            BotPlayers(node.commands, node.queries, one.agenda, {BOT: at_random}, SECOND) for node in nodes
        ]
        steps = [*(keeper.step() for keeper in keepers), *(players.step() for players in bots)]
        await asyncio.gather(*steps)
        for match in late:
            events = (await one.node().queries.events(match, ANN, after=0, size=200, looking_as=None)).items
            assert [event.type for event in events].count("match.timed_out") == 1
        view = await one.node().queries.legal_moves(by_bot.id, BOT)
        assert by_bot.version < view.version <= by_bot.version + len(nodes)
