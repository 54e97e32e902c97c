"""The port `MatchList`: pages of the list of matches, whatever is asked for."""

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import sql

from adapters.generics import filled
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.log.set_aside import READABLE
from adapters.postgres.read_models.match_list import Standing
from domain.match import Match, MatchStatus, PlayerId
from domain.shared.game import Games
from services.lobby.match_list import ListPlace, MatchFilter
from services.matches.store import MatchWithoutState
from services.shared.ids import match_id, parsed

PUBLIC = "match_list WHERE public"


PUBLIC_OF_PLAYER = "match_players WHERE player_id = %(player)s AND public"


PRIVATE = "match_players WHERE player_id = %(viewer)s AND NOT public"


PRIVATE_OF_VIEWER = f"{PRIVATE} AND seated"


PRIVATE_OF_BOTH = (
    "match_list WHERE NOT public AND known @> ARRAY[%(viewer)s, %(player)s] AND %(player)s = ANY(seated)"
)


TURNS = "match_turns WHERE player_id = %(viewer)s"


TURNS_WITH_PLAYER = (
    f"{TURNS} AND EXISTS (SELECT FROM match_players AS others WHERE others.match_id = match_turns.match_id"
    " AND others.player_id = %(player)s AND others.seated)"
)
"""Where the matches of a page are found, apart from their games, standings and times."""


EACH = (
    "SELECT part.* FROM unnest(%(games)s::text[]) AS one_game, unnest(%(standings)s::text[]) AS one_standing,"
    " LATERAL (SELECT opened_at, match_id FROM {source} AND game = one_game AND standing = one_standing"
    " {readable} {times} ORDER BY opened_at DESC, match_id DESC LIMIT {limit}) AS part"
)
"""Reads the first of each game and standing: that is where an index has them in order."""


EACH_GAME = (
    "SELECT part.* FROM unnest(%(games)s::text[]) AS one_game,"
    " LATERAL (SELECT opened_at, match_id FROM {source} AND game = one_game"
    " {readable} {times} ORDER BY opened_at DESC, match_id DESC LIMIT {limit}) AS part"
)


TOGETHER = (
    "(SELECT opened_at, match_id FROM {source} AND game = ANY(%(games)s) AND standing = ANY(%(standings)s)"
    " {readable} {times} ORDER BY opened_at DESC, match_id DESC LIMIT {limit})"
)
"""Finds them all, and then the first of them: those that two players know of are few."""


PAGE = (
    "SELECT match_list.match_id, game, match_list.opened_at, match,"
    " (SELECT max(originator_version) FROM {events} WHERE originator_id = match_list.match_id) AS version"
    " FROM ({parts} ORDER BY opened_at DESC, match_id DESC LIMIT {limit}) AS page"
    " JOIN match_list USING (match_id) ORDER BY match_list.opened_at DESC, match_list.match_id DESC"
)


def page_query(
    games: Sequence[str],
    viewer: PlayerId | None,
    wanted: MatchFilter,
    place: ListPlace | None,
    limit: int,
) -> tuple[sql.Composed, dict[str, Any]]:
    """Return the query for a page and its parameters; arguments as of the port.

    However many matches there are, and however rare those that are wanted, it reads at most so many as fit a
    page for each game and standing. What is private is found apart from what is public, as a list of both in
    one order has no index.
    """
    found = [
        sql.SQL(shape).format(
            source=sql.SQL(source),
            readable=sql.SQL("AND ") + READABLE,
            times=_times(wanted, place),
            limit=sql.Literal(limit),
        )
        for shape, source in _sources(viewer, wanted)
    ]
    query = sql.SQL(PAGE).format(
        events=sql.Identifier(EVENTS),
        parts=sql.SQL(" UNION ALL ").join(found),
        limit=sql.Literal(limit),
    )
    parameters = {
        "games": [game for game in games if wanted.game in (None, game)],
        "standings": [str(standing) for standing in standings_of(wanted)],
        "viewer": None if viewer is None else parsed("player", viewer),
        "player": None if wanted.player is None else parsed("player", wanted.player),
        "after": wanted.created_after,
        "before": wanted.created_before,
        "place_at": None if place is None else place.opened_at,
        "place_match": None if place is None else parsed("match", place.match),
    }
    return query, parameters


def _sources(viewer: PlayerId | None, wanted: MatchFilter) -> list[tuple[str, str]]:
    """Return where what is wanted is found, each in which way."""
    if wanted.my_turn:
        return [(EACH_GAME, TURNS if wanted.player in (None, viewer) else TURNS_WITH_PLAYER)]
    found = [(EACH, PUBLIC if wanted.player is None else PUBLIC_OF_PLAYER)]
    if viewer is None:
        return found
    if wanted.player is None:
        return [*found, (EACH, PRIVATE)]
    if wanted.player == viewer:
        return [*found, (EACH, PRIVATE_OF_VIEWER)]
    return [*found, (TOGETHER, PRIVATE_OF_BOTH)]


def _times(wanted: MatchFilter, place: ListPlace | None) -> sql.Composed:
    """Return the times of a page, with one upper bound: of two an index would begin at the wrong one."""
    conditions = []
    if place is not None and (wanted.created_before is None or place.opened_at < wanted.created_before):
        conditions.append("AND (opened_at, match_id) < (%(place_at)s, %(place_match)s)")
    elif wanted.created_before is not None:
        conditions.append("AND opened_at < %(before)s")
    if wanted.created_after is not None:
        conditions.append("AND opened_at > %(after)s")
    return sql.SQL(" ").join(map(sql.SQL, conditions))


def standings_of(wanted: MatchFilter) -> list[Standing]:
    """Return the standings of matches that are wanted."""
    return [
        standing
        for standing in Standing
        if (wanted.status is None or _phase(standing) is wanted.status)
        and (standing is Standing.OPEN or not wanted.open_seats)
        and (standing is Standing.PLAYING or not wanted.my_turn)
    ]


def _phase(standing: Standing) -> MatchStatus:
    return MatchStatus.OPEN if standing is Standing.FULL else MatchStatus(standing.value)


class PostgresMatchList:
    """The port `MatchList`."""

    def __init__(self, games: Games, datastore: Datastore) -> None:
        """Take the registered games and the connections."""
        self._datastore = datastore
        self._decoders = {
            game.id: msgspec.json.Decoder(filled(Match, game.state, game.options)) for game in games.values()
        }

    async def page(
        self, viewer: PlayerId | None, wanted: MatchFilter, *, place: ListPlace | None, limit: int
    ) -> list[MatchWithoutState]:
        """Return matches that the viewer may know of, newest first."""
        if not standings_of(wanted):
            return []
        query, parameters = page_query(tuple(self._decoders), viewer, wanted, place, limit)
        # Planned again each time for what is asked, which a stored plan does not know.
        rows = await self._datastore.execute(query, parameters, prepare=False)
        return [
            MatchWithoutState(
                id=match_id(row["match_id"]),
                opened_at=row["opened_at"],
                match=self._decoders[row["game"]].decode(bytes(row["match"])),
                version=row["version"],
            )
            for row in rows
        ]
