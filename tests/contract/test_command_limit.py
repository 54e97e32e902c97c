"""The limit of commands over REST and gRPC: told beforehand, and how a match ends by it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.match import COMMAND_LIMIT, PlayerId
from services.shared.ids import MatchId
from tests.support.faces.lobby_faces import Table, over_grpc, rest
from tests.support.stores.use_cases import Stores, memory_stores

LIMIT = 3


@pytest.fixture
def stores() -> Stores:
    """Stores with a low limit."""
    stores = memory_stores()
    stores.max_commands = LIMIT
    return stores


@pytest.fixture(params=["rest", "grpc"])
async def table(request: pytest.FixtureRequest, stores: Stores) -> AsyncIterator[Table]:
    """Players at each face."""
    async with (rest if request.param == "rest" else over_grpc)(stores) as face:
        table = Table(face, stores)
        await table.gather()
        yield table


async def move(table: Table, id: str) -> dict[str, Any]:
    """Return what the first move of anyone who is to act leads to."""
    for who in ("Ann", "Ben"):
        answer = await table.ask(who, "ListLegalMoves", match=id)
        if legal := answer.content.get("legal_moves"):
            return (await table.done(who, "SubmitCommand", match=id, command=legal[0])).content
    raise AssertionError("nobody is to act")


async def test_the_catalogue_tells_the_limit(table: Table) -> None:
    """In the list and of each game."""
    told = await table.face.games()
    assert told
    assert all(game["max_commands"] == LIMIT for game in told)


async def test_a_match_ends_with_its_last_command(table: Table, stores: Stores) -> None:
    """It is shared and unrated, and stays so on any node, however it is read."""
    id = await table.begun()
    assert (await table.done("Ann", "GetMatch", match=id)).content["max_commands"] == LIMIT
    for _ in range(LIMIT - 1):
        assert (await move(table, id))["view"].get("outcome") is None
    last = await move(table, id)
    over = (await table.done("Ben", "GetMatch", match=id)).content
    outcome = over["outcome"]
    assert outcome["reason"] == COMMAND_LIMIT
    assert outcome["kind"].lower().endswith("shared")
    assert outcome["winners"] == [0, 1]
    assert last["view"]["outcome"] == outcome
    stores.max_commands = 10
    assert (await stores.node().queries.read(MatchId(id), None)).match.outcome is not None
    stores.catch_up()
    for name in ("Ann", "Ben"):
        (played,) = await stores.records.statistics(PlayerId(table.ids[name]))
        assert (played.played, played.shared) == (1, 1)
        assert await stores.records.ratings(PlayerId(table.ids[name])) == {}


async def test_branches_and_rematches_have_a_limit_of_their_own(table: Table, stores: Stores) -> None:
    """That of their own opening; they begin to count again."""
    id = await table.begun()
    version = (await table.done("Ann", "GetMatch", match=id)).content["version"]
    for _ in range(LIMIT):
        await move(table, id)
    branch = await table.done("Ann", "BranchMatch", match=id, version=version)
    assert branch.content["max_commands"] == LIMIT
    for _ in range(LIMIT):
        await move(table, branch.id)
    over = (await table.done("Ann", "GetMatch", match=branch.id)).content
    assert over["outcome"]["reason"] == COMMAND_LIMIT
    again = await table.done("Ann", "Rematch", match=id)
    assert again.content["max_commands"] == LIMIT


async def test_solo_matches_are_lost(table: Table) -> None:
    """Nobody shares with nobody."""
    seats = await table.done("Ann", "CreateMatch", game="montana", seats=1, seat=0)
    for _ in range(LIMIT):
        await move(table, seats.id)
    outcome = (await table.done("Ann", "GetMatch", match=seats.id)).content["outcome"]
    assert outcome["kind"].lower().endswith("lost")
    assert (outcome["winners"], outcome["reason"]) == ([], COMMAND_LIMIT)
