"""Rows written many at once: one by one each takes the server longer than all else that it brings about."""

from collections.abc import Iterable, Sequence
from typing import Any

from psycopg import Cursor, sql


def write(cursor: Cursor[Any], table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Add rows to a table, each with all its columns in their order."""
    with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as copy:
        for row in rows:
            copy.write_row(row)
