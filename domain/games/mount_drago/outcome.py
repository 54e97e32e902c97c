"""Scoring and the end of Mount Drago (mount_drago §4.3, §5)."""

from domain.games.mount_drago.catalogue import DRAGONS, LAST_TO_ENTER, SMALL_LIMIT, Scoring
from domain.games.mount_drago.state import Phase, State, board
from domain.shared.outcomes import Outcome, Standings, best
from domain.shared.seats import seats_in_order


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§5.1, §5.2)."""
    if state.phase is not Phase.OVER:
        return None
    kind, winners = best(standings(state), seats_in_order(len(state.hands)))
    return Outcome(kind, winners, scores(state), "summit_reached")


def scores(state: State) -> tuple[int, ...]:
    """Return the points of each seat, may be negative (§4.3, R3)."""
    return state.points


def standings(state: State) -> Standings:
    """Return what ranks the seats: their points (§5.2)."""
    return tuple((points,) for points in state.points)


def winnings(state: State, scoring: Scoring) -> tuple[int, ...]:
    """Return what each seat gets in a scoring: the value of its dragon's space (§4.3).

    A small scoring passes over spaces above 3; those below 0 count (R4).
    """
    values = board(state).values
    ridden = (values[state.dragons[DRAGONS[card]]] for card in state.open_cards)
    if scoring is Scoring.SMALL:
        return tuple(value if value <= SMALL_LIMIT else 0 for value in ridden)
    return tuple(ridden)


def last_has_entered(state: State) -> bool:
    """Return whether the third dragon stands on a summit space, which ends the game (§5.1)."""
    summit = board(state).summit
    return sum(space >= summit for space in state.dragons) >= LAST_TO_ENTER
