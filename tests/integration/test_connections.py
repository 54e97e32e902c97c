"""Connections to PostgreSQL: nothing waits without a limit, and a standby counts as away."""

import asyncio
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event
from uuid import uuid4

import psycopg
import pytest
from eventsourcing.persistence import OperationalError, StoredEvent
from psycopg import sql
from psycopg.conninfo import make_conninfo

from adapters.postgres.connection import datastore as datastore_module
from adapters.postgres.connection.connections import CONNECT_SECONDS, PEER_SECONDS, Connection, limited
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import postgres_log
from domain.match import PlayerId, Started
from domain.shared.seats import Seat
from services.matches.store import ClaimedOpening, Recorded, Secrets
from services.players.store import Player, Scope, Token
from services.shared.errors import Unavailable
from services.shared.ids import TokenId, match_id, new_uuid, written
from tests.support.games.matches import LINK
from tests.support.stores.database import end_sessions, log_locked
from tests.support.stores.relay import relay
from tests.support.stores.use_cases import POOL, postgres_stores

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ANN = Player(
    id=PlayerId(written("player", new_uuid(NOW))),
    display_name="Ann",
    avatar_seed="ann",
    locale="en",
    created_at=NOW,
)
TOKEN = Token(
    id=TokenId(written("token", new_uuid(NOW))),
    player=ANN.id,
    scopes=(Scope.PLAY, Scope.READ),
    created_at=NOW,
    expires_at=None,
)
STARTED = Recorded(version=1, at=NOW, seat=None, key="k", digest="d", event=Started(Seat(0)), link=LINK)


async def unavailable_after(call: Callable[[], Awaitable[object]]) -> float:
    """Return after how many seconds a call says that the store is away."""
    begun = time.monotonic()
    with pytest.raises(Unavailable):
        await call()
    return time.monotonic() - begun


async def test_every_session_has_limits_unless_it_brings_its_own(database: str) -> None:
    """Locks and statements are waited for so long and no longer; a connection string may say otherwise."""

    async def limits(conninfo: str) -> tuple[object, ...]:
        datastore = Datastore(conninfo, 1)
        names = ("lock_timeout", "statement_timeout", "application_name")
        rows = [await datastore.execute(f"SHOW {name}") for name in names]
        datastore.close()
        return tuple(row[0][name] for row, name in zip(rows, names, strict=True))

    assert await limits(database) == ("5s", "10s", "montane")
    own = make_conninfo(database, options="-c lock_timeout=7s", application_name="mine")
    assert await limits(own) == ("7s", "10s", "mine")


async def test_times_are_read_in_utc(database: str) -> None:
    """Answers tell them as they are read, whatever the zone of the server or of the connection string."""
    datastore = Datastore(make_conninfo(database, options="-c timezone=Asia/Tokyo"), 1)
    (row,) = await datastore.execute("SELECT %s::timestamptz AS at", (NOW,))
    assert str(row["at"]) == str(NOW)
    datastore.close()


def test_the_librarys_way_to_write_does_not_wait_for_ever(database: str) -> None:
    """A writer that does not let go of the log is waited for until `lock_timeout`, in each way to write."""
    datastore = Datastore(make_conninfo(database, options="-c lock_timeout=200ms"), 1)
    log = postgres_log(datastore)
    event = StoredEvent(uuid4(), 1, "test", b"{}")
    with log_locked(database), pytest.raises(OperationalError, match="lock timeout"):
        log.insert_events([event])
    assert log.insert_events([event])
    datastore.close()


async def test_an_answer_that_does_not_come_ends_the_read(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the network is cut while a statement runs its caller is told in time, and its thread is free."""
    monkeypatch.setattr(Connection, "patience", 1)
    async with relay(database) as (conninfo, wires):
        datastore = Datastore(conninfo, 1)
        await datastore.execute("SELECT 1")
        asyncio.get_running_loop().call_later(0.2, wires.cut)
        waited = await unavailable_after(lambda: datastore.execute("SELECT pg_sleep(0.5)"))
        assert 0.9 < waited < 3
        wires.heal()
        assert await datastore.execute("SELECT 1 AS one") == [{"one": 1}]
        datastore.close()


async def test_a_connection_that_was_cut_while_idle_is_soon_given_up(database: str) -> None:
    """Anyone who comes after the cut waits no longer than for a connection."""
    async with relay(database) as (conninfo, wires):
        datastore = Datastore(conninfo, 2)
        await datastore.execute("SELECT 1")
        wires.cut()
        assert await unavailable_after(lambda: datastore.execute("SELECT 1")) < CONNECT_SECONDS + 2
        wires.heal()
        assert await datastore.execute("SELECT 1 AS one") == [{"one": 1}]
        datastore.close()


async def test_connections_that_the_server_has_ended_are_replaced_at_once(database: str) -> None:
    """After a restart of the server nobody is refused or kept waiting because of connections of before."""
    datastore = Datastore(database, 8)
    await asyncio.gather(*(datastore.execute("SELECT pg_sleep(0.2)") for _ in range(8)))
    await asyncio.to_thread(end_sessions, database)
    begun = time.monotonic()
    await datastore.execute("SELECT 1")
    assert time.monotonic() - begun < 1
    datastore.close()


async def test_who_waits_for_a_thread_is_told_in_time(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After work that hangs a caller waits so long and no longer, and what it wanted is not done later."""
    monkeypatch.setattr(datastore_module, "ANSWER_SECONDS", 0.3)
    datastore = Datastore(database, 1)
    release, done = Event(), Event()
    hanging = asyncio.create_task(datastore.run(lambda: release.wait(10)))
    await asyncio.sleep(0)
    assert await unavailable_after(lambda: datastore.run(done.set)) < 2
    with pytest.raises(Unavailable):
        await hanging
    release.set()
    datastore.close()
    assert not done.is_set()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems name these settings otherwise")
async def test_a_peer_that_is_gone_is_noticed_by_the_system(database: str) -> None:
    """Over a network the system itself ends a connection whose other end does not acknowledge."""
    async with relay(database) as (conninfo, _):
        connection = await psycopg.AsyncConnection.connect(limited(conninfo))
        with socket.socket(fileno=connection.pgconn.socket) as end:
            assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == PEER_SECONDS * 1000
            assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == PEER_SECONDS
            end.detach()
        await connection.close()


async def test_a_standby_is_not_available_for_writing(database: str) -> None:
    """After a failover to a server that only reads, nothing is written until it is a primary."""
    match, opening = match_id(new_uuid(NOW)), ClaimedOpening(uuid4(), Secrets(bytes(32), bytes(16)), "digest")
    async with postgres_stores(database) as stores:
        writes: list[Callable[[], Awaitable[object]]] = [
            lambda: stores.store.append(match, [STARTED]),
            lambda: stores.accounts.add(ANN, TOKEN, b"hash"),
            lambda: stores.seeds.claim(uuid4(), "key", opening, NOW),
        ]
        set_read_only(database, "on")
        end_sessions(database)
        for write in writes:
            await unavailable_after(write)
        assert await stores.store.read(match) == []
        assert await stores.accounts.token(b"hash") is None
        set_read_only(database, "off")
        for write in writes:
            await until_available(write)
        assert await stores.store.read(match) == [STARTED]
        assert await stores.accounts.token(b"hash") == TOKEN


def set_read_only(database: str, value: str) -> None:
    """Make the server a standby or a primary to sessions that begin from now on."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        name = sql.Identifier(connection.info.dbname)
        statement = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}")
        connection.execute(statement.format(name, sql.Literal(value)))


async def until_available(call: Callable[[], Awaitable[object]]) -> None:
    """Repeat a call until the store is there: it fails at most once for each connection that may be open."""
    for _ in range(POOL + 1):
        with suppress(Unavailable):
            await call()
            return
    raise AssertionError("it stays unavailable")
