"""The log of all matches while many processes write it and the database is being maintained."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from threading import Event, Thread
from typing import Any

import psycopg

from adapters.postgres.datastore import Datastore
from adapters.postgres.store import postgres_log
from tests.support.appending import writer

WRITERS, MATCHES = 6, 30
UNDISTURBED, MAINTAINED = 100, 460
"""How many events each match gets without maintenance, as the measure, and with it."""
EVENTS = WRITERS * (1 + MATCHES * UNDISTURBED + 1 + MATCHES * MAINTAINED)
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


def longest_append(database: str, events: int) -> float:
    """Return how many seconds the longest commit took while all writers wrote so many events a match."""
    writers = [writer(database, MATCHES, events) for _ in range(WRITERS)]
    return max(float(process.communicate()[0]) for process in writers)


@contextmanager
def maintained(database: str) -> Iterator[list[str]]:
    """Maintain the log meanwhile, and give the steps that have been done."""
    over, done = Event(), list[str]()

    def maintain() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            while not over.is_set():
                for step in STEPS:
                    connection.execute(step)
                    done.append(step)

    with ThreadPoolExecutor(1) as thread:
        maintaining = thread.submit(maintain)
        try:
            yield done
        finally:
            over.set()
            maintaining.result()


def test_a_reader_misses_nothing_and_no_writer_waits(database: str) -> None:
    """Of 100,000 events of six processes each is read once and in order, and maintenance delays none."""
    reader = Reader(database)
    undisturbed = longest_append(database, UNDISTURBED)
    with maintained(database) as steps:
        disturbed = longest_append(database, MAINTAINED)
    reader.stop()
    assert len(steps) >= 2 * len(STEPS)
    assert disturbed < max(0.1, 3 * undisturbed)
    assert len({(match, version) for _, match, version in reader.seen}) == len(reader.seen) == EVENTS
    assert all(before < after for (before, *_), (after, *_) in pairwise(reader.seen))
    last: dict[Any, int] = {}
    for _, match, version in reader.seen:
        assert version == last.get(match, 0) + 1
        last[match] = version
