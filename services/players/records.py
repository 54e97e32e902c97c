"""What players have achieved, as it is stored."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId


class Statistics(Struct, frozen=True, kw_only=True):
    """How often a player has played a game to its end, and how that ended.

    Attributes:
        game: The game's id.
        played: Matches that have finished; each was won, lost, drawn or shared.
        won: Those that the player won alone.
        lost: Those that the player lost.
        drawn: Those that nobody won.
        shared: Those that the player won together with others.
        resigned: Those of the lost ones that the player gave up.
        timed_out: Those of the lost ones in which the player's time was up.
        best_score: The best score in a match played alone to its end; None if there is none.
    """

    game: str
    played: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    shared: int = 0
    resigned: int = 0
    timed_out: int = 0
    best_score: int | None = None


class Rating(Struct, frozen=True, kw_only=True):
    """How strong a player is at a game, by the rated matches that it has played.

    Attributes:
        estimate: What the player's strength is at least, most likely: `mu` less three times `sigma`.
        mu: The likeliest strength; 25 before the first match.
        sigma: How uncertain it is, as a standard deviation; 25/3 before the first match.
        matches: How many matches it comes from.
    """

    estimate: float
    mu: float
    sigma: float
    matches: int


class Ranked(Struct, frozen=True):
    """A player's place in a leaderboard.

    Attributes:
        player: The player.
        rating: Its rating.
    """

    player: PlayerId
    rating: Rating


class Records(Protocol):
    """What players have achieved; it follows the log within moments."""

    async def statistics(self, player: PlayerId) -> list[Statistics]:
        """Return a player's statistics, one for each game that it has played, by the game's id."""

    async def ratings(self, player: PlayerId) -> Mapping[str, Rating]:
        """Return a player's rating in each game in which it has one."""

    async def leaderboard(
        self, game: str, *, place: tuple[float, PlayerId] | None, limit: int
    ) -> list[Ranked]:
        """Return those who have a rating in a game, the highest estimate first.

        Args:
            game: The game's id.
            place: The estimate and player after which to begin; None begins with the best.
            limit: The most that are wanted.
        """
