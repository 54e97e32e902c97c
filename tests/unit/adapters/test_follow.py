"""The thread that keeps read models up with the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import psycopg
import pytest

from adapters.postgres.read_models import follower as module
from adapters.postgres.read_models.follower import Follower
from tests.support.faces.server import eventually


class Batches:
    """What takes the log in, one outcome a call and the last one from then on.

    Attributes:
        calls: How often it was called.
    """

    def __init__(self, *outcomes: Exception | bool) -> None:
        """Take the outcomes: an error, or whether there may be more."""
        self._outcomes = outcomes
        self.calls = 0

    def __call__(self) -> bool:
        """Give the next outcome."""
        outcome = self._outcomes[min(self.calls, len(self._outcomes) - 1)]
        self.calls += 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@contextmanager
def following(batches: Batches) -> Iterator[None]:
    """Keep a follower at work, and see that it stops."""
    follower = Follower(batches)
    follower.start()
    try:
        yield
    finally:
        stopping = Thread(target=follower.stop, daemon=True)
        stopping.start()
        eventually(lambda: not stopping.is_alive())


def test_a_fault_does_not_end_it() -> None:
    """What cannot be taken in is tried again: one fault does not leave the read models after for good."""
    batches = Batches(KeyError("an event of a game that is not there"), False)
    with following(batches):
        eventually(lambda: batches.calls > 1)


def test_a_trouble_is_told_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A line says that the database is away or what else is in the way, one that it is over, and no more."""
    monkeypatch.setattr(module, "PAUSE", 0.01)
    caplog.set_level("INFO", module.__name__)
    away, again = psycopg.OperationalError("gone"), psycopg.OperationalError("starting up")
    batches = Batches(away, again, away, False, away, KeyError("game"), KeyError("game"), False)
    with following(batches):
        eventually(lambda: batches.calls > 8)
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("WARNING", "the read models wait for the database: gone"),
        ("INFO", "the read models follow the log again"),
        ("WARNING", "the read models wait for the database: gone"),
        ("ERROR", "the read models cannot follow the log"),
        ("INFO", "the read models follow the log again"),
    ]


def test_it_stops_behind_the_batch_under_way() -> None:
    """However much of the log is left, stopping waits for one batch only."""
    with following(batches := Batches(True)):
        eventually(lambda: batches.calls > 10)


def test_a_log_that_has_not_grown_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing wakes it, it asks whether there is anything, and reads once there is."""
    monkeypatch.setattr(module, "until", lambda period: period)
    batches, asked, grows = Batches(False), [0], [False]

    def grown() -> bool:
        asked[0] += 1
        return grows[0]

    follower = Follower(batches, together=0.0, poll=lambda: 0.001, grown=grown)
    follower.start()
    try:
        eventually(lambda: asked[0] > 10)
        assert batches.calls == 1
        assert follower.late.total_seconds() < 5
        grows[0] = True
        eventually(lambda: batches.calls > 2)
        grows[0] = False
        follower.wake()
        reached = batches.calls
        eventually(lambda: batches.calls > reached)
    finally:
        follower.stop()
