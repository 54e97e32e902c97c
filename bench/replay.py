"""Matches read back: events folded a second, and a match loaded that nobody has in memory.

The limit beside a cold load, in the same run, is the statement that reads its events, alone.
"""

import asyncio
from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any
from uuid import UUID

import uvloop

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import EVENTS, postgres_store
from bench.commands import rest
from bench.load import played
from bench.serving import database, serving
from domain.games import GAMES
from domain.match import fold
from services.matches.loaded import LoadedMatches
from services.shared.ids import MatchId, parsed

LENGTHS = (100, 1_000)


def compare(rounds: int) -> None:
    """Print loads of matches of each length, with and without a snapshot."""
    with database() as conninfo:
        with serving(conninfo) as server:
            matches = uvloop.run(_matches(server))
        uvloop.run(_loads(conninfo, matches, rounds))


async def _matches(server: Any) -> list[MatchId]:
    """Return a match of each length; snapshots were taken of none, as they are further apart."""
    async with rest(server, len(LENGTHS)) as players:
        for player, length in zip(players, LENGTHS, strict=True):
            await played([player], 0, length - 4)
        return [MatchId(player.match) for player in players]


async def _loads(conninfo: str, matches: list[MatchId], rounds: int) -> None:
    datastore = Datastore(conninfo, 2)
    store = postgres_store(dict(GAMES), datastore, 100)
    print(
        f"\n{'events':>7}{'select ms':>11}{'cold ms':>9}{'ratio':>7}{'with snapshot ms':>18}{'folded/s':>11}"
    )
    for id, length in zip(matches, LENGTHS, strict=True):
        number = parsed("match", id)

        async def select(number: UUID | None = number) -> None:
            await datastore.execute(
                f"SELECT * FROM {EVENTS} WHERE originator_id = %s ORDER BY originator_version",  # noqa: S608
                (number,),
            )

        async def load(id: MatchId = id) -> None:
            await LoadedMatches(dict(GAMES), store, 1, 1).at_version(id)

        await datastore.execute("DELETE FROM match_snapshots")
        bare, cold = await _timed(select, rounds), await _timed(load, rounds)
        live = await LoadedMatches(dict(GAMES), store, 1, 1).at_version(id, length - 5)
        await store.keep_snapshot(id, live.snapshot())
        warm = await _timed(load, rounds)
        events = [recorded.event for recorded in await store.read(id)]
        begun = process_time()
        for _ in range(rounds):
            fold(live.game, events)
        folded = rounds * len(events) / (process_time() - begun)
        print(f"{length:>7,}{bare:>11.2f}{cold:>9.2f}{cold / bare:>7.2f}{warm:>13.2f}{folded:>11,.0f}")
    await store.close()
    datastore.close()


async def _timed(work: Callable[[], Awaitable[None]], rounds: int) -> float:
    """Return the median of what it takes, in milliseconds."""
    took = []
    for _ in range(rounds):
        begun = perf_counter()
        await work()
        took.append((perf_counter() - begun) * 1000)
        await asyncio.sleep(0)
    return median(took)
