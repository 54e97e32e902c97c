"""What players have achieved, reckoned in memory."""

from collections.abc import Mapping
from math import inf
from uuid import UUID

from adapters.memory.history import MemoryHistory
from adapters.postgres.read_models.model import Happened
from adapters.postgres.read_models.ratings import Ratings, is_rated, rate
from adapters.postgres.read_models.statistics import Played, count
from domain.match import Finished, PlayerId
from services.players.records import Ranked, Rating, Statistics
from services.shared.ids import parsed, written


class MemoryRecords:
    """The port `Records` over what has happened."""

    def __init__(self, history: MemoryHistory) -> None:
        """Take what has happened."""
        self._played: Played = {}
        self._ratings: Ratings = {}
        history.happened.listen(self._take_in)

    async def statistics(self, player: PlayerId) -> list[Statistics]:
        """Return a player's statistics, one for each game that it has played, by the game's id."""
        number = parsed("player", player)
        return [counted for (holder, _), counted in sorted(self._played.items()) if holder == number]

    async def ratings(self, player: PlayerId) -> Mapping[str, Rating]:
        """Return a player's rating in each game in which it has one."""
        number = parsed("player", player)
        return {game: rating for (holder, game), rating in self._ratings.items() if holder == number}

    async def leaderboard(
        self, game: str, *, place: tuple[float, PlayerId] | None, limit: int
    ) -> list[Ranked]:
        """Return those who have a rating in a game, the highest estimate first."""
        ranked = {
            (-rating.estimate, holder): rating
            for (holder, played), rating in self._ratings.items()
            if played == game
        }
        first = (-inf, UUID(int=0)) if place is None else (-place[0], parsed("player", place[1]))
        return [
            Ranked(PlayerId(written("player", holder)), rating)
            for (estimate, holder), rating in sorted(ranked.items())
            if (estimate, holder) > first
        ][:limit]

    def _take_in(self, one: Happened) -> None:
        """Count a match that has finished."""
        if isinstance(one.recorded.event, Finished):
            count(self._played, one.match)
            if is_rated(one.match):
                rate(self._ratings, one.match)
