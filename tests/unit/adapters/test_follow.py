"""The thread that keeps read models up with the log."""

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.popo import POPOApplicationRecorder

from adapters.postgres.follow import Follower
from tests.support.server import eventually


def test_a_fault_does_not_end_it(database: str) -> None:
    """What cannot be taken in is tried again: one fault does not leave the read models behind for good."""
    calls: list[int] = []

    def catch_up(log: ApplicationRecorder) -> bool:
        calls.append(len(calls))
        if len(calls) == 1:
            raise KeyError("an event of a game that is not there")
        return False

    follower = Follower(database, POPOApplicationRecorder(), catch_up)
    follower.start()
    eventually(lambda: len(calls) > 1)
    follower.stop()
