"""Playing a match again, on stores in memory."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import (
    ChatMode,
    Disclosure,
    HolderKind,
    MatchStatus,
    MemoryAid,
    OnTimeOut,
    PlayerId,
    Reason,
    Resign,
    StartMode,
    TimeControl,
    TimeControlKind,
    Visibility,
)
from domain.shared.rejections import Rejected
from services.bots.accounts import BOTS, account
from services.lobby.rematches import MOST_CALLED_OFF
from services.matches.decisions import as_given
from services.shared.errors import Forbidden, KeyReused, NotFound
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.lobby import ANN, BEN, CAM, DOT, match_of, opened, seated, sits
from tests.support.stores.use_cases import Stores, memory_stores, proposal


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


@pytest.fixture
def node(stores: Stores) -> Services:
    """The use cases of one process."""
    return stores.node()


async def resigns(node: Services, player: PlayerId, id: MatchId) -> None:
    """Have a player give up."""
    await node.commands.submit(
        player, id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )


async def over(node: Services, *others: PlayerId, **changes: Any) -> MatchId:
    """Return a match that Ann opened, and in which all but the last gave up."""
    id = await opened(node, 1 + len(others), **changes)
    for seat, player in enumerate(others, 1):
        link = await node.invitations.link(ANN, id)
        await node.lobby.take_seat(player, id, seat, "", None, invitation=link.invitation)
    for player in (ANN, *others[:-1]):
        await resigns(node, player, id)
    return id


async def test_the_first_to_ask_opens_and_the_others_sit_down(node: Services) -> None:
    """Each in its own seat; the match says whose rematch it is, and the next seat begins."""
    id = await over(node, BEN, CAM)
    before = await match_of(node, id)
    _, listed = await node.rematches.rematch(CAM, id, "luck", None)
    again = listed.match
    assert (again.terms.rematch_of, again.terms.opener, again.status) == (id, CAM, MatchStatus.OPEN)
    assert (seated(again), set(again.invited)) == ([None, None, CAM], {ANN, BEN})
    assert again.holders[2] is not None
    assert again.holders[2].entropy == "luck"
    for player in (ANN, BEN):
        _, other = await node.rematches.rematch(player, id, "", None)
        assert other.id == listed.id
    begun = await match_of(node, listed.id)
    assert (begun.status, seated(begun)) == (MatchStatus.PLAYING, [ANN, BEN, CAM])
    assert before.first is not None
    assert begun.first == (before.first + 1) % 3
    assert begun.terms.options == replace(before.terms.options, first_seat=begun.first)


async def test_the_terms_stay() -> None:
    """All that was agreed holds again."""
    node = memory_stores().node()
    agreed: dict[str, Any] = {
        "disclosure": Disclosure.NEVER,
        "memory_aid": MemoryAid.OFF,
        "start": StartMode.AUTO,
        "time_control": TimeControl(TimeControlKind.DAYS, days=2),
        "on_time_out": OnTimeOut.DEFAULT_MOVE,
        "chat": ChatMode.OFF,
        "rated": False,
    }
    id = await over(node, BEN, **agreed)
    _, listed = await node.rematches.rematch(BEN, id, "", None)
    before, again = (await match_of(node, id)).terms, listed.match.terms
    changed = {"options": again.options, "seed_commitment": again.seed_commitment}
    assert again == replace(before, opener=BEN, rematch_of=id, **changed)
    assert {name: getattr(again, name) for name in agreed} == agreed
    assert again.seed_commitment != before.seed_commitment


async def test_all_who_ask_at_the_same_moment_come_to_the_same_match(stores: Stores) -> None:
    """On several nodes, again and again, with any key; nobody sits twice."""
    nodes = [stores.node() for _ in range(3)]
    id = await over(nodes[0], BEN, CAM, DOT)
    calls = [
        node.rematches.rematch(player, id, "", None) for node in nodes for player in (ANN, BEN, CAM, DOT)
    ]
    answers = await asyncio.gather(*calls)
    (again,) = {listed.id for _, listed in answers}
    match = await match_of(nodes[0], again)
    assert (match.status, seated(match)) == (MatchStatus.PLAYING, [ANN, BEN, CAM, DOT])


async def test_the_same_key_gives_the_same_answer(node: Services, stores: Stores) -> None:
    """Also once others have sat down and play has begun; another request with it is refused."""
    id = await over(node, BEN)
    first = await node.rematches.rematch(ANN, id, "", "rematch 1")
    _, begun = await node.rematches.rematch(BEN, id, "", "rematch 1")
    assert (first[1].match.status, begun.match.status) == (MatchStatus.OPEN, MatchStatus.PLAYING)
    assert await stores.node().rematches.rematch(ANN, id, "", "rematch 1") == first
    with pytest.raises(KeyReused):
        await node.rematches.rematch(ANN, id, "luck", "rematch 1")
    _, now = await node.rematches.rematch(ANN, id, "", "another")
    assert (now.id, now.match.status) == (first[1].id, MatchStatus.PLAYING)


async def test_only_those_who_played_play_again(node: Services) -> None:
    """Nobody else takes a seat of a rematch unless it is invited, by name or by link."""
    id = await over(node, BEN, CAM)
    _, listed = await node.rematches.rematch(BEN, id, "", None)
    for asked in (
        node.rematches.rematch(DOT, id, "", None),
        node.lobby.take_seat(DOT, listed.id, 0, "", None),
    ):
        with pytest.raises(Forbidden):
            await asked
    link = await node.invitations.link(BEN, listed.id)
    await node.lobby.take_seat(DOT, listed.id, 0, "", None, invitation=link.invitation)
    eve, _ = await node.players.open_guest("Eve")
    with pytest.raises(Forbidden, match="NOT_INVITED"):
        await sits(node, eve.id, listed.id, 2)
    await node.invitations.invite(BEN, listed.id, eve.id, None)
    await sits(node, eve.id, listed.id, 2)
    with pytest.raises(Rejected) as refused:
        await node.rematches.rematch(ANN, id, "", None)
    assert refused.value.reason is Reason.MATCH_STARTED


async def test_who_comes_late_takes_what_is_free(node: Services) -> None:
    """A player whose seat was given away sits down in the first free one."""
    id = await over(node, BEN, CAM)
    _, listed = await node.rematches.rematch(BEN, id, "", None)
    await node.lobby.seat_bot(BEN, listed.id, 0, "random", "", None)
    _, begun = await node.rematches.rematch(ANN, id, "", None)
    assert seated(begun.match) == [account(BOTS["random"], 0), BEN, ANN]


async def test_bots_are_there_at_once(node: Services) -> None:
    """A bot of the server sits down without being asked; a player's own bot asks like its player."""
    id = await opened(node, 3)
    await node.lobby.seat_bot(ANN, id, 1, "random", "", None)
    await node.lobby.take_seat(BEN, id, 2, "", None, kind=HolderKind.BOT)
    for player in (ANN, BEN):
        await resigns(node, player, id)
    _, listed = await node.rematches.rematch(ANN, id, "", None)
    assert seated(listed.match) == [ANN, account(BOTS["random"], 1), None]
    _, begun = await node.rematches.rematch(BEN, id, "", None, kind=HolderKind.BOT)
    assert begun.match.status is MatchStatus.PLAYING
    assert [None if held is None else held.kind for held in begun.match.holders] == [
        HolderKind.HUMAN,
        HolderKind.BOT,
        HolderKind.BOT,
    ]


async def test_a_rematch_that_was_called_off_is_followed_by_another(node: Services, stores: Stores) -> None:
    """All come to that one then; the key of one who sat in the first still gives its answer."""
    id = await over(node, BEN)
    first = await node.rematches.rematch(ANN, id, "", "k")
    await node.lobby.cancel(ANN, first[1].id, None)
    _, second = await node.rematches.rematch(BEN, id, "", None)
    assert second.id != first[1].id
    _, begun = await stores.node().rematches.rematch(ANN, id, "", None)
    assert (begun.id, begun.match.status) == (second.id, MatchStatus.PLAYING)
    assert await node.rematches.rematch(ANN, id, "", "k") == first


async def test_rematches_are_not_called_off_for_ever(node: Services) -> None:
    """After so many there is none any more, so that no call has more and more of them to look through."""
    id = await over(node, BEN)
    for _ in range(MOST_CALLED_OFF):
        _, listed = await node.rematches.rematch(ANN, id, "", None)
        await node.lobby.cancel(ANN, listed.id, None)
    with pytest.raises(Rejected) as refused:
        await node.rematches.rematch(BEN, id, "", None)
    assert refused.value.reason is Reason.MATCH_CANCELLED


async def test_a_rematch_is_played_again_too(node: Services) -> None:
    """The seat that begins goes round the table."""
    id, begun = await over(node, BEN), []
    for _ in range(3):
        for player in (ANN, BEN):
            _, listed = await node.rematches.rematch(player, id, "", None)
        id = listed.id
        begun.append(listed.match.first)
        await resigns(node, ANN, id)
    assert begun == [begun[0], 1 - (begun[0] or 0), begun[0]]


async def test_a_match_for_one_is_played_again(node: Services) -> None:
    """It begins at once, on the same options."""
    _, played = await node.openings.open(ANN, proposal(), None)
    with pytest.raises(Rejected) as refused:
        await node.rematches.rematch(ANN, played.id, "", None)
    assert refused.value.reason is Reason.MATCH_NOT_OVER
    await resigns(node, ANN, played.id)
    _, again = await node.rematches.rematch(ANN, played.id, "", None)
    assert again.match.status is MatchStatus.PLAYING
    assert again.match.terms.options == GAMES["montana"].options(deal=1)


async def test_a_private_match_stays_private(node: Services) -> None:
    """Those who played know of the rematch, and nobody else does."""
    ben, _ = await node.players.open_guest("Ben")
    id = await over(node, ben.id, visibility=Visibility.PRIVATE)
    _, listed = await node.rematches.rematch(ANN, id, "", None)
    assert (await node.queries.read(listed.id, ben.id)).id == listed.id
    for asked in (node.queries.read(listed.id, CAM), node.rematches.rematch(CAM, id, "", None)):
        with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
            await asked
