"""Bring the read models up to the log."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from psycopg import Cursor, sql

from adapters.event_store.set_aside import why
from adapters.postgres.connection.connections import lost
from adapters.postgres.connection.datastore import Datastore, try_to_hold
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.log.set_aside import put_aside
from adapters.postgres.read_models.model import Happened, ReadModel, is_told
from adapters.postgres.read_models.reader import CHANGES_TURN, LogReader, newest
from domain.shared.game import Games

TRACKING = "match_tracking"
LOCK = "read models"
BATCH = 500
STRIDE = 10_000
"""How far the log may run ahead of the stored positions while nothing in it concerns a read model."""

STORED = sql.SQL("SELECT application_name, notification_id FROM {}").format(sql.Identifier(TRACKING))
BEHIND = sql.SQL(
    "SELECT count(*) AS behind FROM {} WHERE notification_id > %s"
    " AND (topic = ANY(%s) OR (%s AND {changes_turn}))"
).format(sql.Identifier(EVENTS), changes_turn=CHANGES_TURN)


class ReadModels(PostgresTrackingRecorder):
    """Read models, and their positions in the log, changed in one transaction.

    Those that are level share one reading of the log. One that is behind, being new or rebuilt or in
    trouble, catches up by itself while the others go on.
    """

    def __init__(
        self,
        games: Games,
        datastore: Datastore,
        models: Sequence[ReadModel],
        lock: str = LOCK,
        batch: int = BATCH,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """Take the registered games, the connections, and the read models.

        Args:
            games: The registered games by id.
            datastore: The connections.
            models: The read models.
            lock: Names what one process at a time may do.
            batch: How many events are taken in together at most.
            changed: Called when events were taken in, after the commit, by the thread that did so.
        """
        super().__init__(datastore, tracking_table_name=TRACKING)
        self._games = games
        self._models = tuple(models)
        self._lock = lock
        self._batch = batch
        self._changed = changed
        self._seen: dict[str, int] = {}
        self._readers: dict[int, LogReader] = {}
        self._end: int | None = None

    def catch_up(self) -> bool:
        """Take in the next batch of the log, and return whether there may be more.

        One process does so at a time; what another is doing is left to it. A read model that fails stays
        where it is and is tried again the next time.

        Raises:
            Exception: What one of them failed of, once the others are up.
        """
        readers, kept = self._readers, dict[int, LogReader]()
        reached: dict[str, int] = {}
        trouble: Exception | None = None
        more = taken = False
        with self.datastore.transaction() as cursor:
            if not try_to_hold(cursor, self._lock):
                self._end = None
                return False
            # What a reader remembers is of no use if it was read in vain.
            self._readers = {}
            up_to = newest(cursor)
            for position, level in _from_the_front(self._positions(cursor)):
                reader = readers.get(position) or LogReader(self._games)
                topics = {topic for model in level for topic in model.topics}
                batch, last = reader.read(cursor, position, up_to, topics, self._batch)
                taken |= bool(batch)
                done, failed = _applied(cursor, level, batch)
                if last - position > STRIDE or any(
                    is_told(model, happened) for model in level for happened in batch
                ):
                    for model in done:
                        self._insert_tracking(cursor, Tracking(model.name, last))
                if done:
                    reached |= {model.name: last for model in done}
                    kept[last] = reader
                    more |= last < up_to
                trouble = trouble or failed
                up_to = last
        self._readers = kept
        self._seen |= reached
        if taken and self._changed is not None:
            self._changed()
        if trouble is not None and not more:
            raise trouble
        return more

    def grown(self, end: int) -> bool:
        """Return whether the log ends elsewhere than when last asked, or something was not taken in."""
        before, self._end = self._end, end
        return end != before

    def forget(self) -> None:
        """Forget how far the log was read beyond what is stored: of a failover that may be lost."""
        self._seen, self._readers, self._end = {}, {}, None

    def positions(self) -> dict[str, int]:
        """Return by name how far in the log each read model has come."""
        with self.datastore.transaction() as cursor:
            return {model.name: position for model, position in self._positions(cursor).items()}

    def lags(self) -> dict[str, int]:
        """Return by name how many events concern each read model that it has not taken in yet."""
        with self.datastore.transaction() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            counts = {}
            for model, position in self._positions(cursor).items():
                row = cursor.execute(BEHIND, (position, list(model.topics), model.turns)).fetchone()
                counts[model.name] = 0 if row is None else int(row["behind"])
            return counts

    def _positions(self, cursor: Cursor[Any]) -> dict[ReadModel, int]:
        """Return where each read model is: as stored, or further where nothing came that concerns it."""
        stored = {row["application_name"]: row["notification_id"] for row in cursor.execute(STORED)}
        return {
            model: max(stored.get(model.name, 0), self._seen.get(model.name, 0)) for model in self._models
        }


def _applied(
    cursor: Cursor[Any], models: Sequence[ReadModel], batch: Sequence[Happened]
) -> tuple[list[ReadModel], Exception | None]:
    """Return those that took a batch in, and what the first of the others failed of."""
    done, trouble = [], None
    for model in models:
        try:
            if concerned := [happened for happened in batch if is_told(model, happened)]:
                with cursor.connection.transaction():
                    model.apply(cursor, concerned)
            done.append(model)
        except Exception as error:
            if lost(error):
                raise
            if isinstance(error, psycopg.Error) or not _applied_in_part(cursor, model, concerned):
                trouble = trouble or error
            else:
                done.append(model)
    return done, trouble


def _applied_in_part(cursor: Cursor[Any], model: ReadModel, batch: Sequence[Happened]) -> bool:
    """Let a read model take in a batch event by event, and set matches aside that it fails of.

    Returns:
        Whether it did: one that fails of every match is at fault itself, or the others are yet to come.
    """
    matches = {happened.number for happened in batch}
    faults: dict[UUID, tuple[Happened, Exception]] = {}
    with cursor.connection.transaction() as kept:
        for happened in batch:
            if happened.number in faults:
                continue
            try:
                with cursor.connection.transaction():
                    model.apply(cursor, [happened])
            except Exception as error:
                if isinstance(error, psycopg.Error):
                    raise
                faults[happened.number] = happened, error
        if len(faults) == len(matches):
            raise psycopg.Rollback(kept)
    if len(faults) == len(matches):
        return False
    for happened, fault in faults.values():
        put_aside(cursor, happened.number, happened.recorded.version, why(fault))
    return True


def _from_the_front(positions: Mapping[ReadModel, int]) -> Iterator[tuple[int, list[ReadModel]]]:
    """Give each position and the read models that are level there, those that are furthest first."""
    ordered = sorted(positions, key=lambda model: positions[model], reverse=True)
    for position, level in groupby(ordered, key=lambda model: positions[model]):
        yield position, list(level)
