"""Tables with a row for each player and game, read and written by read models."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from psycopg import Cursor, sql

from domain.match import Match
from services.ids import parsed

type Key = tuple[UUID, str]
"""A player and a game."""


def keys_of(match: Match[Any, Any]) -> list[Key]:
    """Return the keys of those who play a match whose seats are all taken, in seat order."""
    found = []
    for holder in match.holders:
        if holder is None or (player := parsed("player", holder.player)) is None:
            raise ValueError("a match that is played has a player in each seat")
        found.append((player, match.terms.game))
    return found


def rows_of(cursor: Cursor[Any], table: str, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
    """Return the rows of some players and games that a table has."""
    cursor.execute(
        sql.SQL(
            "SELECT {table}.* FROM {table}"
            " JOIN unnest(%s::uuid[], %s::text[]) AS wanted (player_id, game) USING (player_id, game)"
        ).format(table=sql.Identifier(table)),
        ([player for player, _ in keys], [game for _, game in keys]),
    )
    return {(row["player_id"], row["game"]): row for row in cursor.fetchall()}
