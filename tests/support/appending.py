"""A process that appends to the log: `python appending.py CONNINFO MATCHES EVENTS`, one event a command."""

import asyncio
import sys
from uuid import uuid4

from eventsourcing.persistence import StoredEvent

from adapters.postgres.group_commit import GroupCommit


async def append(conninfo: str, matches: int, events: int) -> None:
    """Append events to matches of its own, all matches at once."""
    commits = GroupCommit(conninfo, 100_000)

    async def match() -> None:
        number = uuid4()
        for version in range(1, events + 1):
            await commits.append([StoredEvent(number, version, "test", b"{}")])

    await asyncio.gather(*(match() for _ in range(matches)))
    await commits.close()


if __name__ == "__main__":
    asyncio.run(append(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
