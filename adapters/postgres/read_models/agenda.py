"""What the service itself has to handle: deadlines, bots that are to act, matches that wait for players."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from uuid import UUID

from psycopg import sql

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.set_aside import READABLE
from domain.match import PlayerId
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
        start = (BEGINNING, NIL) if after is None else (after.at, parsed("match", after.match))
        rows = await self._datastore.execute(query, (up_to, *start, most))
        return [Due(match_id(row["match_id"]), row["at"]) for row in rows]
