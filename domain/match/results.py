"""What a finished match says of each seat."""

from enum import StrEnum

from domain.match.state import AnyMatch
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat, seats_in_order


class Result(StrEnum):
    """How a match ended for a seat."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    SHARED = "shared"


def result(match: AnyMatch, seat: Seat) -> Result:
    """Return how a finished match ended for a seat; one that gave up has lost (common §6, §8)."""
    outcome = _outcome(match)
    if seat in match.resigned:
        return Result.LOST
    if seat in outcome.winners:
        return Result.WON if len(outcome.winners) == 1 else Result.SHARED
    return Result.DRAWN if outcome.kind is OutcomeKind.DRAWN else Result.LOST


def ranks(match: AnyMatch) -> tuple[int, ...]:
    """Return the rank of each seat of a finished match, in seat order, 1 the best; level seats share one.

    The winners come first, then the others by score and stones, and last those that gave up.
    """
    outcome = _outcome(match)
    standings = [_standing(match, outcome, seat) for seat in seats_in_order(match.terms.seats)]
    return tuple(1 + sum(other > own for other in standings) for own in standings)


def _standing(match: AnyMatch, outcome: Outcome, seat: Seat) -> tuple[int, ...]:
    """Return what ranks a seat: the first number that differs decides, the higher is better."""
    if seat in match.resigned:
        return (0,)
    if seat in outcome.winners:
        return (2,)
    if outcome.kind is OutcomeKind.DRAWN:
        return (1,)
    return (1, outcome.scores[seat], *outcome.stones[seat : seat + 1])


def _outcome(match: AnyMatch) -> Outcome:
    if match.outcome is None:
        raise ValueError("a match that goes on has no result")
    return match.outcome
