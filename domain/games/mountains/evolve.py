"""How each event changes the table of Mountains."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.mountains.catalogue import DECK_NUMBERS, CardKind, in_order
from domain.games.mountains.events import (
    CardTurnedOver,
    Dealt,
    EquipmentAsked,
    EquipmentBought,
    Event,
    HikeAbandoned,
    HikeCompleted,
    HikeDeclined,
    OfferDeclined,
    OfferPassedOver,
    Rested,
    StampsBought,
    TurnEnded,
)
from domain.games.mountains.state import Phase, State
from domain.shared.seats import Seat
from domain.shared.tuples import put, without
from domain.shared.viewers import revealed


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case EquipmentAsked():
            return _asked(state, event)
        case TurnEnded():
            return _turn_ended(state, event)
        case CardTurnedOver():
            return _turned_over(state, event)
        case HikeCompleted():
            return replace(
                state,
                phase=Phase.DONE,
                hands=put(state.hands, event.seat, without(state.hands[event.seat], event.equipment)),
                displayed=put(state.displayed, event.seat, event.equipment),
                stones=_add(state.stones, event.seat, event.stones),
                stamps=_add(state.stamps, event.seat, event.stamps),
            )
        case HikeDeclined() | Rested():
            return replace(state, phase=Phase.DONE, stones=_add(state.stones, event.seat, event.stones))
        case HikeAbandoned():
            return replace(state, phase=Phase.DONE)
        case EquipmentBought():
            bought = () if event.equipment is None else (event.equipment,)
            return replace(
                state,
                offered=state.offered[1:],
                hands=put(state.hands, event.seat, in_order((*state.hands[event.seat], *bought))),
                draw_pile=state.draw_pile[1:],
                stones=_add(state.stones, event.seat, -event.stones),
            )
        case StampsBought():
            return replace(
                state,
                offered=state.offered[1:],
                stones=_add(state.stones, event.seat, -event.stones),
                stamps=_add(state.stamps, event.seat, event.stamps),
            )
        case OfferDeclined() | OfferPassedOver():
            return replace(state, offered=state.offered[1:])
        case Dealt():
            return _dealt(event)
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> State:
    """Return the table after the deal (§3)."""
    seats = len(event.hands)
    return State(
        summit_books=event.summit_books,
        turn=event.first_seat,
        phase=Phase.CHOOSING,
        hands=tuple(revealed(hand) for hand in event.hands),
        displayed=((),) * seats,
        stones=(event.stones,) * seats,
        stamps=(0,) * seats,
        draw_pile=revealed(event.draw_pile),
        decks=tuple(revealed(deck) for deck in event.decks),
        discard_piles=((),) * len(event.decks),
        card=None,
        asked=False,
        offered=(),
    )


def _turned_over(state: State, event: CardTurnedOver) -> State:
    """Return the table with a card face up: a hike, or a hut that all seats are still to be offered."""
    number = DECK_NUMBERS[event.card.deck]
    decks = put(state.decks, number, state.decks[number][1:])
    if event.card.kind is CardKind.HIKE:
        return replace(state, phase=Phase.HIKING, card=event.card, decks=decks)
    seats = len(state.hands)
    offered = tuple(Seat((event.seat + after) % seats) for after in range(seats))
    return replace(state, phase=Phase.OFFERING, card=event.card, decks=decks, offered=offered)


def _asked(state: State, event: EquipmentAsked) -> State:
    """Return the table after a question: a stone paid, and the piece on display if it was there (§4.3)."""
    stones = _add(_add(state.stones, event.seat, -1), event.neighbour, 1)
    if not event.displayed:
        return replace(state, asked=True, stones=stones)
    hand = without(state.hands[event.neighbour], (event.equipment,))
    displayed = in_order((*state.displayed[event.neighbour], event.equipment))
    return replace(
        state,
        asked=True,
        stones=stones,
        hands=put(state.hands, event.neighbour, hand),
        displayed=put(state.displayed, event.neighbour, displayed),
    )


def _turn_ended(state: State, event: TurnEnded) -> State:
    """Return the table with all pieces back in their hands and the card on its discard pile (§4.7)."""
    discard_piles = state.discard_piles
    if state.card is not None:
        number = DECK_NUMBERS[state.card.deck]
        discard_piles = put(discard_piles, number, (*discard_piles[number], state.card.id))
    hands = tuple(
        in_order(hand + displayed) if displayed else hand
        for hand, displayed in zip(state.hands, state.displayed, strict=True)
    )
    return State(
        summit_books=state.summit_books,
        turn=event.seat if event.next_seat is None else event.next_seat,
        phase=Phase.OVER if event.next_seat is None else Phase.CHOOSING,
        hands=hands,
        displayed=((),) * len(hands),
        stones=state.stones,
        stamps=state.stamps,
        draw_pile=state.draw_pile,
        decks=state.decks,
        discard_piles=discard_piles,
        card=None,
        asked=False,
        offered=(),
    )


def _add(numbers: tuple[int, ...], place: int, number: int) -> tuple[int, ...]:
    """Return the numbers with one of them changed by a number."""
    return put(numbers, place, numbers[place] + number)
