"""What players have achieved, in memory and in PostgreSQL, and over both faces."""

from collections.abc import AsyncIterator
from random import Random
from typing import Any, cast

import grpc
import httpx
import pytest
from openskill.models import PlackettLuce

from adapters.grpc.generated.montane.v1 import statistics_pb2 as pb
from adapters.grpc.generated.montane.v1.statistics_pb2_grpc import StatisticsServiceStub
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from domain.games import GAMES
from domain.match import OnTimeOut, PlayerId, Resign, TimeControl, TimeControlKind, TimeOut, Visibility
from domain.shared.seats import Seat
from services.matches.decisions import as_given
from services.matches.loaded import LoadedMatch
from services.matches.store import Secrets
from services.players.records import Ranked, Rating, Statistics
from services.shared.errors import Malformed, NotFound
from tests.support.games.montana import ENDLESS, WALK
from tests.support.stores.use_cases import Stores, lobby_of, memory_stores, postgres_stores, proposal

MOUNTAINS = GAMES["mountains"]


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


async def guests(stores: Stores, *names: str) -> list[PlayerId]:
    """Return new players of these names."""
    return [(await stores.players().open_guest(name))[0].id for name in names]


async def given_up(stores: Stores, players: list[PlayerId], *losers: PlayerId) -> None:
    """Play a match in which some give up, one after the other."""
    node = stores.node()
    wanted = proposal(game="mountains", options=MOUNTAINS.options(), seats=len(players))
    _, opened = await node.openings.open(players[0], wanted, None)
    for seat, player in enumerate(players[1:], start=1):
        await lobby_of(node).take_seat(player, opened.id, seat, "", None)
    for player in losers:
        await node.commands.submit(
            player, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
        )


async def alone(stores: Stores, player: PlayerId) -> int:
    """Play a deal of Montana until no move is left, and return its score."""
    node, dice = stores.node(), Random(1)
    options = GAMES["montana"].options(deal=1, redeals=0)
    _, opened = await node.openings.open(player, proposal(options=options), None)
    while True:
        view = await node.queries.legal_moves(opened.id, player)
        if view.outcome is not None:
            (score,) = view.outcome.scores
            return score
        move = dice.choice(view.legal_moves)
        await node.commands.submit(
            player, opened.id, as_given(move), key=None, expected_version=None, validate_only=False
        )


async def test_results_are_counted_by_player_and_game(stores: Stores) -> None:
    """Won and lost, given up and not, alone and with others, each to whom it belongs."""
    ann, ben, cam = await guests(stores, "Ann", "Ben", "Cam")
    await given_up(stores, [ann, ben], ben)
    await given_up(stores, [ben, ann], ben)
    await given_up(stores, [ann, ben, cam], cam, ann)
    await given_up(stores, [ann, ben])
    score = await alone(stores, ann)
    _, opened = await stores.node().openings.open(
        ann, proposal(options=GAMES["montana"].options(deal=ENDLESS)), None
    )
    for command in (WALK, Resign()):
        await stores.node().commands.submit(
            ann, opened.id, as_given(command), key=None, expected_version=None, validate_only=False
        )
    stores.catch_up()
    assert await stores.records.statistics(ann) == [
        Statistics(game="montana", played=2, lost=2, resigned=1, best_score=score),
        Statistics(game="mountains", played=3, won=2, lost=1, resigned=1),
    ]
    assert await stores.records.statistics(ben) == [
        Statistics(game="mountains", played=3, won=1, lost=2, resigned=2)
    ]
    assert await stores.records.statistics(cam) == [
        Statistics(game="mountains", played=1, lost=1, resigned=1)
    ]


async def test_a_private_match_counts_for_nobody(stores: Stores) -> None:
    """Neither numbers nor ratings, which everybody may see, tell that it was played."""
    ann, ben = await guests(stores, "Ann", "Ben")
    node = stores.node()
    wanted = proposal(game="mountains", options=MOUNTAINS.options(), seats=2, visibility=Visibility.PRIVATE)
    _, opened = await node.openings.open(ann, wanted, None)
    shown = (await node.decisions.secrets(opened.id)).invitation.hex()
    await lobby_of(node).take_seat(ben, opened.id, 1, "", None, invitation=shown)
    await node.commands.submit(
        ben, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    stores.catch_up()
    assert not (await node.queries.read(opened.id, ann)).match.terms.rated
    for player in (ann, ben):
        assert await stores.records.statistics(player) == []
        assert await stores.records.ratings(player) == {}


async def test_whose_time_was_up_has_lost_by_time(stores: Stores) -> None:
    """A seat that resigns because its time is up counts as timed out; a default move instead does not."""
    ann, ben = await guests(stores, "Ann", "Ben")
    hurry = TimeControl(TimeControlKind.PER_MOVE, seconds=1)
    for on_time_out in OnTimeOut:
        node = stores.node()
        wanted = proposal(
            game="mountains",
            options=MOUNTAINS.options(),
            seats=2,
            time_control=hurry,
            on_time_out=on_time_out,
        )
        _, opened = await node.openings.open(ann, wanted, None)
        await lobby_of(node).take_seat(ben, opened.id, 1, "", None)
        late = (await node.queries.view(opened.id, ann, version=None, looking_as=None)).to_act[0]

        def order(live: LoadedMatch, secrets: Secrets, late: Seat = late) -> tuple[Seat | None, TimeOut]:
            return None, TimeOut(late)

        stores.clock.now()
        await node.decisions.carry_out(opened.id, order, by=None, key="late", asked=lambda _: 0)
        if on_time_out is OnTimeOut.DEFAULT_MOVE:
            await node.commands.submit(
                ben, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
            )
    stores.catch_up()
    both = await stores.records.statistics(ann) + await stores.records.statistics(ben)
    assert sorted((one.won, one.lost, one.resigned, one.timed_out) for one in both) in (
        [(0, 2, 1, 1), (2, 0, 0, 0)],
        [(1, 1, 0, 1), (1, 1, 1, 0)],
    )


async def test_ratings_are_those_of_the_library(stores: Stores) -> None:
    """Matches change ratings one after the other, by rank; those played alone do not count."""
    ann, ben, cam = await guests(stores, "Ann", "Ben", "Cam")
    await given_up(stores, [ann, ben], ben)
    await alone(stores, ann)
    stores.catch_up()
    await given_up(stores, [cam, ann, ben], cam, ben)
    await given_up(stores, [ben, cam], cam)
    stores.catch_up()
    model = PlackettLuce()
    a, b, c = (model.rating() for _ in range(3))
    [[a], [b]] = model.rate([[a], [b]], ranks=[1, 2])
    [[c], [a], [b]] = model.rate([[c], [a], [b]], ranks=[2, 1, 2])
    [[b], [c]] = model.rate([[b], [c]], ranks=[1, 2])
    for player, wanted, matches in ((ann, a, 2), (ben, b, 3), (cam, c, 2)):
        rating = Rating(estimate=wanted.ordinal(), mu=wanted.mu, sigma=wanted.sigma, matches=matches)
        assert await stores.records.ratings(player) == {"mountains": rating}


async def test_the_leaderboard_goes_down_page_by_page(stores: Stores) -> None:
    """The highest estimate comes first, the same ones by player; every page begins after the last."""
    players = await guests(stores, *"ABCDEF")
    for first, second in ((0, 1), (2, 3), (4, 5), (0, 2), (0, 4)):
        await given_up(stores, [players[first], players[second]], players[second])
    stores.catch_up()
    whole = await stores.records.leaderboard("mountains", place=None, limit=10)
    assert {one.player for one in whole} == set(players)
    assert whole[0].player == players[0]
    assert whole == sorted(whole, key=lambda one: (-one.rating.estimate, one.player))
    parts: list[Ranked] = []
    while part := await stores.records.leaderboard("mountains", place=place(parts), limit=1):
        parts += part
    assert parts == whole
    assert await stores.records.leaderboard("montana", place=None, limit=10) == []


def place(ranked: list[Ranked]) -> tuple[float, PlayerId] | None:
    """Return where a list ends so far."""
    return (ranked[-1].rating.estimate, ranked[-1].player) if ranked else None


async def test_bad_requests_are_refused() -> None:
    """Nobody is found who is not there, and a token that was changed is refused."""
    stores = memory_stores()
    achievements = stores.node().achievements
    players = await guests(stores, *"AB")
    await given_up(stores, players, players[0])
    for unknown in ("player_00000000000000000000000001", "ann", "", "player_" + "é" * 26):
        with pytest.raises(NotFound):
            await achievements.of_player(PlayerId(unknown))
    with pytest.raises(NotFound):
        await achievements.leaderboard("chess", after=None, size=1)
    first = await achievements.leaderboard("mountains", after=None, size=1)
    assert first.next is not None
    second = await achievements.leaderboard("mountains", after=first.next, size=1)
    assert (len(second.items), second.next) == (1, None)
    for game, token in (("mountains", first.next[:-1]), ("montana", first.next), ("mountains", "")):
        with pytest.raises(Malformed):
            await achievements.leaderboard(game, after=token, size=1)


async def test_both_faces_tell_the_same() -> None:
    """REST and gRPC show statistics, ratings and pages of the leaderboard alike."""
    stores = memory_stores()
    players = await guests(stores, "Ann", "Ben")
    await given_up(stores, players, players[1])
    await alone(stores, players[0])
    services = stores.node()
    transport = httpx.ASGITransport(app=cast(Any, build(services, "0")))
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://here/v1") as rest,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        calls: Any = StatisticsServiceStub(channel)
        told = (await rest.get(f"/players/{players[0]}/statistics")).json()
        same = await calls.GetStatistics(pb.GetStatisticsRequest(player=players[0]))
        assert told["player"] == {"id": same.player.id, "display_name": "Ann"}
        assert [one["game"] for one in told["games"]] == ["montana", "mountains"]
        for one, other in zip(told["games"], same.games, strict=True):
            assert one == plain(other)
        first = (await rest.get("/games/mountains/leaderboard", params={"page_size": 1})).json()
        same = await calls.GetLeaderboard(pb.GetLeaderboardRequest(game="mountains", page_size=1))
        assert first["next_page_token"] == same.next_page_token
        assert first["items"] == [{"player": told["player"], "rating": plain(same.items[0].rating)}]
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await calls.GetStatistics(pb.GetStatisticsRequest(player="nobody"))
        assert raised.value.code() is grpc.StatusCode.NOT_FOUND
        missing = await rest.get("/players/nobody/statistics")
        assert (missing.status_code, missing.json()["reason"]) == (404, "NO_SUCH_PLAYER")
    await server.stop(None)


def plain(message: Any) -> dict[str, Any]:
    """Return a message as JSON has it."""
    found: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        absent = field.has_presence and not message.HasField(field.name)
        found[field.name] = None if absent else plain(value) if field.message_type else value
    return found
