"""What the service itself has to see to: deadlines, bots that are to act, matches that wait for players."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from random import sample
from typing import Any
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder
from msgspec import Struct
from psycopg import Cursor

from adapters.postgres.datastore import Datastore
from adapters.postgres.mapper import tag
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.reader import whole_log
from domain.match import MATCH_EVENTS, HolderKind, Match, Phase, PlayerId
from domain.shared.seats import Seat
from services.ids import MatchId, match_id, parsed, written
from services.live import Games
from services.timekeeper import Due


class Entry(Struct, frozen=True):
    """What there is to see to in a match.

    Attributes:
        opened_at: When it was opened, while it waits for players.
        deadline: When the first seat's time is up, while it is played with clocks.
        bots: The bots that are to act, by seat.
    """

    opened_at: datetime | None
    deadline: datetime | None
    bots: tuple[PlayerId, ...]


NOTHING = Entry(None, None, ())
BEGINNING = datetime.min.replace(tzinfo=UTC)
NIL = UUID(int=0)


class AgendaModel:
    """The table `match_agenda`."""

    name = "match_agenda"
    tables = ("match_agenda",)
    turns = True

    def __init__(self, games: Games) -> None:
        """Take the registered games: any of their events may change who is to act."""
        events = (event for game in games.values() for event in game.events)
        self.topics = frozenset(map(tag, (*MATCH_EVENTS, *events)))

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write down each match as the last event of the batch left it."""
        numbers = list({one.number: None for one in batch})
        known = cursor.execute(
            "SELECT match_id, opened_at, deadline, bots FROM match_agenda WHERE match_id = ANY(%s)",
            (numbers,),
        ).fetchall()
        before = {row["match_id"]: _entry(row) for row in known}
        after = dict(before)
        for one in batch:
            after[one.number] = _behind(after.get(one.number, NOTHING), one)
        gone = [number for number in before if after[number] == NOTHING]
        cursor.execute("DELETE FROM match_agenda WHERE match_id = ANY(%s)", (gone,))
        cursor.executemany(
            "INSERT INTO match_agenda (match_id, opened_at, deadline, bots) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (match_id) DO UPDATE"
            " SET opened_at = excluded.opened_at, deadline = excluded.deadline, bots = excluded.bots",
            [
                (number, entry.opened_at, entry.deadline, [parsed("player", bot) for bot in entry.bots])
                for number, entry in after.items()
                if entry not in (NOTHING, before.get(number))
            ],
        )


class PostgresAgenda:
    """The ports `Deadlines` and `BotTurns`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches in which a seat's time is up by then, each with its first deadline."""
        return await self._due(
            "SELECT match_id, deadline AS at FROM match_agenda"
            " WHERE deadline <= %s AND (deadline, match_id) > (%s, %s) ORDER BY deadline, match_id LIMIT %s",
            up_to,
            after,
            most,
        )

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""
        return await self._due(
            "SELECT match_id, opened_at AS at FROM match_agenda"
            " WHERE opened_at <= %s AND (opened_at, match_id) > (%s, %s)"
            " ORDER BY opened_at, match_id LIMIT %s",
            up_to,
            after,
            most,
        )

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""
        rows = await self._datastore.execute(
            "SELECT match_id, bot FROM match_agenda, unnest(bots) AS bot"
            " WHERE bots <> '{}' AND bot = ANY(%s) ORDER BY random() LIMIT %s",
            ([parsed("player", bot) for bot in bots], most),
        )
        return [(match_id(row["match_id"]), _player(row["bot"])) for row in rows]

    async def _due(self, query: str, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        behind = (BEGINNING, NIL) if after is None else (after.at, parsed("match", after.match))
        rows = await self._datastore.execute(query, (up_to, *behind, most))
        return [Due(match_id(row["match_id"]), row["at"]) for row in rows]


class MemoryAgenda:
    """The ports over a log in memory, folded anew at each call: the twin for fast tests."""

    def __init__(self, games: Games, log: ApplicationRecorder) -> None:
        """Take the registered games and the log."""
        self._games = games
        self._log = log

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches in which a seat's time is up by then, each with its first deadline."""
        return _first(((match, entry.deadline) for match, entry in self._entries()), up_to, after, most)

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""
        return _first(((match, entry.opened_at) for match, entry in self._entries()), up_to, after, most)

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""
        waiting = [(match, bot) for match, entry in self._entries() for bot in entry.bots if bot in bots]
        return sample(waiting, min(most, len(waiting)))

    def _entries(self) -> Iterable[tuple[MatchId, Entry]]:
        entries: dict[UUID, Entry] = {}
        for one in whole_log(self._games, self._log):
            entries[one.number] = _behind(entries.get(one.number, NOTHING), one)
        return ((match_id(number), entry) for number, entry in entries.items())


def _behind(entry: Entry, happened: Happened) -> Entry:
    """Return what there is to see to behind an event."""
    match = happened.match
    match match.phase:
        case Phase.OPEN:
            return Entry(entry.opened_at or happened.recorded.at, None, ())
        case Phase.PLAYING:
            acting = happened.recorded.to_act
            bots = entry.bots if acting is None else _bots(match, acting)
            return Entry(None, None if match.clocks is None else match.clocks.next_deadline, bots)
        case Phase.FINISHED | Phase.CANCELLED:
            return NOTHING


def _bots(match: Match[Any, Any], acting: Sequence[Seat]) -> tuple[PlayerId, ...]:
    holders = (match.holders[seat] for seat in acting)
    return tuple(holder.player for holder in holders if holder is not None and holder.kind is HolderKind.BOT)


def _first(
    found: Iterable[tuple[MatchId, datetime | None]], up_to: datetime, after: Due | None, most: int
) -> Sequence[Due]:
    due = sorted((at, match) for match, at in found if at is not None and at <= up_to)
    behind = [Due(match, at) for at, match in due if after is None or (at, match) > (after.at, after.match)]
    return behind[:most]


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(row["opened_at"], row["deadline"], tuple(map(_player, row["bots"])))


def _player(number: UUID) -> PlayerId:
    return PlayerId(written("player", number))
