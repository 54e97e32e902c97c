"""The audit of what is stored, read in big batches straight from the tables."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, cast
from uuid import UUID

from msgspec import Struct
from psycopg import sql
from psycopg.rows import dict_row, tuple_row

from adapters.event_store.mapper import EventMapper, Unreadable
from adapters.keys.signing import Ed25519Signatures, key_of
from adapters.postgres.connection.connections import Connection, limited
from adapters.postgres.heads import (
    DAYS,
    FINISHED,
    HEADS,
    NAME,
    REACHED,
    SIGNED,
    day_in,
    head_in,
    signed_in,
)
from adapters.postgres.log.recorders import EVENTS
from domain.match.heads import day_over, signed_day, tree
from domain.shared.chain import read
from domain.shared.game import Games
from services.matches.store import ClaimedOpening, Secrets
from services.proof.heads import SignedDay, SignedHead
from services.proof.keys import Signatures
from services.proof.stored_audit import Fault, MatchAudit, Rules
from services.shared.ids import match_id

BATCH = 5_000
"""Events that are read at once."""
PART = 20_000
"""Events that a part of the log has, more or less: what one process audits at a time."""
FIRST = UUID(int=0)
LAST = UUID(int=(1 << 128) - 1)

type LogRow = tuple[int, UUID, int, str, bytes]

_EVENTS = sql.Identifier(EVENTS)
NEXT = sql.SQL(
    "SELECT notification_id, originator_id, originator_version, topic, state FROM {}"
    " WHERE (originator_id, originator_version) > (%s, %s) AND originator_id <= %s"
    " ORDER BY originator_id, originator_version LIMIT %s"
).format(_EVENTS)
BOUNDARY = sql.SQL(
    "SELECT originator_id FROM {} WHERE originator_id > %s"
    " ORDER BY originator_id, originator_version OFFSET %s LIMIT 1"
).format(_EVENTS)
ROUGHLY = sql.SQL("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass")
OPENINGS = "SELECT match_id, seed, invitation, digest FROM match_openings WHERE match_id = ANY(%s)"
WITHOUT_EVENTS = sql.SQL(
    "SELECT match_id FROM signed_heads WHERE match_id > %s AND match_id <= %s"
    " AND NOT EXISTS (SELECT FROM {} WHERE originator_id = match_id) ORDER BY match_id"
).format(_EVENTS)
LEVELS = "SELECT hashes FROM day_levels WHERE date = %s ORDER BY level"


class Found(Struct, frozen=True):
    """Something that is not as it must be.

    Attributes:
        where: The match, or the day.
        version: The event in which it shows; None of a day.
        what: What is wrong, for people.
    """

    where: str
    version: int | None
    what: str

    def __str__(self) -> str:
        """Return it as a line."""
        place = self.where if self.version is None else f"{self.where} version {self.version}"
        return f"{place}: {self.what}"


class Judged(Struct, frozen=True):
    """A part of the log that was audited.

    Attributes:
        up_to: The last match that it may have.
        matches: How many matches it has.
        events: How many events these have.
        found: What is wrong, in the order of the matches.
    """

    up_to: UUID
    matches: int
    events: int
    found: tuple[Found, ...]


class Known(Struct, frozen=True):
    """What is known beside the events of a batch, as it was after them.

    Attributes:
        reached: How far in the log heads were signed.
        openings: What was recorded for each match.
        signed: The signed heads.
    """

    reached: int
    openings: dict[UUID, ClaimedOpening]
    signed: dict[UUID, SignedHead]


class StoredAudit:
    """Audits what a database has, by one connection; writers go on meanwhile."""

    def __init__(self, conninfo: str, games: Games) -> None:
        """Take where the database is, and the registered games."""
        self._connection = Connection.connect(limited(conninfo), autocommit=True, row_factory=dict_row)
        self._mapper = EventMapper(games)
        self._rules = Rules(games)
        self._signatures = Ed25519Signatures()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def roughly(self) -> int | None:
        """Return about how many events there are; None if the server does not know yet."""
        row = self._connection.execute(ROUGHLY, (EVENTS,)).fetchone()
        return None if row is None or row["reltuples"] < 0 else row["reltuples"]

    def parts(self, after: UUID = FIRST) -> Iterator[tuple[UUID, UUID]]:
        """Give the log after a match in parts, each after a match, up to and with another."""
        while (
            row := self._connection.execute(BOUNDARY, (after, PART), prepare=False).fetchone()
        ) is not None:
            yield after, row["originator_id"]
            after = row["originator_id"]
        yield after, LAST

    def match(self, number: UUID) -> Judged:
        """Audit one match."""
        return self.part(UUID(int=max(0, number.int - 1)), number)

    def part(self, after: UUID, up_to: UUID) -> Judged:
        """Audit all matches after one, up to and with another.

        What is committed meanwhile is taken in or not, but never in part: each match is read forward.
        """
        matches = events = 0
        found: list[Found] = []
        current: _Match | None = None
        for rows, known in self._batches(after, up_to):
            events += len(rows)
            for number, group in groupby(rows, key=itemgetter(1)):
                if current is None or current.number != number:
                    found += self._ended(current)
                    current = _Match(self._rules, self._mapper, number)
                    matches += 1
                current.take(group, known)
        found += self._ended(current)
        gone = self._connection.execute(WITHOUT_EVENTS, (after, up_to), prepare=False).fetchall()
        found += [Found(match_id(row["match_id"]), 1, "signed, but there are no events") for row in gone]
        return Judged(up_to, matches, events, tuple(sorted(found, key=lambda one: one.where)))

    def days(self) -> Iterator[Found]:
        """Audit the days that are closed: root, tree and signature of each, and that none is left out."""
        keys = {
            row["kid"]: key_of(read(row["x"]))
            for row in self._connection.execute("SELECT kid, x FROM signing_keys")
        }
        row = self._connection.execute("SELECT min(date) AS date FROM signed_heads").fetchone()
        expected = None if row is None else row["date"]
        closed = self._connection.execute(f"{DAYS} ORDER BY date").fetchall()
        for row in closed:
            day = day_in(row)
            if row["date"] != expected:
                yield Found(day.date, None, f"the day {expected} is missing before it")
            expected = row["date"] + timedelta(days=1)
            if what := self._wrong(day):
                yield Found(day.date, None, what)
            elif not self._signatures.signed(signed_day(day.day), day.signature, keys[day.kid]):
                yield Found(day.date, None, "the signature is not that of the day")

    def _wrong(self, day: SignedDay) -> str | None:
        built = tree([head_in(row) for row in self._connection.execute(HEADS, (day.date,))])
        if day_over(day.date, built) != day.day:
            return "the root is not that over the heads of the day"
        stored = [bytes(row["hashes"]) for row in self._connection.execute(LEVELS, (day.date,))]
        return None if stored == [b"".join(level) for level in built] else "the tree is not that of the day"

    def _ended(self, match: "_Match | None") -> list[Found]:
        found = None if match is None else match.end(self._signatures)
        return [] if found is None else [found]

    def _batches(self, after: UUID, up_to: UUID) -> Iterator[tuple[list[LogRow], Known]]:
        """Give the events after a match in batches, each with what else was known at that moment."""
        version = 1 << 62
        while True:
            with self._connection.transaction(), self._connection.cursor(row_factory=tuple_row) as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                # Planned again each time: a plan made while the log was small reads all of it later on.
                cursor.execute(NEXT, (after, version, up_to, BATCH), prepare=False, binary=True)
                rows = cast(list[LogRow], cursor.fetchall())
                known = self._known({row[1] for row in rows})
            if not rows:
                return
            yield rows, known
            _, after, version, _, _ = rows[-1]

    def _known(self, numbers: set[UUID]) -> Known:
        wanted = (list(numbers),)
        row = self._connection.execute(REACHED, (NAME,)).fetchone()
        signed = self._connection.execute(f"{SIGNED} WHERE match_id = ANY(%s)", wanted)
        return Known(
            reached=0 if row is None else row["reached"],
            signed={one["match_id"]: signed_in(one) for one in signed},
            openings={one["match_id"]: _opening(one) for one in self._connection.execute(OPENINGS, wanted)},
        )


class _Match:
    """The audit of one match, which ends with the first fault."""

    def __init__(self, rules: Rules, mapper: EventMapper, number: UUID) -> None:
        self.number = number
        self._id = match_id(number)
        self._rules = rules
        self._mapper = mapper
        self._audit: MatchAudit | None = None
        self._known: Known | None = None
        self._signed_since: int | None = None
        self._found: Found | None = None

    def take(self, rows: Iterable[LogRow], known: Known) -> None:
        """Check the next events."""
        self._known = known
        if self._audit is None:
            self._audit = MatchAudit(self._rules, self._id, known.openings.get(self.number))
        if self._found is not None:
            return
        audit, mapper = self._audit, self._mapper
        for position, _, version, topic, state in rows:
            try:
                audit.take(mapper.read(version, topic, state))
            except Fault as fault:
                self._found = Found(self._id, fault.version, str(fault))
                return
            except Unreadable as error:
                self._found = Found(self._id, version, f"the event cannot be read: {error}")
                return
            if topic == FINISHED:
                self._signed_since = position

    def end(self, signatures: Signatures) -> Found | None:
        """Check what stands after the last event, and return what is wrong with the match."""
        if self._found is None and self._audit is not None and self._known is not None:
            due = self._signed_since is not None and self._signed_since <= self._known.reached
            signed = self._known.signed.get(self.number)
            try:
                self._audit.end(signed, signatures, due=due)
            except Fault as fault:
                self._found = Found(self._id, fault.version, str(fault))
        return self._found


def _opening(row: dict[str, Any]) -> ClaimedOpening:
    secrets = Secrets(bytes(row["seed"]), bytes(row["invitation"]))
    return ClaimedOpening(row["match_id"], secrets, row["digest"])
