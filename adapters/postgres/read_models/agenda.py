"""What the service itself has to see to: deadlines, bots that are to act, matches that wait for players."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from random import sample
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder
from psycopg import sql

from adapters.postgres.datastore import Datastore
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.reader import whole_log
from adapters.postgres.set_aside import READABLE
from domain.match import HolderKind, Phase, PlayerId
from domain.shared.game import Games
from services.background.timekeeper import Due
from services.shared.ids import MatchId, match_id, parsed, written

BEGINNING = datetime.min.replace(tzinfo=UTC)
NIL = UUID(int=0)

DEADLINES = sql.SQL(
    "SELECT match_id, deadline AS at FROM match_turns WHERE {readable}"
    " AND deadline <= %s AND (deadline, match_id) > (%s, %s) ORDER BY deadline, match_id LIMIT %s"
).format(readable=READABLE)
TIMED = sql.SQL("SELECT DISTINCT match_id FROM match_turns WHERE deadline IS NOT NULL AND {readable}").format(
    readable=READABLE
)
OPENED = sql.SQL(
    "SELECT match_id, opened_at AS at FROM match_list WHERE standing IN ('open', 'full') AND {readable}"
    " AND opened_at <= %s AND (opened_at, match_id) > (%s, %s) ORDER BY opened_at, match_id LIMIT %s"
).format(readable=READABLE)
BOTS = sql.SQL(
    "SELECT match_id, player_id FROM match_turns WHERE kind = 'bot' AND player_id = ANY(%s) AND {readable}"
    " ORDER BY random() LIMIT %s"
).format(readable=READABLE)


class PostgresAgenda:
    """The ports `Deadlines` and `BotTurns`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches in which seats' time is up by then, with each of those seats' deadlines."""
        return await self._due(DEADLINES, up_to, after, most)

    async def timed(self) -> Sequence[MatchId]:
        """Return the matches in which seats' time runs."""
        return [match_id(row["match_id"]) for row in await self._datastore.execute(TIMED)]

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""
        return await self._due(OPENED, up_to, after, most)

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""
        numbers = [parsed("player", bot) for bot in bots]
        rows = await self._datastore.execute(BOTS, (numbers, most))
        return [(match_id(row["match_id"]), PlayerId(written("player", row["player_id"]))) for row in rows]

    async def _due(self, query: sql.Composed, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
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
        """Return the matches in which seats' time is up by then, with each of those seats' deadlines."""
        found = {
            Due(match_id(one.number), deadline)
            for one in self._last()
            if (clocks := one.match.clocks) is not None
            for seat in one.to_act
            if (deadline := clocks.deadline(seat)) is not None
        }
        return _first(found, up_to, after, most)

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""
        found = (
            Due(match_id(one.number), one.opened_at) for one in self._last() if one.match.phase is Phase.OPEN
        )
        return _first(found, up_to, after, most)

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""
        found = [
            (match_id(one.number), holder.player)
            for one in self._last()
            for seat in one.to_act
            if (holder := one.match.holders[seat]) is not None
            and holder.kind is HolderKind.BOT
            and holder.player in bots
        ]
        return sample(found, min(most, len(found)))

    def _last(self) -> Iterable[Happened]:
        """Return the last event of every match."""
        return {one.number: one for one in whole_log(self._games, self._log)}.values()


def _first(found: Iterable[Due], up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
    """Return the first of those that are due, behind another, as the ports want them."""
    due = sorted((one.at, one.match) for one in found if one.at <= up_to)
    behind = [Due(match, at) for at, match in due if after is None or (at, match) > (after.at, after.match)]
    return behind[:most]
