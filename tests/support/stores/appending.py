"""A process that appends to the log: `python appending.py CONNINFO MATCHES EVENTS`, one event a command.

In the end it prints, as JSON, the longest wait for a commit in each quarter second of the clock, in seconds.
"""

import asyncio
import json
import subprocess
import sys
import time
from uuid import uuid4

from eventsourcing.persistence import StoredEvent

from adapters.postgres.log.group_commit import GroupCommit


def window(moment: float) -> int:
    """Return the number of the quarter second in which a moment lies, by the clock of all processes."""
    return int(moment * 4)


async def append(conninfo: str, matches: int, events: int) -> dict[int, float]:
    """Append to matches of its own, all at once, and return the longest wait of each quarter second."""
    commits = GroupCommit(conninfo, 100_000)
    longest: dict[int, float] = {}

    async def match() -> None:
        number = uuid4()
        for version in range(1, events + 1):
            begun = time.monotonic()
            await commits.append([StoredEvent(number, version, "test", b"{}")])
            ended = time.monotonic()
            longest[window(ended)] = max(longest.get(window(ended), 0), ended - begun)

    await asyncio.gather(*(match() for _ in range(matches)))
    await commits.close()
    return longest


def writer(conninfo: str, matches: int, events: int) -> subprocess.Popen[str]:
    """Start such a process."""
    command = [sys.executable, __file__, conninfo, str(matches), str(events)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    waits = asyncio.run(append(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    print(json.dumps(waits))  # noqa: T201 - its answer
