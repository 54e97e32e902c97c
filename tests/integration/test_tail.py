"""Commits of any process are heard of by all, whatever happens to the connection that listens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import psycopg
import pytest

from adapters.postgres.log import tail as tails
from adapters.postgres.log.tail import Followed, Tail
from services.shared.ids import MatchId, match_id

INSERT = "SELECT append_match_events(%s::uuid[], %s::bigint[], %s::text[], %s::bytea[], %s::int[])"


class Ear:
    """What a tail tells."""

    def __init__(self) -> None:
        """Have heard nothing yet."""
        self.heard: dict[MatchId, int] = {}
        self._news = asyncio.Event()

    def hear(self, match: MatchId, version: int) -> None:
        """Take in that a match has reached a version."""
        self.heard[match] = version
        self._news.set()

    async def until(self, match: UUID, version: int, seconds: float) -> None:
        """Wait until a match is known to have reached a version; fail if it takes too long."""
        async with asyncio.timeout(seconds):
            while self.heard.get(match_id(match)) != version:
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def following(database: str, own: int | None = None) -> AsyncIterator[Ear]:
    """Give what a running tail tells."""
    ear = Ear()
    tail = Tail(database, Followed(ear.hear, own=lambda: own))
    await tail.start()
    try:
        yield ear
    finally:
        await tail.stop()


def commit(connection: psycopg.Connection[tuple[object, ...]], match: UUID, version: int) -> None:
    """Commit one event, as another process does."""
    connection.execute(INSERT, ([match], [version], ["test"], [b"{}"], [1]))
    connection.commit()


async def test_what_another_process_commits_is_heard_at_once(database: str) -> None:
    """Well before the next poll: the NOTIFY of the commit wakes the tail."""
    match = uuid4()
    async with following(database) as ear:
        with psycopg.connect(database) as connection:
            for version in (1, 2, 3):
                commit(connection, match, version)
                await ear.until(match, version, tails.POLL * 0.9)


async def test_without_a_notify_the_log_is_read_all_the_same(database: str) -> None:
    """A NOTIFY is only a hint: a commit without one is heard of at the next poll."""
    match = uuid4()
    async with following(database) as ear:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO match_events (originator_id, originator_version, topic, state)"
                " VALUES (%s, 1, 't', '')",
                (match,),
            )
        await ear.until(match, 1, 5 * tails.POLL)


async def test_own_commits_do_not_make_it_read(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process has committed itself it knows already; only the poll reads it again."""
    monkeypatch.setattr(tails, "POLL", 1e6)
    own, other = uuid4(), uuid4()
    with psycopg.connect(database) as ours, psycopg.connect(database) as theirs:
        async with following(database, ours.info.backend_pid) as ear:
            commit(theirs, other, 1)
            await ear.until(other, 1, 5)
            commit(ours, own, 1)
            await asyncio.sleep(0.2)
            assert ear.heard == {match_id(other): 1}
            commit(theirs, other, 2)
            await ear.until(other, 2, 5)
            assert ear.heard == {match_id(own): 1, match_id(other): 2}


async def test_only_what_is_new_is_told(database: str) -> None:
    """A tail begins at the end of the log, and tells each version once."""
    old, new = uuid4(), uuid4()
    with psycopg.connect(database) as connection:
        commit(connection, old, 1)
        async with following(database) as ear:
            commit(connection, new, 1)
            await ear.until(new, 1, 5)
            assert match_id(old) not in ear.heard


async def test_a_terminated_connection_is_made_again(database: str) -> None:
    """The server ends the listening connection: what is committed then is heard of within 2 seconds."""
    match = uuid4()
    async with following(database) as ear:
        with psycopg.connect(database, autocommit=True) as connection:
            commit(connection, match, 1)
            await ear.until(match, 1, 5)
            for version in (2, 3, 4):
                killed = connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE pid <> pg_backend_pid() AND datname = current_database()"
                ).fetchall()
                assert killed == [(True,)]
                commit(connection, match, version)
                await ear.until(match, version, 2)


async def test_a_long_log_is_read_in_pages(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much was committed meanwhile, each match's latest version is told."""
    monkeypatch.setattr(tails, "PAGE", 3)
    matches = [uuid4() for _ in range(10)]
    async with following(database) as ear:
        with psycopg.connect(database) as connection:
            for match in matches:
                commit(connection, match, 1)
                commit(connection, match, 2)
        for match in matches:
            await ear.until(match, 2, 5)
