"""How each event changes the table of High Card."""

from typing import assert_never

from msgspec.structs import replace

from domain.shared.tuples import put, without
from domain.shared.viewers import revealed

from .events import CardPlayed, Dealt, Event, TrickTaken
from .state import INITIAL, State


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case Dealt():
            hands = tuple(revealed(hand) for hand in event.hands)
            return replace(INITIAL, turn=event.first_seat, hands=hands, stock=revealed(event.stock))
        case CardPlayed():
            hand = without(state.hands[event.seat], (event.card,))
            return replace(
                state,
                turn=event.next_seat,
                hands=put(state.hands, event.seat, hand),
                played=put(state.played, event.seat, event.card),
            )
        case TrickTaken():
            return replace(
                state,
                turn=event.seat if event.next_seat is None else event.next_seat,
                over=event.next_seat is None,
                played=INITIAL.played,
                tricks=put(state.tricks, event.seat, state.tricks[event.seat] + 1),
                discard_pile=(*state.discard_pile, *revealed(state.played)),
            )
        case _:
            assert_never(event)
