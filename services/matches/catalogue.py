"""The games that can be played, and their rules."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain import match
from domain.match.rules import COMMON, RULES, RULESET
from domain.shared.catalogues import Clause, DataTable, DrawRule
from domain.shared.game import AnyGame, Games, edition
from services.shared.errors import FailureReason, NotFound


class Rulebook(Struct, frozen=True):
    """The rules of a game, or those that all games have in common.

    Attributes:
        game: The game's id; `common` for what they have in common.
        ruleset: Edition of the rules.
        clauses: Sections and rulings, in their order.
        common: The clauses that all games have in common; none for these themselves.
        reasons: The clause that each reason for a refusal enforces, in the order of the rules.
        data: The ruleset's tables.
        draws: All that the rules ask of chance, in the order of the rules.
    """

    game: str
    ruleset: str
    clauses: tuple[Clause, ...]
    common: tuple[Clause, ...]
    reasons: Mapping[Any, str]
    data: tuple[DataTable, ...]
    draws: tuple[DrawRule, ...]


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

    def rules(self, id: str, ruleset: str | None = None) -> Rulebook:
        """Return a game's rules as of its newest edition or of a ruleset; `common` names what games share.

        Raises:
            NotFound: There is none of this id, or it has no such ruleset.
        """
        if id == COMMON:
            if ruleset not in (None, RULESET):
                raise NotFound(FailureReason.NO_SUCH_RULESET, game=id, ruleset=ruleset)
            own = {reason: one for reason, one in match.CLAUSES.items() if reason not in match.OF_THE_GAME}
            return Rulebook(COMMON, RULESET, RULES, (), own, (), ())
        game = self.game(id, ruleset)
        return Rulebook(game.id, game.ruleset, game.rules, RULES, game.clauses, game.data, game.draws)
