"""A player who is blocked reaches the other no more, and cannot tell."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import httpx
import psycopg
import pytest
from google.protobuf.json_format import MessageToDict

from adapters.grpc.generated.montane.v1 import players_pb2
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceStub
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from domain.match import PlayerId, Resign
from services.chat.log import ChatRoom
from services.matches.decisions import as_given
from services.notify.player_feed import PlayerEventKind
from services.notify.subscriptions import MessageType, Reach, WebhookOwner
from services.shared.errors import Malformed, NotFound, TooMany
from services.use_cases import Services
from tests.support.faces.grpc_client import refusal_of
from tests.support.faces.proving import proved
from tests.support.stores.lobby import match_of, seated, wanted
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


async def guests(node: Services, *names: str) -> list[PlayerId]:
    """Return new players."""
    return [(await node.players.open_guest(name))[0].id for name in names]


async def test_a_block_is_made_read_listed_and_lifted(stores: Stores) -> None:
    """Once, however often it is made; of nobody who is not there, nor of oneself."""
    node = stores.node()
    ann, ben, cam, dot = await guests(node, "Ann", "Ben", "Cam", "Dot")
    blocks = node.blocks
    first = await blocks.block(ann, ben)
    assert (first.player.id, first.player.display_name) == (ben, "Ben")
    assert await blocks.block(ann, ben) == first == await blocks.read(ann, ben)
    for other in (cam, dot):
        await blocks.block(ann, other)
    page = await blocks.page(ann, after=None, size=2)
    rest = await blocks.page(ann, after=page.next, size=2)
    assert [one.player.id for one in (*page.items, *rest.items)] == sorted([ben, cam, dot])
    assert rest.next is None
    assert (await blocks.page(ben, after=None, size=2)).items == ()
    for _ in range(2):
        await blocks.unblock(ann, ben)
    with pytest.raises(NotFound, match="NO_SUCH_BLOCK"):
        await blocks.read(ann, ben)
    for nobody in ("player_" + "0" * 26, "Ben"):
        with pytest.raises(NotFound, match="NO_SUCH_PLAYER"):
            await blocks.block(ann, PlayerId(nobody))
    with pytest.raises(Malformed):
        await blocks.block(ann, ann)


async def test_there_are_so_many_blocks_at_most(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is there already stays."""
    monkeypatch.setattr("services.players.blocks.MOST_BLOCKED", 2)
    node = stores.node()
    ann, *others = await guests(node, "Ann", "Ben", "Cam", "Dot")
    for other in others[:2]:
        await node.blocks.block(ann, other)
    with pytest.raises(TooMany, match="TOO_MANY_BLOCKS"):
        await node.blocks.block(ann, others[2])
    await node.blocks.block(ann, others[0])


async def test_a_block_goes_with_either_account(stores: Stores) -> None:
    """Nothing is left of it."""
    node = stores.node()
    (ann, _), (ben, _) = [await node.players.open_guest(name) for name in ("Ann", "Ben")]
    (cam,) = await guests(node, "Cam")
    await node.blocks.block(cam, ann.id)
    await node.blocks.block(ben.id, cam)
    for gone in (ann, ben):
        await stores.accounts.erase(gone.id)
    assert (await node.blocks.page(cam, after=None, size=9)).items == ()
    assert not await stores.block_list.blockers([cam])


async def test_an_invitation_is_answered_as_if_there_were_no_such_player(stores: Stores) -> None:
    """The details say nothing else; others invite as before, and an earlier key keeps its answer."""
    node = stores.node()
    ann, ben, cam = await guests(node, "Ann", "Ben", "Cam")
    nobody = PlayerId("player_" + "0" * 26)
    earlier = (await node.openings.open(ben, wanted(), None))[1].id
    done = await node.invitations.invite(ben, earlier, ann, "k")
    await node.blocks.block(ann, ben)
    assert await node.invitations.invite(ben, earlier, ann, "k") == done
    match = (await node.openings.open(ben, wanted(), None))[1].id
    refusals = []
    for guest in (ann, nobody):
        with pytest.raises(NotFound) as refused:
            await node.invitations.invite(ben, match, guest, None)
        refusals.append((refused.value.reason, refused.value.details))
    assert refusals == [("NO_SUCH_PLAYER", {"player": one}) for one in (ann, nobody)]
    await node.invitations.invite(ben, match, cam, None)
    await node.blocks.unblock(ann, ben)
    await node.invitations.invite(ben, match, ann, None)


async def test_what_a_blocked_player_says_is_not_shown(stores: Stores) -> None:
    """Neither in the chat, as a list and live, nor in the feed; the other sees all of it, as always."""
    node = stores.node()
    ann, ben, cam = await guests(node, "Ann", "Ben", "Cam")
    match = (await node.openings.open(ann, wanted(seats=3), None))[1].id
    for seat, one in enumerate((ben, cam), start=1):
        await node.lobby.take_seat(one, match, seat, "", None)

    async def says(who: PlayerId, text: str, to: int | None = None) -> None:
        room = ChatRoom.PLAYERS if to is None else ChatRoom.SEAT
        _, said = await node.chat.post(who, match, room=room, to_seat=to, text=text, key=None)
        assert said.text == text

    async def shown(who: PlayerId) -> list[str]:
        page = await node.chat.page(match, who, room=None, after=None, token=None, size=2)
        found = [*page.items]
        while page.next:
            page = await node.chat.page(match, who, room=None, after=None, token=page.next, size=2)
            found += page.items
        return [message.text for message in found]

    await says(ben, "before")
    await node.blocks.block(ann, ben)
    live = await node.chat.listen(match, ann, room=None, after=None)
    for text in ("one", "two", "three"):
        await says(ben, text)
    await says(ben, "whisper", 0)
    await says(cam, "hello")
    await says(ann, "hi", 1)
    assert await shown(ann) == ["hello", "hi"]
    assert await shown(ben) == ["before", "one", "two", "three", "whisper", "hello", "hi"]
    assert await shown(cam) == ["before", "one", "two", "three", "hello"]
    heard = []
    while not live.over:
        live.nudge()
        if not (items := await live.next()):
            break
        heard += [one.item.message.text for one in items if hasattr(one.item, "message")]
    live.leave()
    assert heard == ["hello", "hi"]
    stores.catch_up()
    feed = (await node.player_feed.page(ann, after=None, token=None, size=50)).items
    assert [event.message.text for event in feed if event.message] == ["hello"]
    await node.blocks.unblock(ann, ben)
    assert await shown(ann) == ["before", "one", "two", "three", "whisper", "hello", "hi"]


async def test_a_quick_match_keeps_the_two_apart(stores: Stores) -> None:
    """Anyone who waits, also in a match of the list; both play with others."""
    node = stores.node()
    ann, ben, cam, dot = await guests(node, "Ann", "Ben", "Cam", "Dot")
    await node.blocks.block(ann, ben)
    _, first = await node.quick_match.join(ann, wanted(), None)
    _, second = await node.quick_match.join(ben, wanted(), None)
    assert first.id != second.id
    for other in (cam, dot):
        await node.quick_match.join(other, wanted(), None)
    tables = [seated(await match_of(node, one.id)) for one in (first, second)]
    assert tables == [[ann, cam], [ben, dot]]
    listed = (await node.openings.open(ben, wanted(), None))[1].id
    stores.catch_up()
    assert (await node.quick_match.join(ann, wanted(), None))[1].id != listed
    assert (await node.quick_match.join(cam, wanted(), None))[1].id != listed


async def test_seats_and_rematches_are_as_before(stores: Stores) -> None:
    """A list's seat can be taken, and what was played be played again; but no invitation is in the feed."""
    node = stores.node()
    ann, ben = await guests(node, "Ann", "Ben")
    match = (await node.openings.open(ann, wanted(), None))[1].id
    await node.blocks.block(ann, ben)
    await node.lobby.take_seat(ben, match, 1, "", None)
    await node.commands.submit(
        ben, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    _, again = await node.rematches.rematch(ben, match, "", None)
    assert (await match_of(node, again.id)).invited == (ann,)
    stores.catch_up()

    async def invitations() -> list[str | None]:
        feed = (await node.player_feed.page(ann, after=None, token=None, size=50)).items
        return [event.match for event in feed if event.kind is PlayerEventKind.INVITED]

    assert await invitations() == []
    await node.blocks.unblock(ann, ben)
    assert await invitations() == [again.id]


async def test_both_faces_block(stores: Stores) -> None:
    """By the same names with the same answers; to the blocked one there is no such player."""
    services = stores.node()
    (ann, ann_token), (ben, ben_token) = [await services.players.open_guest(name) for name in ("Ann", "Ben")]
    app: Any = build(services, "0")
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    channel: Any = grpc.aio.insecure_channel(f"127.0.0.1:{server.port}")
    rest = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://montane")
    stub: Any = PlayerServiceStub(channel)
    of_ann, of_ben = ((("authorization", f"Bearer {token}"),) for token in (ann_token, ben_token))
    headers = {"Authorization": f"Bearer {ann_token}"}
    path = f"/v1/players/me/blocks/{ben.id}"
    put = await rest.put(path, headers=headers)
    block = await stub.BlockPlayer(players_pb2.BlockPlayerRequest(player=ben.id), metadata=of_ann)
    told = MessageToDict(block.block, preserving_proto_field_name=True)
    assert put.status_code == 200
    assert put.json()["player"] == told["player"] == {"id": ben.id, "display_name": "Ben"}
    assert put.json() == (await rest.get(path, headers=headers)).json()
    got = await stub.GetBlock(players_pb2.GetBlockRequest(player=ben.id), metadata=of_ann)
    assert got.block == block.block
    listed = await rest.get("/v1/players/me/blocks", headers=headers)
    assert listed.json() == {"items": [put.json()], "next_page_token": None}
    page = await stub.ListBlocks(players_pb2.ListBlocksRequest(), metadata=of_ann)
    assert list(page.items) == [block.block]
    for suffix in ("", "/statistics"):
        answer = await rest.get(
            f"/v1/players/{ann.id}{suffix}", headers={"Authorization": f"Bearer {ben_token}"}
        )
        assert (answer.status_code, answer.json()["reason"]) == (404, "NO_SUCH_PLAYER")
        assert (await rest.get(f"/v1/players/{ann.id}{suffix}")).status_code == 200
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stub.GetPlayer(players_pb2.GetPlayerRequest(player=ann.id), metadata=of_ben)
    assert refusal_of(failed.value)[:2] == ("NOT_FOUND", "NO_SUCH_PLAYER")
    await stub.UnblockPlayer(players_pb2.UnblockPlayerRequest(player=ben.id), metadata=of_ann)
    assert (await rest.delete(path, headers=headers)).status_code == 204
    assert (await rest.get(path, headers=headers)).json()["reason"] == "NO_SUCH_BLOCK"
    assert (await rest.put(f"/v1/players/me/blocks/{ann.id}", headers=headers)).status_code == 400
    await rest.aclose()
    await channel.close()
    await server.stop(0)


async def test_a_webhook_is_not_told_of_an_invitation_by_who_is_blocked(database: str) -> None:
    """Which only a rematch makes; of another's it is."""
    async with postgres_stores(database) as stores:
        node = stores.node()
        ann, ben, cam = await guests(node, "Ann", "Ben", "Cam")
        url, events = "https://ann.example/hook", [MessageType.INVITED]
        reach = Reach(ann, deployment=False)
        webhook, _ = await node.webhooks.create(reach, WebhookOwner.PLAYER, url, events, "")
        await proved(stores.webhooks, stores.clock, webhook.id)
        await node.blocks.block(ann, ben)
        for other in (ben, cam):
            match = (await node.openings.open(ann, wanted(), None))[1].id
            await node.lobby.take_seat(other, match, 1, "", None)
            await node.commands.submit(
                other, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
            )
            await node.rematches.rematch(other, match, "", None)
        stores.catch_up()
    with psycopg.connect(database) as connection:
        told = connection.execute("SELECT body FROM webhook_deliveries WHERE type = 'invited'").fetchall()
    assert len(told) == 1
