"""What players have achieved, reckoned in memory."""

from collections.abc import Iterator, Mapping
from math import inf
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder

from adapters.postgres.read_models.ratings import Ratings, is_rated, rate
from adapters.postgres.read_models.reader import whole_log
from adapters.postgres.read_models.statistics import Played, count
from domain.match import AnyMatch, Finished, PlayerId
from domain.shared.game import Games
from services.players.records import Ranked, Rating, Statistics
from services.shared.ids import parsed, written


class MemoryRecords:
    """The port `Records` over a log in memory, folded anew at each call: the twin for fast tests."""

    def __init__(self, games: Games, log: ApplicationRecorder) -> None:
        """Take the registered games and the log."""
        self._games = games
        self._log = log

    async def statistics(self, player: PlayerId) -> list[Statistics]:
        """Return a player's statistics, one for each game that it has played, by the game's id."""
        played: Played = {}
        for match in self._finished():
            count(played, match)
        number = parsed("player", player)
        return [counted for (holder, _), counted in sorted(played.items()) if holder == number]

    async def ratings(self, player: PlayerId) -> Mapping[str, Rating]:
        """Return a player's rating in each game in which it has one."""
        number = parsed("player", player)
        return {game: rating for (holder, game), rating in self._ratings().items() if holder == number}

    async def leaderboard(
        self, game: str, *, place: tuple[float, PlayerId] | None, limit: int
    ) -> list[Ranked]:
        """Return those who have a rating in a game, the highest estimate first."""
        ranked = {
            (-rating.estimate, holder): rating
            for (holder, played), rating in self._ratings().items()
            if played == game
        }
        first = (-inf, UUID(int=0)) if place is None else (-place[0], parsed("player", place[1]))
        return [
            Ranked(PlayerId(written("player", holder)), rating)
            for (estimate, holder), rating in sorted(ranked.items())
            if (estimate, holder) > first
        ][:limit]

    def _ratings(self) -> Ratings:
        ratings: Ratings = {}
        for match in self._finished():
            if is_rated(match):
                rate(ratings, match)
        return ratings

    def _finished(self) -> Iterator[AnyMatch]:
        """Give the matches that have finished, in the order in which they did."""
        for happened in whole_log(self._games, self._log):
            if isinstance(happened.recorded.event, Finished):
                yield happened.match
