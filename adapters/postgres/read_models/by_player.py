"""Tables with a row for each player and game, read and written by read models."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from psycopg import Cursor, sql

from adapters.postgres.read_models.rows import write
from domain.match import AnyMatch
from services.shared.ids import parsed

AMONG = sql.SQL("(player_id, game) IN (SELECT * FROM unnest(%s::uuid[], %s::text[]))")

type Key = tuple[UUID, str]
"""A player and a game."""


def keys_of(match: AnyMatch) -> list[Key]:
    """Return the keys of those who play a match whose seats are all taken, in seat order."""
    found = []
    for holder in match.holders:
        if holder is None or (player := parsed("player", holder.player)) is None:
            raise ValueError("a match that is played has a player in each seat")
        found.append((player, match.terms.game))
    return found


def rows_of(cursor: Cursor[Any], table: str, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
    """Return the rows of some players and games that a table has."""
    query = sql.SQL("SELECT * FROM {} WHERE {}").format(sql.Identifier(table), AMONG)
    cursor.execute(query, _columns(keys))
    return {(row["player_id"], row["game"]): row for row in cursor.fetchall()}


def put_rows(cursor: Cursor[Any], table: str, keys: Collection[Key], rows: Iterable[Sequence[Any]]) -> None:
    """Let a table have these rows for some players and games."""
    query = sql.SQL("DELETE FROM {} WHERE {}").format(sql.Identifier(table), AMONG)
    cursor.execute(query, _columns(keys))
    write(cursor, table, rows)


def _columns(keys: Collection[Key]) -> tuple[list[UUID], list[str]]:
    return [player for player, _ in keys], [game for _, game in keys]
