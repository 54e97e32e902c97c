"""The list of matches: a table that follows the log, and the same in memory."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

import msgspec
from eventsourcing.persistence import ApplicationRecorder, StoredEvent, Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from psycopg import sql

from adapters.generics import filled
from adapters.postgres.datastore import Datastore
from adapters.postgres.mapper import EventMapper, tag
from adapters.postgres.store import EVENTS
from domain.match import Finished, Match, Opened, Phase, PlayerId, SeatTaken, Started, Visibility, evolve
from services.ids import MatchId, match_id, parsed
from services.live import Games
from services.ports import Listed, Recorded

NAME = "match_list"
TOPICS = [tag(event) for event in (Opened, SeatTaken, Started, Finished)]
"""The events that the list shows anything of."""

BATCH = 500
STRIDE = 10_000
"""How far the log may run ahead of the stored position while nothing in it concerns the list."""


class MatchListRecorder(PostgresTrackingRecorder):
    """The table `match_list` and its position in the log, changed in one transaction."""

    def __init__(self, games: Games, datastore: Datastore) -> None:
        """Take the registered games and the connections."""
        super().__init__(datastore, tracking_table_name="match_tracking")
        self._games = games
        self._mapper = EventMapper(games)
        self._decoders = _decoders(games)
        self._seen = 0

    def catch_up(self, log: ApplicationRecorder) -> bool:
        """Take in the next batch of the log, and return whether there may be more.

        One process does so at a time; what another is doing is left to it.
        """
        with self.datastore.transaction(commit=True) as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext(%s)) AS held", (NAME,))
            row = cursor.fetchone()
            if row is None or not row["held"]:
                return False
            tracked = self._max_tracking_id(NAME, cursor) or 0
            start = max(tracked, self._seen)
            stop = log.max_notification_id() or 0
            found = log.select_notifications(start, BATCH, stop, TOPICS, inclusive_of_start=False)
            reached = found[-1].id if len(found) == BATCH else max(stop, start)
            for notification in found:
                self._apply(cursor, notification)
            if found or reached - tracked > STRIDE:
                self._insert_tracking(cursor, Tracking(NAME, reached))
        self._seen = reached
        return len(found) == BATCH

    def _apply(self, cursor: Any, stored: StoredEvent) -> None:
        recorded: Recorded = self._mapper.to_domain_event(stored).recorded
        number = stored.originator_id
        if isinstance(recorded.event, Opened):
            game = self._games[recorded.event.terms.game]
            before = None
        else:
            row = cursor.execute(
                "SELECT game, match FROM match_list WHERE match_id = %s", (number,)
            ).fetchone()
            game = self._games[row["game"]]
            before = self._decoders[game.id].decode(bytes(row["match"]))
        match = evolve(game, before, recorded.event)
        players = [parsed("player", player) for player in (match.terms.opener, *_seated(match))]
        cursor.execute(
            "INSERT INTO match_list (match_id, game, phase, public, players, opened_at, match)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (match_id) DO UPDATE"
            " SET phase = excluded.phase, players = excluded.players, match = excluded.match",
            (
                number,
                game.id,
                match.phase,
                match.terms.visibility is Visibility.PUBLIC,
                players,
                recorded.at,
                msgspec.json.encode(match),
            ),
        )


class PostgresMatchList:
    """The port `MatchList`."""

    def __init__(self, games: Games, datastore: Datastore) -> None:
        """Take the registered games and the connections."""
        self._datastore = datastore
        self._decoders = _decoders(games)

    async def page(
        self,
        viewer: PlayerId | None,
        *,
        game: str | None,
        phase: Phase | None,
        before: MatchId | None,
        limit: int,
    ) -> list[Listed]:
        """Return matches that the viewer may know of, newest first, older than `before`."""
        conditions: list[tuple[str, Any]] = [
            ("(public OR players @> %s)", [None if viewer is None else parsed("player", viewer)]),
        ]
        if game is not None:
            conditions.append(("game = %s", game))
        if phase is not None:
            conditions.append(("phase = %s", phase))
        if before is not None:
            conditions.append(("match_id < %s", parsed("match", before)))
        query = sql.SQL(
            "SELECT match_id, game, opened_at, match, (SELECT max(originator_version) FROM {events}"
            " WHERE originator_id = match_id) AS version"
            " FROM match_list WHERE {conditions} ORDER BY match_id DESC LIMIT %s"
        ).format(
            events=sql.Identifier(EVENTS),
            conditions=sql.SQL(" AND ").join([sql.SQL(text) for text, _ in conditions]),
        )
        rows = await self._datastore.execute(query, (*(value for _, value in conditions), limit))
        return [
            Listed(
                id=match_id(row["match_id"]),
                opened_at=row["opened_at"],
                match=self._decoders[row["game"]].decode(bytes(row["match"])),
                version=row["version"],
            )
            for row in rows
        ]


class MemoryMatchList:
    """The port `MatchList` over a log in memory, folded anew at each call: the twin for fast tests."""

    def __init__(self, games: Games, log: ApplicationRecorder) -> None:
        """Take the registered games and the log."""
        self._games = games
        self._mapper = EventMapper(games)
        self._log = log

    async def page(
        self,
        viewer: PlayerId | None,
        *,
        game: str | None,
        phase: Phase | None,
        before: MatchId | None,
        limit: int,
    ) -> list[Listed]:
        """Return matches that the viewer may know of, newest first, older than `before`."""
        listed: dict[UUID, Listed] = {}
        for stored in self._log.select_notifications(None, 1_000_000):
            recorded: Recorded = self._mapper.to_domain_event(stored).recorded
            number = cast(UUID, stored.originator_id)
            known = listed.get(number)
            if known is None:
                terms = recorded.event.terms
                match = evolve(self._games[terms.game], None, recorded.event)
            else:
                match = evolve(self._games[known.match.terms.game], known.match, recorded.event)
            listed[number] = Listed(
                id=match_id(number),
                opened_at=recorded.at if known is None else known.opened_at,
                match=match,
                version=recorded.version,
            )
        found = [
            one
            for one in sorted(listed.values(), key=lambda one: one.id, reverse=True)
            if (game is None or one.match.terms.game == game)
            and (phase is None or one.match.phase is phase)
            and (before is None or one.id < before)
            and (
                one.match.terms.visibility is Visibility.PUBLIC
                or viewer in (one.match.terms.opener, *_seated(one.match))
            )
        ]
        return found[:limit]


def _decoders(games: Games) -> dict[str, Any]:
    return {game.id: msgspec.json.Decoder(filled(Match, game.state, game.options)) for game in games.values()}


def _seated(match: Match[Any, Any]) -> Sequence[PlayerId]:
    return [holder.player for holder in match.holders if holder is not None]
