"""The read models: how fast they take in the log of many matches, and how fast any page of the list is."""

from itertools import product
from statistics import median
from time import perf_counter
from uuid import UUID

import psycopg
import uvloop

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.match_pages import PostgresMatchList
from adapters.postgres.read_models.registry import read_models
from bench.load import account, connected, opened
from bench.serving import Serving, database, serving
from domain.games import GAMES
from domain.match import MatchStatus, PlayerId
from services.lobby.match_list import MatchFilter
from services.shared.ids import written

LIMIT = 51
"""Rows that are read for a page of 50."""
EVENTS = 4
"""How many events open a match of one seat and start it."""


def compare(matches: int) -> None:
    """Print events a second into the read models, and the times of pages of the list by all filters."""
    games = dict(GAMES)
    with database() as conninfo:
        with serving(conninfo) as server:
            uvloop.run(_opened(server))
        _copy(conninfo, matches)
        datastore = Datastore(conninfo, 2)
        models = ReadModels(games, datastore, read_models())
        began = perf_counter()
        while models.catch_up():
            pass
        rate = EVENTS * matches / (perf_counter() - began)
        print(f"\n{matches:,} matches of {EVENTS} events into the read models: {rate:,.0f} events/s")
        player = _settled(conninfo)
        times = uvloop.run(_pages(PostgresMatchList(games, datastore), player))
        print(f"pages of 50 by {len(times)} combinations of filters: median {median(times):.1f} ms,", end="")
        print(f" slowest {max(times):.1f} ms")
        datastore.close()


async def _opened(server: Serving) -> None:
    """Open the match that is copied."""
    async with connected(server.http) as connection:
        await opened(connection, f"Authorization: Bearer {await account(connection)}\r\n")


def _copy(conninfo: str, matches: int) -> None:
    """Store copies of the match in its place."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE opening AS SELECT * FROM match_events")
        connection.execute("DELETE FROM match_events")
        connection.execute(
            "INSERT INTO match_events (originator_id, originator_version, topic, state)"
            " SELECT copies.id, originator_version, topic, state FROM opening CROSS JOIN"
            " (SELECT gen_random_uuid() AS id FROM generate_series(1, %s)) AS copies"
            " ORDER BY copies.id, originator_version",
            (matches,),
        )


def _settled(conninfo: str) -> PlayerId:
    """Let the tables be looked over, as the server does by itself, and return who sits in all matches."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        row = connection.execute("SELECT seated[1] FROM match_list LIMIT 1").fetchone()
    if row is None:
        raise RuntimeError("no match is on the list")
    number: UUID = row[0]
    return PlayerId(written("player", number))


async def _pages(match_list: PostgresMatchList, player: PlayerId) -> list[float]:
    """Return the milliseconds of a page by each combination of filters that finds any, asked for again."""
    times = []
    for viewer, game, phase, open_seats, of, my_turn in product(
        (None, player),
        (None, "montana", "mountains"),
        (None, *MatchStatus),
        (False, True),
        (None, player),
        (False, True),
    ):
        wanted = MatchFilter(game=game, status=phase, open_seats=open_seats, player=of, my_turn=my_turn)
        for _ in range(2):
            began = perf_counter()
            found = await match_list.page(viewer, wanted, place=None, limit=LIMIT)
            taken = perf_counter() - began
        if found:
            times.append(taken * 1000)
    return times
