"""What is legal in High Card (high_card §4)."""

from domain.shared.seats import Seat, next_seat

from .catalogue import SEATS
from .commands import Command, PlayCard
from .rejections import Reason
from .state import State


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that must choose: the one on turn; none while things happen by themselves (§4.1)."""
    return () if state.over or None not in state.played else (state.turn,)


def turn_after(state: State) -> Seat:
    """Return the seat whose turn follows, unless a trick is taken (§4.1, common §1)."""
    return next_seat(state.turn, SEATS)


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    return None if command.card in state.hands[seat] else Reason.CARD_NOT_IN_HAND


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return a seat's legal moves in the order of the rules; none unless it is to act (common §9)."""
    return [PlayCard(card) for card in state.hands[seat]] if seat in to_act(state) else []
