"""Processes die and networks are cut under load: nothing acknowledged is lost, and nothing is doubled."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import msgspec
import psycopg
import pytest

from adapters.postgres.connection.connections import ANSWER_SECONDS, CONNECT_SECONDS
from adapters.postgres.migrate import migrations
from adapters.postgres.own_server.embedded import EmbeddedPostgres
from services.shared.ids import MatchId
from tests.support.faces.server import Client, Server, descendants, eventually
from tests.support.stores.database import Databases
from tests.support.stores.load import Player, check_log, endless, keys_in_log, playing, press_on
from tests.support.stores.relay import relay
from tests.support.stores.use_cases import postgres_stores

MATCHES = 16
LIMIT = ANSWER_SECONDS + CONNECT_SECONDS
"""Seconds within which a command is answered: those of the commit under way, and those of the next try."""
NOISE = 5
"""Seconds by which a busy machine may exceed a limit."""
PLAYERS = 6
COMMANDS = 20
"""How many commands each player gives before the next thing happens."""


@pytest.fixture
def empty_database(postgres_server: str) -> Iterator[str]:
    """Connection string of a database without tables."""
    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as conninfo:
        yield conninfo
    databases.close()


def players_of(server: Server) -> list[Player]:
    """Return players, each at a match of its own."""
    client = Client(server.url)
    return [Player(client, endless(client), careful=number % 2 == 0) for number in range(PLAYERS)]


def test_eight_processes_start_at_once_on_an_empty_database(empty_database: str) -> None:
    """Four that only migrate and four that serve: each migration is applied once, and all come up."""
    command = [str(Path(sys.executable).with_name("montane")), "migrate", "--database-url", empty_database]
    with ThreadPoolExecutor(4) as threads, ExitStack() as servers:
        starting = [threads.submit(Server, "--database-url", empty_database, face="rest") for _ in range(4)]
        migrating = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        said = "".join(process.communicate()[0] for process in migrating).splitlines()
        assert [process.returncode for process in migrating] == [0] * 4
        assert said.count("the database is up to date") == 4
        applied = [line for line in said if line.startswith("applied")]
        assert len(set(applied)) == len(applied)
        for server in [servers.enter_context(start.result()) for start in starting]:
            assert httpx.get(f"{server.url}/health/ready").status_code == 200
    with psycopg.connect(empty_database) as connection:
        rows = connection.execute("SELECT name FROM migrations ORDER BY name").fetchall()
    assert rows == [(name,) for name, _ in migrations()]


def test_a_killed_server_loses_no_command_and_doubles_none(tmp_path: Path) -> None:
    """Killed under load and started again: what was sent again with its key is in the log once."""
    with (
        EmbeddedPostgres.start(tmp_path / "data") as postgres,
        Server("--database-url", postgres.conninfo, face="rest") as server,
    ):
        players = players_of(server)
        with playing(players):
            for _ in range(2):
                press_on(players, COMMANDS)
                server.kill()
                server.restart()
            press_on(players, COMMANDS)
        check_log(postgres.conninfo, players)
    assert all(set(player.answers) == {0, 200} for player in players)


def test_a_killed_postgresql_loses_no_command_and_doubles_none(tmp_path: Path) -> None:
    """Killed under load, it is started again by the service; until then clients are told to come again."""
    with Server("--data-dir", str(tmp_path / "data"), face="rest") as server:
        players = players_of(server)
        with playing(players):
            for _ in range(2):
                press_on(players, COMMANDS)
                for pid in descendants(server.process.pid):
                    os.kill(pid, signal.SIGKILL)
                press_on(players, COMMANDS)
        server.stop()
    assert all(set(player.answers) == {200, 503} for player in players)
    assert not any(player.hurried for player in players)
    with EmbeddedPostgres.start(tmp_path / "data") as postgres:
        check_log(postgres.conninfo, players)


async def test_two_servers_hammer_the_same_matches(database: str) -> None:
    """Every command that was acknowledged is in the log once, and both servers show the fold of the log."""
    with (
        Server("--database-url", database, face="rest") as one,
        Server("--database-url", database, face="rest") as other,
    ):
        client = Client(one.url)
        matches = [endless(client) for _ in range(MATCHES)]
        players = [
            Player(client, match, url=server.url, careful=(number + place) % 3 == 0)
            for number, match in enumerate(matches)
            for place, server in enumerate((one, other))
        ]
        with playing(players):
            press_on(players, COMMANDS)
        check_log(database, players)
        log = keys_in_log(database)
        async with postgres_stores(database) as stores:
            for match in matches:
                shown = [Client(server.url, None).get(f"/v1/matches/{match}/view") for server in (one, other)]
                folded = await stores.node().queries.view(MatchId(match), None, version=None, looking_as=None)
                assert shown == [msgspec.json.decode(msgspec.json.encode(folded))] * 2
                assert folded.version == len(log[MatchId(match)])
    told = Counter(told.match for player in players for told in player.told)
    assert told == {match: len(log[MatchId(match)]) - 4 for match in matches}
    assert {status for player in players for status in player.answers} == {200, 409}


async def test_a_cut_network_is_told_in_time_and_play_goes_on(database: str) -> None:
    """While the network to the database is cut all is unavailable within limits; then play goes on."""
    async with relay(database) as (conninfo, wires):
        soon = asyncio.get_running_loop().call_soon_threadsafe

        def play() -> list[Player]:
            """Play before, during and after the cut; in a thread, as the loop passes on what goes through."""
            with Server("--database-url", conninfo, face="rest") as server:
                onlooker = Client(server.url)
                quiet, players = endless(onlooker), players_of(server)
                with playing(players):
                    press_on(players, COMMANDS)
                    soon(wires.cut)
                    begun = time.monotonic()
                    for path in ("/v1/matches", f"/v1/matches/{quiet}/view"):
                        assert onlooker.http.get(path).status_code == 503
                    assert time.monotonic() - begun < 3 * CONNECT_SECONDS + NOISE
                    eventually(lambda: all(player.answers[503] for player in players), LIMIT + NOISE)
                    soon(wires.heal)
                    press_on(players, COMMANDS)
            return players

        players = await asyncio.to_thread(play)
    check_log(database, players)
    assert all(set(player.answers) == {200, 503} for player in players)
    assert max(player.longest for player in players) < LIMIT + NOISE
