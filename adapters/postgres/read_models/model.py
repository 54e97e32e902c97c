"""What a read model is, and what it is told."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from msgspec import Struct
from psycopg import Cursor

from adapters.event_store.mapper import tag
from domain.match import AnyMatch
from domain.shared.seats import Seat
from services.matches.store import Recorded


class Happened(Struct, frozen=True):
    """An event of the log.

    Attributes:
        position: Where in the log it stands.
        number: The match's UUID.
        recorded: The event with its envelope.
        opened_at: When the match was opened, UTC.
        match: The match after it, without its table: that is the game's beginning.
        to_act: The seats that must choose after it, rising; none of a branch, as nobody waits for those.
        newly_to_act: Those of them that needed not before it.
    """

    position: int
    number: UUID
    recorded: Recorded
    opened_at: datetime
    match: AnyMatch
    to_act: tuple[Seat, ...]
    newly_to_act: tuple[Seat, ...]

    @property
    def topic(self) -> str:
        """The event's stored name."""
        return tag(type(self.recorded.event))


def is_told(model: "ReadModel", happened: Happened) -> bool:
    """Return whether a read model is notified of an event."""
    return happened.topic in model.topics or (model.turns and happened.recorded.to_act is not None)


class ReadModel(Protocol):
    """Tables that follow from the log and from nothing else, so that they can be built again from it.

    Attributes:
        name: Names its position in the log; never changed.
        tables: Its tables, each with a primary key. It reads and writes these only, by their bare names,
            and reads `starts`.
        topics: Stored names of the events that it is notified of.
        turns: Whether it is notified of all events, of whatever name, that change who is to act.
        starts: The table that says up to which number each player's rows are forgotten; None if none are.
    """

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def tables(self) -> Sequence[str]:
        """Return its tables."""

    @property
    def topics(self) -> Collection[str]:
        """Return what it is notified of."""

    @property
    def turns(self) -> bool:
        """Return whether it is notified of all events that change who is to act."""

    @property
    def starts(self) -> str | None:
        """Return the table that says up to which number each player's rows are forgotten."""

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Take in the next events that it is notified of, in the order of the log, within a transaction.

        The same log gives the same rows, whatever its batches are.
        """
