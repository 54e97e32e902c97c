"""The list of matches: who may know of each, and how far it is."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace
from psycopg import Cursor, sql

from adapters.event_store.mapper import tag
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.rows import write
from domain.match import (
    AnyMatch,
    Branched,
    Cancelled,
    Finished,
    Invited,
    MatchStatus,
    Opened,
    PlayerId,
    SeatLeft,
    SeatTaken,
    Started,
    Visibility,
)
from domain.match.concerns import is_known
from services.matches.same_terms import fit_of
from services.shared.ids import number_of


class Standing(StrEnum):
    """How far a match is: its phase, but an open one may have no free seat."""

    OPEN = "open"
    FULL = "full"
    PLAYING = "playing"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class MatchListModel:
    """The tables `match_list` and `match_players`."""

    name = "match_list"
    tables = ("match_list", "match_players")
    topics = frozenset(
        tag(event) for event in (Opened, SeatTaken, SeatLeft, Invited, Started, Branched, Finished, Cancelled)
    )
    turns = False
    starts = None

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write down each match as the last of these events left it."""
        last = {happened.number: happened for happened in batch}
        for table in self.tables:
            cursor.execute(
                sql.SQL("DELETE FROM {} WHERE match_id = ANY(%s)").format(sql.Identifier(table)),
                (list(last),),
            )
        write(cursor, "match_list", map(_row, last.values()))
        write(cursor, "match_players", (row for happened in last.values() for row in _players(happened)))


def standing_of(match: AnyMatch) -> Standing:
    """Return how far a match is."""
    if match.status is MatchStatus.OPEN and None not in match.holders:
        return Standing.FULL
    return Standing(match.status.value)


def seated_in(match: AnyMatch) -> list[PlayerId]:
    """Return who holds a seat, in seat order."""
    return [holder.player for holder in match.holders if holder is not None]


def known_to(match: AnyMatch) -> set[PlayerId]:
    """Return who may know of a match though it is private."""
    concerned = {match.terms.opener, *match.invited, *seated_in(match)}
    return {player for player in concerned if is_known(match, player)}


def _row(happened: Happened) -> tuple[Any, ...]:
    match = happened.match
    public = match.terms.visibility is Visibility.PUBLIC
    return (
        happened.number,
        match.terms.game,
        standing_of(match),
        public,
        happened.opened_at,
        match.holders.count(None) if match.status is MatchStatus.OPEN else 0,
        fit_of(match.terms),
        [number_of("player", player) for player in seated_in(match)],
        [] if public else sorted(number_of("player", player) for player in known_to(match)),
        # Clocks change with every move, and no list shows them.
        msgspec.json.encode(replace(match, clocks=None)),
    )


def _players(happened: Happened) -> list[tuple[Any, ...]]:
    match = happened.match
    public = match.terms.visibility is Visibility.PUBLIC
    seated = set(seated_in(match))
    return [
        (
            happened.number,
            number_of("player", player),
            match.terms.game,
            standing_of(match),
            public,
            player in seated,
            happened.opened_at,
        )
        for player in sorted(seated if public else known_to(match))
    ]
