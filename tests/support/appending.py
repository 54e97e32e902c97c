"""A process that appends to the log: `python appending.py CONNINFO MATCHES EVENTS`, one event a command.

In the end it prints the seconds of the longest wait for a commit.
"""

import asyncio
import subprocess
import sys
import time
from uuid import uuid4

from eventsourcing.persistence import StoredEvent

from adapters.postgres.group_commit import GroupCommit


async def append(conninfo: str, matches: int, events: int) -> float:
    """Append events to matches of its own, all matches at once, and return the longest wait in seconds."""
    commits = GroupCommit(conninfo, 100_000)
    longest = 0.0

    async def match() -> None:
        nonlocal longest
        number = uuid4()
        for version in range(1, events + 1):
            begun = time.monotonic()
            await commits.append([StoredEvent(number, version, "test", b"{}")])
            longest = max(longest, time.monotonic() - begun)

    await commits.append([StoredEvent(uuid4(), 1, "test", b"{}")])
    await asyncio.gather(*(match() for _ in range(matches)))
    await commits.close()
    return longest


def writer(conninfo: str, matches: int, events: int) -> subprocess.Popen[str]:
    """Start such a process."""
    command = [sys.executable, __file__, conninfo, str(matches), str(events)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    print(asyncio.run(append(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))  # noqa: T201 - its answer
