"""Keep the read models up with the log."""

import logging
from collections.abc import Callable
from threading import Event, Thread

import psycopg
from eventsourcing.persistence import ApplicationRecorder, PersistenceError
from psycopg import sql

from adapters.postgres.store import EVENTS

POLL = 1.0
"""Seconds after which the log is read also when no NOTIFY has come: a NOTIFY is only a hint."""
TOGETHER = 0.05
"""Seconds between two readings of a log that grows all the time; what comes meanwhile is taken together."""
PAUSE = 0.5
"""Seconds between two tries to reach a server that is away."""

log = logging.getLogger(__name__)


class Follower:
    """A thread that calls `catch_up` whenever the log grows, and begins anew when its connection is lost."""

    def __init__(
        self, conninfo: str, recorder: ApplicationRecorder, catch_up: Callable[[ApplicationRecorder], bool]
    ) -> None:
        """Take where the log is, how to read it, and what takes it in batch by batch."""
        self._conninfo = conninfo
        self._recorder = recorder
        self._catch_up = catch_up
        self._stopped = Event()
        self._thread = Thread(target=self._follow, name="follower", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Stop following; returns when the batch under way is done."""
        self._stopped.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                with psycopg.connect(self._conninfo, autocommit=True, connect_timeout=5) as connection:
                    connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(EVENTS)))
                    self._listen(connection)
            except (psycopg.Error, PersistenceError) as error:
                log.warning("read models wait for the database: %s", error)
            except Exception:
                # Tried again, not given up: a list that stands still would go unnoticed.
                log.exception("the read models cannot follow the log")
            self._stopped.wait(PAUSE)

    def _listen(self, connection: psycopg.Connection[object]) -> None:
        while not self._stopped.is_set():
            while self._catch_up(self._recorder):
                pass
            self._stopped.wait(TOGETHER)
            waited = TOGETHER
            while waited < POLL and not self._stopped.is_set():
                if any(True for _ in connection.notifies(timeout=POLL / 10, stop_after=1)):
                    break
                waited += POLL / 10
