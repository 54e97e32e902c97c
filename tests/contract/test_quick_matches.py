"""What the port of quick matches promises, in memory and in PostgreSQL; and many callers at once."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from adapters.postgres import locks
from adapters.postgres.datastore import Datastore
from adapters.postgres.locks import CONNECTIONS, Locks
from adapters.postgres.quick_matches import PostgresQuickMatches
from domain.match import Phase
from services.bots import ACCOUNTS
from services.errors import Unavailable
from services.ids import match_id, new_uuid
from tests.support.lobby import ANN, BEN, match_of, opened, player, seated, wanted
from tests.support.server import free_port
from tests.support.use_cases import Stores, memory_stores, postgres_stores

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OLDER, NEWER = (match_id(new_uuid(NOW + timedelta(seconds=seconds))) for seconds in (0, 1))
CALLERS = 200
ASKED = (
    "SELECT {} FROM pg_locks JOIN pg_database ON pg_database.oid = database"
    " WHERE locktype = 'advisory' AND datname = current_database()"
)
"""The names of the test's database that are held or waited for."""
WAITING = ASKED.format("pid") + " AND NOT granted"
END_HOLDER = ASKED.format("pg_terminate_backend(pid)") + " AND granted"
CONNECTED = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
NODES = 3


async def until(holds: Callable[[], object]) -> None:
    """Return as soon as something holds, which the server alone knows."""
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.to_thread(time.sleep, 0.005)


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


async def test_a_call_comes_to_the_last_match_it_was_put_down_for(stores: Stores) -> None:
    """Of each player and key there is one."""
    port = stores.quick_matches
    assert await port.called(ANN, "k") is None
    for match in (OLDER, NEWER):
        await port.call(ANN, "k", match)
    await port.call(BEN, "k", OLDER)
    assert [await port.called(who, key) for who, key in ((ANN, "k"), (BEN, "k"), (ANN, "l"))] == [
        NEWER,
        OLDER,
        None,
    ]


async def test_matches_wait_by_what_they_fit(stores: Stores) -> None:
    """Oldest first, each once, until they are forgotten."""
    port = stores.quick_matches
    for match in (NEWER, OLDER, NEWER):
        await port.wait("fit", match)
    assert await port.waiting("fit") == [OLDER, NEWER]
    assert await port.waiting("other") == []
    await port.forget(OLDER)
    await port.forget(OLDER)
    assert await port.waiting("fit") == [NEWER]


async def test_a_fit_is_held_by_one_at_a_time(stores: Stores) -> None:
    """Others of the same fit wait, those of another fit do not; a failure gives it back."""
    port, inside, most = stores.quick_matches, Counter[str](), Counter[str]()

    async def hold(fit: str) -> None:
        async with port.alone(fit):
            inside[fit] += 1
            most[fit] = max(most[fit], inside[fit])
            await asyncio.sleep(0)
            inside[fit] -= 1
            raise LookupError

    fits = [fit for _ in range(5) for fit in ("one", "other")]
    failed = await asyncio.gather(*map(hold, fits), return_exceptions=True)
    assert [type(error) for error in failed] == [LookupError] * len(fits)
    assert most == {"one": 1, "other": 1}
    async with port.alone("one"), port.alone("other"):
        pass


async def test_another_node_waits_for_its_turn(database: str) -> None:
    """What one process holds another does not get, until it is given back or its holder dies."""
    one, other = Locks(database), Locks(database)
    entered = asyncio.Event()

    async def enter() -> None:
        async with other.alone("fit"):
            entered.set()

    with psycopg.connect(database, autocommit=True) as admin:
        for dies in (False, True):
            entered.clear()
            async with one.alone("fit"):
                waiting = asyncio.create_task(enter())
                await until(lambda: admin.execute(WAITING).fetchall())
                assert not entered.is_set()
                if dies:
                    admin.execute(END_HOLDER)
                    await waiting
                    assert entered.is_set()
            await waiting


async def test_a_line_holds_one_connection_and_gives_it_back(database: str) -> None:
    """However many wait, and however many lines there are; all of them get their turn."""
    held, peak = Locks(database), 0

    async def hold(number: int) -> None:
        nonlocal peak
        async with held.alone(str(number % (2 * CONNECTIONS))):
            peak = max(peak, len(admin.execute(ASKED.format("pid")).fetchall()))

    with psycopg.connect(database, autocommit=True) as admin:
        await asyncio.gather(*map(hold, range(6 * CONNECTIONS)))
        assert 1 <= peak <= CONNECTIONS
        await until(lambda: not admin.execute(CONNECTED).fetchall())


async def test_a_server_that_is_away_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for ever: neither for the server, nor for others in the line."""
    away = PostgresQuickMatches(Datastore(f"host=127.0.0.1 port={free_port()} dbname=none", 1))
    for _ in range(2 * CONNECTIONS):
        with pytest.raises(Unavailable):
            async with away.alone("fit"):
                pass
    monkeypatch.setattr(locks, "LONGEST_WAIT", 0.01)
    line = Locks("")
    monkeypatch.setattr(line, "_lock", lambda *_: asyncio.sleep(0))
    async with line.alone("fit"):
        with pytest.raises(Unavailable):
            async with line.alone("fit"):
                pass


async def test_a_match_of_the_list_is_joined(stores: Stores) -> None:
    """One that was opened in another way is found as soon as it is listed."""
    node = stores.services()
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
        services = [one.services() for one in stores]
        players = [player(number) for number in range(1, CALLERS + 1)]
        calls = [
            services[number % NODES].quick_match.join(one, wanted(game, seats), None)
            for number, one in enumerate(players)
        ]
        found = [listed.id for _, listed in await asyncio.gather(*calls)]
        matches = {id: await match_of(services[0], id) for id in found}
        full, left = divmod(CALLERS, seats)
        assert Counter(match.phase for match in matches.values()) == Counter(
            {Phase.PLAYING: full} | ({Phase.OPEN: 1} if left else {})
        )
        sitting = [holder for match in matches.values() for holder in seated(match) if holder is not None]
        assert sorted(sitting) == sorted(players)
        assert all(one in seated(matches[id]) for id, one in zip(found, players, strict=True))
