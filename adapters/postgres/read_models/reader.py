"""The log as read models are told of it: each event with the match behind it."""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, cast
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from psycopg import Cursor, sql
from psycopg.rows import tuple_row

from adapters.postgres.mapper import EventMapper, tag
from adapters.postgres.read_models.model import Happened
from adapters.postgres.store import EVENTS
from domain.match import MATCH_EVENTS, Match, evolve
from services.live import Games
from services.ports import Recorded

REMEMBERED_MATCHES = 10_000
LIFE_CYCLE = [tag(event) for event in MATCH_EVENTS]
"""The events that make up a match without its table."""

type Row = tuple[int, UUID, int, str, bytes]

NEWEST = sql.SQL("SELECT coalesce(max(notification_id), 0) FROM {}").format(sql.Identifier(EVENTS))
NEXT = sql.SQL(
    "SELECT notification_id, originator_id, originator_version, topic, state FROM {}"
    " WHERE notification_id > %s AND notification_id <= %s AND topic = ANY(%s)"
    " ORDER BY notification_id LIMIT %s"
).format(sql.Identifier(EVENTS))
EARLIER = sql.SQL(
    "SELECT notification_id, originator_id, originator_version, topic, state"
    " FROM unnest(%s::uuid[], %s::bigint[]) AS wanted (id, version)"
    " JOIN {} ON originator_id = wanted.id AND originator_version < wanted.version"
    " WHERE topic = ANY(%s) ORDER BY originator_id, originator_version"
).format(sql.Identifier(EVENTS))


def newest(cursor: Cursor[Any]) -> int:
    """Return the position of the log's last event, 0 while there is none."""
    ((position,),) = _rows(cursor, NEWEST, ())
    return cast(int, position)


class LogReader:
    """Reads the log forward, without a gap, and knows the matches that it came by.

    One that begins in the midst of the log, or has forgotten a match, reads what came earlier in it.
    """

    def __init__(self, games: Games) -> None:
        """Take the registered games."""
        self._games = games
        self._mapper = EventMapper(games)
        self._matches: OrderedDict[UUID, Match[Any, Any]] = OrderedDict()

    def read(
        self, cursor: Cursor[Any], after: int, up_to: int, topics: Collection[str], limit: int
    ) -> list[Happened]:
        """Return the events behind a position, up to and with another, that are of a match's life cycle.

        Args:
            cursor: Of the transaction in which it is read.
            after: Where this reader ended the last time, if it has read before.
            up_to: The last position.
            topics: Stored names of further events that are wanted.
            limit: The most events that are returned.
        """
        rows = _rows(cursor, NEXT, (after, up_to, [*LIFE_CYCLE, *topics], limit))
        self._recall(cursor, rows)
        batch = [self._happened(row) for row in rows]
        while len(self._matches) > REMEMBERED_MATCHES:
            self._matches.popitem(last=False)
        return batch

    def _recall(self, cursor: Cursor[Any], rows: Sequence[Row]) -> None:
        """Fold what came earlier in matches that are not remembered."""
        first = {number: version for _, number, version, _, _ in reversed(rows)}
        unknown = {
            number: version
            for number, version in first.items()
            if version > 1 and number not in self._matches
        }
        if unknown:
            wanted = list(unknown), list(unknown.values()), LIFE_CYCLE
            for row in _rows(cursor, EARLIER, wanted):
                self._happened(row)

    def _happened(self, row: Row) -> Happened:
        position, number, version, topic, state = row
        recorded = self._mapper.to_domain_event(StoredEvent(number, version, topic, state)).recorded
        match = behind(self._games, self._matches.get(number), recorded)
        self._matches[number] = match
        self._matches.move_to_end(number)
        return Happened(position, number, recorded, match)


def behind(games: Games, match: Match[Any, Any] | None, recorded: Recorded) -> Match[Any, Any]:
    """Return the match behind an event, without its table: events of its game leave it as it is."""
    event = recorded.event
    if match is None:
        return evolve(games[event.terms.game], None, event)
    game = games[match.terms.game]
    return match if type(event) in game.events else evolve(game, match, event)


def whole_log(games: Games, log: ApplicationRecorder) -> Iterator[Happened]:
    """Give all events of a log in memory: what the twins of read models are folded from."""
    mapper = EventMapper(games)
    matches: dict[UUID, Match[Any, Any]] = {}
    for stored in log.select_notifications(None, 1_000_000):
        number = cast(UUID, stored.originator_id)
        recorded: Recorded = mapper.to_domain_event(stored).recorded
        matches[number] = behind(games, matches.get(number), recorded)
        yield Happened(stored.id, number, recorded, matches[number])


def _rows(cursor: Cursor[Any], query: sql.Composed, parameters: Sequence[Any]) -> list[Any]:
    """Return a query's rows.

    It is planned anew each time: a plan made while the log was small reads all of it later on.
    """
    with cursor.connection.cursor(row_factory=tuple_row) as reading:
        return reading.execute(query, parameters, prepare=False, binary=True).fetchall()
