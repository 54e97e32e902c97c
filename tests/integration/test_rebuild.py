"""A read model can be built again from the log, to the same rows, whatever else goes on."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.read_models import rebuild as rebuilding
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.read_models.match_list import MatchListModel
from adapters.postgres.read_models.model import ReadModel
from adapters.postgres.read_models.rebuild import Rebuild, RebuildError, Rebuilt
from adapters.postgres.read_models.registry import read_models
from domain.games import GAMES
from domain.match import PlayerId, Resign
from services.matches.decisions import as_given
from tests.support.faces.server import eventually
from tests.support.stores.use_cases import PostgresStores, lobby_of, postgres_stores, proposal

ANN, BEN = (PlayerId(f"player_0000000000000000000000000{number}") for number in (1, 2))


@pytest.fixture
def datastore(database: str) -> Iterator[Datastore]:
    """Connections to the database."""
    datastore = Datastore(database, 4)
    yield datastore
    datastore.close()


@pytest.fixture
async def stores(database: str) -> AsyncIterator[PostgresStores]:
    """The stores of the same database."""
    async with postgres_stores(database) as stores:
        yield stores


async def play(stores: PostgresStores, matches: int) -> None:
    """Open matches of one and of two seats; end every second of each."""
    node = stores.node()
    for number in range(matches):
        solo = number % 2 == 0
        options = GAMES["montana" if solo else "mountains"].options()
        wanted = proposal(options=options) if solo else proposal(game="mountains", options=options)
        _, opened = await node.openings.open(ANN, wanted, None)
        if not solo:
            await lobby_of(node).take_seat(BEN, opened.id, 1, "", None)
        if number % 4 < 2:
            await node.commands.submit(
                ANN, opened.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
            )


def bytes_of(database: str, model: ReadModel) -> dict[str, bytes]:
    """Return all rows of a read model's tables as PostgreSQL sends them, in the order of their text."""
    found = {}
    with psycopg.connect(database) as connection:
        for table in model.tables:
            query = sql.SQL("COPY (SELECT * FROM {0} ORDER BY {0}::text) TO STDOUT (FORMAT binary)")
            with connection.cursor().copy(query.format(sql.Identifier(table))) as copy:
                found[table] = b"".join(bytes(part) for part in copy)
    return found


def rebuilt(datastore: Datastore, model: ReadModel, **how: Any) -> Rebuilt:
    """Return what came of rebuilding a read model."""
    with Rebuild(dict(GAMES), datastore, model, **how) as rebuild:
        while rebuild.advance():
            pass
        return rebuild.finish()


@pytest.mark.parametrize("model", read_models(), ids=lambda model: model.name)
async def test_the_same_log_gives_the_same_rows(
    database: str, datastore: Datastore, stores: PostgresStores, model: ReadModel
) -> None:
    """Every read model is rebuilt to what it was, byte for byte, and nothing was to be put right."""
    for _ in range(4):
        await play(stores, 5)
        stores.catch_up()
    before = bytes_of(database, model)
    assert rebuilt(datastore, model) == Rebuilt(rows_of(database, model), 0, 0)
    assert bytes_of(database, model) == before


def rows_of(database: str, model: ReadModel) -> int:
    """Return how many rows a read model has; there must be some."""
    with psycopg.connect(database) as connection:
        counted = [
            connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchall()
            for table in model.tables
        ]
    total: int = sum(rows for ((rows,),) in counted)
    assert total
    return total


async def test_what_differs_is_put_right(database: str, datastore: Datastore, stores: PostgresStores) -> None:
    """Rows that are wrong, missing or too many are found, and the follower goes on after them."""
    await play(stores, 8)
    stores.catch_up()
    model = MatchListModel()
    before, rows = bytes_of(database, model), rows_of(database, model)
    with psycopg.connect(database) as connection:
        connection.execute(
            "UPDATE match_list SET seated = '{}'"
            " WHERE match_id = (SELECT match_id FROM match_list ORDER BY 1 LIMIT 1)"
        )
        connection.execute(
            "DELETE FROM match_list"
            " WHERE match_id = (SELECT match_id FROM match_list ORDER BY 1 DESC LIMIT 1)"
        )
        connection.execute(
            "INSERT INTO match_list SELECT gen_random_uuid(), game, standing, public, opened_at, free_seats,"
            " fit, seated, known, match FROM match_list LIMIT 1"
        )
    assert bytes_of(database, model) != before
    assert rebuilt(datastore, model) == Rebuilt(rows, 2, 2)
    assert bytes_of(database, model) == before
    await play(stores, 1)
    stores.catch_up()
    assert rows_of(database, model) > rows


async def test_it_goes_on_where_it_was_ended(
    monkeypatch: pytest.MonkeyPatch, database: str, datastore: Datastore, stores: PostgresStores
) -> None:
    """What was built before the process ended is kept, unless it is to begin afresh."""
    monkeypatch.setattr(rebuilding, "BATCH", 7)
    await play(stores, 8)
    stores.catch_up()
    model = MatchListModel()
    before = bytes_of(database, model)
    with Rebuild(dict(GAMES), datastore, model) as ended:
        assert ended.advance()
        assert ended.advance()
        reached = ended.position
        assert 0 < reached < ended.newest
    with Rebuild(dict(GAMES), datastore, model, afresh=True) as anew:
        assert anew.position == 0
        assert anew.advance()
        reached = anew.position
    with Rebuild(dict(GAMES), datastore, model) as resumed:
        assert resumed.position == reached
        while resumed.advance():
            pass
        assert resumed.finish() == Rebuilt(rows_of(database, model), 0, 0)
    assert bytes_of(database, model) == before


async def test_it_is_rebuilt_while_the_service_runs(
    database: str, datastore: Datastore, stores: PostgresStores
) -> None:
    """While matches are opened and the log is followed, a rebuilding loses nothing and stops nobody."""
    follower = Follower(ReadModels(dict(GAMES), datastore, read_models()).catch_up)
    follower.start()
    model, enough = MatchListModel(), asyncio.Event()

    async def opened() -> int:
        matches = 0
        while not enough.is_set():
            await play(stores, 4)
            matches += 4
        return matches

    playing = asyncio.create_task(opened())
    for _ in range(3):
        await asyncio.to_thread(rebuilt, datastore, model)
    assert not playing.done()
    enough.set()
    matches = await playing
    await asyncio.to_thread(eventually, lambda: len(listed(database)) == matches)
    await asyncio.to_thread(follower.stop)
    stores.catch_up()
    assert rebuilt(datastore, model) == Rebuilt(rows_of(database, model), 0, 0)


def listed(database: str) -> list[Any]:
    """Return the matches on the list."""
    with psycopg.connect(database) as connection:
        return connection.execute("SELECT match_id FROM match_list").fetchall()


def test_one_process_at_a_time_rebuilds(datastore: Datastore) -> None:
    """Another process is told that somebody is at it, and may begin when that one is gone."""
    model = MatchListModel()
    at_it = Rebuild(dict(GAMES), datastore, model)
    with at_it, pytest.raises(RebuildError, match="match_list is being rebuilt by another process"):
        rebuilt(datastore, model)
    assert rebuilt(datastore, model) == Rebuilt(0, 0, 0)
