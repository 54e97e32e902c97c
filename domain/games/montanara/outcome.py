"""Scoring and the end of Montanara (montanara §5)."""

from domain.games.montanara.catalogue import CRYSTALS_TO_WIN
from domain.games.montanara.state import BOTH, State
from domain.shared.outcomes import Outcome, OutcomeKind, Standings, best


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or None while it goes on (§5.3).

    Whenever a mountain loses a card the end is looked at once the card's effect is over, and nothing else
    empties a mountain or brings a crystal: so any table can be asked.
    """
    for seat in BOTH:
        if state.displays[seat].crystals == CRYSTALS_TO_WIN:
            return Outcome(OutcomeKind.WON, (seat,), scores(state), "four_crystals")
    if sum(map(bool, state.mountains)) != 1:
        return None
    kind, winners = best(standings(state), BOTH)
    if kind is OutcomeKind.SHARED:
        return Outcome(OutcomeKind.DRAWN, (), scores(state), "one_mountain_left")
    return Outcome(kind, winners, scores(state), "one_mountain_left")


def scores(state: State) -> tuple[int, ...]:
    """Return the crystals of each display, 0 to 4 (§5.2)."""
    return tuple(display.crystals for display in state.displays)


def standings(state: State) -> Standings:
    """Return what ranks the seats: crystals in the display, then dwarfs in it (§5.2)."""
    return tuple((display.crystals, display.dwarfs) for display in state.displays)
