"""The log of all matches on the event-sourcing library, in PostgreSQL or in memory."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NoReturn, Protocol, cast
from uuid import UUID

from eventsourcing.persistence import (
    InfrastructureFactory,
    IntegrityError,
    StoredEvent,
)
from eventsourcing.popo import POPOAggregateRecorder, POPOApplicationRecorder
from eventsourcing.postgres import (
    PostgresAggregateRecorder,
    PostgresApplicationRecorder,
    PostgresDatastore,
    PostgresFactory,
)
from eventsourcing.utils import Environment
from psycopg import sql

from adapters.postgres.datastore import Datastore
from adapters.postgres.group_commit import GroupCommit
from adapters.postgres.mapper import EventMapper, LoggedEvent, SnapshotMapper, Unreadable
from adapters.postgres.set_aside import MemorySetAside, PostgresSetAside, gap
from domain.shared.game import Games
from services.matches.store import Recorded, Snapshot, VersionTaken
from services.shared.errors import NotFound, SetAside, Unavailable
from services.shared.ids import MatchId, parsed

EVENTS = "match_events"

KEPT_SNAPSHOTS = 2
"""How many snapshots of a match are kept: each has all of its idempotency keys."""

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


class MemoryMatchRecorder(POPOApplicationRecorder):
    """The library's recorder in memory, which demands what `append_match_events` does."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Store events, all or none, and return their notification ids."""
        first = stored_events[0]
        if first.originator_version > 1 and not self.select_events(
            first.originator_id, gt=first.originator_version - 2, lte=first.originator_version - 1
        ):
            raise IntegrityError("the version before is not stored")
        return super().insert_events(stored_events, **kwargs)

    def count_events(self, number: UUID, up_to: int) -> int:
        """Return how many events are stored of a match, up to and with a version."""
        return len(self.select_events(number, lte=up_to))


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


class MemorySnapshots(POPOAggregateRecorder):
    """The library's recorder of snapshots in memory."""

    def keep(self, snapshot: StoredEvent) -> None:
        """Store a snapshot, unless it is there, and forget all but the newest of its match."""
        with suppress(IntegrityError):
            self.insert_events([snapshot])
        index = self._stored_events_index[str(snapshot.originator_id)]
        for version in sorted(index)[:-KEPT_SNAPSHOTS]:
            del index[version]


type Snapshots = SnapshotRecorder | MemorySnapshots
"""Where snapshots are kept."""


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


class Recorder(Protocol):
    """What is needed of the library's recorder, and of what is added to it."""

    def insert_events(self, stored_events: Sequence[StoredEvent]) -> Sequence[int] | None:
        """Store events, all or none."""

    def select_events(
        self, originator_id: UUID, *, gt: int | None = None, lte: int | None = None
    ) -> Sequence[StoredEvent]:
        """Return a match's events."""

    def count_events(self, number: UUID, up_to: int) -> int:
        """Return how many events are stored of a match, up to and with a version."""


class Aside(Protocol):
    """Puts down which matches cannot be read."""

    async def put(self, match: MatchId, version: int, why: str) -> None:
        """Set a match aside."""


class Run(Protocol):
    """Does blocking work away from the event loop, or at once where nothing blocks."""

    async def __call__[Result](self, work: Callable[[], Result]) -> Result:
        """Return what `work` gives."""


class Store:
    """The port `EventStore` on two recorders of the library."""

    def __init__(
        self,
        games: Games,
        events: Recorder,
        snapshots: Snapshots,
        run: Run,
        aside: Aside,
        group_commit: GroupCommit | None = None,
    ) -> None:
        """Take the registered games, the recorders, how blocking work is done, and how commands are written.

        Args:
            games: The registered games by id.
            events: Reads the log, and writes it where there is no group commit.
            snapshots: Keeps the snapshots.
            run: Does what blocks.
            aside: Is told which matches cannot be read.
            group_commit: Writes the log.
        """
        self._group_commit = group_commit
        self._mapper = EventMapper(games)
        self._snapshots_mapper = SnapshotMapper(games)
        self._events = events
        self._snapshots = snapshots
        self._run = run
        self._aside = aside

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events of one command; durable when it returns."""
        number = uuid_of(match)
        stored = [self._mapper.to_stored_event(LoggedEvent(number, recorded)) for recorded in events]
        if self._group_commit is not None:
            await self._group_commit.append(stored)
            return
        try:
            await self._run(lambda: self._events.insert_events(stored))
        except IntegrityError as error:
            raise VersionTaken from error

    @property
    def writer(self) -> int | None:
        """Process id of the server's backend that writes the log for this process, if there is one."""
        return None if self._group_commit is None else self._group_commit.backend

    async def close(self) -> None:
        """Finish what was accepted."""
        if self._group_commit is not None:
            await self._group_commit.close()

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events behind version `after`, up to and with `up_to`, in order."""
        number = uuid_of(match)
        stored = await self._run(lambda: self._events.select_events(number, gt=after, lte=up_to))
        if missing := gap((event.originator_version for event in stored), after):
            await self.set_aside(match, missing, "it is missing")
        try:
            return self._mapper.recorded(stored)
        except Unreadable as error:
            await self.set_aside(match, error.version, str(error))

    async def complete(self, match: MatchId, up_to: int) -> None:
        """Refuse a match of which a version is missing, up to and with `up_to`."""
        number = uuid_of(match)
        if await self._run(lambda: self._events.count_events(number, up_to)) != up_to:
            await self.read(match, 0, up_to)

    async def set_aside(self, match: MatchId, version: int, why: str) -> NoReturn:
        """Put down that a match cannot be read, and refuse it."""
        with suppress(Unavailable):
            await self._aside.put(match, version, why)
        raise SetAside(match)

    async def snapshot(self, match: MatchId, up_to: int | None = None) -> Snapshot | None:
        """Return the latest usable snapshot, at most at version `up_to`."""
        number = uuid_of(match)
        stored = await self._run(lambda: self._snapshots.select_events(number, lte=up_to, desc=True, limit=1))
        snapshot = self._snapshots_mapper.to_snapshot(stored[0]) if stored else None
        if snapshot is not None:
            await self.complete(match, snapshot.version)
        return snapshot

    async def keep_snapshot(self, match: MatchId, snapshot: Snapshot) -> None:
        """Store a snapshot; one that is there already stays."""
        stored = self._snapshots_mapper.to_stored(uuid_of(match), snapshot)
        await self._run(lambda: self._snapshots.keep(stored))

    async def answers(self) -> bool:
        """Return whether the store answers now."""
        await self.read(MatchId("match_" + "0" * 26), 0, 0)
        return True


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


def memory_store(games: Games, events: MemoryMatchRecorder, snapshots: MemorySnapshots) -> Store:
    """Return a log in memory, gone with the process: the twin for fast tests."""

    async def at_once[Result](work: Callable[[], Result]) -> Result:
        return work()

    return Store(games, events, snapshots, at_once, MemorySetAside())


@lru_cache(10_000)
def uuid_of(match: MatchId) -> UUID:
    """Return the UUID of a match.

    Raises:
        NotFound: It is not the id of a match.
    """
    if (number := parsed("match", match)) is None:
        raise NotFound("NO_SUCH_MATCH", match=match)
    return number
