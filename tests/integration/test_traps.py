"""The traps of the event-sourcing library in PostgreSQL: each with the library as it comes, then with ours.

1. Its function mode takes no lock, so a reader that moves forward misses events.
2. Its function is named after the type of ids, so two applications of one schema write into one table.
3. It makes its tables and functions at each start, which fails when processes start at once.
4. Its lock of the table waits for maintenance, and all writers with it.
5. A client that freezes between its lock and its commit freezes all writers.
6. Its cache without fast-forward keeps what another process has outdated.
7. Its cache does not move on with immutable aggregates, and folds the same events again and again.
8. Its subscription ends with its connection.
9. It writes synchronously: called in an event loop it stops all that the loop does.

Each test fails if ours is replaced by the library's way, which stands beside it.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread, Timer
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, DomainEvent
from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    InternalError,
    OperationalError,
    StoredEvent,
)
from eventsourcing.popo import POPOApplicationRecorder
from eventsourcing.postgres import PostgresApplicationRecorder
from msgspec import Struct

from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.group_commit import GroupCommit
from adapters.postgres.log.recorders import EVENTS, postgres_log
from adapters.postgres.migrate import migrate, migrations
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.read_models.registry import read_models
from domain.games import GAMES
from domain.games.montana import GAME
from domain.games.montana.commands import MoveCard
from domain.match import PlayerId
from services.matches.decisions import as_given
from tests.support.faces.server import eventually
from tests.support.games.montana import ENDLESS, WALK
from tests.support.stores.appending import writer
from tests.support.stores.database import Databases, end_sessions
from tests.support.stores.use_cases import memory_stores, postgres_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")
OUR_FUNCTION = "SELECT append_match_events(%s::uuid[], %s::bigint[], %s::text[], %s::bytea[], %s::int[])"
ITS_FUNCTION = "SELECT es_insert_events_uuid(ARRAY[(%s, 1, 'test', 'x')]::stored_event_uuid[])"


@pytest.fixture
def datastore(database: str) -> Iterator[Datastore]:
    """Connections to a database of the test's own."""
    datastore = Datastore(database, 4)
    yield datastore
    datastore.close()


def event(match: UUID | None = None, version: int = 1) -> StoredEvent:
    """Return an event, of a match of its own if none is given."""
    return StoredEvent(match or uuid4(), version, "test", b"{}")


def its_recorder(datastore: Datastore, table: str = EVENTS, *, function: bool = False) -> Any:
    """Return the library's recorder on a table, which it makes if it is missing."""
    datastore.enable_db_functions = function
    recorder = PostgresApplicationRecorder(datastore, events_table_name=table)
    recorder.create_table()
    return recorder


def numbers(log: ApplicationRecorder, behind: int) -> list[tuple[int, object]]:
    """Return id and match of each event after an id."""
    found = log.select_notifications(behind, 100, inclusive_of_start=False)
    return [(one.id, one.originator_id) for one in found]


def waiting(database: str) -> int:
    """Return how many sessions of the database wait for another."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(database) as connection:
        return len(connection.execute(query).fetchall())


def begun(database: str, work: Callable[[], object]) -> Future[object]:
    """Return what is done in a thread of its own, and waits for a lock by now."""
    future: Future[object] = Future()
    before = waiting(database)

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    eventually(lambda: waiting(database) > before or future.done())
    return future


def test_1_a_reader_that_moves_forward_misses_nothing(database: str, datastore: Datastore) -> None:
    """Who commits later has the later number, as who wants a number waits for those who have theirs."""
    slow, quick = uuid4(), uuid4()
    its = its_recorder(datastore, "its_events", function=True)
    with psycopg.connect(database) as connection:
        connection.execute(ITS_FUNCTION, (slow,))
        its.insert_events([event(quick)])
        assert numbers(its, 0) == [(2, quick)]
        connection.commit()
        assert numbers(its, 2) == []
        assert numbers(its, 0) == [(1, slow), (2, quick)]

    ours = postgres_log(datastore)
    with psycopg.connect(database) as connection:
        connection.execute(OUR_FUNCTION, ([slow], [1], ["test"], [b"{}"], [1]))
        writing = begun(database, lambda: ours.insert_events([event(quick)]))
        assert not writing.done()
        assert numbers(ours, 0) == []
        connection.commit()
    writing.result(10)
    assert numbers(ours, 0) == [(1, slow), (2, quick)]


def test_2_each_log_is_written_by_a_function_of_its_own(database: str, datastore: Datastore) -> None:
    """Another application of the library in the same schema takes none of our events, and we none of its."""
    here, there = uuid4(), uuid4()
    one = its_recorder(datastore, "one_events", function=True)
    other = its_recorder(datastore, "other_events", function=True)
    one.insert_events([event(here)])
    assert numbers(one, 0) == []
    assert numbers(other, 0) == [(1, here)]

    ours = postgres_log(datastore)
    ours.insert_events([event(there)])
    assert numbers(ours, 0) == [(1, there)]
    assert numbers(other, 0) == [(1, here)]


def test_3_processes_may_start_at_once(postgres_server: str, datastore: Datastore, database: str) -> None:
    """The tables are made in one place under a lock, and starting makes nothing."""
    its = its_recorder(datastore, "its_events")
    with psycopg.connect(database) as connection:
        connection.execute(its.sql_create_pg_function_insert_events)
        starting = begun(database, its.create_table)
        connection.commit()
    with pytest.raises(InternalError, match="concurrently updated"):
        starting.result(10)

    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as empty, ThreadPoolExecutor(8) as threads:
        applied = list(threads.map(migrate, [empty] * 8))
    databases.close()
    assert sorted(applied) == [[]] * 7 + [[name for name, _ in migrations()]]


def test_4_maintenance_stops_no_writer(database: str, datastore: Datastore) -> None:
    """While an index is built, which may take long, ours are committed; the library's wait for its end."""
    ours, its = postgres_log(datastore), its_recorder(datastore)
    ours.insert_events([event()])
    build = "CREATE INDEX CONCURRENTLY spare ON match_events (topic)"
    with psycopg.connect(database) as reading, psycopg.connect(database, autocommit=True) as building:
        # What has begun to read before is waited for, so the index is not finished before we say so.
        reading.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reading.execute("SELECT count(*) FROM match_events")
        index = begun(database, lambda: building.execute(build))
        for _ in range(20):
            ours.insert_events([event()])
        writing = begun(database, lambda: its.insert_events([event()]))
        assert not index.done()
        assert not writing.done()
        reading.commit()
        index.result(10)
        writing.result(10)
    assert len(numbers(ours, 0)) == 22


FREEZING = f"""
import os, signal, sys
from uuid import uuid4
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from adapters.postgres.connection.datastore import Datastore

class Freezing(PostgresApplicationRecorder):
    def _fetch_ids_after_insert_events(self, *arguments, **kwargs):
        os.kill(os.getpid(), signal.SIGSTOP)
        return super()._fetch_ids_after_insert_events(*arguments, **kwargs)

datastore = Datastore(sys.argv[1], 1)
recorder = Freezing(datastore, events_table_name="{EVENTS}")
recorder.insert_events([StoredEvent(uuid4(), 1, "test", b"")])
datastore.close()
"""


def test_5_a_frozen_client_freezes_nobody(database: str, datastore: Datastore) -> None:
    """Wherever a writing process is stopped, others write on: the server needs it no more."""
    its = its_recorder(datastore)
    frozen = subprocess.Popen([sys.executable, "-c", FREEZING, database])
    os.waitid(os.P_PID, frozen.pid, os.WSTOPPED | os.WNOWAIT)
    writing = begun(database, lambda: its.insert_events([event()]))
    assert not writing.done()
    os.kill(frozen.pid, signal.SIGCONT)
    writing.result(10)
    assert frozen.wait() == 0

    ours = postgres_log(datastore)
    process = writer(database, 20, 100_000)
    eventually(lambda: len(numbers(ours, 2)) > 20)
    for _ in range(20):
        os.kill(process.pid, signal.SIGSTOP)
        assert ours.insert_events([event()])
        os.kill(process.pid, signal.SIGCONT)
        assert ours.insert_events([event()])
    process.kill()
    process.communicate()


class Cached(Application[UUID]):
    """An application of the library, one process of several that share a log."""

    def __init__(self, log: ApplicationRecorder, **env: str) -> None:
        """Take the log, and settings."""
        self._log = log
        super().__init__({"AGGREGATE_CACHE_MAXSIZE": "10", **env})

    def construct_recorder(self) -> ApplicationRecorder:
        """Return the log."""
        return self._log


async def test_6_what_another_process_has_outdated_is_refreshed(database: str) -> None:
    """A process that remembers a match of an older version carries out its command all the same."""
    log = POPOApplicationRecorder()
    one, other = (Cached(log, AGGREGATE_CACHE_FASTFORWARD="n") for _ in range(2))
    aggregate = Aggregate()
    one.save(aggregate)
    other.repository.get(aggregate.id)
    aggregate.trigger_event(Aggregate.Event)
    one.save(aggregate)
    for _ in range(5):
        stale: Aggregate = other.repository.get(aggregate.id)
        stale.trigger_event(Aggregate.Event)
        with pytest.raises(IntegrityError):
            other.save(stale)

    async with postgres_stores(database) as stores:
        here, there = stores.node(), stores.node()
        _, opened = await here.openings.open(ANN, proposal(), None)
        await there.queries.read(opened.id, ANN)
        for node, move, version in ((here, MoveCard("9H"), 5), (there, MoveCard("7C", 1, 3), 6)):
            answer = await node.commands.submit(
                ANN, opened.id, as_given(move), key=None, expected_version=None, validate_only=False
            )
            assert answer.version == version


class Counted(Struct, frozen=True):
    """An immutable aggregate."""

    id: UUID
    version: int


async def test_7_no_event_is_folded_twice() -> None:
    """A hundred commands fold a hundred events, whether the match is played here or followed."""
    folded = 0

    def project(before: Counted | None, events: Iterable[DomainEvent]) -> Counted | None:
        nonlocal folded
        for one in events:
            folded += 1
            before = Counted(one.originator_id, one.originator_version)
        return before

    its, number = Cached(POPOApplicationRecorder()), uuid4()
    its.save(DomainEvent(number, 1, DomainEvent.create_timestamp()))
    for _ in range(100):
        counted: Counted = its.repository.get(number, projector_func=project)
        its.save(DomainEvent(number, counted.version + 1, DomainEvent.create_timestamp()))
    assert folded > 4_900

    def evolve(state: Any, happened: Any) -> Any:
        nonlocal folded
        folded += 1
        return GAME.evolve(state, happened)

    stores = memory_stores()
    games = {**GAMES, "montana": msgspec.structs.replace(GAME, evolve=evolve)}
    playing, following = stores.node(games=games), stores.node(games=games)
    _, opened = await playing.openings.open(ANN, proposal(options=GAME.options(deal=ENDLESS)), None)
    await following.queries.read(opened.id, ANN)
    folded = 0
    for _ in range(100):
        await playing.commands.submit(
            ANN, opened.id, as_given(WALK), key=None, expected_version=None, validate_only=False
        )
        await following.queries.view(opened.id, ANN, version=None, looking_as=None)
    assert folded == 2 * 100


async def test_8_a_lost_connection_ends_no_read_model(database: str, datastore: Datastore) -> None:
    """When the server ends the connection that listens, the list shows within 2 seconds what comes then."""
    log = postgres_log(datastore)
    subscription = log.subscribe()
    eventually(lambda: listens(database))
    end_sessions(database)
    with pytest.raises(OperationalError), subscription:
        next(subscription)

    follower = Follower(ReadModels(dict(GAMES), datastore, read_models()).catch_up)
    follower.start()
    async with postgres_stores(database) as stores:
        for _ in range(3):
            end_sessions(database)
            _, opened = await stores.node().openings.open(ANN, proposal(), None)
            number = uuid_of(opened.id)
            await asyncio.to_thread(eventually, lambda: number in listed(database), 2)  # noqa: B023
    await asyncio.to_thread(follower.stop)


def listens(database: str) -> bool:
    """Return whether a session waits for notices."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    with psycopg.connect(database) as connection:
        return bool(connection.execute(query).fetchall())


def listed(database: str) -> set[UUID]:
    """Return the matches that the list shows."""
    with psycopg.connect(database) as connection:
        return {match for (match,) in connection.execute("SELECT match_id FROM match_list")}


async def longest_standstill(work: Awaitable[object]) -> float:
    """Return for how many seconds at most the event loop did nothing else while it did this."""
    longest, last = 0.0, time.monotonic()

    async def tick() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.005)
            now = time.monotonic()
            longest, last = max(longest, now - last), now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.05)
    await work
    await asyncio.sleep(0.05)
    ticking.cancel()
    return longest


async def test_9_writing_does_not_stop_the_event_loop(database: str, datastore: Datastore) -> None:
    """However long a commit or a read takes, the loop goes on answering others."""
    log = postgres_log(datastore)
    commits = GroupCommit(database, 1_000)

    async def blocking() -> None:
        log.insert_events([event()])

    async def held_up(write: Callable[[], Awaitable[object]]) -> float:
        with psycopg.connect(database) as connection:
            connection.execute("LOCK TABLE match_events IN ACCESS EXCLUSIVE MODE")
            Timer(1.5, connection.commit).start()
            return await longest_standstill(write())

    assert await held_up(blocking) > 0.9
    assert await held_up(lambda: commits.append([event()])) < 0.5
    async with postgres_stores(database) as stores:
        assert await held_up(stores.store.answers) < 0.5
    await commits.close()
