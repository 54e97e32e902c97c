"""The seats that must choose now."""

from collections.abc import Sequence
from typing import Any

from psycopg import Cursor

from adapters.event_store.mapper import tag
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.rows import write
from domain.match import ClocksSet, DeadlineMoved, Finished
from services.shared.ids import parsed


class TurnsModel:
    """The table `match_turns`."""

    name = "match_turns"
    tables = ("match_turns",)
    topics = frozenset(tag(event) for event in (ClocksSet, DeadlineMoved, Finished))
    turns = True
    starts = None

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Write down who is to act in each match after the last of these events, and until when."""
        last = {happened.number: happened for happened in batch}
        cursor.execute("DELETE FROM match_turns WHERE match_id = ANY(%s)", (list(last),))
        write(cursor, "match_turns", (row for happened in last.values() for row in _rows(happened)))


def _rows(happened: Happened) -> list[tuple[Any, ...]]:
    match, rows = happened.match, []
    for seat in happened.to_act:
        holder = match.holders[seat]
        if holder is None:
            raise ValueError("nobody's seat cannot be to act")
        rows.append(
            (
                happened.number,
                seat,
                parsed("player", holder.player),
                holder.kind,
                match.terms.game,
                happened.opened_at,
                None if match.clocks is None else match.clocks.deadline(seat),
            )
        )
    return rows
