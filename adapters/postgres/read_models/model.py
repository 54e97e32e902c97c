"""What a read model is, and what it is told."""

from collections.abc import Collection, Sequence
from typing import Any, Protocol
from uuid import UUID

from msgspec import Struct
from psycopg import Cursor

from adapters.postgres.mapper import tag
from domain.match import Match
from services.ports import Recorded


class Happened(Struct, frozen=True):
    """An event of the log.

    Attributes:
        position: Where in the log it stands.
        number: The match's UUID.
        recorded: The event with its envelope.
        match: The match behind it, without its table: that is the game's beginning.
    """

    position: int
    number: UUID
    recorded: Recorded
    match: Match[Any, Any]

    @property
    def topic(self) -> str:
        """The event's stored name."""
        return tag(type(self.recorded.event))


class ReadModel(Protocol):
    """Tables that follow from the log and from nothing else, so that they can be built again from it.

    Attributes:
        name: Names its position in the log; never changed.
        tables: Its tables, each with a primary key. It reads and writes these only, by their bare names.
        topics: Stored names of the events that it is told of.
    """

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def tables(self) -> Sequence[str]:
        """Return its tables."""

    @property
    def topics(self) -> Collection[str]:
        """Return what it is told of."""

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Take in the next events of its topics, in the order of the log, within a transaction.

        The same log gives the same rows, whatever its batches are.
        """
