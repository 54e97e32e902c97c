"""What players have achieved: statistics, ratings, leaderboards."""

from msgspec import Struct
from msgspec.structs import asdict

from domain.match import PlayerId
from domain.shared.game import Games
from services.players.accounts import Players
from services.players.names import SeatedPlayer, seated_player
from services.players.records import Rating, Records, Statistics
from services.shared.errors import FailureReason, NotFound
from services.shared.ids import parsed
from services.shared.pages import Page, cut, page_token, position_of


class PlayerStatistics(Statistics, frozen=True, kw_only=True):
    """What a player has achieved in a game.

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
        rating: How strong it is; None before its first rated match.
    """

    rating: Rating | None


class Achieved(Struct, frozen=True):
    """What a player has achieved.

    Attributes:
        player: The player.
        games: One for each game of which it has finished a match, by the game's id.
    """

    player: SeatedPlayer
    games: tuple[PlayerStatistics, ...]


class RankedPlayer(Struct, frozen=True):
    """A place in a leaderboard.

    Attributes:
        player: The player.
        rating: Its rating.
    """

    player: SeatedPlayer
    rating: Rating


class Achievements:
    """Tells what players have achieved."""

    def __init__(self, games: Games, records: Records, players: Players) -> None:
        """Take the registered games, what the log says, and the accounts."""
        self._games = games
        self._records = records
        self._players = players

    async def of_player(self, player: PlayerId) -> Achieved:
        """Return what a player has achieved.

        Raises:
            NotFound: There is no such player.
        """
        known = {} if parsed("player", player) is None else await self._players.named([player])
        if player not in known:
            raise NotFound(FailureReason.NO_SUCH_PLAYER, player=player)
        ratings = await self._records.ratings(player)
        games = [
            PlayerStatistics(**asdict(one), rating=ratings.get(one.game))
            for one in await self._records.statistics(player)
        ]
        return Achieved(seated_player(player, known), tuple(games))

    async def leaderboard(self, game: str, *, after: str | None, size: int) -> Page[RankedPlayer]:
        """Return those who have a rating in a game and an account still, the highest estimate first.

        Raises:
            NotFound: There is no game of this id.
            Malformed: No page of this list gave `after`.
        """
        if game not in self._games:
            raise NotFound(FailureReason.NO_SUCH_GAME, game=game)
        place = None
        if after is not None:
            place = position_of(after, _place, "leaderboard", game)
        found = await self._records.leaderboard(game, place=place, limit=size + 1)
        page = cut(
            found,
            size,
            lambda last: page_token(f"{last.rating.estimate.hex()} {last.player}", "leaderboard", game),
        )
        names = await self._players.named([one.player for one in page.items])
        # Anyone who was erased is notified of no more.
        known = [one for one in page.items if one.player in names]
        return page.of(RankedPlayer(seated_player(one.player, names), one.rating) for one in known)


def _place(written: str) -> tuple[float, PlayerId]:
    """Return the place in a leaderboard that a token's text names: an estimate, and a player."""
    estimate, player = written.split()
    if parsed("player", player) is None:
        raise ValueError(f"{player} is no player")
    return float.fromhex(estimate), PlayerId(player)
