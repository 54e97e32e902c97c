"""What a command brings about in High Card, and what is then forced (high_card §4)."""

from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, by_seat

from .catalogue import CARDS, SEATS
from .commands import Command
from .events import CardPlayed, Event, TrickTaken
from .legality import turn_after, why_not
from .state import State


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    return (CardPlayed(seat, command.card, turn_after(state)),)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return what happens next with no one choosing, or None: the higher card takes the trick (§4.2)."""
    ranked = [(CARDS.index(card), seat) for seat, card in by_seat(state.played) if card is not None]
    if len(ranked) < SEATS:
        return None
    _, winner = max(ranked)
    return TrickTaken(winner, winner if any(state.hands) else None)
