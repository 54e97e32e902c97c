"""Finding others to play with, on stores in memory."""

import asyncio
from typing import Any

import pytest

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
    StartMode,
    TimeControl,
    TimeControlKind,
    Visibility,
)
from domain.shared.rejections import Rejected
from services.lobby import quick_match
from services.lobby.waiting import Wish
from services.matches.decisions import digest_of
from services.matches.opening import terms_of
from services.matches.same_terms import fit_of
from services.matches.store import MatchWithoutState, Secrets
from services.shared.errors import KeyReused, Malformed, NotFound, TooMany, Unavailable
from services.shared.ids import MatchId, match_id, new_uuid
from services.use_cases import Services
from tests.support.stores.lobby import ANN, BEN, CAM, DOT, match_of, opened, player, seated, sits, wanted
from tests.support.stores.use_cases import Stores, memory_stores, proposal


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


@pytest.fixture
def node(stores: Stores) -> Services:
    """The use cases of one process."""
    return stores.node()


async def joins(node: Services, player: PlayerId, seats: int = 2, **changes: Any) -> MatchWithoutState:
    """Return the match that a player comes to."""
    return (await node.quick_match.join(player, wanted(seats=seats, **changes), None))[1]


def fit(**changes: Any) -> str:
    """Return what matches have in common that fit one of Mountains, with changes."""
    wish = wanted(**changes)
    return fit_of(terms_of(GAMES[wish.game], ANN, wish, Secrets(b"", b"")))


async def test_the_first_waits_and_the_next_joins(node: Services, stores: Stores) -> None:
    """Anyone who comes takes the lowest free seat, on any node; the last one starts the match."""
    first = await joins(node, ANN, 3)
    assert (first.match.status, seated(first.match)) == (MatchStatus.OPEN, [ANN, None, None])
    second = await joins(stores.node(), BEN, 3, entropy="luck", kind=HolderKind.BOT)
    assert (second.id, seated(second.match)) == (first.id, [ANN, BEN, None])
    held = second.match.holders[1]
    assert held is not None
    assert (held.entropy, held.kind) == ("luck", HolderKind.BOT)
    third = await joins(node, CAM, 3)
    assert (third.id, third.match.status) == (first.id, MatchStatus.PLAYING)
    assert (await joins(node, DOT, 3)).id != first.id


async def test_a_match_opened_in_another_way_is_joined_too(node: Services) -> None:
    """If it is public, on the same terms, and waits for nobody's word; those of quick matches come first."""
    others: tuple[dict[str, Any], ...] = (
        {"visibility": Visibility.PRIVATE},
        {"start": StartMode.MANUAL},
        {"chat": ChatMode.OFF},
    )
    for changes in others:
        await opened(node, **changes)
    waits = await joins(node, DOT)
    fits = await opened(node)
    assert (await joins(node, ANN)).id == fits
    first = await joins(node, BEN)
    assert (first.id, seated(first.match)) == (waits.id, [DOT, BEN])
    second = await joins(node, CAM)
    assert (second.id, second.match.status, seated(second.match)) == (fits, MatchStatus.PLAYING, [ANN, CAM])
    assert seated((await joins(node, DOT)).match) == [DOT, None]


async def test_who_waits_on_the_same_terms_comes_to_its_own_match(node: Services, stores: Stores) -> None:
    """With any key, on any node, anyone who opened it; until the match begins, or the player leaves it."""
    first = await joins(node, ANN, 3)
    assert await joins(node, ANN, 3) == first
    assert (await joins(stores.node(), ANN, 3)).id == first.id
    assert (await joins(node, ANN, 2)).id != first.id
    second = await joins(node, BEN, 3)
    assert await joins(node, BEN, 3) == second
    await node.lobby.leave_seat(BEN, first.id, 1, None)
    await node.quick_match.drain()
    assert seated((await joins(node, BEN, 3)).match) == [ANN, BEN, None]
    await joins(node, CAM, 3)
    assert (await joins(node, ANN, 3)).id != first.id


async def test_who_was_put_out_looks_on(node: Services) -> None:
    """A player who lost its seat there is not placed there again; others are."""
    first = await joins(node, ANN, 3)
    await joins(node, BEN, 3)
    await node.lobby.leave_seat(ANN, first.id, 1, None)
    await node.quick_match.drain()
    assert (await joins(node, BEN, 3)).id != first.id
    assert (await joins(node, CAM, 3)).id == first.id


async def test_matches_that_take_nobody_are_passed_over(node: Services) -> None:
    """What was cancelled, or filled up in another way."""
    called_off = await joins(node, ANN)
    await node.lobby.cancel(ANN, called_off.id, None)
    full = await joins(node, DOT)
    await sits(node, CAM, full.id, 1)
    fresh = await joins(node, BEN)
    assert fresh.id not in {called_off.id, full.id}
    assert (await joins(node, ANN)).id == fresh.id


async def test_a_player_has_so_many_open_matches(node: Services, stores: Stores) -> None:
    """However it opens them; one that begins or is cancelled makes room, and a key keeps its answer."""
    first = await node.quick_match.join(ANN, wanted(), "first")
    ids = [first[1].id, *[await opened(node, seats=2, rated=False) for _ in range(19)]]
    for _ in range(2):
        with pytest.raises(TooMany, match="TOO_MANY_OPEN_MATCHES") as refused:
            await opened(node)
        assert refused.value.details == {"most": 20}
        with pytest.raises(TooMany, match="TOO_MANY_OPEN_MATCHES"):
            await joins(node, ANN, 3)
    assert await stores.node().quick_match.join(ANN, wanted(), "first") == first
    assert (await joins(node, ANN)).id == first[1].id
    assert (await node.quick_match.join(ANN, proposal(), None))[1].match.status is MatchStatus.PLAYING
    await joins(node, BEN, 3)
    assert seated((await joins(node, ANN, 3)).match) == [BEN, ANN, None]
    await node.lobby.cancel(ANN, ids[-1], None)
    await node.holdings.drain()
    last = await opened(node)
    await sits(node, BEN, ids[1], 1)
    await node.holdings.drain()
    assert {last, await opened(node)}.isdisjoint(ids)
    with pytest.raises(TooMany, match="TOO_MANY_OPEN_MATCHES"):
        await opened(node)


async def test_the_same_key_comes_to_the_same_match(node: Services, stores: Stores) -> None:
    """For who opened it and for who joined it, also later, on another node and at the same moment."""
    calls = [stores.node().quick_match.join(ANN, wanted(), "k") for _ in range(3)]
    first, *others = await asyncio.gather(*calls)
    assert others == [first, first]
    second = await node.quick_match.join(BEN, wanted(), "k")
    assert (second[1].id, second[1].match.status) == (first[1].id, MatchStatus.PLAYING)
    for who, before in ((ANN, first), (BEN, second)):
        assert await stores.node().quick_match.join(who, wanted(), "k") == before
        with pytest.raises(KeyReused):
            await node.quick_match.join(who, wanted(seats=3), "k")


async def test_a_solo_game_begins_at_once(node: Services) -> None:
    """There is nobody to wait for; the same key opens one match."""
    first = await node.quick_match.join(ANN, proposal(), "k")
    assert first[1].match.status is MatchStatus.PLAYING
    assert await node.quick_match.join(ANN, proposal(), "k") == first
    assert (await node.quick_match.join(BEN, proposal(), None))[1].id != first[1].id


async def test_what_cannot_be_played_is_refused(node: Services, stores: Stores) -> None:
    """As at opening, before anything is recorded; the key stays free."""
    with pytest.raises(NotFound, match="NO_SUCH_GAME"):
        await node.quick_match.join(ANN, proposal(game="chess"), "k")
    with pytest.raises(Malformed):
        await node.quick_match.join(ANN, wanted(entropy="x" * 257), "k")
    bad: tuple[tuple[dict[str, Any], Reason], ...] = (
        ({"seats": 9}, Reason.SEATS_OUT_OF_RANGE),
        ({"time_control": TimeControl(TimeControlKind.DAYS)}, Reason.TIME_CONTROL_INVALID),
    )
    for changes, reason in bad:
        with pytest.raises(Rejected) as refused:
            await node.quick_match.join(ANN, wanted(**changes), "k")
        assert refused.value.reason is reason
    await node.quick_match.join(ANN, wanted(), "k")


@pytest.mark.parametrize(
    "changes",
    [
        {"seats": 3},
        {"game": "mount_drago"},
        {"disclosure": Disclosure.NEVER},
        {"memory_aid": MemoryAid.OFF},
        {"time_control": TimeControl(TimeControlKind.PER_MOVE, seconds=30)},
        {"on_time_out": OnTimeOut.DEFAULT_MOVE},
        {"chat": ChatMode.OFF},
        {"rated": False},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_terms_that_differ_do_not_fit(node: Services, changes: dict[str, Any]) -> None:
    """Anyone who wants other terms waits elsewhere."""
    assert fit(**changes) != fit()
    assert (await joins(node, ANN)).id != (await joins(node, BEN, **changes)).id


async def test_options_that_differ_do_not_fit(node: Services) -> None:
    """Nor does a match that somebody else shall begin."""
    options = GAMES["mountains"].options(first_seat=1)
    _, other = await node.quick_match.join(ANN, proposal(game="mountains", options=options, seats=2), None)
    assert (await joins(node, BEN)).id != other.id


def test_what_a_quick_match_never_joins() -> None:
    """A private match, one that waits for a word, and one kept for those who played before."""
    changed: tuple[dict[str, Any], ...] = (
        {"visibility": Visibility.PRIVATE},
        {"start": StartMode.MANUAL},
        {"rematch_of": MatchId("match_")},
    )
    assert fit() == fit(entropy="luck", kind=HolderKind.BOT)
    assert fit() not in [fit(**changes) for changes in changed]


async def test_many_at_once_fill_their_matches(stores: Stores) -> None:
    """Nobody sits alone, or twice; what does not divide is left in the last match."""
    nodes = [stores.node() for _ in range(3)]
    players = [player(number) for number in range(1, 32)]
    found = await asyncio.gather(*(joins(nodes[n % 3], one, 3) for n, one in enumerate(players)))
    matches = [await match_of(nodes[0], id) for id in sorted({listed.id for listed in found})]
    assert [match.status for match in matches] == [MatchStatus.PLAYING] * 10 + [MatchStatus.OPEN]
    sitting = [holder for match in matches for holder in seated(match) if holder is not None]
    assert sorted(sitting) == sorted(players)


async def test_who_could_not_open_opens_the_same_match(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key leads back to what it had recorded; others do not wait for it."""
    node = stores.node()

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(stores.store, "append", away)
        with pytest.raises(Unavailable):
            await node.quick_match.join(ANN, wanted(), "k")
    other = await joins(stores.node(), BEN)
    assert seated(other.match) == [BEN, None]
    _, listed = await stores.node().quick_match.join(ANN, wanted(), "k")
    assert (listed.id != other.id, seated(listed.match)) == (True, [ANN, None])


async def test_nobody_waits_long_for_who_crashed_before_opening(
    node: Services, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded and does not come is given up; its key leads back to it all the same."""
    monkeypatch.setattr(quick_match, "OPENING", 0.02)
    wish = wanted()
    lost = match_id(new_uuid(stores.clock.now()))
    await stores.quick_matches.place(
        Wish(
            player=ANN,
            key="k",
            digest=digest_of(wish),
            fit=fit(),
            game="mountains",
            seats=2,
            at=stores.clock.now(),
        ),
        lost,
        without=(),
        only_open=False,
    )
    other = await joins(node, BEN)
    assert (other.id != lost, seated(other.match)) == (True, [BEN, None])
    assert (await node.quick_match.join(ANN, wish, "k"))[1].id == lost


async def test_who_could_not_sit_down_looks_on(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its seat is another's; if the match is full by then, it finds another with the same key."""
    node = stores.node()
    first = await joins(node, ANN)

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(stores.store, "append", away)
        with pytest.raises(Unavailable):
            await node.quick_match.join(BEN, wanted(), "k")
    assert (await joins(stores.node(), CAM)).id == first.id
    _, listed = await node.quick_match.join(BEN, wanted(), "k")
    assert (listed.id != first.id, seated(listed.match)) == (True, [BEN, None])


async def test_a_caller_who_goes_away_leaves_nothing_half_done(node: Services) -> None:
    """The search goes on to its end, and only then may the next one look."""
    task = asyncio.create_task(node.quick_match.join(ANN, wanted(), None))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    second = await joins(node, BEN)
    await node.quick_match.drain()
    assert (second.match.status, seated(second.match)) == (MatchStatus.PLAYING, [ANN, BEN])
    assert task.cancelled()
