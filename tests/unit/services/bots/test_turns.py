"""Bots of the server play as any client at their seats would, on stores in memory."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import HolderKind, MatchStatus, OnTimeOut, PlayerId, Resign, TimeControl, TimeControlKind
from domain.shared.viewers import ViewerKind
from services.bots.accounts import BOTS
from services.bots.policies import Policy, at_random
from services.bots.turns import AT_ONCE, BotPlayers
from services.matches.decisions import as_given
from services.matches.queries import Queries
from services.matches.views import View
from services.shared.ids import MatchId
from tests.support.stores.use_cases import Stores, memory_stores, proposal

ANN, BOT, DOT = (PlayerId(f"player_0000000000000000000000000{number}") for number in (1, 2, 3))
PAUSE = timedelta(milliseconds=1)


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


def players(stores: Stores, policy: Policy = at_random, turns: Any = None, node: Any = None) -> BotPlayers:
    """Return what moves for both bots, on one more node."""
    policies = {BOT: policy, DOT: policy}
    node = node or stores.node()
    return BotPlayers(node.commands, node.queries, turns or stores.agenda, policies, PAUSE)


async def match_of(stores: Stores, game: str, *seats: PlayerId) -> MatchId:
    """Return a match with these players, of whom all but Ann are bots."""
    options = GAMES[game].options() if game == "montana" else GAMES[game].options(first_seat=0)
    node = stores.node()
    first, *others = seats
    wanted = proposal(game=game, options=options, seats=len(seats), kind=kind_of(first))
    _, listed = await node.openings.open(first, wanted, None)
    for seat, player in enumerate(others, 1):
        lobby = node.lobby
        await lobby.take_seat(player, listed.id, seat, "", None, kind=kind_of(player))
    return listed.id


def kind_of(player: PlayerId) -> HolderKind:
    """Return what holds the seat of a player."""
    return HolderKind.HUMAN if player == ANN else HolderKind.BOT


@pytest.mark.parametrize("game", [game for game in GAMES if GAMES[game].max_seats > 1])
async def test_bots_alone_play_to_the_end(stores: Stores, game: str) -> None:
    """A match of bots of any game ends by its own rules, though nobody calls."""
    match = await match_of(stores, game, BOT, DOT)
    node, bots = stores.node(), players(stores)
    for _ in range(5_000):
        if (await node.queries.read(match, ANN)).match.status is MatchStatus.FINISHED:
            break
        await bots.step()
    outcome = (await node.queries.read(match, ANN)).match.outcome
    assert outcome is not None
    assert outcome.reason not in {"resigned", "timed_out"}


async def test_a_bot_waits_for_people(stores: Stores) -> None:
    """While another seat is to act nothing happens; then the bot moves until it is not its turn."""
    match = await match_of(stores, "mountains", ANN, BOT)
    node, bots = stores.node(), players(stores)
    version = (await node.queries.read(match, ANN)).version
    await bots.step()
    assert (await node.queries.read(match, ANN)).version == version
    while (view := await node.queries.legal_moves(match, ANN)).to_act == (0,):
        await node.commands.submit(
            ANN, match, as_given(view.legal_moves[-1]), key=None, expected_version=None, validate_only=False
        )
    for _ in range(50):
        await bots.step()
    after = await node.queries.legal_moves(match, ANN)
    assert (after.to_act, after.version > view.version) == ((0,), True)


async def test_a_policy_knows_what_its_seat_may_know(stores: Stores) -> None:
    """It is given the seat's own view, the same that a client there gets, and chance; nothing else."""
    match = await match_of(stores, "montanara", BOT, ANN)
    given: list[View[Any, Any]] = []

    def noted(view: View[Any, Any], chance: Random) -> Any:
        given.append(view)
        return at_random(view, chance)

    shown = await stores.node().queries.view(match, BOT, version=None, looking_as=None)
    await players(stores, noted).step()
    assert given == [shown]
    assert (shown.viewer.kind, shown.viewer.seat) == (ViewerKind.SEAT, 0)
    assert shown != await stores.node().queries.view(match, ANN, version=None, looking_as=None)


async def test_random_play_picks_any_legal_move_alike(stores: Stores) -> None:
    """Each listed move comes up, and no other."""
    match = await match_of(stores, "montana", BOT)
    view = await stores.node().queries.legal_moves(match, BOT)
    chance = Random(1)
    picked = [BOTS["random"].policy(view, chance) for _ in range(100 * len(view.legal_moves))]
    counts = [picked.count(move) for move in view.legal_moves]
    assert sum(counts) == len(picked)
    assert all(50 < count < 200 for count in counts)


async def test_a_bot_moves_once_whoever_moves_for_it(stores: Stores) -> None:
    """Of many nodes that find the same bot to act at once, one moves, and nobody is troubled."""
    match = await match_of(stores, "montana", BOT)
    before = (await stores.node().queries.read(match, ANN)).version
    nodes = 8
    meeting = asyncio.Barrier(nodes)

    class Together:
        """Lets all nodes find the bot before any of them moves."""

        async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
            await meeting.wait()
            return [(match, BOT)]

    seen: set[int] = set()

    def noted(view: View[Any, Any], chance: Random) -> Any:
        seen.add(view.version)
        return at_random(view, chance)

    await asyncio.gather(*(players(stores, noted, Together()).step() for _ in range(nodes)))
    events = (await stores.node().queries.events(match, BOT, after=before, size=200, looking_as=None)).items
    moves = [event for event in events if event.type in {"montana.card_moved", "montana.redealt"}]
    assert len(moves) == len(seen)
    assert before in seen


async def test_a_turn_that_has_passed_is_let_be(stores: Stores) -> None:
    """A match that is over, or where another is to act, stays as it is, silently."""
    over, others = await match_of(stores, "montana", BOT), await match_of(stores, "mountains", ANN, BOT)
    node = stores.node()
    await node.commands.submit(
        BOT, over, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    versions = [(await node.queries.read(match, ANN)).version for match in (over, others)]

    class Stale:
        """What the read model said some time ago."""

        async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
            return [(over, BOT), (others, BOT)]

    await players(stores, turns=Stale()).step()
    assert [(await node.queries.read(match, ANN)).version for match in (over, others)] == versions


async def test_a_bot_that_fails_holds_up_no_other(stores: Stores) -> None:
    """What a policy trips over is told, once the others have moved."""
    stuck, going = await match_of(stores, "montana", DOT), await match_of(stores, "montana", BOT)
    node = stores.node()
    versions = [(await node.queries.read(match, ANN)).version for match in (stuck, going)]

    def broken(view: View[Any, Any], chance: Random) -> Any:
        raise ZeroDivisionError

    bots = BotPlayers(node.commands, node.queries, stores.agenda, {BOT: at_random, DOT: broken}, PAUSE)
    with pytest.raises(ZeroDivisionError):
        await bots.step()
    after = [(await node.queries.read(match, ANN)).version for match in (stuck, going)]
    assert (after[0] - versions[0], after[1] > versions[1]) == (0, True)


async def test_a_bot_out_of_time_is_refused_like_anyone(stores: Stores) -> None:
    """Its move comes too late, which troubles nobody: the timekeeper handles the seat."""
    control = TimeControl(TimeControlKind.PER_MOVE, seconds=1)
    wanted = proposal(kind=HolderKind.BOT, time_control=control, on_time_out=OnTimeOut.DEFAULT_MOVE)
    _, listed = await stores.node().openings.open(BOT, wanted, None)
    await players(stores).step()
    assert (await stores.node().queries.read(listed.id, ANN)).version == listed.version


class Slow:
    """What can be asked of matches, slow; it counts how many ask at once.

    Attributes:
        most: The most who have.
    """

    def __init__(self, queries: Queries, seconds: float) -> None:
        """Take what can be asked of matches, and how long looking takes."""
        self._queries, self._seconds = queries, seconds
        self._asking = self.most = 0

    async def legal_moves(self, id: MatchId, player: PlayerId) -> View[Any, Any]:
        """Return the view of a player's seat, after a while."""
        self._asking += 1
        self.most = max(self.most, self._asking)
        await asyncio.sleep(self._seconds)
        self._asking -= 1
        return await self._queries.legal_moves(id, player)

    def __getattr__(self, name: str) -> Any:
        """Do everything else as ever."""
        return getattr(self._queries, name)


async def test_bots_leave_room_for_people(stores: Stores) -> None:
    """Few are moved for at once, and each place rests for as long as a move took."""
    slow = 0.01
    matches = [await match_of(stores, "montana", BOT) for _ in range(2 * AT_ONCE)]
    node = stores.node()
    queries: Any = Slow(node.queries, slow)
    node = replace(node, queries=queries)
    began = asyncio.get_running_loop().time()
    await players(stores, node=node).step()
    took = asyncio.get_running_loop().time() - began
    assert queries.most == AT_ONCE
    assert took > len(matches) / AT_ONCE * 2 * slow
