"""What processes tell one another of their streams, in PostgreSQL."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import batched
from typing import Any
from uuid import UUID, uuid4

from psycopg import Cursor
from psycopg.errors import FeatureNotSupported, ObjectNotInPrerequisiteState

from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from domain.shared.seats import Seat
from services.shared.ids import MatchId, match_id
from services.streams.presence import LEASE, Count

CHANNEL = "match_presence"
"""The NOTIFY that says that somebody has come or gone; its payload names the matches, with commas between."""


ONLOOKERS = -1


TOLD = 200
"""How many matches one NOTIFY names; its payload has less than 8,000 bytes."""


UNHURRIED = "SET LOCAL synchronous_commit = off"
"""What is lost in a crash is what was open then."""


RENEW = """
UPDATE presence_nodes SET lives_until = clock_timestamp() + %(lease)s WHERE node = %(node)s
"""


LIVE = """
INSERT INTO presence_nodes (node, lives_until) VALUES (%(node)s, clock_timestamp() + %(lease)s)
ON CONFLICT (node) DO UPDATE SET lives_until = excluded.lives_until
"""


NOTE = """
INSERT INTO match_presence (match_id, seat, node, streams, changed_at)
SELECT match_id, seat, %(node)s, streams, changed_at
FROM unnest(%(matches)s::uuid[], %(seats)s::smallint[], %(streams)s::integer[], %(times)s::timestamptz[])
    AS noted (match_id, seat, streams, changed_at)
ON CONFLICT (match_id, seat, node) DO UPDATE SET streams = excluded.streams, changed_at = excluded.changed_at
"""


GONE = """
DELETE FROM match_presence
WHERE match_id = ANY(%(matches)s) AND seat = -1 AND node = %(node)s AND streams = 0
"""


TELL = "SELECT pg_notify(channel(%(channel)s), %(payload)s)"


OTHERS = """
SELECT match_id, seat, streams, changed_at, node = %(node)s AS own, lives_until,
    coalesce(lives_until > clock_timestamp(), false) AS lives
FROM match_presence LEFT JOIN presence_nodes USING (node)
WHERE match_id = ANY(%(matches)s) ORDER BY match_id, seat, node
"""


LEAVE = """
WITH left_behind AS (
    UPDATE match_presence SET streams = 0, changed_at = clock_timestamp()
    WHERE node = %(node)s AND streams > 0
)
DELETE FROM presence_nodes WHERE node = %(node)s
"""


FORGET = """
DELETE FROM match_presence WHERE changed_at < clock_timestamp() - interval '30 days'
AND node NOT IN (SELECT node FROM presence_nodes WHERE lives_until > clock_timestamp())
"""


FORGET_NODES = "DELETE FROM presence_nodes WHERE lives_until < clock_timestamp() - interval '30 days'"


class PostgresPresenceLog:
    """The port `PresenceLog`, with a place of its own."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        self._node = uuid4()
        self._known = False

    async def note(self, counts: Sequence[Count]) -> None:
        """Store how many streams this process has open, renew its lease, and let the others know."""
        matches = [uuid_of(count.match) for count in counts]
        values = {
            "node": self._node,
            "lease": LEASE,
            "matches": matches,
            "seats": [ONLOOKERS if count.seat is None else count.seat for count in counts],
            "streams": [count.streams for count in counts],
            "times": [count.at for count in counts],
        }

        def work() -> None:
            with self._datastore.transaction() as cursor:
                cursor.execute(UNHURRIED)
                if not self._known:
                    cursor.execute(FORGET)
                    cursor.execute(FORGET_NODES)
                cursor.execute(LIVE, values)
                cursor.execute(NOTE, values)
                if any(count.seat is None and not count.streams for count in counts):
                    cursor.execute(GONE, values)
                _tell(cursor, matches)

        await self._datastore.run(work)
        self._known = True

    async def renew(self) -> bool:
        """Renew the lease, and return whether what this process has stored is still there."""

        def work() -> bool:
            with self._datastore.transaction() as cursor:
                cursor.execute(UNHURRIED)
                return cursor.execute(RENEW, {"node": self._node, "lease": LEASE}).rowcount > 0

        return await self._datastore.run(work)

    async def others(self, matches: Collection[MatchId]) -> Sequence[Count]:
        """Return what is stored of matches, but not what this process has open.

        Of a process that has died it is known when it was heard of last, which is when its streams ended.
        """
        try:
            rows = await self._datastore.execute(
                OTHERS, {"node": self._node, "matches": [uuid_of(match) for match in matches]}
            )
        except (FeatureNotSupported, ObjectNotInPrerequisiteState):
            # A standby has no tables that are not logged.
            return ()
        return [
            _count(row, row["streams"] if row["lives"] else 0)
            for row in rows
            if not (row["own"] and row["streams"]) and not (row["seat"] == ONLOOKERS and not row["lives"])
        ]

    async def leave(self) -> None:
        """End the lease: this process stops."""

        def work() -> None:
            with self._datastore.transaction() as cursor:
                cursor.execute(UNHURRIED)
                rows = cursor.execute(
                    "SELECT match_id FROM match_presence WHERE node = %s AND streams > 0", (self._node,)
                ).fetchall()
                cursor.execute(LEAVE, {"node": self._node})
                _tell(cursor, [row["match_id"] for row in rows])

        if self._known:
            await self._datastore.run(work)


def matches_in(payload: str) -> set[MatchId]:
    """Return the matches that a NOTIFY names."""
    return {match_id(UUID(number)) for number in payload.split(",") if number}


def _tell(cursor: Cursor[Any], matches: Sequence[UUID]) -> None:
    for some in batched(dict.fromkeys(matches), TOLD):
        cursor.execute(TELL, {"channel": CHANNEL, "payload": ",".join(map(str, some))})


def _count(row: dict[str, Any], streams: int) -> Count:
    at: datetime = row["changed_at"]
    if row["streams"] and not streams and row["lives_until"] is not None:
        at = max(at, row["lives_until"] - LEASE)
    seat = None if row["seat"] == ONLOOKERS else Seat(row["seat"])
    return Count(match_id(row["match_id"]), seat, streams, at)
