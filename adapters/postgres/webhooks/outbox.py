"""Record for webhooks what the log of matches tells, each event once."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from msgspec import Struct
from psycopg import Cursor

from adapters.event_store.mapper import tag
from adapters.event_store.set_aside import why
from adapters.postgres.connection.connections import NOTIFY
from adapters.postgres.connection.datastore import Datastore, try_to_hold
from adapters.postgres.log.set_aside import put_aside
from adapters.postgres.notices import notify
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.player_feed import inviter
from adapters.postgres.read_models.reader import LogReader, newest
from domain.match import PlayerId
from domain.shared.game import Games
from services.matches.loaded import game_of
from services.matches.views import Source
from services.notify.player_feed import PlayerEventKind
from services.notify.subscriptions import (
    MOST_PENDING,
    DeliveryId,
    DisabledReason,
    MessageType,
    new_delivery_id,
)
from services.notify.webhook_messages import Notice, body, notices
from services.shared.errors import Failure
from services.shared.ids import match_id, parsed, written

NAME = "webhooks"
DELIVERIES = "webhook_deliveries"
"""The NOTIFY that says that there are messages to be sent."""
BATCH = 500
log = logging.getLogger("montane.webhooks")

STRIDE = 10_000
"""How far the log may run ahead of the stored position while nothing in it is told."""

SUBSCRIBERS = """
SELECT webhook_id, player_id, target, events, since FROM webhooks
WHERE enabled AND proved AND (player_id = ANY(%s) OR player_id IS NULL)
ORDER BY webhook_id FOR NO KEY UPDATE
"""
"""None of them is removed or disabled before the messages to it are recorded."""

BLOCKED = """
SELECT player_id, blocked_id FROM player_blocks
JOIN unnest(%s::uuid[], %s::uuid[]) AS asked (player_id, blocked_id) USING (player_id, blocked_id)
"""

ROOM = """
SELECT webhook_id, %s - (
    SELECT count(*) FROM (
        SELECT FROM webhook_deliveries AS pending
        WHERE pending.webhook_id = asked.webhook_id AND due_at IS NOT NULL LIMIT %s
    ) AS pending
) AS room FROM unnest(%s::uuid[]) AS asked (webhook_id)
"""

PAUSE = """
UPDATE webhooks SET enabled = false, disabled_reason = %s WHERE webhook_id = ANY(%s) AND enabled
RETURNING webhook_id, player_id
"""

SEEDS = "SELECT match_id, seed FROM match_openings WHERE match_id = ANY(%s)"

PUT = """
INSERT INTO webhook_deliveries
    (delivery_id, webhook_id, position, ordinal, type, match_id, target, body, state, created_at, due_at)
SELECT delivery_id, webhook_id, position, ordinal, type, match_id, target, body, 'pending', at, at
FROM unnest(
    %s::uuid[], %s::uuid[], %s::bigint[], %s::integer[], %s::text[], %s::uuid[], %s::text[], %s::bytea[],
    %s::timestamptz[]
) AS message (delivery_id, webhook_id, position, ordinal, type, match_id, target, body, at)
ON CONFLICT DO NOTHING
"""


type OutboxRow = tuple[UUID | None, UUID, int, int, MessageType, UUID, str, bytes, datetime]
"""A message: its id, its webhook, where it comes from, what it is, and when that happened."""


class Subscriber(Struct, frozen=True):
    """An enabled webhook.

    Attributes:
        id: The webhook.
        target: What counts as one target.
        events: What it is told.
        since: Up to where in the log it is told nothing.
    """

    id: UUID
    target: str
    events: Collection[str]
    since: int


class Put(Struct, frozen=True):
    """A message that an event makes.

    Attributes:
        id: Its id.
        subscriber: To whom.
        ordinal: Which of the event's messages it is.
        type: What it tells.
        body: What is sent.
    """

    id: DeliveryId
    subscriber: Subscriber
    ordinal: int
    type: MessageType
    body: bytes


def noticed(happened: Happened) -> tuple[Notice, ...]:
    """Return who is told what of an event."""
    return tuple(notices(happened.match, happened.recorded.event, happened.newly_to_act))


def messages(
    games: Games,
    seed: bytes,
    happened: Happened,
    told: Sequence[Notice],
    subscribers: Mapping[PlayerId | None, Sequence[Subscriber]],
) -> Iterator[Put]:
    """Yield the messages that an event makes.

    Args:
        games: The registered games by id.
        seed: The match's secret.
        happened: The event.
        told: Who is told what of it.
        subscribers: The webhooks of each owner.
    """
    match, recorded = happened.match, happened.recorded
    source = Source(game_of(games, match.terms), match_id(happened.number), match.terms.seats, seed)
    for ordinal, notice in enumerate(told):
        asking = [
            subscriber
            for subscriber in subscribers.get(notice.owner, ())
            if notice.type in subscriber.events and subscriber.since < happened.position
        ]
        if asking:
            content = body(source, match, recorded, notice)
            for subscriber in asking:
                delivery = new_delivery_id(recorded.at, recorded.version, ordinal)
                yield Put(delivery, subscriber, ordinal, notice.type, content)


def put_down(cursor: Cursor[Any], rows: Sequence[OutboxRow]) -> int:
    """Put messages down and return how many those are; what was recorded before is left as it is.

    A webhook for which so many are pending already is paused instead.
    """
    if not rows:
        return 0
    cursor.execute(ROOM, (MOST_PENDING, MOST_PENDING, list({webhook for _, webhook, *_ in rows})))
    room = {row["webhook_id"]: row["room"] for row in cursor.fetchall()}
    kept: list[OutboxRow] = []
    full: dict[UUID, datetime] = {}
    for row in rows:
        webhook, at = row[1], row[-1]
        if room[webhook] > 0:
            room[webhook] -= 1
            kept.append(row)
        else:
            full.setdefault(webhook, at)
    if kept:
        cursor.execute(PUT, [list(column) for column in zip(*kept, strict=True)])
        cursor.execute(NOTIFY, {"name": DELIVERIES})
    if full:
        pause(cursor, full)
    return len(kept)


def pause(cursor: Cursor[Any], webhooks: Mapping[UUID, datetime]) -> None:
    """Pause webhooks, each since a time, and let the players whose they are know."""
    paused = cursor.execute(PAUSE, (DisabledReason.BACKLOG, list(webhooks))).fetchall()
    for row in paused:
        log.warning("%s is paused: too much is pending", written("webhook", row["webhook_id"]))
    owned = [(row["player_id"], row["webhook_id"]) for row in paused if row["player_id"] is not None]
    told = [(player, webhook, webhooks[webhook]) for player, webhook in owned]
    notify(cursor, PlayerEventKind.WEBHOOK_PAUSED, told)


class OutboxRecorder(PostgresTrackingRecorder):
    """The messages to webhooks and the position in the log up to which they are recorded, in one transaction.

    No read model that is built again: what was told once is not told again. Were the log read twice, each
    message would still be recorded once, and those that the log of messages has forgotten not at all.
    """

    def __init__(self, games: Games, datastore: Datastore, wake: Callable[[], object]) -> None:
        """Take the registered games, the connections, and what to call when messages were recorded."""
        super().__init__(datastore, tracking_table_name="match_tracking")
        self._games = games
        self._topics = [tag(event) for game in games.values() for event in game.events]
        self._reader = LogReader(games)
        self._wake = wake
        self._seen = 0
        self._end: int | None = None

    def catch_up(self) -> bool:
        """Record what the next batch of the log tells, and return whether there may be more.

        One process does so at a time; what another is doing is left to it.
        """
        reader, self._reader = self._reader, LogReader(self._games)
        with self.datastore.transaction() as cursor:
            if not try_to_hold(cursor, NAME):
                self._end = None
                return False
            stored = self._max_tracking_id(NAME, cursor) or 0
            start = max(stored, self._seen)
            # Read before the webhooks: one that is made meanwhile is notified of what comes after this.
            up_to = newest(cursor)
            batch: Sequence[Happened] = ()
            reached, put = max(up_to, start), 0
            if _anybody(cursor):
                reader = reader if start == self._seen else LogReader(self._games)
                batch, reached = reader.read(cursor, start, up_to, self._topics, BATCH)
                put = self._put(cursor, batch)
                self._reader = reader
            if batch or reached - stored > STRIDE:
                self._insert_tracking(cursor, Tracking(NAME, reached))
        self._seen = reached
        if put:
            self._wake()
        return reached < up_to

    def grown(self, end: int) -> bool:
        """Return whether the log ends elsewhere than when last asked, or something was not recorded."""
        before, self._end = self._end, end
        return end != before

    def forget(self) -> None:
        """Forget how far the log was read beyond what is stored: of a failover that may be lost."""
        self._end = None
        self._seen, self._reader = 0, LogReader(self._games)

    def _put(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> int:
        """Record the messages that events make, and return how many those are."""
        told = [(happened, _tolerant(cursor, happened, partial(noticed, happened))) for happened in batch]
        players = {notice.owner for _, some in told for notice in some if notice.owner is not None}
        subscribers: dict[PlayerId | None, list[Subscriber]] = {}
        numbers = [parsed("player", player) for player in sorted(players)]
        for row in cursor.execute(SUBSCRIBERS, (numbers,)):
            number = row["player_id"]
            owner = None if number is None else PlayerId(written("player", number))
            subscriber = Subscriber(row["webhook_id"], row["target"], frozenset(row["events"]), row["since"])
            subscribers.setdefault(owner, []).append(subscriber)
        if not subscribers:
            return 0
        unwanted = _unwanted(cursor, told)
        matches = list({happened.number for happened in batch})
        seeds = {row["match_id"]: bytes(row["seed"]) for row in cursor.execute(SEEDS, (matches,))}

        def rows_of(happened: Happened, some: Sequence[Notice]) -> list[OutboxRow]:
            return [
                (
                    parsed("delivery", put.id),
                    put.subscriber.id,
                    happened.position,
                    put.ordinal,
                    put.type,
                    happened.number,
                    put.subscriber.target,
                    put.body,
                    happened.recorded.at,
                )
                for put in messages(self._games, seeds[happened.number], happened, some, subscribers)
                if put.type is not MessageType.INVITED or (happened.position, put.ordinal) not in unwanted
            ]

        rows = [
            row
            for happened, some in told
            if some
            for row in _tolerant(cursor, happened, partial(rows_of, happened, some))
        ]
        return put_down(cursor, rows)


def _tolerant[Item](
    cursor: Cursor[Any], happened: Happened, make: Callable[[], Sequence[Item]]
) -> Sequence[Item]:
    """Return what is made of an event; if that fails its match is set aside, and all others are told."""
    try:
        return make()
    except Failure:
        # Of an edition that is not known here: a newer process tells of it.
        raise
    except Exception as error:  # noqa: BLE001
        put_aside(cursor, happened.number, happened.recorded.version, why(error))
        return ()


def _unwanted(cursor: Cursor[Any], told: Sequence[tuple[Happened, Sequence[Notice]]]) -> set[tuple[int, int]]:
    """Return which invitations, by position and ordinal, come from players whom their guests have blocked."""
    invitations = {
        (happened.position, ordinal): (notice.owner, inviter(happened))
        for happened, some in told
        for ordinal, notice in enumerate(some)
        if notice.type is MessageType.INVITED
    }
    if not invitations:
        return set()
    pairs = [[parsed("player", player or "") for player in both] for both in invitations.values()]
    cursor.execute(BLOCKED, [list(column) for column in zip(*pairs, strict=True)])
    blocked = {(row["player_id"], row["blocked_id"]) for row in cursor.fetchall()}
    return {place for place, pair in zip(invitations, pairs, strict=True) if tuple(pair) in blocked}


def _anybody(cursor: Cursor[Any]) -> bool:
    """Return whether there is any webhook that is sent anything."""
    row = cursor.execute(
        "SELECT EXISTS (SELECT FROM webhooks WHERE enabled AND proved) AS anybody"
    ).fetchone()
    return row is not None and bool(row["anybody"])
