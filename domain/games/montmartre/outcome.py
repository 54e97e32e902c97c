"""Scoring and the end of Montmartre (montmartre §7)."""

from domain.games.montmartre.catalogue import EMPTY_COLLECTORS, FRANCS
from domain.games.montmartre.legality import turn_after
from domain.games.montmartre.state import Ending, Painter, Phase, State
from domain.shared.outcomes import Outcome, Standings, best
from domain.shared.seats import seats_in_order


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§7.2, §7.3)."""
    if state.phase is not Phase.OVER or state.ending is None:
        return None
    kind, winners = best(standings(state), seats_in_order(len(state.painters)))
    return Outcome(kind, winners, scores(state), state.ending)


def scores(state: State) -> tuple[int, ...]:
    """Return the points of each seat (§7.3)."""
    return tuple(score(painter) for painter in state.painters)


def standings(state: State) -> Standings:
    """Return what ranks the seats: their points (§7.3)."""
    return tuple((points,) for points in scores(state))


def score(painter: Painter) -> int:
    """Return the values of a seat's collectors, its francs and its contract (§7.3)."""
    return sum(map(sum, painter.collectors)) + painter.francs + (painter.contract or 0)


def what_ends(state: State) -> Ending | None:
    """Return what brings the end, as the table stands at the end of a turn, or None (§7.1, R10)."""
    if state.ending is not None:
        return state.ending
    if state.collectors.count(()) >= EMPTY_COLLECTORS:
        return Ending.COLLECTORS_GONE
    if any(painter.francs >= FRANCS for painter in state.painters):
        return Ending.FRANCS_EARNED
    return None


def last_round_over(state: State) -> bool:
    """Return whether the game ends with this turn: all seats have had as many, and the end came (§7.2)."""
    return turn_after(state) == state.first_seat and what_ends(state) is not None
