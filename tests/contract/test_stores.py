"""What every store promises, in memory and in PostgreSQL alike."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec
import pytest

from adapters.event_store.mapper import SNAPSHOT_SCHEMA, EventMapper, LoggedEvent
from adapters.postgres.connection.datastore import Datastore
from domain.games import GAMES
from domain.games.montana.events import CardMoved, Dealt
from domain.match import Disclosure, Opened, PlayerId, SeatTaken, Started, Terms, Visibility, evolve
from domain.match.state import Holder, HolderKind
from domain.shared.seats import Seat
from services.matches.loaded import command_name
from services.matches.store import ClaimedOpening, Recorded, Secrets, Snapshot, StoredCommand, VersionTaken
from services.shared.errors import NotFound, Unavailable
from services.shared.ids import MatchId, match_id, new_uuid, written
from tests.support.faces.server import free_port
from tests.support.games.matches import LINK
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores

NOW = datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC)
ANN = PlayerId(written("player", new_uuid(NOW)))
BEN = PlayerId(written("player", new_uuid(NOW)))
MONTANA = GAMES["montana"]
TERMS = Terms(
    game="montana",
    ruleset="montana/1",
    options=MONTANA.options(redeals=3),
    seats=1,
    opener=ANN,
    visibility=Visibility.PUBLIC,
    disclosure=Disclosure.AT_END,
    seed_commitment="sha256:00",
)


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


def recorded(version: int, event: object, command: bytes | None = None) -> Recorded:
    """Return an event with an envelope."""
    return Recorded(
        version=version,
        at=NOW,
        seat=Seat(0) if version > 1 else None,
        key=f"key {version}",
        digest="d",
        command=command,
        event=event,
        link=LINK,
        by=ANN,
    )


OPENED = recorded(1, Opened(TERMS))
TAKEN = recorded(2, SeatTaken(Seat(0), Holder(ANN, HolderKind.HUMAN, "luck")))
MOVED = recorded(3, CardMoved("9H", 1, 3, 3, 8), b'{"type":"move_card","card":"9H"}')


def fresh() -> MatchId:
    """Return the id of a match that does not exist yet."""
    return match_id(new_uuid(NOW))


async def test_events_come_back_as_they_were_stored(stores: Stores) -> None:
    """Every part of the envelope and the event survives, in order."""
    match = fresh()
    await stores.store.append(match, [OPENED, TAKEN])
    await stores.store.append(match, [MOVED])
    assert await stores.store.read(match) == [OPENED, TAKEN, MOVED]
    assert await stores.store.read(match, 1) == [TAKEN, MOVED]
    assert await stores.store.read(match, 1, 2) == [TAKEN]
    assert await stores.store.read(fresh()) == []


async def test_a_version_is_taken_once(stores: Stores) -> None:
    """Of two commands that want the same version one is stored, and nothing of the other."""
    match = fresh()
    await stores.store.append(match, [OPENED])
    with pytest.raises(VersionTaken):
        await stores.store.append(match, [recorded(2, Started(Seat(0))), recorded(1, Opened(TERMS))])
    with pytest.raises(VersionTaken):
        await stores.store.append(match, [OPENED, TAKEN])
    assert await stores.store.read(match) == [OPENED]


async def test_a_version_follows_the_one_before(stores: Stores) -> None:
    """What would leave a hole is refused as a whole, and what follows directly is stored."""
    match, unknown = fresh(), fresh()
    await stores.store.append(match, [OPENED])
    for number, events in ((match, [MOVED]), (unknown, [TAKEN, MOVED])):
        with pytest.raises(VersionTaken):
            await stores.store.append(number, events)
    assert await stores.store.read(match) == [OPENED]
    assert await stores.store.read(unknown) == []
    await stores.store.append(match, [TAKEN, MOVED])
    assert await stores.store.read(match) == [OPENED, TAKEN, MOVED]


async def test_what_is_not_an_id_is_not_found(stores: Stores) -> None:
    """A text that is no match's id is refused like a match that does not exist."""
    for text in ("", "match_", "match_" + "z" * 26, "player_" + "0" * 26, "match_" + "0" * 25 + "é"):
        with pytest.raises(NotFound):
            await stores.store.read(MatchId(text))


async def test_the_latest_snapshot_that_fits_is_used(stores: Stores) -> None:
    """Snapshots are found by version; one whose shape is of another time is ignored."""
    match = fresh()
    folded = evolve(MONTANA, None, OPENED.event)
    done = (
        (command_name(None, "key 1"), StoredCommand(1, 1)),
        (command_name(ANN, "key 2"), StoredCommand(2, 2)),
    )
    early = Snapshot(version=10, match=folded, opened_at=NOW, head=LINK.hash, commands=3, done=done)
    late = msgspec.structs.replace(early, version=20)
    assert await stores.store.snapshot(match) is None
    await stores.store.keep_snapshot(match, early)
    await stores.store.keep_snapshot(match, late)
    await stores.store.keep_snapshot(match, late)
    assert await stores.store.snapshot(match) == late
    assert await stores.store.snapshot(match, 20) == late
    assert await stores.store.snapshot(match, 19) == early
    assert await stores.store.snapshot(match, 9) is None


async def test_two_snapshots_of_a_match_are_kept(stores: Stores) -> None:
    """Those before the newest two are forgotten, those of other matches are not."""
    match, other = fresh(), fresh()
    folded = evolve(MONTANA, None, OPENED.event)
    first = Snapshot(version=10, match=folded, opened_at=NOW, head=LINK.hash, commands=3, done=())
    await stores.store.keep_snapshot(other, first)
    for version in (10, 30, 40, 20, 50):
        await stores.store.keep_snapshot(match, msgspec.structs.replace(first, version=version))
    assert [
        kept and kept.version
        for kept in [await stores.store.snapshot(match, up_to) for up_to in (10, 20, 30, 39, 40, 49, 50)]
    ] == [None, None, None, None, 40, 40, 50]
    assert await stores.store.snapshot(other) == first


async def test_a_snapshot_of_another_shape_is_ignored(database: str) -> None:
    """What does not decode as today's shape is passed over, and the match is folded from its events."""
    async with postgres_stores(database) as stores:
        match = fresh()
        snapshot = Snapshot(
            version=9,
            match=evolve(MONTANA, None, OPENED.event),
            opened_at=NOW,
            head=LINK.hash,
            commands=3,
            done=(),
        )
        await stores.store.keep_snapshot(match, snapshot)
        datastore = Datastore(database, 1)
        await datastore.execute(
            "UPDATE match_snapshots SET state ="
            " convert_to(replace(convert_from(state, 'UTF8'), %s::text, %s::text), 'UTF8')",
            (f'"schema":{SNAPSHOT_SCHEMA}', f'"schema":{SNAPSHOT_SCHEMA + 1}'),
        )
        assert await stores.store.snapshot(match) is None
        await datastore.execute("UPDATE match_snapshots SET state = 'rubbish'")
        assert await stores.store.snapshot(match) is None
        datastore.close()


async def test_a_claimed_opening_stays(stores: Stores) -> None:
    """The first opening for an owner and key counts; another owner may use the same key."""
    ann, ben = uuid4(), uuid4()
    first = ClaimedOpening(uuid4(), Secrets(bytes(range(32)), bytes(16)), "first")
    assert await stores.seeds.claim(ann, "k", first, NOW) == first
    second = ClaimedOpening(uuid4(), Secrets(bytes(32), bytes(16)), "second")
    assert await stores.seeds.claim(ann, "k", second, NOW) == first
    other = ClaimedOpening(uuid4(), Secrets(bytes(32), bytes(16)), "other")
    assert await stores.seeds.claim(ben, "k", other, NOW) == other
    assert await stores.seeds.secrets(match_id(first.match)) == first.secrets


async def test_an_opening_that_never_began_is_given_up(stores: Stores) -> None:
    """Seven days after it was asked for last; of a match that has begun it stays for good."""
    begun, never = (
        ClaimedOpening(uuid4(), Secrets(bytes(32), bytes(16)), text) for text in ("begun", "never")
    )
    owner, later = uuid4(), ClaimedOpening(uuid4(), Secrets(bytes(32), bytes(16)), "later")
    await stores.seeds.claim(owner, "begun", begun, NOW)
    await stores.seeds.claim(owner, "never", never, NOW)
    await stores.store.append(match_id(begun.match), [OPENED])
    for days in (6, 12):
        at = NOW + timedelta(days=days)
        assert await stores.seeds.claim(owner, "never", later, at) == never
    at = NOW + timedelta(days=19, seconds=1)
    assert await stores.seeds.claim(owner, "never", later, at) == later
    assert await stores.seeds.claim(owner, "never", never, at) == later
    assert await stores.seeds.claim(owner, "begun", later, at + timedelta(days=900)) == begun


async def test_a_server_that_is_away_makes_the_store_unavailable(tmp_path: object) -> None:
    """Without its server every call says so, within some seconds, and nothing hangs."""
    datastore = Datastore(f"postgresql://127.0.0.1:{free_port()}/none", 1)
    with pytest.raises(Unavailable):
        await datastore.execute("SELECT 1")
    datastore.close()


def test_stored_names_are_written_out() -> None:
    """What is stored names its event by the text in its type's tag, not by where its class stands."""
    stored = EventMapper(dict(GAMES)).to_stored_event(LoggedEvent(uuid4(), MOVED))
    assert stored.topic == "montana.card_moved"
    assert msgspec.json.decode(stored.state) == {
        "schema": 1,
        "at": "2026-11-30T10:00:00.123456Z",
        "seat": 0,
        "key": "key 3",
        "digest": "d",
        "command": {"type": "move_card", "card": "9H"},
        "event": {
            "type": "montana.card_moved",
            "card": "9H",
            "from_row": 1,
            "from_column": 3,
            "row": 3,
            "column": 8,
        },
        "by": ANN,
        "previous": LINK.previous,
        "hash": LINK.hash,
        "commitments": [],
    }


def test_every_event_has_a_stored_name_of_its_own() -> None:
    """No two events of all games share a name, and each begins with its game's."""
    for game in GAMES.values():
        assert all(str(event.__struct_config__.tag).startswith(f"{game.id}.") for event in game.events)
    assert Dealt.__struct_config__.tag == "montana.dealt"
