"""How often players have played, and how that ended."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import astuple, replace
from psycopg import Cursor

from adapters.event_store.mapper import tag
from adapters.postgres.read_models.by_player import Key, keys_of, put_rows, rows_of
from adapters.postgres.read_models.model import Happened
from domain.match import AnyMatch, Finished, OnTimeOut, Visibility, result
from domain.shared.seats import Seat, by_seat
from services.players.records import Statistics

type Played = dict[Key, Statistics]
"""What is counted, by player and game."""


class StatisticsModel:
    """The table `statistics`."""

    name = "statistics"
    tables = ("statistics",)
    topics = frozenset({tag(Finished)})
    turns = False
    starts = None

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Count the matches that have finished."""
        keys = {key for happened in batch for key in keys_of(happened.match)}
        rows = rows_of(cursor, self.name, keys)
        played = {key: statistics_in(row) for key, row in rows.items()}
        for happened in batch:
            count(played, happened.match)
        written = ((player, *astuple(counted)) for (player, _), counted in played.items())
        put_rows(cursor, self.name, played, written)


def count(played: Played, match: AnyMatch) -> None:
    """Count a match that has finished; not a branch, nor a private one, which is told to nobody."""
    if match.terms.is_branch or match.terms.visibility is Visibility.PRIVATE:
        return
    for seat, key in by_seat(keys_of(match)):
        known = played.get(key) or Statistics(game=match.terms.game)
        played[key] = _counted(known, match, seat)


def statistics_in(row: dict[str, Any]) -> Statistics:
    """Return the statistics in a row of the table."""
    return Statistics(**{field: row[field] for field in Statistics.__struct_fields__})


def _counted(known: Statistics, match: AnyMatch, seat: Seat) -> Statistics:
    ended = result(match, seat)
    gave_up = seat in match.resigned
    by_time = match.terms.on_time_out is OnTimeOut.RESIGN and seat in match.timed_out
    best = known.best_score
    if match.outcome is not None and match.terms.seats == 1 and not gave_up:
        (score,) = match.outcome.scores
        best = score if best is None else max(best, score)
    counts = {"played": known.played + 1, ended.value: getattr(known, ended) + 1}
    if gave_up and by_time:
        counts["timed_out"] = known.timed_out + 1
    elif gave_up:
        counts["resigned"] = known.resigned + 1
    return replace(known, best_score=best, **counts)
