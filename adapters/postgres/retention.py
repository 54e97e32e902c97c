"""How long rows are kept that nothing else takes away; `docs/operating.md` says it of every table."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from adapters.postgres.connection.datastore import Datastore, try_to_hold
from services.matches.store import OPENING_KEPT
from services.shared.ids import made_before

LOCK = "retention"
EXPIRED_TOKENS = timedelta(days=1)
OUTAGES_KEPT = timedelta(days=60)
"""Twice as long as a seat may think."""
QUICK_MATCH_CALLS_KEPT = timedelta(days=7)
PLACES_KEPT = timedelta(hours=1)

TOKENS = """
WITH gone AS (
    DELETE FROM tokens WHERE token_hash IN (
        SELECT token_hash FROM tokens WHERE expires_at < %(before)s ORDER BY expires_at LIMIT %(most)s
    ) RETURNING true
)
SELECT count(*) AS seen FROM gone
"""

OPENINGS = """
WITH seen AS MATERIALIZED (
    SELECT claimed_at, match_id FROM match_openings
    WHERE (claimed_at, match_id) > (SELECT reached_at, reached FROM retention WHERE name = 'match_openings')
    AND claimed_at < %(before)s
    ORDER BY claimed_at, match_id LIMIT %(most)s
),
gone AS (
    DELETE FROM match_openings USING seen
    WHERE match_openings.match_id = seen.match_id AND match_openings.claimed_at = seen.claimed_at
    AND NOT EXISTS (
        SELECT FROM match_events WHERE originator_id = seen.match_id AND originator_version = 1
    )
),
moved AS (
    UPDATE retention SET reached_at = last.claimed_at, reached = last.match_id
    FROM (SELECT * FROM seen ORDER BY claimed_at DESC, match_id DESC LIMIT 1) AS last
    WHERE name = 'match_openings'
)
SELECT count(*) AS seen FROM seen
"""
"""Each is looked at once after its last claim: by then its match has begun, or never will."""

OUTAGES = """
WITH gone AS (
    DELETE FROM outages WHERE outage_id IN (
        SELECT outage_id FROM outages WHERE settled AND ended_at < %(before)s ORDER BY ended_at LIMIT %(most)s
    ) RETURNING true
)
SELECT count(*) AS seen FROM gone
"""

QUICK_MATCH_CALLS = """
WITH gone AS (
    DELETE FROM quick_match_calls WHERE (player_id, key) IN (
        SELECT player_id, key FROM quick_match_calls WHERE match_id < %(before)s
        ORDER BY match_id LIMIT %(most)s
    ) RETURNING true
)
SELECT count(*) AS seen FROM gone
"""

QUICK_MATCHES = """
WITH gone AS (
    DELETE FROM quick_matches WHERE match_id IN (
        SELECT match_id FROM quick_matches WHERE touched_at < %(before)s ORDER BY touched_at LIMIT %(most)s
    ) RETURNING true
)
SELECT count(*) AS seen FROM gone
"""
"""What still waits after that is found in the list of matches."""

QUOTAS = """
WITH gone AS (
    DELETE FROM quotas WHERE (match_id, kind, player_id, about_id) IN (
        SELECT match_id, kind, player_id, about_id FROM quotas WHERE since < %(before)s
        ORDER BY since LIMIT %(most)s
    ) RETURNING true
)
SELECT count(*) AS seen FROM gone
"""
"""Mostly what a crash has left: what was counted has ended long since."""

FEED = """
WITH oldest AS MATERIALIZED (
    SELECT player_id, number, position, at FROM player_feed
    ORDER BY position FETCH FIRST %(most)s ROWS WITH TIES
),
gone AS (
    DELETE FROM player_feed USING oldest
    WHERE player_feed.player_id = oldest.player_id AND player_feed.number = oldest.number
    AND oldest.position < coalesce((SELECT min(position) FROM oldest WHERE at >= %(before)s), 1::bigint << 62)
    RETURNING player_feed.player_id, player_feed.number
),
told AS (
    INSERT INTO player_feed_starts AS known (player_id, number, said)
    SELECT player_id, max(number), 0 FROM gone GROUP BY player_id
    ON CONFLICT (player_id) DO UPDATE SET number = greatest(known.number, excluded.number)
)
SELECT count(*) AS seen FROM gone
"""
"""From the beginning of the log on, so that what is left of a player's feed has no gap."""

TALK = """
WITH oldest AS MATERIALIZED (
    SELECT player_id, position, sent_at FROM chat_recipients JOIN chat_messages USING (position)
    ORDER BY position FETCH FIRST %(most)s ROWS WITH TIES
),
gone AS (
    DELETE FROM chat_recipients USING oldest
    WHERE chat_recipients.player_id = oldest.player_id AND chat_recipients.position = oldest.position
    AND oldest.position
    < coalesce((SELECT min(position) FROM oldest WHERE sent_at >= %(before)s), 1::bigint << 62)
    RETURNING chat_recipients.player_id, chat_recipients.position
),
told AS (
    INSERT INTO player_feed_starts AS known (player_id, number, said)
    SELECT player_id, 0, max(position) FROM gone GROUP BY player_id
    ON CONFLICT (player_id) DO UPDATE SET said = greatest(known.said, excluded.said)
)
SELECT count(*) AS seen FROM gone
"""
"""What was said stays with its match; that it was for a player is forgotten with the player's feed."""


class Rule(Struct, frozen=True):
    """How long rows of a kind are kept.

    Attributes:
        statement: Forgets the oldest that are from `before`, some `most`; gives how many it has `seen`.
        kept: How long they are kept.
        age: What is compared with: a time, or an id that begins with one.
    """

    statement: str
    kept: timedelta
    age: Callable[[datetime], datetime | UUID] = lambda at: at


class PostgresArchive:
    """The port `Archive`."""

    def __init__(self, datastore: Datastore, *, feed: timedelta, open_for: timedelta) -> None:
        """Take the connections, how long feeds go back, and how long a match may wait for players."""
        self._datastore = datastore
        # A call may come to a match that has waited for as long as it may.
        quick = QUICK_MATCH_CALLS_KEPT + open_for
        self._rules = (
            Rule(TOKENS, EXPIRED_TOKENS),
            Rule(OPENINGS, OPENING_KEPT),
            Rule(OUTAGES, OUTAGES_KEPT),
            Rule(QUICK_MATCH_CALLS, quick, made_before),
            Rule(QUICK_MATCHES, PLACES_KEPT),
            Rule(QUOTAS, quick),
            Rule(FEED, feed),
            Rule(TALK, feed),
        )

    async def forget(self, now: datetime, most: int) -> bool:
        """Forget the oldest of each kind that is too old; return whether there is more."""
        full = [await self._forget(rule, now, most) for rule in self._rules]
        return any(full)

    async def _forget(self, rule: Rule, now: datetime, most: int) -> bool:
        values: dict[str, Any] = {"before": rule.age(now - rule.kept), "most": most}

        def work() -> bool:
            with self._datastore.transaction() as cursor:
                if not try_to_hold(cursor, LOCK):
                    return False
                row = cursor.execute(rule.statement, values).fetchone()
                return row is not None and row["seen"] >= most

        return await self._datastore.run(work)
