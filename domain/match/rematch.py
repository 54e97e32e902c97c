"""What changes when a match is played again."""

from typing import Any

from domain.match.rejections import Reason
from domain.match.state import Match, MatchStatus
from domain.shared.game import Game
from domain.shared.rejections import Rejected
from domain.shared.seats import next_seat


def options_again[O](game: Game[Any, Any, Any, O], match: Match[Any, O]) -> O:
    """Return the options of a match that is played again: the seat after the one that began begins.

    A game that lets no seat be named to begin, as one for a single seat, keeps its options.

    Raises:
        Rejected: The match is not over, or is a branch.
    """
    if match.terms.is_branch:
        raise Rejected(Reason.IS_BRANCH)
    if match.status is MatchStatus.CANCELLED:
        raise Rejected(Reason.MATCH_CANCELLED)
    if match.status is not MatchStatus.FINISHED or match.first is None:
        raise Rejected(Reason.MATCH_NOT_OVER)
    return game.begun_by(match.terms.options, next_seat(match.first, match.terms.seats))
