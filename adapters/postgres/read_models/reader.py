"""The log as read models are notified of it: each event with the match after it."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, cast
from uuid import UUID

from msgspec.structs import replace
from psycopg import Cursor, sql
from psycopg.rows import tuple_row

from adapters.event_store.mapper import EventMapper, tag
from adapters.event_store.set_aside import why
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.log.set_aside import aside_in, put_aside
from adapters.postgres.read_models.model import Happened
from domain.match import MATCH_EVENTS, MatchStatus, evolve
from domain.shared.game import Games
from services.matches.store import Recorded

REMEMBERED_MATCHES = 10_000
LIFE_CYCLE = [tag(event) for event in MATCH_EVENTS]
"""The events that make up a match without its table."""

OVER = (MatchStatus.FINISHED, MatchStatus.CANCELLED)
"""How far a match is of which nothing more will be read."""

CHANGES_TURN = sql.SQL("""position('"to_act":'::bytea IN state) > 0""")
"""Whether an event changes who is to act, told without decoding it: there are many that do not."""

type EventRow = tuple[int, UUID, int, str, bytes]

NEWEST = sql.SQL("SELECT coalesce(max(notification_id), 0) FROM {}").format(sql.Identifier(EVENTS))
NEXT = sql.SQL(
    "SELECT notification_id, originator_id, originator_version, topic, state FROM {}"
    " WHERE notification_id > %s AND notification_id <= %s AND (topic = ANY(%s) OR {changes_turn})"
    " ORDER BY notification_id LIMIT %s"
).format(sql.Identifier(EVENTS), changes_turn=CHANGES_TURN)
EARLIER = sql.SQL(
    "SELECT notification_id, originator_id, originator_version, topic, state"
    " FROM unnest(%s::uuid[], %s::bigint[]) AS wanted (id, version)"
    " JOIN {} ON originator_id = wanted.id AND originator_version < wanted.version"
    " WHERE topic = ANY(%s) OR {changes_turn} ORDER BY originator_id, originator_version"
).format(sql.Identifier(EVENTS), changes_turn=CHANGES_TURN)


def newest(cursor: Cursor[Any]) -> int:
    """Return the position of the log's last event, 0 while there is none."""
    ((position,),) = _rows(cursor, NEWEST, ())
    return cast(int, position)


class Batch(NamedTuple):
    """Some of the log.

    Attributes:
        events: The events, in order.
        reached: Up to which position it was read.
    """

    events: list[Happened]
    reached: int


class LogReader:
    """Reads the log forward, without a gap, and knows the matches that it came by.

    One that begins in the midst of the log, or has forgotten a match, reads what came earlier in it.
    """

    def __init__(self, games: Games) -> None:
        """Take the registered games."""
        self._games = games
        self._mapper = EventMapper(games)
        self._matches: OrderedDict[UUID, Happened] = OrderedDict()

    def read(self, cursor: Cursor[Any], after: int, up_to: int, topics: Collection[str], limit: int) -> Batch:
        """Return the events after a position, up to and with another, in order.

        They are those of a match's life cycle, those that change who is to act, and those that are wanted. A
        match that cannot be read is set aside: none of its events is returned from then on.

        Args:
            cursor: Of the transaction in which it is read.
            after: Where this reader ended the last time, if it has read before.
            up_to: The last position.
            topics: Stored names of further events that are wanted.
            limit: The most events that are read.
        """
        rows = _rows(cursor, NEXT, (after, up_to, [*LIFE_CYCLE, *topics], limit))
        aside = set(aside_in(cursor)) if rows else set()
        readable = [row for row in rows if row[1] not in aside]
        self._recall(cursor, readable, aside)
        read = [happened for row in readable if (happened := self._happened(cursor, row, aside)) is not None]
        batch = [happened for happened in read if happened.number not in aside]
        for happened in batch:
            if happened.match.status in OVER:
                self._matches.pop(happened.number, None)
        while len(self._matches) > REMEMBERED_MATCHES:
            self._matches.popitem(last=False)
        return Batch(batch, rows[-1][0] if len(rows) == limit else max(up_to, after))

    def _recall(self, cursor: Cursor[Any], rows: Sequence[EventRow], aside: set[UUID]) -> None:
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
                self._happened(cursor, row, aside)

    def _happened(self, cursor: Cursor[Any], row: EventRow, aside: set[UUID]) -> Happened | None:
        """Return the event in a row; None of a match that is set aside, as it may be by this event."""
        position, number, version, topic, state = row
        if number in aside:
            return None
        try:
            recorded = self._mapper.read(version, topic, state)
            happened = following(self._games, self._matches.get(number), position, number, recorded)
        except Exception as error:  # noqa: BLE001
            # Whatever is wrong with it: nobody else's events wait for it.
            put_aside(cursor, number, version, why(error))
            aside.add(number)
            self._matches.pop(number, None)
            return None
        self._matches[number] = happened
        self._matches.move_to_end(number)
        return happened


def following(
    games: Games, before: Happened | None, position: int, number: UUID, recorded: Recorded
) -> Happened:
    """Return an event with the match after it; events of the match's game leave that as it is.

    Args:
        games: The registered games by id.
        before: An earlier event of the match, with nothing between that matters; None if it is the first.
        position: Where in the log it stands.
        number: The match's UUID.
        recorded: The event.
    """
    event = recorded.event
    if before is None:
        opened = evolve(games[event.terms.game], None, event)
        return Happened(position, number, recorded, recorded.at, opened, (), ())
    game = games[before.match.terms.game]
    match = before.match
    if type(event) not in game.events:
        match = replace(evolve(game, match, event), state=match.state)
    to_act = before.to_act if recorded.to_act is None else recorded.to_act
    if match.terms.is_branch:
        to_act = ()
    newly = tuple(seat for seat in to_act if seat not in before.to_act)
    return Happened(position, number, recorded, before.opened_at, match, to_act, newly)


def _rows(cursor: Cursor[Any], query: sql.Composed, parameters: Sequence[Any]) -> list[Any]:
    """Return a query's rows.

    It is planned again each time: a plan made while the log was small reads all of it later on.
    """
    with cursor.connection.cursor(row_factory=tuple_row) as reading:
        return reading.execute(query, parameters, prepare=False, binary=True).fetchall()
