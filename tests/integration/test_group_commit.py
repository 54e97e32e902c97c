"""The write path in PostgreSQL: order, conflicts, atomicity, back-pressure, lost connections."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent
from psycopg.conninfo import make_conninfo

from adapters.postgres.log import group_commit
from adapters.postgres.log.group_commit import BATCH, GroupCommit
from adapters.postgres.log.wire import Wire
from services.matches.store import VersionTaken
from services.shared.errors import Unavailable
from tests.support.faces.server import eventually, free_port
from tests.support.stores.database import end_sessions, log_locked
from tests.support.stores.relay import relay

QUEUE = 10_000


@pytest.fixture
async def commits(database: str) -> AsyncIterator[GroupCommit]:
    """A group commit on a database of the test's own."""
    commits = GroupCommit(database, QUEUE)
    yield commits
    await commits.close()


def events(match: UUID, *versions: int) -> list[StoredEvent]:
    """Return events of a match."""
    return [StoredEvent(match, version, "test", b"%d" % version) for version in versions]


def stored(database: str) -> dict[UUID, list[int]]:
    """Return the versions that the log has of each match, in the order of the log."""
    found: dict[UUID, list[int]] = {}
    with psycopg.connect(database) as connection:
        query = "SELECT originator_id, originator_version FROM match_events ORDER BY notification_id"
        for match, version in connection.execute(query).fetchall():
            found.setdefault(match, []).append(version)
    return found


async def outcomes(commits: GroupCommit, *commands: list[StoredEvent]) -> list[type[BaseException] | None]:
    """Return how commands that are given at the same moment end."""
    answers = await asyncio.gather(*(commits.append(one) for one in commands), return_exceptions=True)
    return [None if answer is None else type(answer) for answer in answers]


async def test_commands_of_one_moment_share_a_commit(commits: GroupCommit, database: str) -> None:
    """All are stored, in the order in which they were given, by a few transactions."""
    matches = [uuid4() for _ in range(BATCH + 100)]
    assert set(await outcomes(commits, *(events(match, 1, 2) for match in matches))) == {None}
    assert stored(database) == {match: [1, 2] for match in matches}
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(DISTINCT xmin::text) FROM match_events").fetchone()
    assert row is not None
    assert row[0] <= 3


async def test_the_taken_are_refused_and_the_others_stored(commits: GroupCommit, database: str) -> None:
    """In one batch exactly the commands whose version exists are refused, each as a whole."""
    old, fresh, twice = uuid4(), uuid4(), uuid4()
    await commits.append(events(old, 1, 2))
    given = (events(old, 2, 3), events(fresh, 1), events(old, 3, 4), events(twice, 1), events(twice, 1, 2))
    assert await outcomes(commits, *given) == [VersionTaken, None, None, None, VersionTaken]
    assert await outcomes(commits, events(old, 4, 5)) == [VersionTaken]
    assert await outcomes(commits, events(old, 5)) == [None]
    assert stored(database) == {old: [1, 2, 3, 4, 5], fresh: [1], twice: [1]}


async def test_a_hole_is_refused_and_the_others_stored(commits: GroupCommit, database: str) -> None:
    """Alone and in a batch a command is refused that does not follow what is stored of its match directly."""
    here, there, fresh = uuid4(), uuid4(), uuid4()
    await commits.append(events(here, 1, 2))
    assert await outcomes(commits, events(here, 4)) == [VersionTaken]
    assert await outcomes(commits, events(there, 2)) == [VersionTaken]
    given = (events(here, 3), events(there, 2, 3), events(here, 4, 5), events(fresh, 1), events(here, 7))
    assert await outcomes(commits, *given) == [None, VersionTaken, None, None, VersionTaken]
    assert await outcomes(commits, events(here, 6), events(fresh, 2)) == [None, None]
    assert stored(database) == {here: [1, 2, 3, 4, 5, 6], fresh: [1, 2]}


async def test_a_batch_reads_no_more_of_a_log_that_has_grown(database: str) -> None:
    """What was planned while the log was empty still finds conflicts by the index when it is long."""
    commits = GroupCommit(database, QUEUE)
    taken = uuid4()
    await commits.append(events(taken, 1))

    async def batches() -> None:
        for _ in range(10):
            answers = await outcomes(commits, *(events(uuid4(), 1) for _ in range(127)), events(taken, 1))
            assert answers == [None] * 127 + [VersionTaken]

    await batches()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO match_events (originator_id, originator_version, topic, state)"
            " SELECT gen_random_uuid(), 1, 'test', 'x' FROM generate_series(1, 50000)"
        )
    await batches()
    await commits.close()
    with psycopg.connect(database, autocommit=True) as connection:

        def rows_read() -> int:
            query = "SELECT seq_tup_read, n_tup_ins FROM pg_stat_user_tables WHERE relname = 'match_events'"
            row = connection.execute(query).fetchone()
            assert row is not None
            # The statistics of a session are there when it has ended.
            return int(row[0]) + 1 if row[1] > 52_000 else 0

        assert await asyncio.to_thread(eventually, rows_read) < 50_000


async def test_two_processes_share_the_matches(commits: GroupCommit, database: str) -> None:
    """Two group commits that hammer the same matches: every version is stored once, none is skipped."""
    other = GroupCommit(database, QUEUE)
    matches = [uuid4() for _ in range(8)]

    async def play(own: GroupCommit, match: UUID) -> list[int]:
        version, won = 1, []
        while version <= 40:
            try:
                await own.append(events(match, version))
                won.append(version)
            except VersionTaken:
                pass
            version += 1
        return won

    won = await asyncio.gather(*(play(own, match) for match in matches for own in (commits, other)))
    await other.close()
    assert stored(database) == {match: list(range(1, 41)) for match in matches}
    assert sum(map(len, won)) == 8 * 40


async def test_a_full_queue_refuses_at_once(database: str) -> None:
    """Beyond the bound commands are told to come again, and those accepted are stored."""
    commits = GroupCommit(database, 10)
    matches = [uuid4() for _ in range(30)]
    answers = await outcomes(commits, *(events(match, 1) for match in matches))
    assert answers == [None] * 10 + [Unavailable] * 20
    assert set(stored(database)) == set(matches[:10])
    await commits.append(events(matches[20], 1))
    await commits.close()


async def test_closing_finishes_what_was_accepted(database: str) -> None:
    """What waits when the service stops is stored before it does."""
    commits = GroupCommit(database, QUEUE)
    matches = [uuid4() for _ in range(200)]
    given = [asyncio.create_task(commits.append(events(match, 1))) for match in matches]
    await asyncio.sleep(0)
    await commits.close()
    await asyncio.gather(*given)
    assert set(stored(database)) == set(matches)


async def test_a_closed_one_accepts_nothing(commits: GroupCommit, database: str) -> None:
    """After the closing, and while what was accepted is finished, commands are told to come again."""
    early, late = uuid4(), uuid4()
    accepted = asyncio.create_task(outcomes(commits, events(early, 1)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(commits.close())
    await asyncio.sleep(0)
    assert await outcomes(commits, events(late, 1)) == [Unavailable]
    await closing
    assert await outcomes(commits, events(late, 1)) == [Unavailable]
    assert await accepted == [None]
    assert not commits.connected
    assert set(stored(database)) == {early}


async def test_a_caller_that_goes_away_leaves_its_command(commits: GroupCommit, database: str) -> None:
    """A command that was accepted is stored although nobody waits for it; others are not disturbed."""
    gone, stays = uuid4(), uuid4()
    leaving = asyncio.create_task(commits.append(events(gone, 1)))
    await asyncio.sleep(0)
    leaving.cancel()
    await commits.append(events(stays, 1))
    assert stored(database) == {gone: [1], stays: [1]}


async def test_a_lost_answer_is_told_and_the_command_is_there(database: str) -> None:
    """When the connection ends between commit and answer the outcome is unknown; the same again tells it."""
    async with relay(database) as (conninfo, wires):
        commits = GroupCommit(conninfo, QUEUE)
        await commits.append(events(uuid4(), 1))
        match = uuid4()
        wires.answers.clear()
        waiting = asyncio.create_task(outcomes(commits, events(match, 1)))
        await asyncio.to_thread(eventually, lambda: match in stored(database))
        await asyncio.to_thread(end_sessions, database)
        wires.drop()
        assert await waiting == [Unavailable]
        wires.answers.set()
        assert await outcomes(commits, events(match, 1), events(match, 2)) == [VersionTaken, None]
        await commits.close()


async def test_a_session_that_ends_idle_is_replaced_unnoticed(commits: GroupCommit, database: str) -> None:
    """A connection lost while nothing is under way is noticed at once, and no command fails for it."""
    await commits.append(events(uuid4(), 1))
    await asyncio.to_thread(end_sessions, database)
    await asyncio.to_thread(eventually, lambda: not commits.connected)
    await commits.append(events(uuid4(), 1))


async def test_a_lost_connection_lets_go_of_its_descriptor(database: str) -> None:
    """Closing a connection that was lost before leaves alone what has its descriptor's number by then."""
    wire = await Wire.connect(database, "SELECT 1", ())
    number = wire.descriptor
    near, far = socket.socketpair()
    await asyncio.to_thread(end_sessions, database)
    await asyncio.to_thread(eventually, lambda: wire.closed)
    os.dup2(near.fileno(), number)
    heard = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(number, heard.set)
    wire.close()
    far.send(b"x")
    async with asyncio.timeout(5):
        await heard.wait()
    loop.remove_reader(number)
    os.close(number)
    near.close()
    far.close()


async def test_a_server_that_says_nothing_is_given_up_in_time(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the network is cut without a word commands are told in time, and writing goes on after."""
    monkeypatch.setattr(group_commit, "ANSWER_SECONDS", 1)
    async with relay(database) as (conninfo, wires):
        commits = GroupCommit(conninfo, QUEUE)
        await commits.append(events(uuid4(), 1))
        wires.cut()
        begun = time.monotonic()
        assert await outcomes(commits, events(uuid4(), 1)) == [Unavailable]
        assert time.monotonic() - begun < 2
        wires.heal()
        await commits.append(events(uuid4(), 1))
        await commits.close()


async def test_a_batch_larger_than_the_sockets_buffer_is_sent(commits: GroupCommit, database: str) -> None:
    """What the socket does not take at once is sent as it takes it."""
    match = uuid4()
    state = bytes(5_000_000)
    await commits.append([StoredEvent(match, 1, "test", state)])
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT state FROM match_events").fetchone()
    assert row == (state,)


async def test_no_server_is_told_soon() -> None:
    """Without a server commands fail as unavailable within seconds."""
    commits = GroupCommit(f"postgresql://127.0.0.1:{free_port()}/none", QUEUE)
    async with asyncio.timeout(10):
        assert await outcomes(commits, events(uuid4(), 1)) == [Unavailable]
    await commits.close()


async def test_a_writer_that_holds_the_lock_does_not_stop_us_for_ever(database: str) -> None:
    """`lock_timeout` ends the wait for a lock that nobody gives back; then writing goes on."""
    commits = GroupCommit(make_conninfo(database, options="-c lock_timeout=200ms"), QUEUE)
    with log_locked(database):
        async with asyncio.timeout(5):
            assert await outcomes(commits, events(uuid4(), 1)) == [Unavailable]
    await commits.append(events(uuid4(), 1))
    await commits.close()
