"""What players hold of which they may have so much at a time, in PostgreSQL or in memory."""

from collections.abc import Collection, Mapping
from typing import Any

from psycopg import sql

from adapters.event_store.mapper import tag
from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import EVENTS
from domain.match import Cancelled, Finished, PlayerId, Started
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import FailureReason, TooMany
from services.shared.ids import MatchId, parsed

TAKE = "SELECT take_quota(%(match)s, %(kind)s, %(player)s, %(about)s, %(since)s, %(fit)s, %(most)s) AS taken"


COUNT = "SELECT count(*) AS held FROM quotas WHERE player_id = %(player)s AND kind = %(kind)s"


TIDY = sql.SQL(
    "DELETE FROM quotas WHERE player_id = %(player)s AND kind = %(kind)s AND ("
    " EXISTS (SELECT FROM {events} WHERE originator_id = quotas.match_id AND topic = ANY(%(ends)s))"
    " OR since < %(since)s - interval '1 minute'"
    " AND NOT EXISTS (SELECT FROM {events} WHERE originator_id = quotas.match_id))"
).format(events=sql.Identifier(EVENTS))
"""Lets go what ended while nobody noted it, and matches that were never opened."""


RELEASE = "DELETE FROM quotas WHERE match_id = %(match)s AND kind = ANY(%(kinds)s)"


ENDS: Mapping[QuotaKind, tuple[str, ...]] = {
    QuotaKind.OPEN: (tag(Started), tag(Cancelled)),
    QuotaKind.INVITATION: (tag(Started), tag(Cancelled)),
    QuotaKind.BOTS: (tag(Finished), tag(Cancelled)),
}
"""The events of a match with which each kind ends."""


type MostHeld = Mapping[QuotaKind, int | None]
"""How much of each kind a player may have; None for any number."""


REASONS: Mapping[QuotaKind, FailureReason] = {
    QuotaKind.OPEN: FailureReason.TOO_MANY_OPEN_MATCHES,
    QuotaKind.INVITATION: FailureReason.TOO_MANY_INVITATIONS,
    QuotaKind.BOTS: FailureReason.TOO_MANY_BOT_MATCHES,
}


LOST = sql.SQL(
    "DELETE FROM quotas WHERE match_id = %(match)s AND kind = %(kind)s"
    " AND since < %(at)s - interval '1 minute'"
    " AND NOT EXISTS (SELECT FROM {events} WHERE originator_id = quotas.match_id)"
).format(events=sql.Identifier(EVENTS))
"""Lets go a match that was never opened."""


def _asked(holding: Holding, most: int | None) -> dict[str, Any]:
    return {
        "player": parsed("player", holding.player),
        "kind": holding.kind,
        "match": uuid_of(holding.match),
        "about": parsed("player", holding.about or holding.player),
        "since": holding.since,
        "fit": holding.fit,
        "most": most,
        "ends": list(ENDS[holding.kind]),
    }


def take(cursor: Any, holding: Holding, most: int | None) -> None:
    """Note that a player holds one more, within a transaction, unless it holds as many as it may.

    Raises:
        TooMany: It does.
    """
    asked = _asked(holding, most)
    if not cursor.execute(TAKE, asked).fetchone()["taken"]:
        cursor.execute(TIDY, asked)
        if not cursor.execute(TAKE, asked).fetchone()["taken"]:
            raise TooMany(REASONS[holding.kind], most=most)


class PostgresQuotas:
    """The port `Quotas`."""

    def __init__(self, datastore: Datastore, most: MostHeld) -> None:
        """Take the connections, and how much of each kind a player may have."""
        self._datastore = datastore
        self._most = most

    async def check(self, holding: Holding) -> None:
        """Refuse a player who might come to have one more, if it has as many as it may have."""
        if (most := self._most[holding.kind]) is None:
            return
        asked = _asked(holding, most)

        def work() -> bool:
            with self._datastore.transaction() as cursor:
                if cursor.execute(COUNT, asked).fetchone()["held"] < most:  # type: ignore[index]
                    return True
                cursor.execute(TIDY, asked)
                return cursor.execute(COUNT, asked).fetchone()["held"] < most  # type: ignore[index,no-any-return]

        if not await self._datastore.run(work):
            raise TooMany(REASONS[holding.kind], most=most)

    async def take(self, holding: Holding) -> None:
        """Record, durably, that a player has one more, unless it has as many as it may have."""
        await self._take(holding, self._most[holding.kind])

    async def note(self, holding: Holding) -> None:
        """Record, durably, that a player has one more, however many it has."""
        await self._take(holding, None)

    async def _take(self, holding: Holding, most: int | None) -> None:
        def work() -> None:
            with self._datastore.transaction() as cursor:
                take(cursor, holding, most)

        await self._datastore.run(work)

    async def release(
        self, match: MatchId, kinds: Collection[QuotaKind], *, about: PlayerId | None = None
    ) -> None:
        """Record that nobody has any more what a match was counted for; of one guest, if it is named."""
        asked: dict[str, Any] = {"match": uuid_of(match), "kinds": list(kinds)}
        if about is not None:
            asked["about"] = parsed("player", about)
        only = "" if about is None else " AND about_id = %(about)s"
        await self._datastore.execute(RELEASE + only, asked)
