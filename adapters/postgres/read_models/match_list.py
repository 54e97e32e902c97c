"""The list of matches: a table that follows the log, and the same in memory."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.persistence import ApplicationRecorder
from psycopg import Cursor, sql

from adapters.generics import filled
from adapters.postgres.datastore import Datastore
from adapters.postgres.mapper import tag
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.reader import whole_log
from adapters.postgres.store import EVENTS
from domain.match import Branched, Finished, Match, Opened, Phase, PlayerId, SeatTaken, Started, Visibility
from services.ids import MatchId, match_id, parsed
from services.live import Games
from services.ports import Listed


class MatchListModel:
    """The table `match_list`."""

    name = "match_list"
    tables = ("match_list",)
    topics = frozenset(tag(event) for event in (Opened, SeatTaken, Started, Branched, Finished))

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write down each match as the last event of the batch left it."""
        opened_at = {one.number: one.recorded.at for one in reversed(batch)}
        last = {one.number: one.match for one in batch}
        cursor.executemany(
            "INSERT INTO match_list (match_id, game, phase, public, players, opened_at, match)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (match_id) DO UPDATE"
            " SET phase = excluded.phase, players = excluded.players, match = excluded.match",
            [
                (
                    number,
                    match.terms.game,
                    match.phase,
                    match.terms.visibility is Visibility.PUBLIC,
                    [parsed("player", player) for player in (match.terms.opener, *_seated(match))],
                    opened_at[number],
                    msgspec.json.encode(match),
                )
                for number, match in last.items()
            ],
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
        for one in whole_log(self._games, self._log):
            known = listed.get(one.number)
            listed[one.number] = Listed(
                id=match_id(one.number),
                opened_at=one.recorded.at if known is None else known.opened_at,
                match=one.match,
                version=one.recorded.version,
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
