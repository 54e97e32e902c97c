"""A service that nobody uses does next to nothing, and what happens wakes it all the same."""

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.faces.server import Client, Server, eventually
from tests.support.faces.streams import Lines, streaming_client

SETTLED = 3.0
"""Seconds after which a service that has started is idle."""
WATCHED = 10.0
"""Twice the pause between two looks, which all processes make at the same moments."""
A_SECOND = 12
"""Transactions a second that are still next to nothing: each of some twelve workers looks every 5 seconds."""
WAKING = 50
"""How often a second all threads of the process may wake."""
SOON = 2.0
"""Seconds that are well below the pauses of an idle service, with room for a busy machine."""


@pytest.fixture
def server(database: str) -> Iterator[Server]:
    """A server that does everything."""
    with Server("--database-url", database) as server:
        yield server


def transactions(database: str) -> int:
    """Return how many transactions there were in a database."""
    with psycopg.connect(database, autocommit=True) as connection:
        row = connection.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])


def wakings(pid: int) -> int:
    """Return how often the threads of a process have gone to sleep of their own."""
    return sum(
        int(line.split()[1])
        for status in Path(f"/proc/{pid}/task").glob("*/status")
        for line in status.read_text().splitlines()
        if line.startswith("voluntary_ctxt_switches")
    )


def test_an_idle_service_hardly_asks_its_database(database: str, server: Server) -> None:
    """Ten times a second was too often, for each worker."""
    time.sleep(SETTLED)
    asked, woken = transactions(database), wakings(server.process.pid)
    time.sleep(WATCHED)
    assert transactions(database) - asked < A_SECOND * WATCHED
    assert wakings(server.process.pid) - woken < WAKING * WATCHED


def test_what_happens_wakes_an_idle_service(database: str, server: Server) -> None:
    """Lists, bots and streams of other processes follow at once, not with the next look."""
    with Server("--database-url", database, face="rest") as other:
        ann, ben = streaming_client(server), Client(other.url, "Ben")
        time.sleep(SETTLED)
        began = time.monotonic()
        match = ben.post("/v1/matches", {"game": "mountains", "seat": 0, "seats": 2})["id"]
        eventually(lambda: [one for one in ann.get("/v1/matches")["items"] if one["id"] == match])
        assert time.monotonic() - began < SOON
        with Lines(ann, match) as stream:
            stream.until("caught_up")
            time.sleep(SETTLED)
            began = time.monotonic()
            ben.http.put(f"/v1/matches/{match}/seats/1", json={"bot": "random"}).raise_for_status()
            stream.until("event")
            assert time.monotonic() - began < SOON
