"""What costs more counts as more, by the same figures on both faces, and is told at `/docs`."""

import re
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from adapters.grpc.generated.montane.v1 import chat_pb2, matches_pb2, player_feed_pb2, players_pb2, proofs_pb2
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceStub
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceStub
from adapters.grpc.generated.montane.v1.proofs_pb2_grpc import ProofServiceStub
from domain.match import PlayerId
from services.chat.log import ChatRoom
from services.lobby.match_list import MatchFilter
from services.shared.errors import RateLimited
from services.shared.ids import MatchId
from services.shared.rate_limits import Budget, Limiter, Limits, Meter
from tests.integration.test_limits import Faces, serving
from tests.support.stores.lobby import wanted

ENOUGH = 100_000
RENEWALS, SAID = 228, 55
LINES = {"Accept": "application/x-ndjson"}


@pytest.fixture
async def faces() -> AsyncIterator[Faces]:
    """Both faces, with a match of 230 events and 55 messages that Ann opened, 60 whom she has blocked."""
    async with serving(token=Budget(ENOUGH, 60)) as faces:
        services, me = faces.services, faces.player.id
        match = (await services.openings.open(me, wanted(), None))[1].id
        for _ in range(RENEWALS):
            await services.invitations.renew(me, match, None)
        for number in range(60):
            guest, _ = await services.players.open_guest(f"Guest {number}")
            await services.blocks.block(me, guest.id)
        for number in range(6):
            other, _ = await services.players.open_guest(f"Onlooker {number}")
            for _ in range(10 if number < 5 else 5):
                await said(faces, other.id, match)
        faces.match = match
        yield faces


async def said(faces: Faces, who: PlayerId, match: MatchId) -> None:
    """Say something among those who look on."""
    await faces.services.chat.post(who, match, room=ChatRoom.SPECTATORS, to_seat=None, text="hello", key=None)


async def over_rest(faces: Faces, method: str, path: str, **request: Any) -> int:
    """Return as how many requests a call counts."""
    headers = faces.auth | request.pop("headers", {})
    before = spent(faces)
    async with faces.http.stream(method, f"/v1{path}", headers=headers, **request) as answer:
        assert answer.is_success, (path, answer.status_code, await answer.aread())
        async for line in answer.aiter_lines():
            if '"type":"caught_up"' in line:
                break
    return spent(faces) - before


def spent(faces: Faces) -> int:
    """Return how much of the token's budget is spent."""
    assert faces.limiter.token is not None
    return sum(cost for _, cost in faces.limiter.token._spent.values())


async def over_grpc(faces: Faces, call: Any) -> int:
    """Return as how many requests a call counts."""
    before = spent(faces)
    if isinstance(call, grpc.aio.UnaryStreamCall):
        async for answer in call:
            item = getattr(answer, "item", None)
            if item is not None and item.WhichOneof("item") == "caught_up":
                call.cancel()
                break
    else:
        await call
    return spent(faces) - before


async def test_calls_count_what_they_cost_over_rest(faces: Faces) -> None:
    """An export 1 and 1 for each 100 events, a branch 10, a list 1 and 1 for each 50 rows, and so on."""
    match = f"/matches/{faces.match}"
    asked: list[tuple[int, str, str, dict[str, Any]]] = [
        (1, "GET", match, {}),
        (1 + 2, "GET", f"{match}/export", {}),
        (1, "GET", f"{match}/view", {}),
        (1 + 2, "GET", f"{match}/view", {"params": {"version": 220}}),
        (1, "GET", f"{match}/events", {"params": {"page_size": 40}}),
        (1 + 4, "GET", f"{match}/events", {"params": {"page_size": 200}}),
        (1 + 2, "GET", f"{match}/events", {"params": {"after": 0}, "headers": LINES}),
        (1, "GET", f"{match}/events", {"headers": LINES}),
        (1, "GET", f"{match}/proof", {}),
        (1 + 1, "GET", "/players/me/blocks", {}),
        (1 + 1, "GET", "/players/me/blocks", {"params": {"page_size": 200}, "headers": LINES}),
        (1, "GET", "/players/me/blocks", {"params": {"page_size": 49}}),
        (1, "GET", "/players/me/tokens", {}),
        (1, "GET", f"{match}/chat", {}),
    ]
    reader, token = await faces.services.players.open_guest("Reader")
    for cost, method, path, request in asked:
        assert await over_rest(faces, method, path, **request) == cost, (path, request)
    faces.auth = {"Authorization": f"Bearer {token}"}
    for request in ({"params": {"page_size": 200}}, {"headers": LINES}):
        assert await over_rest(faces, "GET", f"{match}/chat", **request) == 2, request
    opened = await faces.http.post(
        "/v1/matches", json={"game": "montana", "options": {"deal": 1}, "seat": 0}, headers=faces.auth
    )
    solo = f"/matches/{opened.json()['id']}"
    assert (
        await over_rest(faces, "POST", f"{solo}/branches", json={"version": opened.json()["version"]}) == 10
    )
    table = await faces.http.post("/v1/matches", json={"game": "mountains", "seat": 0}, headers=faces.auth)
    seat = f"/matches/{table.json()['id']}/seats/1"
    assert await over_rest(faces, "PUT", seat, json={"bot": "random"}) == 10
    assert await over_rest(faces, "DELETE", "/players/me") == 10
    assert reader.display_name == "Reader"


async def test_calls_count_the_same_over_grpc(faces: Faces) -> None:
    """By the same figures."""
    match, metadata = faces.match, faces.metadata
    proofs: Any = ProofServiceStub(faces.channel)
    chats: Any = ChatServiceStub(faces.channel)
    feeds: Any = PlayerFeedServiceStub(faces.channel)
    asked: list[tuple[int, Any, Any]] = [
        (1, faces.matches.GetMatch, matches_pb2.GetMatchRequest(match=match)),
        (1 + 2, proofs.ExportMatch, proofs_pb2.ExportMatchRequest(match=match)),
        (1 + 2, faces.matches.GetView, matches_pb2.GetViewRequest(match=match, version=220)),
        (1 + 4, faces.matches.ListEvents, matches_pb2.ListEventsRequest(match=match, page_size=200)),
        (1 + 2, faces.matches.WatchMatch, matches_pb2.WatchMatchRequest(match=match, after=0)),
        (1, faces.matches.WatchMatch, matches_pb2.WatchMatchRequest(match=match)),
        (1 + 1, faces.players.ListBlocks, players_pb2.ListBlocksRequest()),
        (1, faces.players.ListBlocks, players_pb2.ListBlocksRequest(page_size=49)),
        (1, feeds.WatchPlayer, player_feed_pb2.WatchPlayerRequest(after="0")),
    ]
    for cost, call, request in asked:
        assert await over_grpc(faces, call(request, metadata=metadata)) == cost, request
    _, token = await faces.services.players.open_guest("Reader")
    metadata = (("authorization", f"Bearer {token}"),)
    watching = chats.WatchMessages(chat_pb2.WatchMessagesRequest(match=match), metadata=metadata)
    assert await over_grpc(faces, watching) == 2
    solo = await faces.matches.CreateMatch(
        matches_pb2.CreateMatchRequest(game="montana", seat=0), metadata=metadata
    )
    branch = matches_pb2.BranchMatchRequest(match=solo.match.id, version=solo.match.version)
    assert await over_grpc(faces, faces.matches.BranchMatch(branch, metadata=metadata)) == 10
    table = await faces.matches.CreateMatch(
        matches_pb2.CreateMatchRequest(game="mountains", seat=0), metadata=metadata
    )
    bot = matches_pb2.TakeSeatRequest(match=table.match.id, seat=1, bot="random")
    assert await over_grpc(faces, faces.matches.TakeSeat(bot, metadata=metadata)) == 10
    gone = players_pb2.DeleteMeRequest()
    assert await over_grpc(faces, faces.players.DeleteMe(gone, metadata=metadata)) == 10


async def test_what_is_known_beforehand_is_refused_before_it_is_done() -> None:
    """Nothing is opened by a call that counts as more than is left; a cheap one is still taken."""
    async with serving(token=Budget(15, 60)) as faces:
        await faces.open()
        path = f"/v1/matches/{faces.match}"
        for _ in range(7):
            await faces.http.get(path, headers=faces.auth)
        answer = await faces.http.post(f"{path}/branches", json={"version": 3}, headers=faces.auth)
        assert answer.status_code == 429
        assert (await faces.http.get(path, headers=faces.auth)).status_code == 200
        request = matches_pb2.BranchMatchRequest(match=faces.match, version=3)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await faces.matches.BranchMatch(request, metadata=faces.metadata)
        assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        mine = await faces.services.match_list.page(
            faces.player.id, MatchFilter(player=faces.player.id), after=None, size=9
        )
        assert [one.id for one in mine.items] == [faces.match]


def test_a_budget_counts_costs() -> None:
    """What does not fit is refused and costs nothing; what was done counts though it does not fit."""
    meter = Meter("token", Budget(20, 60))
    assert meter.spend("one", 0, 15).left == 5
    assert meter.spend("one", 0, 6).left < 0
    assert meter.spend("one", 0, 5).left == 0
    assert meter.spend("two", 0, 100).left == 1
    assert meter.spend("three", 0).left == 19
    assert meter.spend("three", 0, 19, done=True).left == 0
    assert meter.spend("four", 0, 18).left == 2
    assert meter.spend("four", 0, 9, done=True).left == 0
    assert meter.spend("four", 0).left < 0
    visit = Limiter(Limits(token=None, anonymous=Budget(3, 60), address=None)).visit("192.0.2.1", "", None)
    visit.request()
    visit.weigh(1)
    with pytest.raises(RateLimited):
        visit.weigh(2)
    visit.charge(5)
    with pytest.raises(RateLimited):
        visit.request()


async def test_the_documentation_tells_what_calls_count_as(faces: Faces) -> None:
    """In a table, in the descriptions of the calls, and in the comments of the proto files."""
    document = (await faces.http.get("/openapi.json")).json()
    about = document["info"]["description"]
    for line in ("| an export | 1 and 1 for each 100 events |", "| a branch | 10 |"):
        assert line in about
    assert re.search(r"\| a list, .*\| 1 and 1 for each 50 rows", about)
    operations = [one for path in document["paths"].values() for one in path.values()]
    branch = next(one for one in operations if one["operationId"] == "branch_match")
    assert "counts as 10 requests" in branch["description"]
    pages = [
        given for one in operations for given in one.get("parameters", ()) if given["name"] == "page_size"
    ]
    assert pages
    assert all("request more" in parameter["description"] for parameter in pages)
