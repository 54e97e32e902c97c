"""What concerns each player in the log of matches."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg import Cursor, sql

from adapters.event_store.mapper import tag
from adapters.postgres.connection.connections import NOTIFY
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.tail import Source
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.rows import write
from domain.match import Cancelled, Finished, Invited, PlayerId, SeatLeft, SeatTaken, Started, TimedOut
from domain.match.concerns import concerns
from domain.shared.seats import Seat
from services.chat.log import MessageId
from services.notify.player_feed import FeedEntry, Place, PlayerEventKind, feed_seat
from services.shared.ids import match_id, parsed, written

CHANNEL = "player_feed"


def player_id(number: UUID) -> PlayerId:
    """Return a player's id as clients see it."""
    return PlayerId(written("player", number))


FEEDS = Source(
    CHANNEL,
    sql.SQL("SELECT coalesce(max(position), 0) FROM player_feed"),
    sql.SQL(
        "SELECT player_id, max(number), max(position), count(*) FROM (SELECT * FROM player_feed"
        " WHERE position > %s ORDER BY position FETCH FIRST %s ROWS WITH TIES) AS page GROUP BY player_id"
    ),
    player_id,
)
"""How it is learned, in whatever process, whom something concerns."""


TALK = Source(
    "chat_messages",
    sql.SQL(
        "SELECT greatest((SELECT max(position) FROM chat_recipients),"
        " (SELECT max(position) FROM player_notices), 0)"
    ),
    sql.SQL(
        "SELECT player_id, max(position), max(position), count(*) FROM (SELECT * FROM"
        " (SELECT player_id, position FROM chat_recipients"
        " UNION ALL SELECT player_id, position FROM player_notices) AS told"
        " WHERE position > %s ORDER BY position FETCH FIRST %s ROWS WITH TIES) AS page GROUP BY player_id"
    ),
    player_id,
)
"""How it is learned, in whatever process, for whom something was said, or is told beside the log."""


LAST = """
SELECT id, greatest(
    (SELECT max(number) FROM player_feed WHERE player_id = wanted.id),
    (SELECT number FROM player_feed_starts WHERE player_id = wanted.id)
) AS last, ARRAY(SELECT number FROM player_notices WHERE player_id = wanted.id) AS taken
FROM unnest(%s::uuid[]) AS wanted (id)
"""
"""The last number of each player, of a feed that is forgotten whole where it ended; and those of notices."""


ENTRIES = """
SELECT number, kind, match_id, game, version, seat, at, inviter_id, NULL::uuid AS webhook_id
FROM player_feed WHERE player_id = %(player)s AND number > %(after)s
UNION ALL
SELECT number, kind, NULL, NULL, NULL, NULL, at, NULL, webhook_id
FROM player_notices WHERE player_id = %(player)s AND number > %(after)s
ORDER BY number LIMIT %(limit)s
"""


def inviter(happened: Happened) -> PlayerId | None:
    """Return who invites with an event, which may be one that opened a rematch; None if nobody does."""
    if not isinstance(happened.recorded.event, Invited):
        return None
    return happened.recorded.by or happened.match.terms.opener


class PlayerFeedModel:
    """The table `player_feed`, without what is forgotten."""

    name = "player_feed"
    tables = ("player_feed",)
    starts = "player_feed_starts"
    topics = frozenset(
        tag(event) for event in (SeatTaken, SeatLeft, Invited, Started, TimedOut, Finished, Cancelled)
    )
    turns = True

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write down whom these events concern, numbered for each player on its own."""
        found = [
            (parsed("player", concern.player), concern, happened)
            for happened in batch
            for concern in concerns(happened.match, happened.recorded.event, happened.newly_to_act)
        ]
        cursor.execute(
            LAST,
            (list({player for player, _, _ in found}),),
        )
        known = cursor.fetchall()
        last = {row["id"]: row["last"] or 0 for row in known}
        taken = {row["id"]: frozenset(row["taken"]) for row in known}
        rows = []
        for player, concern, happened in found:
            last[player] += 1
            while last[player] in taken[player]:
                last[player] += 1
            rows.append(
                (
                    player,
                    last[player],
                    happened.position,
                    concern.kind,
                    happened.number,
                    happened.match.terms.game,
                    happened.recorded.version,
                    feed_seat(concern),
                    happened.recorded.at,
                    None if (by := inviter(happened)) is None else parsed("player", by),
                )
            )
        write(cursor, "player_feed", rows)
        cursor.execute(NOTIFY, {"name": CHANNEL})


class PostgresPlayerLog:
    """The port `PlayerLog`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def entries(self, player: PlayerId, *, after: int, limit: int) -> list[FeedEntry]:
        """Return what concerns a player after a number, in order."""
        rows = await self._datastore.execute(
            ENTRIES, {"player": parsed("player", player), "after": after, "limit": limit}
        )
        return [
            FeedEntry(
                number=row["number"],
                kind=PlayerEventKind(row["kind"]),
                match=None if row["match_id"] is None else match_id(row["match_id"]),
                webhook=None if row["webhook_id"] is None else written("webhook", row["webhook_id"]),
                game=row["game"],
                version=row["version"],
                seat=None if row["seat"] is None else Seat(row["seat"]),
                at=row["at"],
                inviter=None if row["inviter_id"] is None else player_id(row["inviter_id"]),
            )
            for row in rows
        ]

    async def latest(self, player: PlayerId) -> int:
        """Return the number of what concerned the player last, 0 if nothing ever did."""
        (row,) = await self._datastore.execute(LAST, ([parsed("player", player)],))
        last: int = max(row["last"] or 0, *row["taken"], 0)
        return last

    async def start(self, player: PlayerId) -> Place:
        """Return the place up to which a player's feed is forgotten, with what was said; mostly the first."""
        rows = await self._datastore.execute(
            "SELECT number, said, message_id FROM player_feed_starts"
            " LEFT JOIN chat_messages ON position = said WHERE player_id = %s",
            (parsed("player", player),),
        )
        if not rows:
            return Place(0)
        number, said, message = rows[0].values()
        return Place(number, said, None if message is None else MessageId(written("message", message)))
