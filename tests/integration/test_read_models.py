"""Read models follow the log: every event once, in order, anyone who follows it and whatever fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from psycopg import Cursor

from adapters.event_store.mapper import tag
from adapters.postgres.connection.datastore import Datastore, hold
from adapters.postgres.log import ends as log_ends
from adapters.postgres.log.ends import LogEnds
from adapters.postgres.read_models.catch_up import LOCK, ReadModels
from adapters.postgres.read_models.model import Happened, ReadModel
from domain.games import GAMES
from domain.match import Finished, MatchStatus, Opened, PlayerId, Resign, SeatTaken, Started
from services.matches.decisions import as_given
from tests.support.stores.use_cases import PostgresStores, postgres_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")


class Written:
    """A read model that writes down what it is told."""

    topics = frozenset(tag(event) for event in (Opened, SeatTaken, Started, Finished))
    turns = False
    starts = None

    def __init__(self, name: str) -> None:
        """Take its name, which is that of its table too."""
        self.name = name
        self.tables = (name,)
        self.broken = False

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write each event down; if broken, fail after the first."""
        for one in batch:
            cursor.execute(
                f"INSERT INTO {self.name} VALUES (%s, %s, %s, %s)",  # noqa: S608 - a name of this test
                (one.position, one.number, one.topic, one.match.status),
            )
            if self.broken:
                raise ValueError(f"{self.name} is broken")


@pytest.fixture
def datastore(database: str) -> Iterator[Datastore]:
    """Connections to a database with the tables `first` and `second`."""
    with psycopg.connect(database) as connection:
        for table in ("first", "second"):
            connection.execute(
                f"CREATE TABLE {table} (position bigint PRIMARY KEY, match uuid, topic text, phase text)"
            )
    datastore = Datastore(database, 4)
    yield datastore
    datastore.close()


@pytest.fixture
async def stores(database: str) -> AsyncIterator[PostgresStores]:
    """The stores of the same database."""
    async with postgres_stores(database) as stores:
        yield stores


def following(datastore: Datastore, *models: ReadModel, batch: int = 500) -> ReadModels:
    """Return what one more process follows the log with."""
    return ReadModels(dict(GAMES), datastore, models, batch=batch)


def up(read_models: ReadModels) -> None:
    """Bring read models up to the log."""
    while read_models.catch_up():
        pass


async def play(stores: PostgresStores, matches: int) -> None:
    """Open matches and resign each."""
    node = stores.node()
    for _ in range(matches):
        _, opened = await node.openings.open(ANN, proposal(), None)
        await node.commands.submit(
            ANN, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
        )


async def rows(datastore: Datastore, table: str) -> list[tuple[Any, ...]]:
    """Return what was written down."""
    found = await datastore.execute(f"SELECT * FROM {table} ORDER BY position")  # noqa: S608
    return [tuple(row.values()) for row in found]


async def all_events(datastore: Datastore) -> list[tuple[Any, ...]]:
    """Return the events that `Written` is notified of, as the log has them."""
    found = await datastore.execute(
        "SELECT notification_id, originator_id, topic FROM match_events WHERE topic = ANY(%s) ORDER BY 1",
        (list(Written.topics),),
    )
    return [tuple(row.values()) for row in found]


async def test_each_is_told_of_every_event_once_and_in_order(
    datastore: Datastore, stores: PostgresStores
) -> None:
    """Whatever the batches, each event of its topics comes with the match after it."""
    first = Written("first")
    read_models = following(datastore, first, batch=3)
    for _ in range(3):
        await play(stores, 2)
        up(read_models)
    written = await rows(datastore, "first")
    assert [row[:3] for row in written] == await all_events(datastore)
    phases = [MatchStatus.OPEN, MatchStatus.OPEN, MatchStatus.PLAYING, MatchStatus.FINISHED]
    assert [row[3] for row in written] == phases * 6


async def test_one_that_comes_later_catches_up_by_itself(
    datastore: Datastore, stores: PostgresStores
) -> None:
    """A new read model begins with the log, and the one that was there goes on meanwhile."""
    await play(stores, 3)
    up(following(datastore, Written("first")))
    await play(stores, 1)
    both = following(datastore, Written("first"), Written("second"), batch=5)
    assert both.catch_up()
    assert len(await rows(datastore, "first")) == 16
    assert len(await rows(datastore, "second")) < 16
    up(both)
    assert await rows(datastore, "second") == await rows(datastore, "first")
    assert len(set(both.positions().values())) == 1
    assert both.lags() == {"first": 0, "second": 0}


async def test_one_that_fails_holds_up_no_other(datastore: Datastore, stores: PostgresStores) -> None:
    """What it fails of is told once the others are up; nothing is lost or doubled when it works again."""
    first, second = Written("first"), Written("second")
    read_models = following(datastore, first, second, batch=4)
    await play(stores, 1)
    up(read_models)
    first.broken = True
    await play(stores, 2)
    with pytest.raises(ValueError, match="first is broken"):
        up(read_models)
    assert len(await rows(datastore, "first")) == 4
    assert len(await rows(datastore, "second")) == 12
    assert read_models.lags() == {"first": 8, "second": 0}
    first.broken = False
    up(read_models)
    assert await rows(datastore, "first") == await rows(datastore, "second")
    assert [row[:3] for row in await rows(datastore, "first")] == await all_events(datastore)


async def test_processes_take_turns(datastore: Datastore, stores: PostgresStores) -> None:
    """Two processes that follow the same log write no event twice, and know what came in between."""
    one, other = (following(datastore, Written("first"), batch=3) for _ in range(2))
    node = stores.node()
    for _ in range(2):
        _, opened = await node.openings.open(ANN, proposal(), None)
        up(one)
        await node.commands.submit(
            ANN, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
        )
        up(other)
    await play(stores, 5)
    await asyncio.gather(*(asyncio.to_thread(up, process) for process in (one, other)))
    up(one)
    written = await rows(datastore, "first")
    assert [row[:3] for row in written] == await all_events(datastore)
    phases = [MatchStatus.OPEN, MatchStatus.OPEN, MatchStatus.PLAYING, MatchStatus.FINISHED]
    assert [row[3] for row in written] == phases * 7


async def test_what_another_process_does_is_left_to_it(
    database: str, datastore: Datastore, stores: PostgresStores
) -> None:
    """While another process takes a batch in, nothing is done and nobody waits."""
    await play(stores, 1)
    read_models = following(datastore, Written("first"))
    with psycopg.connect(database) as connection:
        hold(connection.cursor(), LOCK)
        assert not read_models.catch_up()
        assert await rows(datastore, "first") == []
    up(read_models)
    assert len(await rows(datastore, "first")) == 4


async def test_it_is_known_whether_the_log_has_grown(
    datastore: Datastore, stores: PostgresStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that what another process was taking in may still be to be taken in."""
    monkeypatch.setattr(log_ends, "FRESH", 0.0)
    models, ends = following(datastore, Written("first")), LogEnds(datastore)
    assert models.grown(ends.read().events)
    up(models)
    assert not models.grown(ends.read().events)
    await play(stores, 1)
    assert models.grown(ends.read().events)
    up(models)
    assert not models.grown(ends.read().events)
    await play(stores, 1)
    assert models.grown(ends.read().events)
    with datastore.transaction() as cursor:
        hold(cursor, LOCK)
        up(models)
    assert models.grown(ends.read().events)
    up(models)
    assert not models.grown(ends.read().events)
    models.forget()
    assert models.grown(ends.read().events)


async def test_where_the_logs_end_is_read_once_for_all_who_ask(
    datastore: Datastore, stores: PostgresStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is given is a moment old at most."""
    monkeypatch.setattr(log_ends, "FRESH", 1e6)
    ends = LogEnds(datastore)
    before = ends.read()
    await play(stores, 1)
    assert ends.read() == before
    monkeypatch.setattr(log_ends, "FRESH", 0.0)
    assert LogEnds(datastore).read().events > before.events
