"""A match's link can be renewed, and is with a kick: over both faces, and in streams that are open by it."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from domain.match import PlayerId, Visibility
from services.chat.log import ChatRoom
from services.chat.stream import ChatEndReason
from services.lobby.match_list import MatchFilter
from services.shared.errors import NotFound
from services.shared.ids import MatchId
from services.streams.match_stream import EndReason
from services.use_cases import Services
from tests.support.faces.lobby_faces import Table, over_grpc, rest
from tests.support.stores.lobby import ANN, BEN, CAM, DOT, opened
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores

UNKNOWN = ("404", "NO_SUCH_MATCH")


@pytest.fixture(params=["rest", "grpc"])
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """Players at each face."""
    stores = memory_stores()
    async with (rest if request.param == "rest" else over_grpc)(stores) as face:
        table = Table(face, stores)
        await table.gather()
        yield table


async def link(table: Table, match: str, call: str = "GetInvitation") -> str:
    """Return the invitation to a match, which Ann opened."""
    return str((await table.done("Ann", call, match=match)).content["invitation"])


async def test_a_link_that_was_renewed_opens_nothing(table: Table) -> None:
    """Neither to look nor to sit down; the new one does, also once play has begun."""
    id = await table.opened(visibility="private")
    links = [await link(table, id)]
    for _ in range(2):
        links.append(await link(table, id, "RenewInvitation"))
        assert await link(table, id) == links[-1]
    assert len(set(links)) == len(links)
    for old in links[:-1]:
        for call in ("GetMatch", "GetView", "ListEvents"):
            for who in ("Ben", None):
                assert await table.refused(who, call, match=id, invitation=old) == UNKNOWN
        assert await table.refused("Ben", "TakeSeat", match=id, seat=1, invitation=old) == UNKNOWN
    await table.done("Ben", "TakeSeat", match=id, seat=1, invitation=links[-1])
    newest = await link(table, id, "RenewInvitation")
    assert await table.refused("Cam", "GetView", match=id, invitation=links[-1]) == UNKNOWN
    await table.done("Cam", "GetView", match=id, invitation=newest)
    await table.done("Ben", "GetView", match=id)
    await table.done("Ben", "LeaveSeat", match=id, seat=1)
    assert await table.refused("Ann", "RenewInvitation", match=id) == ("422", "MATCH_OVER")


async def test_only_the_opener_renews_a_link_once_for_a_key(table: Table) -> None:
    """A seat may show the link; to others there is no such match."""
    id = await table.opened(visibility="private", start="manual")
    await table.done("Ben", "TakeSeat", match=id, seat=1, invitation=await link(table, id))
    assert await table.refused("Ben", "RenewInvitation", match=id) == ("403", "NOT_THE_OPENER")
    assert await table.refused("Cam", "RenewInvitation", match=id) == UNKNOWN
    assert await table.refused(None, "RenewInvitation", match=id) == ("401", "TOKEN_MISSING")
    first = await table.done("Ann", "RenewInvitation", match=id, key="k")
    assert await table.done("Ann", "RenewInvitation", match=id, key="k") == first
    assert await link(table, id) == first.content["invitation"]
    await table.done("Ann", "CancelMatch", match=id)
    assert await table.refused("Ann", "RenewInvitation", match=id) == ("422", "MATCH_CANCELLED")


@pytest.mark.parametrize("by_name", [False, True])
async def test_who_is_barred_may_not_look(table: Table, *, by_name: bool) -> None:
    """Neither by the link that it came by, nor by a newer one, nor by name; the others go on."""
    id = await table.opened(visibility="private", start="manual")
    old = await link(table, id)
    await table.done("Ann", "InvitePlayer", match=id, player=table.ids["Cam"])
    if by_name:
        await table.done("Ann", "InvitePlayer", match=id, player=table.ids["Ben"])
    shown = {} if by_name else {"invitation": old}
    await table.done("Ben", "TakeSeat", match=id, seat=1, **shown)
    await table.done("Ann", "LeaveSeat", match=id, seat=1)
    fresh = await link(table, id)
    assert fresh != old
    for given in ({}, {"invitation": old}, {"invitation": fresh}):
        for call in ("GetMatch", "GetView", "ListEvents"):
            assert await table.refused("Ben", call, match=id, **given) == UNKNOWN
        assert await table.refused("Ben", "TakeSeat", match=id, seat=1, **given) == UNKNOWN
    assert await table.refused(None, "GetView", match=id, invitation=old) == UNKNOWN
    await table.done(None, "GetView", match=id, invitation=fresh)
    await table.done("Cam", "GetView", match=id)


async def private(stores: Stores) -> tuple[Services, MatchId, str]:
    """Return the use cases of a node, a private match of three that Ann opened, and its link."""
    node = stores.node()
    id = await opened(node, 3, visibility=Visibility.PRIVATE)
    return node, id, (await node.invitations.link(ANN, id)).invitation


async def items(stream: Any) -> Sequence[Any]:
    """Return what a stream tells until it ends or waits."""
    told: list[Any] = []
    while not stream.over:
        stream.nudge()
        more = await stream.next()
        if not more:
            break
        told += [one.item for one in more]
    return told


@pytest.mark.parametrize("kick", [False, True])
async def test_streams_that_are_open_by_a_link_end_with_it(*, kick: bool) -> None:
    """Of the match and of its talk, on every node; those of who sits there or is invited by name go on."""
    stores = memory_stores()
    node, id, shown = await private(stores)
    other = stores.node()
    await node.lobby.take_seat(BEN, id, 1, "", None, invitation=shown)
    if not kick:
        # Also while the match is played.
        await node.lobby.take_seat(DOT, id, 2, "", None, invitation=shown)
    watched: dict[str, Any] = {}
    for name, at, player in (("anybody", node, None), ("afar", other, None), ("Cam", node, CAM)):
        given: dict[str, Any] = {"looking_as": None, "after": None, "invitation": shown}
        watched[name] = await at.match_streams.watch(id, player, **given)
    talk = await node.chat.listen(id, CAM, room=None, after=None, invitation=shown)
    seat = await node.match_streams.watch(id, BEN if not kick else ANN, after=None, looking_as=None)
    await items(talk)
    if kick:
        await node.lobby.leave_seat(ANN, id, 1, None)
    else:
        await node.invitations.renew(ANN, id, None)
    version = (await node.queries.read(id, ANN)).version
    other.match_streams.channels.hear(id, version)
    for stream in watched.values():
        end = (await items(stream))[-1]
        assert (end.reason, end.version, stream.over) == (EndReason.INVITATION_RENEWED, version, True)
        stream.leave()
    assert (await items(talk))[-1].reason is ChatEndReason.NOT_YOURS_ANY_MORE
    talk.leave()
    await items(seat)
    assert not seat.over
    seat.leave()


async def test_who_is_invited_by_name_meanwhile_goes_on() -> None:
    """A stream that began by the link is no longer open by it alone."""
    node, id, shown = await private(memory_stores())
    watch = await node.match_streams.watch(id, CAM, after=None, looking_as=None, invitation=shown)
    await items(watch)
    await node.lobby.take_seat(CAM, id, 1, "", None, invitation=shown)
    await node.invitations.renew(ANN, id, None)
    assert [one.event.version for one in await items(watch)] == [3, 4]
    assert not watch.over
    watch.leave()


async def test_who_is_barred_neither_talks_nor_reads() -> None:
    """By no link; and the list has the match no more."""
    stores = memory_stores()
    node, id, shown = await private(stores)
    await node.lobby.take_seat(BEN, id, 1, "", None, invitation=shown)
    talk = await node.chat.listen(id, BEN, room=None, after=None)
    await items(talk)
    await node.lobby.leave_seat(ANN, id, 1, None)
    assert (await items(talk))[-1].reason is ChatEndReason.NOT_YOURS_ANY_MORE
    talk.leave()
    fresh = (await node.invitations.link(ANN, id)).invitation
    room = ChatRoom.SPECTATORS
    for invitation in (None, shown, fresh):
        with pytest.raises(NotFound):
            await node.chat.page(id, BEN, room=room, after=None, token=None, size=9, invitation=invitation)
    with pytest.raises(NotFound):
        await node.chat.post(BEN, id, room=room, to_seat=None, text="x", key=None)
    with pytest.raises(NotFound):
        await node.proofs.export(id, BEN, looking_as=None, invitation=fresh)


async def test_the_list_has_no_private_match_for_who_was_put_out(database: str) -> None:
    """Though it was invited by name; to those who are it stays listed."""
    async with postgres_stores(database) as stores:
        node = stores.node()
        cam, dot = [(await node.players.open_guest(name))[0].id for name in ("Cam", "Dot")]
        id = await opened(node, 3, visibility=Visibility.PRIVATE)
        for guest in (cam, dot):
            await node.invitations.invite(ANN, id, guest, None)
        await node.lobby.take_seat(cam, id, 1, "", None)

        async def lists(who: PlayerId) -> list[MatchId]:
            stores.catch_up()
            page = await node.match_list.page(who, MatchFilter(), after=None, size=9)
            return [one.id for one in page.items]

        assert await lists(cam) == [id]
        await node.lobby.leave_seat(ANN, id, 1, None)
        assert (await lists(cam), await lists(dot), await lists(ANN)) == ([], [id], [id])
