"""The games that can be played."""

from domain.shared.game import AnyGame, Games, edition
from services.shared.errors import FailureReason, NotFound


class Catalogue:
    """The games that can be played, and with how many commands at most.

    Attributes:
        games: The registered games by id.
        max_commands: The most commands of a match that is opened from now on; None for no limit.
    """

    def __init__(self, games: Games, max_commands: int | None = None) -> None:
        """Take the registered games by id, and the most commands of a match; None for no limit."""
        self.games = games
        self.max_commands = max_commands

    def game(self, id: str, ruleset: str | None = None) -> AnyGame:
        """Return a game, in its newest edition or in that of a ruleset.

        Raises:
            NotFound: There is none of this id, or it has no such ruleset.
        """
        if (game := self.games.get(id)) is None:
            raise NotFound(FailureReason.NO_SUCH_GAME, game=id)
        if (found := edition(game, game.ruleset if ruleset is None else ruleset)) is None:
            raise NotFound(FailureReason.NO_SUCH_RULESET, game=id, ruleset=ruleset)
        return found
