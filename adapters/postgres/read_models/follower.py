"""Keep the read models up with the log."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread

from adapters.postgres.connection.connections import lost
from services.shared.ticks import until

POLL = 1.0
"""Seconds after which the log is looked at also when nothing has woken the thread."""
TOGETHER = 0.1
"""Seconds between two readings of a log that grows all the time; what comes meanwhile is taken together."""
PAUSE = 0.5
"""Seconds between two tries to reach a server that is away."""

log = logging.getLogger(__name__)


class Follower:
    """A thread that calls `catch_up` whenever it is woken, and again and again when the server is lost."""

    def __init__(
        self,
        catch_up: Callable[[], bool],
        what: str = "the read models",
        together: float = TOGETHER,
        forget: Callable[[], None] | None = None,
        poll: Callable[[], float] = lambda: POLL,
        grown: Callable[[], bool] = lambda: True,
    ) -> None:
        """Take what takes the log in batch by batch, and what is kept up.

        Args:
            catch_up: Takes in the next batch, and tells whether there may be more.
            what: What is kept up, in the words of the process's own log.
            together: Seconds between two readings: each costs commands of the same process some milliseconds.
            forget: Called when the server was lost: what is remembered of the log may be lost with it.
            poll: Gives the seconds after which the log is looked at though nothing has woken the thread.
            grown: Tells, then, whether there may be anything to take in.
        """
        self._grown = grown
        self._forget = forget
        self._caught_up_at = time.monotonic()
        self._what = what
        self._together = together
        self._poll = poll
        self._catch_up = catch_up
        self._trouble: str | None = None
        self._stopped = Event()
        self._woken = Event()
        self._thread = Thread(target=self._follow, name="follower", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Stop following; returns when the batch under way is done."""
        self._stopped.set()
        self._woken.set()
        self._thread.join()

    def wake(self) -> None:
        """Learn that the log has grown; may be called from any thread."""
        self._woken.set()

    @property
    def late(self) -> timedelta:
        """How long ago it had taken in all of the log."""
        return timedelta(seconds=time.monotonic() - self._caught_up_at)

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                self._woken.clear()
                while self._catch_up() and not self._stopped.is_set():
                    pass
                self._caught_up_at = time.monotonic()
                self._well()
                while not self._woken.wait(until(self._poll())) and not self._grown():
                    self._caught_up_at = time.monotonic()
                self._stopped.wait(self._caught_up_at + self._together - time.monotonic())
            except Exception as error:  # noqa: BLE001
                # Tried again, not given up: a list that stands still would go unnoticed.
                self._troubled(error)
                if self._forget is not None and lost(error):
                    self._forget()
                self._stopped.wait(PAUSE)

    def _troubled(self, error: Exception) -> None:
        """Log what is in the way, once for as long as it is the same."""
        trouble = "away" if lost(error) else repr(error)
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble == "away":
            log.warning("%s wait for the database: %s", self._what, error)
        else:
            log.error("%s cannot follow the log", self._what, exc_info=error)

    def _well(self) -> None:
        if self._trouble is not None:
            self._trouble = None
            log.info("%s follow the log again", self._what)
