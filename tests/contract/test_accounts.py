"""What is kept of players and tokens, in memory and in PostgreSQL alike."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from msgspec import structs

from domain.match import PlayerId
from services.players.accounts import REMEMBERED
from services.players.store import Player, Scope, Token
from services.shared.errors import Unauthenticated
from services.shared.ids import TokenId, new_uuid, written
from tests.support.stores.use_cases import ManualClock, Stores, memory_stores, postgres_stores

NOW = datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
MOST = 4


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


def player(name: str) -> Player:
    """Return a new player."""
    id = PlayerId(written("player", new_uuid(NOW)))
    return Player(id=id, display_name=name, avatar_seed="fox", locale="de-CH", created_at=NOW)


def token(owner: Player, at: datetime = NOW, expires_at: datetime | None = None) -> Token:
    """Return a new token of a player."""
    return Token(
        id=TokenId(written("token", new_uuid(at))),
        player=owner.id,
        scopes=(Scope.PLAY, Scope.BOT),
        created_at=at,
        expires_at=expires_at,
    )


async def test_accounts_are_found_by_token_and_id(stores: Stores) -> None:
    """A token is found by its hash, and a player by id; nobody else is."""
    accounts, ann, ben = stores.accounts, player("Ann"), player("Ben")
    first = token(ann, NOW, NOW + DAY)
    await accounts.add(ann, first, b"hash")
    assert await accounts.token(b"hash") == first
    assert await accounts.token(b"other") is None
    assert await accounts.named([ann.id, ben.id]) == {ann.id: ann}


async def test_a_further_token_is_found_listed_and_revoked(stores: Stores) -> None:
    """By its hash while it is there, and among its player's only, newest first."""
    accounts, ann, ben = stores.accounts, player("Ann"), player("Ben")
    first, theirs = token(ann), token(ben)
    await accounts.add(ann, first, b"first")
    await accounts.add(ben, theirs, b"theirs")
    later = [token(ann, NOW + number * SECOND, NOW + DAY) for number in (1, 2)]
    for number, one in enumerate(later):
        assert await accounts.add_token(one, b"later %d" % number, MOST)
    assert await accounts.token(b"later 1") == later[1]
    assert await accounts.tokens(ann.id, None, 9) == [later[1], later[0], first]
    assert await accounts.tokens(ann.id, None, 2) == [later[1], later[0]]
    assert await accounts.tokens(ann.id, later[0].id, 9) == [first]
    assert await accounts.tokens(ben.id, None, 9) == [theirs]
    assert await accounts.revoke(ben.id, first.id) is None
    assert await accounts.revoke(ann.id, first.id) == b"first"
    assert await accounts.revoke(ann.id, first.id) is None
    assert await accounts.revoke(ann.id, TokenId("token_x")) is None
    assert await accounts.token(b"first") is None
    assert await accounts.tokens(ann.id, None, 9) == [later[1], later[0]]


async def test_hashes_of_no_token_are_told(stores: Stores) -> None:
    """Of many at once; a token whose time is over is there yet."""
    accounts, ann = stores.accounts, player("Ann")
    await accounts.add(ann, token(ann, NOW, NOW), b"there")
    assert await accounts.gone([b"there", b"gone", b"other"]) == {b"gone", b"other"}
    assert await accounts.gone([]) == set()


async def test_so_many_tokens_are_good_at_a_time(stores: Stores) -> None:
    """Those that are over do not count; a day later they are forgotten, the player's own only."""
    accounts, ann, ben = stores.accounts, player("Ann"), player("Ben")
    await accounts.add(ann, token(ann, NOW, NOW + SECOND), b"0")
    await accounts.add(ben, token(ben, NOW, NOW + SECOND), b"theirs")
    for number in range(1, MOST):
        assert await accounts.add_token(token(ann), b"%d" % number, MOST)
    assert not await accounts.add_token(token(ann), b"more", MOST)
    assert await accounts.token(b"more") is None
    assert await accounts.add_token(token(ann, NOW + SECOND), b"instead", MOST)
    assert not await accounts.add_token(token(ann, NOW + SECOND), b"more", MOST)
    assert await accounts.token(b"0") is not None
    assert not await accounts.add_token(token(ann, NOW + SECOND + DAY), b"more", MOST)
    assert await accounts.token(b"0") is not None
    assert not await accounts.add_token(token(ann, NOW + 2 * SECOND + DAY), b"more", MOST)
    assert await accounts.token(b"0") is None
    assert await accounts.token(b"theirs") is not None


async def test_no_token_slips_past_the_limit(stores: Stores) -> None:
    """However many are asked for at once."""
    accounts, ann = stores.accounts, player("Ann")
    await accounts.add(ann, token(ann), b"first")
    asked = [accounts.add_token(token(ann), b"%d" % number, MOST) for number in range(4 * MOST)]
    assert sum(await asyncio.gather(*asked)) == MOST - 1
    assert len(await accounts.tokens(ann.id, None, 100)) == MOST


async def test_a_token_is_somebodys(stores: Stores) -> None:
    """A token of a player that is not there, or is erased meanwhile, is not kept."""
    accounts, ann = stores.accounts, player("Ann")
    assert not await accounts.add_token(token(ann), b"none", MOST)
    for number in range(5):
        await accounts.add(ann, token(ann), b"first")
        await asyncio.gather(
            accounts.erase(ann.id), *(accounts.add_token(token(ann), b"%d" % n, 9) for n in range(3))
        )
        assert await accounts.tokens(ann.id, None, 9) == [], number


async def test_a_profile_changes_where_it_is_said(stores: Stores) -> None:
    """And nowhere else; of who is not there nothing changes."""
    accounts, ann, ben = stores.accounts, player("Ann"), player("Ben")
    for one, hash in ((ann, b"a"), (ben, b"b")):
        await accounts.add(one, token(one), hash)
    nothing = {"display_name": None, "avatar_seed": None, "locale": None}
    assert await accounts.change(ann.id, **nothing) == ann
    for field in nothing:
        ann = structs.replace(ann, **{field: "xyz"})
        assert await accounts.change(ann.id, **(nothing | {field: "xyz"})) == ann
    assert await accounts.named([ann.id, ben.id]) == {ann.id: ann, ben.id: ben}
    assert await accounts.change(player("Cy").id, **nothing) is None


async def test_every_node_soon_refuses_what_was_revoked(stores: Stores) -> None:
    """The one that revokes a token, or erases its player, at once; others that knew it a little later."""
    clock = ManualClock(NOW)
    here, there = stores.players(clock), stores.players(clock)
    _, secret = await here.open_guest("Ann")
    ann = await here.authenticate(secret, Scope.PLAY)
    made, second = await here.make_token(ann, [Scope.READ], None)
    for gone, still in ((second, secret), (secret, None)):
        for node in (here, there):
            await node.authenticate(gone, Scope.READ)
        await (here.erase(ann) if still is None else here.revoke(ann, made.id))
        with pytest.raises(Unauthenticated):
            await here.authenticate(gone, Scope.READ)
        clock.advance(REMEMBERED - datetime.resolution)
        await there.authenticate(gone, Scope.READ)
        clock.advance(datetime.resolution)
        with pytest.raises(Unauthenticated):
            await there.authenticate(gone, Scope.READ)
        if still is not None:
            await there.authenticate(still, Scope.READ)


async def test_what_is_erased_is_gone(stores: Stores) -> None:
    """The player with all its tokens, whose hashes are told; others stay."""
    accounts, ann, ben = stores.accounts, player("Ann"), player("Ben")
    await accounts.add(ann, token(ann), b"first")
    await accounts.add_token(token(ann), b"second", MOST)
    await accounts.add(ben, token(ben), b"theirs")
    assert sorted(await accounts.erase(ann.id)) == [b"first", b"second"]
    assert await accounts.erase(ann.id) == []
    assert await accounts.named([ann.id, ben.id]) == {ben.id: ben}
    assert await accounts.token(b"first") is None
    assert await accounts.token(b"theirs") is not None


EMPTIED = {"chat_messages", "chat_reports"}
"""Tables whose rows keep their places: name and texts go, as the tests of the log of chats show."""


def test_all_that_is_kept_of_a_player_goes_with_it(database: str) -> None:
    """Every table that refers to a player loses its rows, or what they say, and finds them by an index."""
    with psycopg.connect(database) as connection:
        references = connection.execute(
            "SELECT conrelid, conrelid::regclass::text, conkey, confdeltype FROM pg_constraint"
            " WHERE contype = 'f' AND confrelid = 'players'::regclass"
        ).fetchall()
        assert {"tokens", "identities"} <= {name for _, name, _, _ in references}
        for table, name, columns, on_delete in references:
            assert on_delete == ("n" if name in EMPTIED else "c"), name
            found = connection.execute(
                "SELECT 1 FROM pg_index WHERE indrelid = %s AND indkey[0] = %s", (table, columns[0])
            ).fetchone()
            assert found is not None, name
