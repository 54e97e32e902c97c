"""Anyone who looks back sees, byte for byte, what was served live: on both faces, of every game."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from domain.games import GAMES
from domain.match import (
    MatchStatus,
    OnTimeOut,
    PlayerId,
    Resign,
    TimeControl,
    TimeControlKind,
    legal_moves,
    to_act,
)
from domain.shared.game import AnyGame
from domain.shared.seats import Seat
from domain.shared.viewers import SPECTATOR, seated
from services.background.timekeeper import Timekeeper
from services.matches.opening import Proposal
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.faces.witnesses import GRPC_EVENT, GRPC_VIEW, JSON_EVENT, JSON_VIEW, Witness, serving
from tests.support.games.random_matches import Table, random_options
from tests.support.stores.use_cases import ManualClock, PostgresStores, lobby_of, postgres_stores

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
CONTROL = TimeControl(TimeControlKind.PER_MOVE, seconds=60)
COMMANDS = 10
"""How many commands are given before seats give up, so that long games take no longer than short ones."""
LATE = 6
"""Instead of each how many-th command a seat's time runs out."""
BACK = 2
"""After how many versions events are read again."""
LOOKING = 0.5
"""How often each witness looks at the table between two commands."""
AS_ANOTHER = 4
"""At how many versions, at the most, others look from a seat after the end."""


@asynccontextmanager
async def node_of(stores: PostgresStores, witnesses: Sequence[Witness]) -> AsyncIterator[Services]:
    """Give a node that has nothing in memory, makes snapshots often, and has everybody connected."""
    node = stores.node(snapshot_every=7)
    async with serving(stores, node) as served:
        for witness in witnesses:
            witness.meet(served)
        yield node
        for witness in witnesses:
            await witness.leave()


async def begun(stores: PostgresStores, table: Table, players: Sequence[PlayerId], dice: Random) -> MatchId:
    """Return a match with clocks whose seats are taken."""
    wanted = Proposal(
        game=table.game.id,
        options=random_options(table, dice),
        seats=table.seats,
        seat=0,
        time_control=CONTROL,
        on_time_out=dice.choice(tuple(OnTimeOut)),
    )
    node = stores.node()
    _, listed = await node.openings.open(players[0], wanted, None)
    for seat in range(1, table.seats):
        await lobby_of(node).take_seat(players[seat], listed.id, seat, f"entropy {seat}", None)
    return listed.id


async def played(
    stores: PostgresStores,
    clock: ManualClock,
    node: Services,
    match: MatchId,
    witnesses: Sequence[Witness],
    dice: Random,
) -> None:
    """Play a match over both faces: by moves, by time-outs, and, when it has been long enough, by giving up.

    Of the witnesses the first sit at the seats, in seat order.
    """
    keeper = Timekeeper(node.decisions, stores.agenda, clock, timedelta(days=1))
    for number in range(1, 10 * COMMANDS):
        live = await node.decisions.matches.current(match)
        if live.match.status is MatchStatus.FINISHED:
            return
        seat = dice.choice(to_act(live.game, live.match))
        clock.advance(timedelta(milliseconds=dice.randrange(1, 3_000)))
        if number % LATE == 0:
            clock.advance(MINUTE)
            stores.catch_up()
            await keeper.step()
        elif number < COMMANDS:
            move = dice.choice(legal_moves(live.game, live.match, seat))
            await witnesses[seat].command(match, move, over_rest=dice.random() < 0.5)
        else:
            await witnesses[seat].command(match, Resign(), over_rest=dice.random() < 0.5)
        for witness in witnesses:
            if dice.random() < LOOKING:
                await witness.look(match)
    raise AssertionError(f"{match} has no end")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
async def test_looking_back_gives_what_was_served_live(database: str, game: AnyGame) -> None:
    """Views and events at any version are those that streams, answers and views have shown when it was so.

    Nodes that were started afterwards serve them to the same viewer, and after the end to anyone who looks
    from its seat. Matches go on by moves and time-outs, and end by them or as seats give up.
    """
    dice = Random(game.id)
    for seats in sorted({game.min_seats, game.max_seats}):
        table = Table(game, seats)
        async with postgres_stores(database) as stores:
            stores.clock = clock = ManualClock(NOW)
            accounts = [await stores.players().open_guest(f"Player {seat}") for seat in range(seats)]
            match = await begun(stores, table, [player.id for player, _ in accounts], dice)
            sitting = [Witness(seated(Seat(seat)), token) for seat, (_, token) in enumerate(accounts)]
            live = [*sitting, Witness(SPECTATOR, None)]
            async with node_of(stores, live) as node:
                for witness in live:
                    await witness.watch(match)
                    await witness.watch(match, after=0)
                await played(stores, clock, node, match, live, dice)
        async with postgres_stores(database) as stores:
            stores.clock = ManualClock(NOW + timedelta(days=400))
            again = [Witness(witness.viewer, witness.token) for witness in live]
            others = [Witness(witness.viewer, None) for witness in live]
            async with node_of(stores, [*again, *others]) as node:
                last = (await node.queries.read(match, None)).version
                assert (await node.queries.read(match, None)).match.timed_out
                for before, after, other in zip(live, again, others, strict=True):
                    for form in (JSON_EVENT, GRPC_EVENT):
                        assert before.versions(form) == set(range(1, last + 1))
                    looks = sorted(before.versions(JSON_VIEW) | before.versions(GRPC_VIEW))
                    assert len(looks) > 1
                    for version in looks:
                        await after.look(match, version)
                    for behind in (0, *dice.sample(range(last), BACK)):
                        await after.read(match, behind)
                    await after.watch(match, after=0)
                    await after.watched()
                    assert after.kept.items() >= before.kept.items()
                    for version in dice.sample(looks, min(AS_ANOTHER, len(looks))):
                        await other.look(match, version)
                    await other.read(match, 0)
                    assert other.kept.items() <= after.kept.items()
                    assert {len(contents) for contents in after.kept.values()} == {1}
