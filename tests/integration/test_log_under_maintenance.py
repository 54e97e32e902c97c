"""The log of all matches while many processes write it and the database is being maintained."""

import json
import time
from collections.abc import Iterator
from itertools import cycle, pairwise
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import postgres_log
from adapters.postgres.migrate import migrate
from adapters.postgres.own_server.embedded import EmbeddedPostgres
from tests.support.stores.appending import window, writer

WRITERS, MATCHES, EVENTS_EACH = 6, 30, 560
EVENTS = WRITERS * MATCHES * EVENTS_EACH
pytestmark = pytest.mark.postgres
STEPS = (
    "VACUUM match_events",
    "ANALYZE match_events",
    "CREATE INDEX CONCURRENTLY spare ON match_events (topic, state, originator_id)",
    "DROP INDEX CONCURRENTLY spare",
)


class Reader(Thread):
    """Follows the log, forward only.

    Attributes:
        seen: Number, match and version of each event, as it came.
    """

    def __init__(self, database: str) -> None:
        """Begin to follow."""
        super().__init__(daemon=True)
        self._database = database
        self._over = Event()
        self.seen: list[tuple[int, Any, int]] = []
        self.start()

    def run(self) -> None:
        """Read on until there is no more."""
        datastore = Datastore(self._database, 1)
        log = postgres_log(datastore)
        while True:
            over = self._over.is_set()
            start = self.seen[-1][0] if self.seen else 0
            found = log.select_notifications(start, 1_000, inclusive_of_start=False)
            self.seen += [(one.id, one.originator_id, one.originator_version) for one in found]
            if over and not found:
                break
        datastore.close()

    def stop(self) -> None:
        """Read what is left."""
        self._over.set()
        self.join()


class Maintenance(Thread):
    """Maintains the log for half a second, and rests for half a second.

    Attributes:
        windows: The quarter seconds in which it was at work.
    """

    def __init__(self, database: str) -> None:
        """Begin."""
        super().__init__(daemon=True)
        self._database = database
        self._over = Event()
        self.windows: set[int] = set()
        self.start()

    def run(self) -> None:
        """Take one step after another, and rest in between."""
        with psycopg.connect(self._database, autocommit=True) as connection:
            for step in cycle(STEPS):
                while window(time.monotonic()) % 4 > 1 and not self._over.is_set():
                    self._over.wait(0.02)
                if self._over.is_set():
                    break
                begun = window(time.monotonic())
                connection.execute(step)
                self.windows |= set(range(begun, window(time.monotonic()) + 1))

    def stop(self) -> None:
        """Finish the step under way."""
        self._over.set()
        self.join()


@pytest.fixture
def durable_database(tmp_path: Path) -> Iterator[str]:
    """A database whose commits wait for the disk: that is when one may overtake another."""
    with EmbeddedPostgres.start(tmp_path / "data") as postgres:
        migrate(postgres.conninfo)
        yield postgres.conninfo


def test_a_reader_misses_nothing_and_no_writer_waits(durable_database: str) -> None:
    """Of 100,000 events of six processes each is read once and in order, and maintenance delays none."""
    reader, maintenance = Reader(durable_database), Maintenance(durable_database)
    writers = [writer(durable_database, MATCHES, EVENTS_EACH) for _ in range(WRITERS)]
    longest = [json.loads(process.communicate()[0]) for process in writers]
    maintenance.stop()
    reader.stop()

    assert len({(match, version) for _, match, version in reader.seen}) == len(reader.seen) == EVENTS
    assert all(before < after for (before, *_), (after, *_) in pairwise(reader.seen))
    last: dict[Any, int] = {}
    for _, match, version in reader.seen:
        assert version == last.get(match, 0) + 1
        last[match] = version

    disturbed: list[float] = []
    undisturbed: list[float] = []
    for number in {number for waits in longest for number in waits}:
        wait = max(waits.get(number, 0) for waits in longest)
        (disturbed if int(number) in maintenance.windows else undisturbed).append(wait)
    # A busy machine may hold up any single commit, so it is the usual worst of a quarter second that counts.
    assert median(disturbed) < max(0.1, 3 * median(undisturbed))
