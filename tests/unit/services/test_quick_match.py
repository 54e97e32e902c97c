"""Finding others to play with, on stores in memory."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.use_cases import Services
from domain.games import GAMES
from domain.match import (
    ChatMode,
    Disclosure,
    HolderKind,
    MemoryAid,
    OnTimeOut,
    Phase,
    PlayerId,
    Reason,
    StartMode,
    TimeControl,
    TimeControlKind,
    Visibility,
)
from domain.shared.rejections import Rejected
from services.errors import KeyReused, Malformed, NotFound, Unavailable
from services.fits import fit_of
from services.ids import MatchId, match_id, new_uuid
from services.matches import terms_of
from services.ports import Listed, Secrets
from tests.support.lobby import ANN, BEN, CAM, DOT, match_of, opened, player, seated, sits, wanted
from tests.support.use_cases import Stores, memory_stores, proposal


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


@pytest.fixture
def node(stores: Stores) -> Services:
    """The use cases of one process."""
    return stores.services()


async def joins(node: Services, player: PlayerId, seats: int = 2, **changes: Any) -> Listed:
    """Return the match that a player comes to."""
    return (await node.quick_match.join(player, wanted(seats=seats, **changes), None))[1]


def fit(**changes: Any) -> str:
    """Return what matches have in common that fit one of Mountains, with changes."""
    wish = wanted(**changes)
    return fit_of(terms_of(GAMES[wish.game], ANN, wish, Secrets(b"", b"")))


async def test_the_first_waits_and_the_next_joins(node: Services, stores: Stores) -> None:
    """Whoever comes takes the lowest free seat, on any node; the last one starts the match."""
    first = await joins(node, ANN, 3)
    assert (first.match.phase, seated(first.match)) == (Phase.OPEN, [ANN, None, None])
    second = await joins(stores.services(), BEN, 3, entropy="luck", kind=HolderKind.BOT)
    assert (second.id, seated(second.match)) == (first.id, [ANN, BEN, None])
    held = second.match.holders[1]
    assert held is not None
    assert (held.entropy, held.kind) == ("luck", HolderKind.BOT)
    third = await joins(node, CAM, 3)
    assert (third.id, third.match.phase) == (first.id, Phase.PLAYING)
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
    fits = await opened(node)
    assert (await joins(node, ANN)).id != fits
    first = await joins(node, BEN)
    assert (seated(first.match), first.id != fits) == ([ANN, BEN], True)
    second = await joins(node, CAM)
    assert (second.id, second.match.phase, seated(second.match)) == (fits, Phase.PLAYING, [ANN, CAM])
    assert seated((await joins(node, DOT)).match) == [DOT, None]


async def test_nobody_plays_against_itself(node: Services) -> None:
    """A player who looks again, while it waits, opens another match; so does one that lost its seat there."""
    first = await joins(node, ANN, 3)
    second = await joins(node, ANN, 3)
    assert first.id != second.id
    assert (await joins(node, BEN, 3)).id == first.id
    await node.lobby.leave_seat(ANN, first.id, 1, None)
    assert (await joins(node, BEN, 3)).id == second.id
    assert (await joins(node, BEN, 3)).id not in {first.id, second.id}


async def test_matches_that_take_nobody_wait_no_longer(node: Services, stores: Stores) -> None:
    """What was called off, or filled up in another way, is forgotten as soon as it is seen."""
    called_off, full = (await joins(node, ANN)).id, (await joins(node, ANN)).id
    await node.lobby.cancel(ANN, called_off, None)
    await sits(node, CAM, full, 1)
    fresh = await joins(node, BEN)
    assert fresh.id not in {called_off, full}
    assert await stores.quick_matches.waiting(fit()) == [fresh.id]
    await joins(node, CAM)
    assert await stores.quick_matches.waiting(fit()) == []


async def test_the_same_key_comes_to_the_same_match(node: Services, stores: Stores) -> None:
    """For who opened it and for who joined it, also later, on another node and at the same moment."""
    calls = [stores.services().quick_match.join(ANN, wanted(), "k") for _ in range(3)]
    first, *others = await asyncio.gather(*calls)
    assert others == [first, first]
    second = await node.quick_match.join(BEN, wanted(), "k")
    assert (second[1].id, second[1].match.phase) == (first[1].id, Phase.PLAYING)
    for who, before in ((ANN, first), (BEN, second)):
        assert await stores.services().quick_match.join(who, wanted(), "k") == before
        with pytest.raises(KeyReused):
            await node.quick_match.join(who, wanted(seats=3), "k")


async def test_a_solo_game_begins_at_once(node: Services) -> None:
    """There is nobody to wait for; the same key opens one match."""
    first = await node.quick_match.join(ANN, proposal(), "k")
    assert first[1].match.phase is Phase.PLAYING
    assert await node.quick_match.join(ANN, proposal(), "k") == first
    assert (await node.quick_match.join(BEN, proposal(), None))[1].id != first[1].id


async def test_what_cannot_be_played_is_refused(node: Services, stores: Stores) -> None:
    """As at opening, before anything is put down; the key stays free."""
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
    """Whoever wants other terms waits elsewhere."""
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
    nodes = [stores.services() for _ in range(3)]
    players = [player(number) for number in range(1, 32)]
    found = await asyncio.gather(*(joins(nodes[n % 3], one, 3) for n, one in enumerate(players)))
    matches = [await match_of(nodes[0], id) for id in sorted({listed.id for listed in found})]
    assert [match.phase for match in matches] == [Phase.PLAYING] * 10 + [Phase.OPEN]
    sitting = [holder for match in matches for holder in seated(match) if holder is not None]
    assert sorted(sitting) == sorted(players)


async def test_who_crashed_before_opening_opens_the_same_match(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key leads back to what it had put down; others do not wait for it."""
    node = stores.services()

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(stores.store, "append", away)
        with pytest.raises(Unavailable):
            await node.quick_match.join(ANN, wanted(), "k")
    (put_down,) = await stores.quick_matches.waiting(fit())
    assert (await joins(stores.services(), BEN)).id != put_down
    _, listed = await stores.services().quick_match.join(ANN, wanted(), "k")
    assert listed.id == put_down
    assert seated(listed.match) == [ANN, None]


async def test_who_crashed_before_sitting_down_looks_on(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the match that it was to join is full by then, it finds another with the same key."""
    node = stores.services()
    first = await joins(node, ANN)

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(stores.store, "append", away)
        with pytest.raises(Unavailable):
            await node.quick_match.join(BEN, wanted(), "k")
    assert (await joins(stores.services(), CAM)).id == first.id
    _, listed = await node.quick_match.join(BEN, wanted(), "k")
    assert (listed.id != first.id, seated(listed.match)) == (True, [BEN, None])


async def test_what_was_never_opened_is_forgotten(node: Services, stores: Stores) -> None:
    """But not at once: the opening may be on its way to the store."""
    old = match_id(new_uuid(datetime(2025, 12, 31, tzinfo=UTC)))
    young = match_id(new_uuid(stores.clock.now() + timedelta(minutes=5)))
    for id in (old, young):
        await stores.quick_matches.wait(fit(), id)
    listed = await joins(node, ANN)
    assert await stores.quick_matches.waiting(fit()) == sorted([young, listed.id])


async def test_a_caller_who_goes_away_leaves_nothing_half_done(node: Services) -> None:
    """The search goes on to its end, and only then may the next one look."""
    task = asyncio.create_task(node.quick_match.join(ANN, wanted(), None))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    second = await joins(node, BEN)
    await node.quick_match.drain()
    assert (second.match.phase, seated(second.match)) == (Phase.PLAYING, [ANN, BEN])
    assert task.cancelled()
