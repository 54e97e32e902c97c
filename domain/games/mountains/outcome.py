"""Scoring and the end of Mountains (mountains §6)."""

from domain.games.mountains.catalogue import FIRST_HIGH_DECK
from domain.games.mountains.state import Phase, State
from domain.shared.outcomes import Outcome, Standings, best
from domain.shared.seats import seats_in_order


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§6.1, §6.3)."""
    if state.phase is not Phase.OVER:
        return None
    kind, winners = best(standings(state), seats_in_order(len(state.stamps)))
    return Outcome(kind, winners, scores(state), "decks_used_up", stones(state))


def scores(state: State) -> tuple[int, ...]:
    """Return the stamps of each seat (§6.3)."""
    return state.stamps


def stones(state: State) -> tuple[int, ...]:
    """Return the stones of each seat, by which ties on stamps are broken (§6.3)."""
    return state.stones


def standings(state: State) -> Standings:
    """Return what ranks the seats: stamps, then stones (§6.3, R12)."""
    return tuple(zip(state.stamps, state.stones, strict=True))


def decks_used_up(state: State) -> bool:
    """Return whether two of the decks 3, 4, 4* and 5* are empty, which ends the game with the turn (§6.1)."""
    return state.decks[FIRST_HIGH_DECK:].count(()) >= 2
