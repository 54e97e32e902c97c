"""What the port of quick matches promises, in memory and in PostgreSQL; and many callers at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta

import pytest

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.quick_matches import PostgresQuickMatches
from domain.match import MatchStatus, PlayerId
from services.bots.accounts import ACCOUNTS
from services.lobby.waiting import Placed, Wish
from services.players.block_list import Blocked
from services.shared.errors import Unavailable
from services.shared.ids import MatchId, match_id, new_uuid
from tests.support.faces.server import free_port
from tests.support.stores.lobby import ANN, BEN, CAM, DOT, match_of, opened, player, seated, sits, wanted
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OLDER, NEWER, NEWEST = (match_id(new_uuid(NOW + timedelta(seconds=seconds))) for seconds in range(3))
CALLERS = 200
NODES = 3


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


def wish(player: PlayerId, key: str = "k", *, fit: str = "fit", at: datetime = NOW) -> Wish:
    """Return what a player looks for: a match of three."""
    return Wish(player=player, key=key, digest="digest", fit=fit, game="mountains", seats=3, at=at)


async def place(stores: Stores, wish: Wish, fresh: MatchId, *without: MatchId) -> Placed:
    """Return where a player is placed."""
    placed: Placed = await stores.quick_matches.place(wish, fresh, without=without, only_open=False)
    return placed


async def test_players_are_placed_where_others_wait(stores: Stores) -> None:
    """The oldest first, until all seats are set aside; of other terms nobody comes."""
    first = await place(stores, wish(ANN), OLDER)
    assert first == Placed(match=OLDER, digest="digest", opens=True)
    assert (await place(stores, wish(DOT, fit="other"), NEWER)).match == NEWER
    for who in (BEN, CAM):
        assert await place(stores, wish(who), NEWEST) == Placed(match=OLDER, digest="digest", reserved=True)
    assert (await place(stores, wish(DOT), NEWEST)).opens


async def test_a_key_leads_to_the_same_place(stores: Stores) -> None:
    """Whatever is asked with it, which is told; unless the place has turned the player away."""
    await place(stores, wish(ANN), OLDER)
    again = await place(stores, wish(ANN, fit="other"), NEWER)
    assert again == Placed(match=OLDER, digest="digest", opens=True, repeated=True)
    assert (await place(stores, wish(BEN), NEWER)).match == OLDER
    assert await place(stores, wish(BEN), NEWER) == Placed(match=OLDER, digest="digest", repeated=True)
    assert (await place(stores, wish(BEN), NEWER, OLDER)).match == NEWER


async def test_who_waits_is_placed_where_it_waits(stores: Stores) -> None:
    """With any key, on the same terms: where it opened and where it joined."""
    await place(stores, wish(ANN), OLDER)
    await place(stores, wish(BEN), NEWER)
    for who in (ANN, BEN):
        assert await place(stores, wish(who, "another"), NEWER) == Placed(match=OLDER, digest="digest")
    assert (await place(stores, wish(ANN, "other", fit="other"), NEWER)).opens


async def test_a_seat_that_is_not_taken_is_another_s(stores: Stores) -> None:
    """Who could not come gives it back; who is turned away is not placed there again."""
    await place(stores, wish(ANN), OLDER)
    await place(stores, wish(BEN), NEWER)
    await stores.quick_matches.give_back(OLDER, BEN)
    await stores.quick_matches.give_back(OLDER, BEN)
    await place(stores, wish(CAM), NEWER)
    await stores.quick_matches.turn_away(OLDER, CAM, full=False, at=NOW)
    assert (await place(stores, wish(CAM, "again"), NEWER)).match == NEWER
    assert (await place(stores, wish(DOT), NEWEST)).match == OLDER
    await stores.quick_matches.turn_away(OLDER, DOT, full=True, at=NOW)
    assert (await place(stores, wish(BEN, "again"), NEWEST)).match == NEWER
    await stores.quick_matches.forget(NEWER)
    assert (await place(stores, wish(player(9)), NEWEST)).match == NEWEST


async def test_those_who_block_are_placed_apart(stores: Stores) -> None:
    """Anyone who of two has blocked the other; who waits already stays."""
    accounts = stores.players()
    ann, ben, cam = [(await accounts.open_guest(name))[0].id for name in ("Ann", "Ben", "Cam")]
    await stores.block_list.add(ann, Blocked(ben, NOW), 10)
    await stores.block_list.add(cam, Blocked(ann, NOW), 10)
    await place(stores, wish(ann), OLDER)
    assert (await place(stores, wish(ben), NEWER)).opens
    assert (await place(stores, wish(cam), NEWEST)).match == NEWER
    await stores.block_list.remove(ann, ben)
    assert (await place(stores, wish(ben, "again"), NEWEST)).match == NEWER
    assert (await place(stores, wish(DOT), NEWEST)).match == OLDER


async def test_who_sat_down_unasked_is_seen_too(stores: Stores) -> None:
    """Nobody is placed with one whom it has blocked who took a seat of a match that waits by itself."""
    node = stores.node()
    ann, ben, cam = [(await node.players.open_guest(name))[0].id for name in ("Ann", "Ben", "Cam")]
    await stores.block_list.add(ben, Blocked(cam, NOW), 10)
    waits = (await node.quick_match.join(ann, wanted(seats=3), None))[1].id
    await sits(node, cam, waits, 1)
    stores.catch_up()
    assert (await node.quick_match.join(ben, wanted(seats=3), None))[1].id != waits
    await stores.block_list.remove(ben, cam)
    assert (await node.quick_match.join(DOT, wanted(seats=3), None))[1].id == waits


async def test_a_server_that_is_away_is_unavailable() -> None:
    """Nobody waits for ever."""
    datastore = Datastore(f"host=127.0.0.1 port={free_port()} dbname=none", 1)
    with closing(datastore), pytest.raises(Unavailable):
        await PostgresQuickMatches(datastore, None).place(wish(ANN), OLDER, without=(), only_open=False)


async def test_a_match_of_the_list_is_joined(stores: Stores) -> None:
    """One that was opened in another way is found as soon as it is listed."""
    node = stores.node()
    id = await opened(node)
    stores.catch_up()
    _, listed = await node.quick_match.join(BEN, wanted(), None)
    assert (listed.id, seated(listed.match)) == (id, [ANN, BEN])


async def test_the_bots_have_accounts(stores: Stores) -> None:
    """They are there from the beginning, under the ids and names that the service knows."""
    known = await stores.accounts.named([player.id for player in ACCOUNTS])
    assert list(ACCOUNTS) == [known[player.id] for player in ACCOUNTS]


@pytest.mark.parametrize(("game", "seats"), [("mountains", 2), ("mountains", 3), ("mount_drago", 5)])
async def test_many_callers_on_several_nodes_end_in_full_matches(
    database: str, game: str, seats: int
) -> None:
    """Of 200 at once nobody sits twice or alone; what is left over when they do not divide waits in one."""
    async with AsyncExitStack() as nodes:
        stores = [await nodes.enter_async_context(postgres_stores(database)) for _ in range(NODES)]
        services = [one.node() for one in stores]
        players = [player(number) for number in range(1, CALLERS + 1)]
        calls = [
            services[number % NODES].quick_match.join(one, wanted(game, seats), None)
            for number, one in enumerate(players)
        ]
        found = [listed.id for _, listed in await asyncio.gather(*calls)]
        matches = {id: await match_of(services[0], id) for id in found}
        full, left = divmod(CALLERS, seats)
        assert Counter(match.status for match in matches.values()) == Counter(
            {MatchStatus.PLAYING: full} | ({MatchStatus.OPEN: 1} if left else {})
        )
        sitting = [holder for match in matches.values() for holder in seated(match) if holder is not None]
        assert sorted(sitting) == sorted(players)
        assert all(one in seated(matches[id]) for id, one in zip(found, players, strict=True))
