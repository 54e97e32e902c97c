"""Where players who look for a match are placed, in PostgreSQL or in memory."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.quotas import LOST, take
from domain.match import PlayerId
from services.lobby.waiting import Placed, Wish
from services.players.quotas import Holding, QuotaKind
from services.shared.ids import MatchId, match_id, parsed

FIND = (
    "SELECT * FROM place_player("
    "%(player)s, %(key)s, %(digest)s, %(fit)s, %(game)s, %(without)s, %(only_open)s, %(at)s)"
)
"""Orders those who look for the same, on all nodes, for as long as it takes to place one of them."""


OPEN = (
    "INSERT INTO quick_matches (match_id, fit, free, players, touched_at)"
    " VALUES (%(match)s, %(fit)s, %(free)s, ARRAY[%(player)s], %(at)s)"
)


CALL = (
    "INSERT INTO quick_match_calls (player_id, key, match_id, digest, opens)"
    " VALUES (%(player)s, %(key)s, %(match)s, %(digest)s, %(opens)s)"
    " ON CONFLICT (player_id, key) DO UPDATE"
    " SET match_id = excluded.match_id, digest = excluded.digest, opens = excluded.opens"
)


GIVE_BACK = (
    "UPDATE quick_matches SET free = free + 1, players = array_remove(players, %(player)s)"
    " WHERE match_id = %(match)s AND %(player)s = ANY(players)"
)


TURN_AWAY = (
    "UPDATE quick_matches SET"
    " free = CASE WHEN %(full)s THEN 0 ELSE free + (%(player)s = ANY(players))::int END,"
    " players = array_remove(players, %(player)s), refused = refused || %(player)s, touched_at = %(at)s"
    " WHERE match_id = %(match)s"
)


BEFORE, SET_ASIDE = 0, 2
"""Which places `place_player` gives: where a key led before, and where a seat is set aside."""


class PostgresQuickMatches:
    """The port `QuickMatches`."""

    def __init__(self, datastore: Datastore, most_open: int | None) -> None:
        """Take the connections, and how many open matches a player may have; None for any number."""
        self._datastore = datastore
        self._most_open = most_open
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def place(
        self, wish: Wish, fresh: MatchId, *, without: Sequence[MatchId], only_open: bool
    ) -> Placed:
        """Return where a player is placed, recorded durably with its idempotency key."""
        asked: dict[str, Any] = {
            "player": parsed("player", wish.player),
            "key": wish.key,
            "digest": wish.digest,
            "fit": wish.fit,
            "game": wish.game,
            "without": [uuid_of(id) for id in without],
            "only_open": only_open,
            "at": wish.at,
        }

        def work() -> Placed:
            with self._datastore.transaction() as cursor:
                return self._placed(cursor, wish, fresh, asked)

        line = self._lines.setdefault(wish.fit, asyncio.Lock())
        # In this process they wait in line without a connection each.
        async with line:
            return await self._datastore.run(work)

    def _placed(self, cursor: Any, wish: Wish, fresh: MatchId, asked: dict[str, Any]) -> Placed:
        if (found := cursor.execute(FIND, asked).fetchone()) is not None:
            return Placed(
                match=match_id(found["match_id"]),
                digest=found["digest"] or wish.digest,
                opens=found["opens"],
                repeated=found["kind"] == BEFORE,
                reserved=found["kind"] == SET_ASIDE,
            )
        take(cursor, Holding(wish.player, QuotaKind.OPEN, fresh, wish.at, fit=wish.fit), self._most_open)
        opening = asked | {"match": uuid_of(fresh), "free": wish.seats - 1, "opens": True}
        cursor.execute(OPEN, opening)
        cursor.execute(CALL, opening)
        return Placed(match=fresh, digest=wish.digest, opens=True)

    async def give_back(self, match: MatchId, player: PlayerId) -> None:
        """Let others have the place of a player who did not come."""
        await self._change(GIVE_BACK, match, player)

    async def turn_away(self, match: MatchId, player: PlayerId, *, full: bool, at: datetime) -> None:
        """Place a player there no more, and nobody if it is full."""
        await self._change(TURN_AWAY, match, player, full=full, at=at)

    async def forget(self, match: MatchId) -> None:
        """Forget who was placed in a match: what the list says of it holds."""
        await self._change("DELETE FROM quick_matches WHERE match_id = %(match)s", match)

    async def lose(self, match: MatchId, at: datetime) -> None:
        """Forget a match that is not there: of one that was not opened in time nobody has it open either."""
        asked = {"match": uuid_of(match), "kind": QuotaKind.OPEN, "at": at}
        await self._datastore.execute(LOST, asked)
        await self.forget(match)

    async def _change(self, change: str, match: MatchId, player: PlayerId | None = None, **more: Any) -> None:
        number = None if player is None else parsed("player", player)
        await self._datastore.execute(change, {"match": uuid_of(match), "player": number} | more)
