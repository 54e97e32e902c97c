"""The event-sourcing library's recorders on our tables."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from eventsourcing.persistence import (
    InfrastructureFactory,
    IntegrityError,
    StoredEvent,
)
from eventsourcing.postgres import (
    PostgresAggregateRecorder,
    PostgresApplicationRecorder,
    PostgresDatastore,
    PostgresFactory,
)
from eventsourcing.utils import Environment
from psycopg import sql

from adapters.event_store.store import KEPT_SNAPSHOTS, Store
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.group_commit import GroupCommit
from adapters.postgres.log.set_aside import PostgresSetAside
from domain.shared.game import Games

EVENTS = "match_events"


APPEND = (
    "SELECT refused, last"
    " FROM append_match_events(%b::uuid[], %b::bigint[], %b::text[], %b::bytea[], %b::int[])"
)


READ = sql.SQL(
    "SELECT originator_id, originator_version, topic, coalesce(state, '') AS state FROM {}"
    " WHERE originator_id = %s"
)
"""Reads a state that is missing as one that does not decode: the library reads no other than bytes."""


COUNT = "SELECT count(*) AS events FROM match_events WHERE originator_id = %s AND originator_version <= %s"


class MatchRecorder(PostgresApplicationRecorder):
    """The library's recorder, writing by `append_match_events` and without retries.

    It would try again for many seconds while the server is away, and after a lost answer it would take a
    command that was stored for one that lost a race. The caller knows better: it has an idempotency key.
    """

    select_events = PostgresApplicationRecorder.select_events.__wrapped__
    select_notifications = PostgresApplicationRecorder.select_notifications.__wrapped__
    max_notification_id = PostgresApplicationRecorder.max_notification_id.__wrapped__

    def __init__(self, datastore: PostgresDatastore, **names: Any) -> None:
        """Take the connections and the names of the tables."""
        super().__init__(datastore, **names)
        self.select_events_statement = READ.format(sql.Identifier(self.events_table_name))

    def count_events(self, number: UUID, up_to: int) -> int:
        """Return how many events are stored of a match, up to and with a version."""
        with self.datastore.get_connection() as connection:
            row = connection.execute(COUNT, (number, up_to), prepare=True).fetchone()
        return 0 if row is None else int(row["events"])

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Store events, all or none, and return their notification ids."""
        if not stored_events:
            return None
        columns = (
            [event.originator_id for event in stored_events],
            [event.originator_version for event in stored_events],
            [event.topic for event in stored_events],
            [event.state for event in stored_events],
            [1] * len(stored_events),
        )
        with self.datastore.get_connection() as connection:
            row = connection.execute(APPEND, columns, prepare=True).fetchone()
        if row is None or row["refused"]:
            raise IntegrityError("one of the versions is taken, or the one before is not stored")
        return list(range(row["last"] - len(stored_events) + 1, row["last"] + 1))


KEEP_SNAPSHOT = f"""
WITH kept AS (
    INSERT INTO match_snapshots (originator_id, originator_version, topic, state)
    VALUES (%(match)s, %(version)s, %(topic)s, %(state)s) ON CONFLICT DO NOTHING
)
DELETE FROM match_snapshots WHERE originator_id = %(match)s AND originator_version < (
    SELECT originator_version FROM (
        SELECT originator_version FROM match_snapshots WHERE originator_id = %(match)s
        UNION SELECT %(version)s
    ) AS versions ORDER BY originator_version DESC OFFSET {KEPT_SNAPSHOTS - 1} LIMIT 1
)
"""  # noqa: S608 - a number of our own


class SnapshotRecorder(PostgresAggregateRecorder):
    """The library's recorder of snapshots without its retries."""

    insert_events = PostgresAggregateRecorder.insert_events.__wrapped__
    select_events = PostgresAggregateRecorder.select_events.__wrapped__

    def __init__(self, datastore: PostgresDatastore, **names: Any) -> None:
        """Take the connections and the names of the tables."""
        super().__init__(datastore, **names)
        self.select_events_statement = READ.format(sql.Identifier(self.events_table_name))

    def keep(self, snapshot: StoredEvent) -> None:
        """Store a snapshot, unless it is there, and forget all but the newest of its match."""
        values = {
            "match": snapshot.originator_id,
            "version": snapshot.originator_version,
            "topic": snapshot.topic,
            "state": snapshot.state,
        }
        with self.datastore.get_connection() as connection:
            connection.execute(KEEP_SNAPSHOT, values)


class RecorderFactory(PostgresFactory):
    """Makes the library's recorders on our tables, which the migrations have made, and on our connections.

    The library makes the tables' names, `match_events` and `match_snapshots`, from an application's: `match`.
    """

    application_recorder_class = MatchRecorder
    aggregate_recorder_class = SnapshotRecorder

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections; the library's own constructor would open others, by settings of its own."""
        InfrastructureFactory.__init__(self, Environment("match", {self.CREATE_TABLE: "n"}))
        self.datastore = datastore

    def snapshot_recorder(self) -> SnapshotRecorder:
        """Return the recorder of snapshots."""
        return SnapshotRecorder(self.datastore, events_table_name="match_snapshots")


def postgres_log(datastore: Datastore) -> MatchRecorder:
    """Return the recorder of all matches' events."""
    return cast(MatchRecorder, RecorderFactory(datastore).application_recorder())


def postgres_store(games: Games, datastore: Datastore, append_queue: int) -> Store:
    """Return the log in PostgreSQL; its tables are made by the migrations.

    Args:
        games: The registered games by id.
        datastore: The connections for all but writing the log.
        append_queue: The most events that may wait to be written.
    """
    group_commit = GroupCommit(datastore.conninfo, append_queue)
    snapshots = RecorderFactory(datastore).snapshot_recorder()
    aside = PostgresSetAside(datastore)
    return Store(games, postgres_log(datastore), snapshots, datastore.run, aside, group_commit)
