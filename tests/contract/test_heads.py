"""What the ports of signed heads and of keys promise, in memory and in PostgreSQL; and nodes that race."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from adapters.keys.signing import Ed25519Signatures, Ed25519Signer, secret_in
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.keys import PostgresKeys
from domain.match import Resign
from domain.match.heads import Head, included, signed_day, signed_head
from services.matches.decisions import as_given
from services.proof.head_signer import GRACE, LOOK, HeadSigner
from services.proof.heads import KeyElsewhere
from services.shared.ids import MatchId
from tests.support.stores.lobby import ANN
from tests.support.stores.use_cases import ManualClock, Stores, memory_stores, postgres_stores, proposal

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SIGNATURES = Ed25519Signatures()


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind, at noon."""
    if request.param == "memory":
        made = memory_stores()
        made.clock = ManualClock(NOON)
        yield made
    else:
        async with postgres_stores(request.getfixturevalue("database")) as made:
            made.clock = ManualClock(NOON)
            yield made


def clock_of(stores: Stores) -> ManualClock:
    """Return the clock that is moved by hand."""
    assert isinstance(stores.clock, ManualClock)
    return stores.clock


def signer(stores: Stores) -> HeadSigner:
    """Return one of any number of signers."""
    return HeadSigner(stores.heads, stores.keys, stores.clock)


async def finished(stores: Stores) -> MatchId:
    """Return a match that was given up at once."""
    node = stores.node()
    _, listed = await node.openings.open(ANN, proposal(), None)
    await node.commands.submit(
        ANN, listed.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    return listed.id


async def test_a_head_is_signed_once_the_match_has_finished(stores: Stores) -> None:
    """Its id, its version and its hash, by the key that is published; a match in play is not signed."""
    node = stores.node()
    _, playing = await node.openings.open(ANN, proposal(), None)
    id = await finished(stores)
    assert await stores.heads.signed(id) is None
    await signer(stores).step()
    signed = await stores.heads.signed(id)
    assert signed is not None
    live = await node.decisions.matches.current(id)
    assert signed.head == Head(match=id, version=live.version, head=live.head)
    assert SIGNATURES.signed(signed_head(signed.head), signed.signature, signed.key)
    assert list(await stores.keys.published()) == [signed.key]
    assert signed.date == "2026-11-30"
    assert await stores.heads.signed(playing.id) is None


async def test_a_day_is_closed_some_time_behind_its_end(stores: Stores) -> None:
    """Then its matches are proved to be in it; a day without one is closed too, so that none is left out."""
    ids = sorted([await finished(stores) for _ in range(5)])
    clock_of(stores).advance(MIDNIGHT + GRACE - NOON - timedelta(seconds=1))
    await signer(stores).step()
    assert await stores.heads.day("2026-11-30") is None
    assert await stores.heads.inclusion(ids[0]) is None
    clock_of(stores).advance(timedelta(seconds=1))
    await signer(stores).step()
    day = await stores.heads.day("2026-11-30")
    assert day is not None
    assert day.size == 5
    (key,) = await stores.keys.published()
    assert SIGNATURES.signed(signed_day(day.day), day.signature, key)
    for place, id in enumerate(ids):
        signed, inclusion = await stores.heads.signed(id), await stores.heads.inclusion(id)
        assert signed is not None
        assert inclusion is not None
        assert inclusion.place == place
        assert included(signed.head, inclusion, day.day)
    clock_of(stores).advance(3 * DAY)
    await signer(stores).step()
    days = await stores.heads.days(None, 9)
    assert [(one.date, one.size) for one in days] == [
        ("2026-12-03", 0),
        ("2026-12-02", 0),
        ("2026-12-01", 0),
        ("2026-11-30", 5),
    ]
    assert await stores.heads.days("2026-12-02", 1) == days[2:3]


async def test_a_match_that_comes_late_counts_with_the_first_open_day(stores: Stores) -> None:
    """A day that is closed never changes."""
    await finished(stores)
    clock_of(stores).advance(MIDNIGHT + GRACE - NOON)
    await signer(stores).step()
    closed = await stores.heads.day("2026-11-30")
    clock_of(stores).advance(NOON - MIDNIGHT - GRACE)
    late = await finished(stores)
    clock_of(stores).advance(MIDNIGHT + GRACE + DAY - NOON)
    await signer(stores).step()
    signed, inclusion = await stores.heads.signed(late), await stores.heads.inclusion(late)
    following = await stores.heads.day("2026-12-01")
    assert signed is not None
    assert inclusion is not None
    assert following is not None
    assert signed.date == "2026-12-01"
    assert included(signed.head, inclusion, following.day)
    assert await stores.heads.day("2026-11-30") == closed


async def test_a_day_that_has_grown_is_not_closed_as_it_was(stores: Stores) -> None:
    """A head that another node signs meanwhile is in the tree, or the day stays open."""
    await finished(stores)
    clock_of(stores).advance(MIDNIGHT + GRACE - NOON)
    heads = stores.heads
    closing = signer(stores)
    of_day = heads.of_day

    async def grown(date: str) -> object:
        found = await of_day(date)
        if len(found) == 1:
            clock_of(stores).advance(NOON - MIDNIGHT - GRACE)
            await finished(stores)
            await signer(stores).step()
            clock_of(stores).advance(MIDNIGHT + GRACE - NOON)
        return found

    heads.of_day = grown  # type: ignore[method-assign, assignment]
    await closing.step()
    day = await heads.day("2026-11-30")
    assert day is not None
    assert day.size == 2


async def test_a_fresh_key_signs_from_now_on(stores: Stores) -> None:
    """What was signed before stays as it is, and its key stays published, after the new one."""
    before = await finished(stores)
    await signer(stores).step()
    old = await stores.heads.signed(before)
    fresh = await stores.keys.rotate()
    after = await finished(stores)
    await signer(stores).step()
    new = await stores.heads.signed(after)
    assert old is not None
    assert new is not None
    assert new.key == fresh != old.key
    assert await stores.heads.signed(before) == old
    assert list(await stores.keys.published()) == [fresh, old.key]
    clock_of(stores).advance(MIDNIGHT + GRACE - NOON)
    await signer(stores).step()
    day = await stores.heads.day("2026-11-30")
    assert day is not None
    assert day.kid == fresh.kid


async def test_nodes_that_race_sign_everything_once(database: str) -> None:
    """One key is made, each head and each day stored once."""
    async with postgres_stores(database) as stores:
        stores.clock = ManualClock(NOON)
        ids = [await finished(stores) for _ in range(20)]
        stores.clock.advance(MIDNIGHT + GRACE - NOON)
        keys = [PostgresKeys(stores.datastore) for _ in range(4)]
        await asyncio.gather(*(one.begin() for one in keys))
        nodes = [HeadSigner(PostgresHeads(stores.datastore), one, stores.clock) for one in keys]
        await asyncio.gather(*(node.step() for node in nodes))
        (key,) = await keys[0].published()
        signed = [await stores.heads.signed(id) for id in ids]
        day = await stores.heads.day("2026-11-30")
        assert {one.key for one in signed if one is not None} == {key}
        assert None not in signed
        assert day is not None
        assert (day.size, len(await stores.heads.days(None, 9))) == (20, 1)


async def test_rotating_together_leaves_one_key_that_signs(database: str) -> None:
    """All keys are published; a node signs with the one that is active."""
    async with postgres_stores(database) as stores:
        fresh = await asyncio.gather(*(PostgresKeys(stores.datastore).rotate() for _ in range(5)))
        published = await stores.keys.published()
        assert set(published) == set(fresh)
        assert (await stores.keys.signer()).key == published[0]
        with psycopg.connect(database) as connection:
            assert connection.execute("SELECT count(*) FROM signing_keys WHERE active").fetchone() == (1,)


def pem(key: PrivateKeyTypes) -> bytes:
    """Return a private key as OpenSSL writes it into a file."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


async def test_a_key_may_be_in_a_file(database: str) -> None:
    """It signs, and is published without its private part; a node without the file does not sign."""
    async with postgres_stores(database) as stores:
        await stores.keys.signer()
        own = Ed25519Signer(secret_in(pem(Ed25519PrivateKey.generate())))
        with_file, without = PostgresKeys(stores.datastore, own), PostgresKeys(stores.datastore)
        await with_file.begin()
        assert (await with_file.signer()).key == own.key
        published = await without.published()
        assert (published[0], len(published)) == (own.key, 2)
        with psycopg.connect(database) as connection:
            query = "SELECT secret FROM signing_keys WHERE kid = %s"
            assert connection.execute(query, (own.key.kid,)).fetchone() == (None,)
        with pytest.raises(KeyElsewhere):
            await without.signer()
        with pytest.raises(KeyElsewhere):
            await with_file.rotate()
        assert (await without.rotate()) == (await without.signer()).key


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nothing",
        b"-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----\n",
        pem(X25519PrivateKey.generate()),
    ],
    ids=["empty", "text", "broken", "another kind"],
)
def test_a_file_without_a_key_is_refused(content: bytes) -> None:
    """Whatever is in it."""
    with pytest.raises(ValueError, match="not a"):
        secret_in(content)


async def test_who_has_nothing_to_sign_asks_for_little(stores: Stores) -> None:
    """The key, and the days that are to close, once a minute; at once if a match has ended, or a day."""
    await finished(stores)
    keys, heads, working = stores.keys, stores.heads, signer(stores)
    asked: list[str] = []
    key_of, open_day_of = keys.signer, heads.open_day
    await key_of()

    async def key() -> object:
        asked.append("key")
        return await key_of()

    async def open_day() -> object:
        asked.append("day")
        return await open_day_of()

    keys.signer = key  # type: ignore[method-assign, assignment]
    heads.open_day = open_day  # type: ignore[method-assign, assignment]

    async def asks() -> list[str]:
        asked.clear()
        await working.step()
        return list(asked)

    assert await asks() == ["key", "day"]
    assert await asks() == []
    clock_of(stores).advance(LOOK - timedelta(seconds=1))
    assert await asks() == []
    clock_of(stores).advance(timedelta(seconds=1))
    assert await asks() == ["key", "day"]
    late = await finished(stores)
    assert await asks() == ["key", "day"]
    assert await stores.heads.signed(late) is not None
    clock_of(stores).advance(MIDNIGHT + GRACE - NOON - LOOK - timedelta(seconds=1))
    await working.step()
    clock_of(stores).advance(timedelta(seconds=1))
    assert await asks() == ["key", "day", "day"]
    assert await stores.heads.day("2026-11-30") is not None
