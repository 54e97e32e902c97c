"""Processes die and networks are cut under load: nothing acknowledged is lost, and nothing is doubled."""

import os
import signal
from pathlib import Path

from adapters.postgres.embedded import EmbeddedPostgres
from tests.support.load import Player, check_log, endless, playing, press_on
from tests.support.server import Client, Server, descendants

PLAYERS = 6
COMMANDS = 20
"""How many commands each player gives before the next thing happens."""


def players_of(server: Server) -> list[Player]:
    """Return players, each at a match of its own."""
    client = Client(server.url)
    return [Player(client, endless(client), careful=number % 2 == 0) for number in range(PLAYERS)]


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
