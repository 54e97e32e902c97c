"""How far the work in the background has come in each process: recorded so that it can be asked for."""

import os
import socket
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from psycopg import Connection

from adapters.postgres.connection.datastore import Datastore
from services.shared.health import Degraded, DegradedReason

LATE = timedelta(seconds=60)
"""How late a step may be."""

REPORT = """
WITH gone AS (DELETE FROM work_steps WHERE done_at < now() - interval '1 hour')
INSERT INTO work_steps (host, process, step, done_at)
SELECT %s, %s, step, now() - ago FROM unnest(%s::text[], %s::interval[]) AS reported (step, ago)
ON CONFLICT (host, process, step) DO UPDATE SET done_at = excluded.done_at
"""
LEFT = "DELETE FROM work_steps WHERE host = %s AND process = %s"
LATEST = "SELECT step, now() - max(done_at) AS ago FROM work_steps GROUP BY step ORDER BY step"
OF_HOST = (
    "SELECT step, now() - max(done_at) AS ago FROM work_steps WHERE host = %s GROUP BY step ORDER BY step"
)
ASIDE = "SELECT count(*) AS matches FROM matches_set_aside"


class PostgresWork:
    """Reports the steps of this process, and tells what does not go well in all of them."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        self._here = (socket.gethostname(), os.getpid())

    async def report(self, steps: Mapping[str, timedelta]) -> None:
        """Record how long ago each step of this process was done."""
        await self._datastore.execute(REPORT, (*self._here, list(steps), list(steps.values())))

    async def leave(self) -> None:
        """Forget this process, which stops."""
        await self._datastore.execute(LEFT, self._here)

    async def degraded(self) -> Sequence[Degraded]:
        """Return what does not go well: matches that are set aside, work that is late."""
        found = []
        (row,) = await self._datastore.execute(ASIDE)
        if row["matches"]:
            found.append(
                Degraded(DegradedReason.MATCHES_SET_ASIDE, f"{row['matches']} matches cannot be read")
            )
        steps = await self._datastore.execute(LATEST)
        if not steps:
            found.append(Degraded(DegradedReason.NO_WORK, "no process does what is done in the background"))
        late = [row for row in steps if row["ago"] > LATE]
        return [*found, *(Degraded(DegradedReason.WORK_LATE, _said(row["step"], row["ago"])) for row in late)]


def late_here(connection: Connection[Any]) -> Sequence[str]:
    """Return which steps of the processes of this host are late, each as a line; empty if there are none.

    What an operator asks for who wants to know of `montane work`.
    """
    rows = connection.cursor().execute(OF_HOST, (socket.gethostname(),)).fetchall()
    told = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in rows]
    if not told:
        return ["nothing is done in the background here"]
    return [_said(step, ago) for step, ago in told if ago > LATE]


def _said(step: str, ago: timedelta) -> str:
    return f"{step}: {ago.total_seconds():.0f} s ago"
