"""Build a read model again from the log, beside the one in use."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

import psycopg
from msgspec import Struct
from psycopg import Cursor, sql
from psycopg.rows import dict_row

from adapters.postgres.connection.connections import SCHEMA, Connection, limited
from adapters.postgres.connection.datastore import Datastore, hold, try_to_hold
from adapters.postgres.read_models.catch_up import LOCK, TRACKING, ReadModels
from adapters.postgres.read_models.model import Happened, ReadModel
from adapters.postgres.read_models.reader import newest
from domain.shared.game import Games

BATCH = 2_000

BEGUN = sql.SQL("INSERT INTO {} VALUES (%s, 0) ON CONFLICT DO NOTHING").format(sql.Identifier(TRACKING))
FORGET = sql.SQL("DELETE FROM {} WHERE application_name = ANY(%s)").format(sql.Identifier(TRACKING))
TRACK = sql.SQL("INSERT INTO {} VALUES (%s, %s)").format(sql.Identifier(TRACKING))
KEY = (
    "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)"
    " WHERE indrelid = %s::regclass AND indisprimary"
)
REMOVE = sql.SQL(
    "DELETE FROM {table} AS used WHERE NOT EXISTS"
    " (SELECT FROM {draft} AS built WHERE {same_key} AND built *= used)"
)
"""Removes what is not in the draft, or not the same byte for byte."""
ADD = sql.SQL("INSERT INTO {table} SELECT * FROM {draft} ON CONFLICT DO NOTHING")
COUNT = sql.SQL("SELECT count(*) AS rows FROM {table}")


class RebuildError(Exception):
    """A read model cannot be rebuilt now; the message says why."""


class Rebuilt(Struct, frozen=True):
    """What came of it.

    Attributes:
        rows: How many rows there are now.
        removed: How many rows were there that differed, or should not have been there.
        added: How many rows were put in their place, or were missing.
    """

    rows: int
    removed: int
    added: int


class Rebuild:
    """Builds the tables of one read model in a schema of their own, then puts right what differs.

    Those in use stay as they are until then, and follow the log meanwhile. What was built is kept if the
    process ends before, and the next one goes on from there.
    """

    def __init__(self, games: Games, datastore: Datastore, model: ReadModel, *, afresh: bool = False) -> None:
        """Take the registered games, the connections and the read model.

        Args:
            games: The registered games by id.
            datastore: The connections, two or more.
            model: The read model.
            afresh: Whether what another process had built before it ended is thrown away.
        """
        self._datastore = datastore
        self._model = model
        self._afresh = afresh
        self._draft = Draft(model, datastore.schema)
        self._building = ReadModels(games, datastore, [self._draft], self._draft.name, BATCH)
        self._alone = ExitStack()

    def __enter__(self) -> Self:
        """Keep others from it, and make its tables unless that was done before.

        Raises:
            RebuildError: Another process rebuilds it.
        """
        with ExitStack() as alone:
            self._exclude(alone)
            with self._datastore.transaction() as cursor:
                if self._afresh:
                    self._draft.drop(cursor)
                    cursor.execute(FORGET, ([self._draft.name],))
                if cursor.execute(BEGUN, (self._draft.name,)).rowcount:
                    self._draft.make(cursor)
            self._alone = alone.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let others at it."""
        with suppress(psycopg.Error):
            self._alone.close()

    def _exclude(self, alone: ExitStack) -> None:
        """Keep others from it by the lock of a transaction, which nothing outlives."""
        connection = alone.enter_context(
            Connection.connect(limited(self._datastore.direct), autocommit=True, row_factory=dict_row)
        )
        alone.enter_context(connection.transaction())
        if not try_to_hold(connection.cursor(), f"{self._draft.name} alone"):
            raise RebuildError(f"{self._model.name} is being rebuilt by another process")

    @property
    def position(self) -> int:
        """How far in the log it has come."""
        return self._building.positions()[self._draft.name]

    @property
    def newest(self) -> int:
        """Where the log ends."""
        with self._datastore.transaction() as cursor:
            return newest(cursor)

    def advance(self) -> bool:
        """Take in the next batch of the log, and return whether there may be more."""
        return self._building.catch_up()

    def finish(self) -> Rebuilt:
        """Take in the rest while nobody follows the log, and put right what differs in the tables in use."""
        with self._datastore.transaction() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            hold(cursor, LOCK)
            while self.advance():
                pass
            reached = self.position
            self._draft.forget(cursor)
            rebuilt = self._draft.put_in_use(cursor)
            self._draft.drop(cursor)
            cursor.execute(FORGET, ([self._draft.name, self._model.name],))
            cursor.execute(TRACK, (self._model.name, reached))
        return rebuilt


class Draft:
    """A read model whose tables are drafts of those in use."""

    def __init__(self, model: ReadModel, schema: str = SCHEMA) -> None:
        """Take the read model that is drafted, and the schema of the tables in use."""
        self._model = model
        self.name = f"rebuilt_{model.name}"
        self.tables = model.tables
        self.topics = model.topics
        self.turns = model.turns
        self.starts = model.starts
        # Another deployment in the same database has drafts of its own.
        mark = "" if schema == SCHEMA else f"_{sha256(schema.encode()).hexdigest()[:16]}"
        self._used = sql.Identifier(schema)
        self._schema = f"{self.name}{mark}"

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Let the read model write to the drafts, which hide the tables in use."""
        path = sql.SQL(", ").join([sql.Identifier(self._schema), self._used])
        cursor.execute(sql.SQL("SET LOCAL search_path TO {}").format(path))
        self._model.apply(cursor, batch)
        cursor.execute(sql.SQL("SET LOCAL search_path TO {}").format(self._used))

    def make(self, cursor: Cursor[Any]) -> None:
        """Make the tables, empty."""
        cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))
        # What is forgotten is written down whole first, as it is the numbers that say what is.
        beside = () if self.starts is None else (self.starts,)
        for table in (*self.tables, *beside):
            cursor.execute(
                sql.SQL("CREATE TABLE {draft} (LIKE {table} INCLUDING ALL)").format(**self._names(table))
            )

    def drop(self, cursor: Cursor[Any]) -> None:
        """Drop the tables."""
        cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(self._schema)))

    def forget(self, cursor: Cursor[Any]) -> None:
        """Take out what is forgotten, and let nothing more be forgotten until the transaction ends."""
        if (starts := self.starts) is not None:
            cursor.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(sql.Identifier(starts)))
            (table,) = self.tables
            cursor.execute(
                sql.SQL(
                    "DELETE FROM {draft} AS built USING {starts} AS start"
                    " WHERE built.player_id = start.player_id AND built.number <= start.number"
                ).format(starts=sql.Identifier(starts), **self._names(table))
            )

    def put_in_use(self, cursor: Cursor[Any]) -> Rebuilt:
        """Make the tables in use the same row by row, which holds up nobody who reads them."""
        rows = removed = added = 0
        for table in self.tables:
            names = self._names(table)
            cursor.execute(sql.SQL("ANALYZE {draft}").format(**names))
            key = [row["attname"] for row in cursor.execute(KEY, (table,))]
            same_key = sql.SQL(" AND ").join(
                sql.SQL("built.{column} = used.{column}").format(column=sql.Identifier(column))
                for column in key
            )
            removed += cursor.execute(REMOVE.format(same_key=same_key, **names)).rowcount
            added += cursor.execute(ADD.format(**names)).rowcount
            counted = cursor.execute(COUNT.format(**names)).fetchone()
            rows += counted["rows"] if counted else 0
        return Rebuilt(rows, removed, added)

    def _names(self, table: str) -> dict[str, sql.Identifier]:
        return {
            "table": sql.Identifier(table),
            "draft": sql.Identifier(self._schema, table),
        }
