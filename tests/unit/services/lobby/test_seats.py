"""The use cases around seats and invitations until a match begins, on stores in memory."""

from collections.abc import Awaitable
from typing import Any

import pytest

from domain.games import GAMES
from domain.match import (
    Cancelled,
    CancelReason,
    Holder,
    HolderKind,
    Invited,
    MatchStatus,
    PlayerId,
    Reason,
    StartMode,
    Visibility,
)
from domain.shared.rejections import Rejected
from services.bots.accounts import ACCOUNTS, BOTS, PLACES, account, bot_of
from services.shared.errors import Forbidden, KeyReused, Malformed, NotFound
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.lobby import ANN, BEN, CAM, DOT, match_of, opened, seated, sits
from tests.support.stores.use_cases import Stores, memory_stores

RANDOM = BOTS["random"]


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


@pytest.fixture
def node(stores: Stores) -> Services:
    """The use cases of one process."""
    return stores.node()


async def refused(reason: Reason, asked: Awaitable[Any]) -> None:
    """Assert that the rules refuse what is asked."""
    with pytest.raises(Rejected) as refusal:
        await asked
    assert refusal.value.reason is reason


async def account_of(node: Services, name: str) -> PlayerId:
    """Return the id of a new account."""
    return (await node.players.open_guest(name))[0].id


async def events(node: Services, id: MatchId) -> list[object]:
    """Return what has happened, in order."""
    return [recorded.event for recorded in await node.decisions.store.read(id)]


async def test_a_seat_that_is_left_is_free(node: Services, stores: Stores) -> None:
    """Before the start a player leaves, and it or another may sit down; the same key leaves once."""
    id = await opened(node, 3)
    await sits(node, BEN, id, 1)
    left = await node.lobby.leave_seat(BEN, id, 1, "k")
    assert seated(left[1].match) == [ANN, None, None]
    await sits(node, BEN, id, 2)
    assert await stores.node().lobby.leave_seat(BEN, id, 1, "k") == left
    with pytest.raises(KeyReused):
        await node.lobby.leave_seat(BEN, id, 2, "k")
    assert seated(await match_of(node, id)) == [ANN, None, BEN]


async def test_who_leaves_after_the_start_gives_up(node: Services) -> None:
    """Leaving while the match is played is a resignation; once it is over there is nothing to leave."""
    id = await opened(node, 3)
    await sits(node, BEN, id, 1)
    await sits(node, CAM, id, 2)
    _, listed = await node.lobby.leave_seat(BEN, id, 1, None)
    assert (listed.match.status, listed.match.resigned) == (MatchStatus.PLAYING, (1,))
    assert seated(listed.match) == [ANN, BEN, CAM]
    await refused(Reason.ALREADY_RESIGNED, node.lobby.leave_seat(BEN, id, 1, None))
    _, listed = await node.lobby.leave_seat(CAM, id, 2, None)
    assert listed.match.status is MatchStatus.FINISHED
    await refused(Reason.MATCH_OVER, node.lobby.leave_seat(ANN, id, 0, None))


async def test_the_opener_takes_a_seat_away(node: Services) -> None:
    """Before the start, and nobody else does; who lost its seat may neither come back nor be invited."""
    id = await opened(node, 3)
    ben = await account_of(node, "Ben")
    await sits(node, ben, id, 1)
    with pytest.raises(Forbidden, match="NOT_YOUR_SEAT"):
        await node.lobby.leave_seat(ben, id, 0, None)
    _, listed = await node.lobby.leave_seat(ANN, id, 1, None)
    assert (seated(listed.match), listed.match.barred) == ([ANN, None, None], (ben,))
    await refused(Reason.PLAYER_BARRED, node.lobby.take_seat(ben, id, 1, "", None))
    await refused(Reason.PLAYER_BARRED, node.invitations.invite(ANN, id, ben, None))
    await sits(node, CAM, id, 1)
    await sits(node, DOT, id, 2)
    await refused(Reason.MATCH_STARTED, node.lobby.leave_seat(ANN, id, 1, None))


async def test_the_opener_leaves_as_anybody_does(node: Services) -> None:
    """It may sit down again, and the match stays its own."""
    id = await opened(node)
    _, listed = await node.lobby.leave_seat(ANN, id, 0, None)
    assert (seated(listed.match), listed.match.barred) == ([None, None], ())
    await refused(Reason.SEAT_FREE, node.lobby.leave_seat(ANN, id, 0, None))
    for seat in (2, -1):
        await refused(Reason.NO_SUCH_SEAT, node.lobby.leave_seat(ANN, id, seat, None))
    await sits(node, BEN, id, 0)
    await sits(node, ANN, id, 1)
    assert (await match_of(node, id)).status is MatchStatus.PLAYING


async def test_a_match_waits_for_the_word_of_its_opener(node: Services) -> None:
    """With `start` manual nobody else begins it, and the opener does only once it is full."""
    id = await opened(node, start=StartMode.MANUAL)
    await refused(Reason.SEATS_FREE, node.lobby.start(ANN, id, None))
    await sits(node, BEN, id, 1)
    with pytest.raises(Forbidden, match="NOT_THE_OPENER"):
        await node.lobby.start(BEN, id, None)
    key, listed = await node.lobby.start(ANN, id, None)
    assert listed.match.status is MatchStatus.PLAYING
    assert await node.lobby.start(ANN, id, key) == (key, listed)
    await refused(Reason.MATCH_STARTED, node.lobby.start(ANN, id, None))


async def test_a_match_is_called_off_by_its_opener(node: Services) -> None:
    """Nobody else does so, and nobody joins or leaves afterwards; one that began is not cancelled."""
    id = await opened(node, 3)
    await sits(node, BEN, id, 1)
    with pytest.raises(Forbidden, match="NOT_THE_OPENER"):
        await node.lobby.cancel(BEN, id, None)
    called_off = await node.lobby.cancel(ANN, id, "k")
    assert called_off[1].match.status is MatchStatus.CANCELLED
    assert await node.lobby.cancel(ANN, id, "k") == called_off
    assert (await events(node, id))[-1] == Cancelled(CancelReason.BY_OPENER)
    for asked in (
        node.lobby.cancel(ANN, id, None),
        node.lobby.take_seat(CAM, id, 2, "", None),
        node.lobby.leave_seat(BEN, id, 1, None),
        node.invitations.invite(ANN, id, await account_of(node, "Dot"), None),
    ):
        await refused(Reason.MATCH_CANCELLED, asked)
    begun = await opened(node)
    await sits(node, BEN, begun, 1)
    await refused(Reason.MATCH_STARTED, node.lobby.cancel(ANN, begun, None))


async def test_seats_that_cannot_be_taken(node: Services) -> None:
    """A match that is full or has begun, a seat that is taken, and a second seat in one match."""
    id = await opened(node, 3)
    await refused(Reason.SEAT_TAKEN, node.lobby.take_seat(BEN, id, 0, "", None))
    await refused(Reason.ALREADY_SEATED, node.lobby.take_seat(ANN, id, 1, "", None))
    await refused(Reason.NO_SUCH_SEAT, node.lobby.take_seat(BEN, id, 3, "", None))
    full = await opened(node, start=StartMode.MANUAL)
    await sits(node, BEN, full, 1)
    await refused(Reason.SEAT_TAKEN, node.lobby.take_seat(CAM, full, 1, "", None))
    await node.lobby.start(ANN, full, None)
    await refused(Reason.MATCH_STARTED, node.lobby.take_seat(CAM, full, 1, "", None))


async def test_an_invitation_by_name(node: Services) -> None:
    """It lets its guest know of a private match; the opener and the seats invite, once each guest."""
    id = await opened(node, 3, visibility=Visibility.PRIVATE)
    ben, cam = await account_of(node, "Ben"), await account_of(node, "Cam")
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await node.invitations.invite(ben, id, ben, None)
    invited = await node.invitations.invite(ANN, id, ben, "k")
    assert (await events(node, id))[-1] == Invited(ben)
    assert await node.invitations.invite(ANN, id, ben, "k") == invited
    await refused(Reason.ALREADY_INVITED, node.invitations.invite(ANN, id, ben, None))
    await node.queries.read(id, ben)
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await node.invitations.invite(ben, id, cam, None)
    await sits(node, ben, id, 1)
    await node.invitations.invite(ben, id, cam, None)
    await sits(node, cam, id, 2)
    assert (await match_of(node, id)).status is MatchStatus.PLAYING


async def test_nobody_is_invited_who_does_not_exist(node: Services) -> None:
    """An id that is no player's, or no id at all, is refused as such."""
    id = await opened(node)
    for guest in (DOT, PlayerId("player_none"), PlayerId(""), PlayerId(id)):
        with pytest.raises(NotFound, match="NO_SUCH_PLAYER"):
            await node.invitations.invite(ANN, id, guest, None)


async def test_an_invitation_by_link(node: Services, stores: Stores) -> None:
    """The opener and the seats get the link; anyone who shows it knows of the match and may sit down."""
    id = await opened(node, 3, visibility=Visibility.PRIVATE)
    link = await node.invitations.link(ANN, id)
    assert link.path == f"/v1/matches/{id}?invitation={link.invitation}"
    assert await stores.node().invitations.link(ANN, id) == link
    for shown in (None, "", "0" * 32, link.invitation[:-1], link.invitation.upper() + "x"):
        with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
            await node.queries.read(id, BEN, shown)
        with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
            await node.lobby.take_seat(BEN, id, 1, "", None, invitation=shown)
    for player in (BEN, None):
        assert (await node.queries.read(id, player, link.invitation)).id == id
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await node.queries.legal_moves(id, BEN, link.invitation)
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await node.invitations.link(BEN, id)
    await node.lobby.take_seat(BEN, id, 1, "", None, invitation=link.invitation)
    assert await node.invitations.link(BEN, id) == link
    public = await opened(node)
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await node.invitations.link(CAM, public)


async def test_each_match_has_an_invitation_of_its_own(node: Services) -> None:
    """That of one match opens no other."""
    one, other = [await opened(node, visibility=Visibility.PRIVATE) for _ in range(2)]
    link = await node.invitations.link(ANN, one)
    with pytest.raises(NotFound):
        await node.queries.read(other, BEN, link.invitation)


async def test_the_opener_seats_a_bot(node: Services) -> None:
    """The same bot holds several seats under an account for each; the last one starts the match."""
    id = await opened(node, 3)
    with pytest.raises(Forbidden, match="NOT_THE_OPENER"):
        await node.lobby.seat_bot(BEN, id, 1, "random", "", None)
    with pytest.raises(NotFound, match="NO_SUCH_BOT"):
        await node.lobby.seat_bot(ANN, id, 1, "none", "", None)
    with pytest.raises(Malformed):
        await node.lobby.seat_bot(ANN, id, 1, "random", "x" * 257, None)
    await refused(Reason.SEAT_TAKEN, node.lobby.seat_bot(ANN, id, 0, "random", "", None))
    for seat in (3, -1, 2**32 - 1):
        await refused(Reason.NO_SUCH_SEAT, node.lobby.seat_bot(ANN, id, seat, "random", "", None))
    first = await node.lobby.seat_bot(ANN, id, 2, "random", "luck", "k")
    assert first[1].match.holders[2] == Holder(account(RANDOM, 2), HolderKind.BOT, "luck")
    _, listed = await node.lobby.seat_bot(ANN, id, 1, "random", "", None)
    assert listed.match.status is MatchStatus.PLAYING
    assert seated(listed.match) == [ANN, account(RANDOM, 1), account(RANDOM, 2)]
    assert await node.lobby.seat_bot(ANN, id, 2, "random", "luck", "k") == first


async def test_a_bot_makes_room_and_may_come_back(node: Services) -> None:
    """The opener takes a bot's seat away without barring the bot."""
    id = await opened(node, 3)
    await node.lobby.seat_bot(ANN, id, 1, "random", "", None)
    _, listed = await node.lobby.leave_seat(ANN, id, 1, None)
    assert (seated(listed.match), listed.match.barred) == ([ANN, None, None], ())
    await node.lobby.seat_bot(ANN, id, 1, "random", "", None)


def test_every_seat_of_every_game_can_be_a_bots() -> None:
    """There are as many accounts of each bot as any game has seats, and each is told from all others."""
    assert max(game.max_seats for game in GAMES.values()) <= PLACES
    assert len({player.id for player in ACCOUNTS}) == len(ACCOUNTS) == PLACES * len(BOTS)
    assert [bot_of(player.id) for player in ACCOUNTS] == [bot for bot in BOTS.values() for _ in range(PLACES)]
    assert bot_of(ANN) is None
