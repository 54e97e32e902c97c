"""How strong players are, by the matches that they have played against others.

Ratings are those of Plackett and Luce, kept by `openskill`: a normal distribution of each player's strength
at a game, which a match of any number of seats narrows and moves. The same matches in the same order give
the same numbers, to the last bit.
"""

from collections.abc import Sequence
from typing import Any

from openskill.models import PlackettLuce
from psycopg import Cursor

from adapters.event_store.mapper import tag
from adapters.postgres.read_models.by_player import Key, keys_of, put_rows, rows_of
from adapters.postgres.read_models.model import Happened
from domain.match import COMMAND_LIMIT, AnyMatch, Finished, ranks
from services.players.records import Rating

type Ratings = dict[Key, Rating]
"""The ratings by player and game."""

MODEL = PlackettLuce()


class RatingsModel:
    """The table `ratings`."""

    name = "ratings"
    tables = ("ratings",)
    topics = frozenset({tag(Finished)})
    turns = False
    starts = None

    def apply(self, cursor: Cursor[Any], batch: Sequence[Happened]) -> None:
        """Rate the matches that have finished, one after the other."""
        matches = [happened.match for happened in batch if is_rated(happened.match)]
        if not matches:
            return
        rows = rows_of(cursor, self.name, {key for match in matches for key in keys_of(match)})
        ratings = {key: rating_in(row) for key, row in rows.items()}
        for match in matches:
            rate(ratings, match)
        written = (
            (player, game, rating.mu, rating.sigma, rating.estimate, rating.matches)
            for (player, game), rating in ratings.items()
        )
        put_rows(cursor, self.name, ratings, written)


def is_rated(match: AnyMatch) -> bool:
    """Return whether a match counts: one that its opener wanted rated, of two players or more.

    One that only its limit of commands has ended says nothing of them.
    """
    keys = keys_of(match)
    decided = match.outcome is not None and match.outcome.reason != COMMAND_LIMIT
    return match.terms.rated and decided and len(keys) > 1 and len(set(keys)) == len(keys)


def rate(ratings: Ratings, match: AnyMatch) -> None:
    """Change the ratings by a match that has finished."""
    keys = keys_of(match)
    known = [ratings.get(key) for key in keys]
    teams = [
        [MODEL.rating() if rating is None else MODEL.rating(mu=rating.mu, sigma=rating.sigma)]
        for rating in known
    ]
    after = MODEL.rate(teams, ranks=[float(rank) for rank in ranks(match)])
    for key, before, (rated,) in zip(keys, known, after, strict=True):
        ratings[key] = Rating(
            estimate=rated.ordinal(),
            mu=rated.mu,
            sigma=rated.sigma,
            matches=1 if before is None else before.matches + 1,
        )


def rating_in(row: dict[str, Any]) -> Rating:
    """Return the rating in a row of the table."""
    return Rating(**{field: row[field] for field in Rating.__struct_fields__})
