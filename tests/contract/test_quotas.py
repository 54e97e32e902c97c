"""A player has so much of some things at a time: what it has ends with a match, also if nobody noted it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.games import GAMES
from domain.match import MatchStatus, PlayerId, Resign, StartMode, Visibility
from services.lobby.waiting import Wish
from services.matches.decisions import as_given
from services.matches.opening import terms_of
from services.matches.same_terms import fit_of
from services.matches.store import Secrets
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import TooMany
from services.shared.ids import MatchId, match_id, new_uuid
from services.use_cases import Services
from tests.support.stores.lobby import ANN, BEN, CAM, match_of, opened, sits, wanted
from tests.support.stores.use_cases import MOST_HELD, Stores, memory_stores, postgres_stores, proposal

NOW = datetime(2026, 11, 30, tzinfo=UTC)
MATCHES = [match_id(new_uuid(NOW)) for _ in range(100)]


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


def holding(number: int, kind: QuotaKind = QuotaKind.OPEN, *, who: PlayerId = ANN) -> Holding:
    """Return that a player has one more."""
    return Holding(who, kind, MATCHES[number], NOW)


async def test_so_many_are_taken_and_no_more(stores: Stores) -> None:
    """Each once; those of others and of other kinds do not count; what is let go makes room."""
    most = MOST_HELD[QuotaKind.BOTS]
    for number in range(most):
        for _ in range(2):
            await stores.quotas.take(holding(number, QuotaKind.BOTS))
    for kind, who in ((QuotaKind.BOTS, BEN), (QuotaKind.OPEN, ANN)):
        await stores.quotas.take(holding(99, kind, who=who))
    for refused in (
        stores.quotas.take(holding(most, QuotaKind.BOTS)),
        stores.quotas.check(holding(most, QuotaKind.BOTS)),
    ):
        with pytest.raises(TooMany, match="TOO_MANY_BOT_MATCHES"):
            await refused
    await stores.quotas.note(holding(most, QuotaKind.BOTS))
    for number in range(2):
        await stores.quotas.release(holding(number).match, [QuotaKind.BOTS])
    await stores.quotas.check(holding(most, QuotaKind.BOTS))
    await stores.quotas.take(holding(most + 1, QuotaKind.BOTS))


async def test_many_at_once_are_as_many_as_may_be(database: str) -> None:
    """On several nodes: none slips past the limit."""
    async with postgres_stores(database) as one, postgres_stores(database) as other:
        asked = [(one, other)[number % 2].node().openings.open(ANN, wanted(), None) for number in range(40)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        refused = [error for error in told if isinstance(error, BaseException)]
        assert {type(error) for error in refused} == {TooMany}
        assert len(told) - len(refused) == MOST_HELD[QuotaKind.OPEN]


async def test_what_nobody_noted_is_found_by_the_log(database: str) -> None:
    """A match that began or was cancelled, and one that was never opened, counts no more; others do."""
    async with postgres_stores(database) as stores:
        node = stores.node()
        ids = [await opened(node) for _ in range(20)]
        await sits(node, BEN, ids[0], 1)
        await node.lobby.cancel(ANN, ids[1], None)
        await node.holdings.drain()
        for id in ids[:2]:
            # As a crash leaves it.
            await stores.quotas.note(Holding(ANN, QuotaKind.OPEN, id, stores.clock.now()))
        for _ in range(2):
            await opened(node)
        with pytest.raises(TooMany, match="TOO_MANY_OPEN_MATCHES"):
            await opened(node)
        await stores.quotas.release(ids[2], [QuotaKind.OPEN])
        lost = stores.clock.now() - timedelta(hours=1)
        await stores.quotas.note(Holding(ANN, QuotaKind.OPEN, match_id(new_uuid(lost)), lost))
        await opened(node)


async def bots(node: Services, seats: int, *, own: int | None = None, who: PlayerId = ANN) -> MatchId:
    """Return a match that bots were seated in, by the word of its opener, who has a seat or none."""
    match = (await node.openings.open(who, wanted(seats=seats, seat=own), None))[1].id
    for seat in range(seats):
        if seat != own:
            await node.lobby.seat_bot(who, match, seat, "random", "", f"bot {seat}")
    return match


async def test_bots_alone_play_so_many_matches_of_a_player(stores: Stores) -> None:
    """Those in which it plays too do not count, nor those of others, nor those that are over."""
    node = stores.node()
    first = await bots(node, 2)
    for _ in range(4):
        await bots(node, 2)
    match = (await node.openings.open(ANN, wanted(seat=None), None))[1].id
    await node.lobby.seat_bot(ANN, match, 0, "random", "", None)
    with pytest.raises(TooMany, match="TOO_MANY_BOT_MATCHES"):
        await node.lobby.seat_bot(ANN, match, 1, "random", "", None)
    assert (await node.lobby.seat_bot(ANN, first, 1, "random", "", "bot 1"))[1].id == first
    await bots(node, 2, own=0)
    await bots(node, 2, who=BEN)
    await node.lobby.take_seat(CAM, match, 1, "", None)
    for id in (first, match):
        assert (await match_of(node, id)).status is MatchStatus.PLAYING
    await stores.quotas.release(first, [QuotaKind.BOTS])
    await bots(node, 2)


async def test_who_gives_up_leaves_a_match_to_the_bots(stores: Stores) -> None:
    """It counts from then on, and whatever seats more than one bot is refused; until the match is over."""
    node = stores.node()
    for _ in range(5):
        match = await bots(node, 3, own=0)
        await node.commands.submit(
            ANN, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
        )
    await node.holdings.drain()
    with pytest.raises(TooMany, match="TOO_MANY_BOT_MATCHES"):
        await bots(node, 3, own=0)
    await bots(node, 2, own=0)


async def test_so_many_invitations_are_pending(stores: Stores) -> None:
    """Of one player, over all its matches; who sits down, and a match that ends, make room."""
    node = stores.node()
    guests = [(await node.players.open_guest("Guest"))[0].id for _ in range(26)]
    terms: dict[str, Any] = {"visibility": Visibility.PRIVATE, "start": StartMode.MANUAL}
    one, other = [(await node.openings.open(ANN, wanted(seats=3, **terms), None))[1].id for _ in range(2)]
    for id in (one, other):
        for guest in guests[:25]:
            await node.invitations.invite(ANN, id, guest, guest)
    for _ in range(2):
        with pytest.raises(TooMany, match="TOO_MANY_INVITATIONS"):
            await node.invitations.invite(ANN, one, guests[25], None)
    await node.invitations.invite(ANN, one, guests[0], guests[0])
    await node.lobby.take_seat(guests[0], one, 1, "", None)
    await node.holdings.drain()
    await node.invitations.invite(guests[0], one, guests[25], None)
    await node.invitations.invite(ANN, other, guests[25], None)
    third = (await node.openings.open(ANN, wanted(**terms), None))[1].id
    with pytest.raises(TooMany, match="TOO_MANY_INVITATIONS"):
        await node.invitations.invite(ANN, third, guests[0], None)
    await node.lobby.cancel(ANN, other, None)
    await node.holdings.drain()
    await node.invitations.invite(ANN, third, guests[0], None)


async def test_bots_that_play_a_game_of_one_seat_count_too(stores: Stores) -> None:
    """It is played by bots alone as well, until it is over."""
    node = stores.node()
    options = GAMES["montana"].options(deal=1)
    alone = [
        (await node.openings.open(ANN, proposal(game="montana", options=options, seat=None), None))[1].id
        for _ in range(6)
    ]
    for id in alone[:5]:
        await node.lobby.seat_bot(ANN, id, 0, "random", "", None)
    with pytest.raises(TooMany, match="TOO_MANY_BOT_MATCHES"):
        await node.lobby.seat_bot(ANN, alone[5], 0, "random", "", None)
    bot = (await match_of(node, alone[0])).holders[0]
    assert bot is not None
    await node.commands.submit(
        bot.player, alone[0], as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    await node.holdings.drain()
    await node.lobby.seat_bot(ANN, alone[5], 0, "random", "", None)


async def test_bots_that_never_play_alone_do_not_count(stores: Stores) -> None:
    """A match that is cancelled, or in which one of them makes room before the beginning."""
    node = stores.node()
    for number in range(12):
        match = (await node.openings.open(ANN, wanted(seat=None, start=StartMode.MANUAL), None))[1].id
        for seat in range(2):
            await node.lobby.seat_bot(ANN, match, seat, "random", "", f"bot {seat}")
        if number % 2:
            await node.lobby.cancel(ANN, match, None)
        else:
            await node.lobby.leave_seat(ANN, match, 1, None)
        await node.holdings.drain()
        if number % 2 == 0:
            await sits(node, BEN, match, 1)
            await node.lobby.start(ANN, match, None)
    await stores.quotas.check(holding(0, QuotaKind.BOTS))


async def test_what_nobody_noted_keeps_nobody_from_seating_a_second_bot(database: str) -> None:
    """Of matches of bots alone that are over, though a crash has left them counted."""
    async with postgres_stores(database) as stores:
        node = stores.node()
        for _ in range(MOST_HELD[QuotaKind.BOTS]):
            over = (await node.openings.open(ANN, wanted(seat=None), None))[1].id
            await node.lobby.cancel(ANN, over, None)
            await node.holdings.drain()
            await stores.quotas.note(Holding(ANN, QuotaKind.BOTS, over, stores.clock.now()))
        await bots(node, 3, own=0)


async def test_a_match_that_was_never_opened_holds_up_one_search_at_most(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a crash leaves it: a search waits for it once, and then nobody does."""
    monkeypatch.setattr("services.lobby.quick_match.OPENING", 0.1)
    node = stores.node()
    game = node.catalogue.game("mountains")
    fit = fit_of(terms_of(game, ANN, wanted(), Secrets(b"", b"")))
    lost = stores.clock.now() - timedelta(hours=1)
    never = match_id(new_uuid(lost))
    await stores.quotas.note(Holding(ANN, QuotaKind.OPEN, never, lost, fit=fit))
    wish = Wish(player=ANN, key="k", digest="d", fit=fit, game="mountains", seats=2, at=stores.clock.now())
    assert (await stores.quick_matches.place(wish, MATCHES[0], without=(), only_open=False)).match == never
    found = (await node.quick_match.join(ANN, wanted(), None))[1].id
    assert found != never
    await node.lobby.cancel(ANN, found, None)
    await node.holdings.drain()
    await node.quick_match.drain()
    again = Wish(player=ANN, key="l", digest="d", fit=fit, game="mountains", seats=2, at=stores.clock.now())
    assert (await stores.quick_matches.place(again, MATCHES[1], without=(), only_open=False)).opens
