"""How an event and its envelope are written to the log, and read from it.

A stored event's topic is the name that its type is tagged with, written out in the domain; its state is the
envelope as JSON. An event that changed shape gets a new schema number here and an upcast in its game.
"""

import struct
from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.persistence import Mapper, StoredEvent
from msgspec import Raw, Struct

from adapters.generics import filled
from domain.match import COMMON_EVENTS, Branched, Match, Opened, PlayerId
from domain.match.branch import read_table
from domain.match.proof import Link
from domain.shared.game import Games
from domain.shared.seats import Seat
from services.matches.loaded import NAME_BYTES
from services.matches.store import Recorded, Snapshot, StoredCommand

SCHEMA = 1
"""The shape in which events are written today."""

SNAPSHOT_TOPIC = "match.snapshot"
SNAPSHOT_SCHEMA = 2
"""The shape in which snapshots are written today; any other is ignored."""

NO_COMMAND = Raw(b"null")
DONE = struct.Struct(f">{NAME_BYTES}sII")
"""A command that was carried out, as a snapshot has it: its name, the first and the last of its versions."""


class LoggedEvent(Struct, frozen=True):
    """An event of a match, as the event-sourcing library handles it.

    Attributes:
        originator_id: The match.
        recorded: The event with its envelope.
    """

    originator_id: UUID
    recorded: Recorded

    @property
    def originator_version(self) -> int:
        """Return the event's number in the match."""
        return self.recorded.version


class Envelope[E](Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is stored as an event's state."""

    schema: int
    at: datetime
    seat: Seat | None = None
    by: PlayerId | None = None
    key: str | None = None
    digest: str | None = None
    command: Raw = NO_COMMAND
    to_act: tuple[Seat, ...] | None = None
    event: E
    previous: str
    hash: str
    commitments: tuple[str, ...]


class Unreadable(Exception):  # noqa: N818 - an answer about the log
    """What is stored is no event that is known here; the message says why.

    Attributes:
        version: The event's number in its match.
    """

    def __init__(self, version: int, why: str) -> None:
        """Take which event it is, and why."""
        super().__init__(why)
        self.version = version


class EventMapper(Mapper[UUID]):
    """Writes events of every registered game and reads them back, each to its own type."""

    def __init__(self, games: Games) -> None:
        """Take the registered games."""
        self._games = games
        own = (event for game in games.values() for event in game.events)
        branched = filled(Branched, reduce(or_, (game.table for game in games.values())))
        self._decoders = {
            tag(event): msgspec.json.Decoder(filled(Envelope, event)) for event in (*COMMON_EVENTS, *own)
        } | {tag(Branched): msgspec.json.Decoder(filled(Envelope, branched))}
        self._openings = {
            game.id: msgspec.json.Decoder(filled(Envelope, filled(Opened, game.options)))
            for game in games.values()
        }

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        """Return a logged event as it is stored."""
        recorded = domain_event.recorded
        envelope = Envelope(
            schema=SCHEMA,
            at=recorded.at,
            seat=recorded.seat,
            by=recorded.by,
            key=recorded.key,
            digest=recorded.digest,
            command=NO_COMMAND if recorded.command is None else Raw(recorded.command),
            to_act=recorded.to_act,
            event=recorded.event,
            previous=recorded.link.previous,
            hash=recorded.link.hash,
            commitments=recorded.link.commitments,
        )
        return StoredEvent(
            domain_event.originator_id,
            recorded.version,
            tag(type(recorded.event)),
            msgspec.json.encode(envelope),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        """Return a stored event as it was logged."""
        recorded = self.read(stored_event.originator_version, stored_event.topic, stored_event.state)
        return LoggedEvent(stored_event.originator_id, recorded)  # type: ignore[arg-type]

    def read(self, version: int, topic: str, state: bytes) -> Recorded:
        """Return an event as it was recorded, of what is stored of it.

        Raises:
            Unreadable: There is no event, or game, of this name, or it does not decode to it.
        """
        try:
            decoder = self._decoders.get(topic) or self._openings[self._game_in(topic, state)]
            envelope = decoder.decode(state)
            if isinstance(envelope.event, Branched):
                read_table(self._games[tag(type(envelope.event.table))], envelope.event.state)
        except KeyError as error:
            raise Unreadable(version, f"{error.args[0]} is not known") from error
        except (msgspec.DecodeError, TypeError, RecursionError) as error:
            raise Unreadable(version, f"{topic} does not decode: {error}") from error
        return Recorded(
            version=version,
            at=envelope.at,
            seat=envelope.seat,
            by=envelope.by,
            key=envelope.key,
            digest=envelope.digest,
            command=None if envelope.command == NO_COMMAND else bytes(envelope.command),
            to_act=envelope.to_act,
            event=envelope.event,
            link=Link(previous=envelope.previous, hash=envelope.hash, commitments=envelope.commitments),
        )

    @staticmethod
    def _game_in(topic: str, state: bytes) -> str:
        if topic != tag(Opened):
            raise KeyError(f"the event {topic}")
        return _GAME.decode(state).event.terms.game

    def recorded(self, stored_events: Iterable[StoredEvent]) -> list[Recorded]:
        """Return the events of stored ones, in their order."""
        return [self.to_domain_event(stored).recorded for stored in stored_events]


class SnapshotMapper:
    """Writes snapshots of matches of every registered game and reads them back."""

    def __init__(self, games: Games) -> None:
        """Take the registered games."""
        self._decoders = {
            game.id: msgspec.json.Decoder(filled(StoredSnapshot, game.state, game.options))
            for game in games.values()
        }

    def to_stored(self, match: UUID, snapshot: Snapshot) -> StoredEvent:
        """Return a snapshot as it is stored."""
        kept = StoredSnapshot(
            schema=SNAPSHOT_SCHEMA,
            game=snapshot.match.terms.game,
            ruleset=snapshot.match.terms.ruleset,
            match=snapshot.match,
            opened_at=snapshot.opened_at,
            head=snapshot.head,
            commands=snapshot.commands,
            done=b"".join(DONE.pack(name, done.first, done.last) for name, done in snapshot.done),
        )
        return StoredEvent(match, snapshot.version, SNAPSHOT_TOPIC, msgspec.json.encode(kept))

    def to_snapshot(self, stored: StoredEvent) -> Snapshot | None:
        """Return a stored snapshot, or None if it does not decode to today's shape."""
        try:
            shape = _SHAPE.decode(stored.state)
            if shape.schema != SNAPSHOT_SCHEMA:
                return None
            kept = self._decoders[shape.game].decode(stored.state)
            done = tuple(
                (name, StoredCommand(first, last)) for name, first, last in DONE.iter_unpack(kept.done)
            )
        except (msgspec.DecodeError, KeyError, RecursionError, struct.error):
            return None
        return Snapshot(
            version=stored.originator_version,
            match=kept.match,
            opened_at=kept.opened_at,
            head=kept.head,
            commands=kept.commands,
            done=done,
        )


class StoredSnapshot[S, O](Struct, frozen=True, kw_only=True):
    """What is stored as a snapshot's state."""

    schema: int
    game: str
    ruleset: str
    match: Match[S, O]
    opened_at: datetime
    head: str
    commands: int
    done: bytes


class Shape(Struct):
    """The part of a snapshot that tells how to read the rest."""

    schema: int
    game: str


class _Terms(Struct):
    game: str


class _Opened(Struct, tag_field="type", tag="match.opened"):
    terms: _Terms


class _Opening(Struct):
    event: _Opened


_SHAPE = msgspec.json.Decoder(Shape)
_GAME = msgspec.json.Decoder(_Opening)


def tag(event: type[Any]) -> str:
    """Return the stored name of an event type."""
    return str(event.__struct_config__.tag)
