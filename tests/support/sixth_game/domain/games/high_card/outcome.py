"""Scoring and the end of High Card (high_card §5)."""

from domain.shared.outcomes import Outcome, Standings, best
from domain.shared.seats import seats_in_order

from .catalogue import SEATS
from .state import State


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§5)."""
    if not state.over:
        return None
    kind, winners = best(standings(state), seats_in_order(SEATS))
    return Outcome(kind, winners, scores(state), "hands_empty")


def scores(state: State) -> tuple[int, ...]:
    """Return the tricks of each seat (§5)."""
    return state.tricks


def standings(state: State) -> Standings:
    """Return what ranks the seats: their tricks (§5)."""
    return tuple((tricks,) for tricks in state.tricks)
