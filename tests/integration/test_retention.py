"""What is forgotten after a while in PostgreSQL, and what is not."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.read_models.player_feed import PlayerFeedModel
from adapters.postgres.read_models.rebuild import Rebuild
from adapters.postgres.retention import EXPIRED_TOKENS, OUTAGES_KEPT, QUICK_MATCH_CALLS_KEPT, PostgresArchive
from adapters.setting_values import LONGEST_DAYS
from domain.games import GAMES
from domain.match import PlayerId, Resign
from services.background.retention import BREATH, EVERY, Retention
from services.background.timekeeper import Timekeeper
from services.chat.log import ChatRoom
from services.lobby.waiting import Wish
from services.matches.decisions import as_given
from services.matches.store import OPENING_KEPT, ClaimedOpening, Secrets
from services.notify.player_feed import PlayerEvent, PlayerEventItem, PlayerEventKind, PlayerTruncated
from services.players.quotas import Holding, QuotaKind
from services.players.store import Scope
from services.shared.ids import MatchId, match_id, new_uuid, number_of, written
from services.shared.time import Clock
from services.use_cases import Services
from tests.support.stores.use_cases import ManualClock, PostgresStores, postgres_stores, proposal

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
FEED = timedelta(days=90)
OPEN_FOR = timedelta(hours=24)
PAGE = Path(__file__).parents[2] / "docs" / "operating.md"


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands."""
    return ManualClock(BEGUN)


@pytest.fixture
async def stores(database: str, clock: Clock) -> AsyncIterator[PostgresStores]:
    """Stores in a database of their own."""
    async with postgres_stores(database) as stores:
        stores.clock = clock
        yield stores


@pytest.fixture
def archive(stores: PostgresStores) -> PostgresArchive:
    """What is kept there."""
    return PostgresArchive(stores.datastore, feed=FEED, open_for=OPEN_FOR)


async def forgotten(archive: PostgresArchive, now: datetime, most: int = 3) -> int:
    """Forget all that is too old, and return how many batches that took."""
    batches = 1
    while await archive.forget(now, most):
        batches += 1
        assert batches < 1_000
    return batches


def rows(database: str, query: str) -> list[tuple[object, ...]]:
    """Return what a query gives."""
    with psycopg.connect(database) as connection:
        return connection.execute(query).fetchall()


def test_every_table_says_how_long_it_keeps_rows(database: str) -> None:
    """The table for operators names all tables there are, and no others."""
    there = {
        name
        for (name,) in rows(database, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    }
    section = PAGE.read_text().partition("| table | kept |")[2].partition("\n\n")[0]
    told = {
        name for line in section.splitlines()[2:] for name in re.findall(r"`([a-z_]+)`", line.split("|")[1])
    }
    assert told == there


async def test_tokens_that_have_expired_are_forgotten(
    database: str, stores: PostgresStores, archive: PostgresArchive, clock: ManualClock
) -> None:
    """A day after their time; those that are good, or good for ever, stay."""
    services = stores.node()
    _, secret = await services.players.open_guest("Ann")
    identity = await services.players.authenticate(secret, Scope.PLAY)
    for days in (1, 1, 1, 1, 1, 30):
        await services.players.make_token(identity, (Scope.READ,), BEGUN + timedelta(days=days))
    await forgotten(archive, BEGUN + timedelta(days=1) + EXPIRED_TOKENS - timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM tokens") == [(7,)]
    await forgotten(archive, BEGUN + timedelta(days=1) + EXPIRED_TOKENS + timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM tokens") == [(2,)]


async def test_outages_are_forgotten(database: str, archive: PostgresArchive) -> None:
    """60 days after they ended, once all deadlines were moved by them."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO outages (began_at, ended_at, settled)"
            " SELECT %s, %s, number > 1 FROM generate_series(1, 5) AS number",
            (BEGUN, BEGUN),
        )
    await forgotten(archive, BEGUN + OUTAGES_KEPT)
    assert rows(database, "SELECT count(*) FROM outages WHERE ended_at = '2026-01-01T00:00:00Z'") == [(5,)]
    await forgotten(archive, BEGUN + OUTAGES_KEPT + timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM outages WHERE ended_at = '2026-01-01T00:00:00Z'") == [(1,)]


async def test_openings_that_never_began_are_forgotten(
    database: str, stores: PostgresStores, archive: PostgresArchive, clock: ManualClock
) -> None:
    """Seven days after somebody asked for them last; the secrets of matches are kept for good."""
    services = stores.node()
    ann, _ = await services.players.open_guest("Ann")
    matches = [(await services.openings.open(ann.id, proposal(), f"{number}"))[1].id for number in range(5)]
    never = [ClaimedOpening(new_uuid(BEGUN), Secrets(bytes(32), bytes(16)), "digest") for _ in range(5)]
    owner = uuid4()
    for number, opening in enumerate(never):
        await stores.seeds.claim(owner, f"{number}", opening, BEGUN)
    again = BEGUN + timedelta(days=3)
    await stores.seeds.claim(owner, "0", never[1], again)
    await forgotten(archive, BEGUN + OPENING_KEPT)
    assert rows(database, "SELECT count(*) FROM match_openings") == [(10,)]
    await forgotten(archive, BEGUN + OPENING_KEPT + timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM match_openings") == [(6,)]
    await forgotten(archive, again + OPENING_KEPT + timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM match_openings") == [(5,)]
    for match in matches:
        assert (await stores.seeds.secrets(match)).seed != bytes(32)
    fresh = ClaimedOpening(new_uuid(again), Secrets(bytes(32), bytes(16)), "digest")
    assert await stores.seeds.claim(owner, "1", fresh, again) == fresh


async def test_a_key_that_is_used_again_opens_another_match(
    stores: PostgresStores, archive: PostgresArchive, clock: ManualClock
) -> None:
    """If the match that it was to open never began; also while retention has not come to it."""
    services = stores.node()
    ann, _ = await services.players.open_guest("Ann")
    for key, forgets in (("kept", False), ("forgotten", True)):
        number = new_uuid(clock.now())
        lost = ClaimedOpening(number, Secrets(bytes(32), bytes(16)), "what was asked with it then")
        await stores.seeds.claim(number_of("player", ann.id), key, lost, clock.now())
        clock.advance(OPENING_KEPT + timedelta(seconds=1))
        if forgets:
            await forgotten(archive, clock.now())
        _, listed = await services.openings.open(ann.id, proposal(), key)
        assert listed.id != match_id(number)
        assert (await services.openings.open(ann.id, proposal(), key))[1].id == listed.id


async def test_calls_for_quick_matches_are_forgotten(
    database: str, stores: PostgresStores, archive: PostgresArchive
) -> None:
    """Seven days after their match can have waited longest; where players were placed, after an hour."""
    player = PlayerId(written("player", new_uuid(BEGUN)))

    async def placed(key: str, fit: str, at: datetime) -> None:
        wish = Wish(player=player, key=key, digest="", fit=fit, game="mountains", seats=2, at=at)
        match = match_id(new_uuid(at))
        await stores.quick_matches.place(wish, match, without=(), only_open=False)
        await stores.quotas.note(Holding(player, QuotaKind.BOTS, match, at))

    for number in range(5):
        await placed(f"{number}", f"fit {number}", BEGUN)
    over = BEGUN + QUICK_MATCH_CALLS_KEPT + OPEN_FOR
    await placed("late", "late", over)
    await forgotten(archive, over)
    assert rows(database, "SELECT count(*) FROM quick_match_calls") == [(6,)]
    await forgotten(archive, over + timedelta(seconds=1))
    assert rows(database, "SELECT count(*) FROM quick_match_calls") == [(1,)]
    assert rows(database, "SELECT count(*) FROM quick_matches") == [(1,)]
    assert rows(database, "SELECT count(*) FROM quotas") == [(2,)]
    await forgotten(archive, over + timedelta(hours=1, seconds=1))
    assert rows(database, "SELECT count(*) FROM quick_matches") == [(0,)]


async def played(services: Services, stores: PostgresStores, ann: PlayerId, ben: PlayerId) -> MatchId:
    """Play a match of two with some talk, which one of them gives up."""
    options = GAMES["mountains"].options()
    _, opened = await services.openings.open(ann, proposal(game="mountains", options=options, seats=2), None)
    await services.lobby.take_seat(ben, opened.id, 1, "", None)
    for text in ("one", "two"):
        await services.chat.post(ann, opened.id, room=ChatRoom.PLAYERS, to_seat=None, text=text, key=None)
    await services.commands.submit(
        ben, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    stores.catch_up()
    return opened.id


def kinds(events: Sequence[PlayerEvent]) -> list[PlayerEventKind]:
    """Return what has happened, but for turns: who begins is drawn."""
    return [event.kind for event in events if event.kind is not PlayerEventKind.YOUR_TURN]


async def test_feeds_go_back_so_many_days(
    database: str, stores: PostgresStores, archive: PostgresArchive, clock: ManualClock
) -> None:
    """Items and talk; numbers go on, the oldest place is told, and no rebuilding brings anything back."""
    services = stores.node()
    (ann, _), (ben, _) = [await services.players.open_guest(name) for name in ("Ann", "Ben")]
    feed = services.player_feed
    await played(services, stores, ann.id, ben.id)
    before = await feed.page(ben.id, after=None, token=None, size=200)
    assert before.oldest == "0"
    assert [event.kind for event in before.items if event.message] == ["chat", "chat"]
    clock.advance(timedelta(days=1))
    await forgotten(archive, BEGUN + FEED)
    assert await feed.page(ben.id, after=None, token=None, size=200) == before

    # All that there is: a place in it is still one, and nothing is told twice.
    assert await forgotten(archive, BEGUN + FEED + timedelta(seconds=1)) > 1
    nothing = await feed.page(ben.id, after=None, token=None, size=200)
    assert (nothing.items, nothing.oldest) == ((), before.items[-1].position)
    for event in before.items:
        page = await feed.page(ben.id, after=event.position, token=None, size=200)
        assert (page.items, page.oldest) == ((), nothing.oldest)
        reading = await feed.watch(ben.id, after=event.position)
        (first,) = await reading.next()
        truncated = isinstance(first.item, PlayerTruncated)
        assert truncated == (event is not before.items[-1])
        assert not truncated or first.item == PlayerTruncated(nothing.oldest)
        reading.leave()
    live = await feed.watch(ben.id, after=None)
    assert not isinstance((await live.next())[0].item, PlayerTruncated)
    live.leave()

    await played(services, stores, ann.id, ben.id)
    after = await feed.page(ben.id, after="0", token=None, size=200)
    assert kinds(after.items) == kinds(before.items)
    last = max(int(event.position.partition(".")[0]) for event in before.items)
    assert int(after.items[0].position.partition(".")[0]) == last + 1
    reading = await feed.watch(ben.id, after=before.items[0].position)
    told = list(await reading.next())
    while len(told) < 1 + len(after.items):
        told += await reading.next()
    assert [one.item for one in told] == [
        PlayerTruncated(after.oldest),
        *(PlayerEventItem(event) for event in after.items),
    ]
    reading.leave()

    # Some of what is kept now, in the midst of a feed.
    clock.advance(timedelta(days=1))
    model = PlayerFeedModel()
    datastore = Datastore(database, 4)
    for _ in range(2):
        with Rebuild(dict(GAMES), datastore, model) as rebuild:
            while rebuild.advance():
                pass
            rebuilt = rebuild.finish()
        assert (rebuilt.removed, rebuilt.added) == (0, 0)
        assert await feed.page(ben.id, after="0", token=None, size=200) == after
    datastore.close()
    stores.catch_up()
    assert rows(database, "SELECT count(*) FROM chat_messages") == [(4,)]


async def test_retention_takes_breath_between_batches(stores: PostgresStores, clock: ManualClock) -> None:
    """While there is more the pause is short, else long."""
    services = stores.node()
    _, secret = await services.players.open_guest("Ann")
    identity = await services.players.authenticate(secret, Scope.PLAY)
    await services.players.make_token(identity, (Scope.READ,), BEGUN + timedelta(hours=1))
    clock.advance(timedelta(days=30))
    archive = PostgresArchive(stores.datastore, feed=FEED, open_for=OPEN_FOR)
    assert await Retention(archive, clock).step() == EVERY
    assert BREATH < EVERY


async def test_nothing_is_forgotten_of_the_longest_times_that_can_be_set(stores: PostgresStores) -> None:
    """A hundred years ago there was nothing, and it can be said all the same."""
    long = timedelta(days=LONGEST_DAYS)
    archive = PostgresArchive(stores.datastore, feed=long, open_for=long)
    assert not await archive.forget(stores.clock.now(), 3)
    assert await stores.webhooks.purge(stores.clock.now() - long, 10) == 0
    keeper = Timekeeper(stores.node().decisions, stores.agenda, stores.clock, long)
    assert (await keeper.step()).total_seconds() > 0
