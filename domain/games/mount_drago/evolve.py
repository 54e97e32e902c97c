"""How each event changes the table of Mount Drago."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.mount_drago.catalogue import COLOURS, DRAGONS, Card, in_order
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import Phase, State
from domain.shared.tuples import draw, put, without
from domain.shared.viewers import revealed


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case CardPlayed():
            return _played(state, event)
        case CardsDrawn():
            return _drawn(state, event)
        case Scored():
            return _scored(state, event)
        case SummitCardsDiscarded():
            hand = without(state.hands[event.seat], event.cards)
            return replace(
                state,
                hands=put(state.hands, event.seat, hand),
                discard_pile=(*state.discard_pile, *event.cards),
                phase=Phase.DRAW,
            )
        case DrawPileRenewed():
            under = ((),) * len(state.under)
            pile = revealed(event.draw_pile)
            return replace(state, under=under, draw_pile=pile, discard_pile=(), phase=Phase.DRAW)
        case Dealt():
            return _dealt(event)
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> State:
    """Return the table after the deal (§3)."""
    seats = len(event.hands)
    return State(
        turn=event.first_seat,
        phase=Phase.PLAY,
        scoring=None,
        hands=tuple(revealed(hand) for hand in event.hands),
        open_cards=event.open_cards,
        under=((),) * seats,
        points=(0,) * seats,
        dragons=(0,) * len(COLOURS),
        draw_pile=revealed(event.draw_pile),
        discard_pile=(),
    )


def _played(state: State, event: CardPlayed) -> State:
    """Return the table after a card was played (§4.1, §4.2)."""
    seat, card, dragon = event.seat, event.card, DRAGONS[event.card]
    covered = state.open_cards[seat]
    open_card, below = (card, covered) if event.on_top else (covered, card)
    return State(
        turn=state.turn,
        phase=event.phase,
        scoring=event.scoring,
        hands=put(state.hands, seat, without(state.hands[seat], (card,))),
        open_cards=put(state.open_cards, seat, open_card),
        under=put(state.under, seat, (below, *state.under[seat])),
        points=state.points,
        dragons=put(state.dragons, dragon, event.space),
        draw_pile=state.draw_pile,
        discard_pile=state.discard_pile,
    )


def _drawn(state: State, event: CardsDrawn) -> State:
    """Return the table after a draw: the turn passes with it, unless the draw goes on (§4.4, R6)."""
    _, pile = draw(state.draw_pile, len(event.cards))
    drawn: tuple[Card, ...] = revealed(event.cards)
    hand = in_order((*state.hands[event.seat], *drawn))
    return replace(
        state,
        turn=event.next_seat,
        phase=event.phase,
        hands=put(state.hands, event.seat, hand),
        draw_pile=pile,
    )


def _scored(state: State, event: Scored) -> State:
    """Return the table after a scoring: the turn passes with it, unless a draw or the end follows (§4.3)."""
    turn = state.turn if event.next_seat is None else event.next_seat
    points = tuple(had + won for had, won in zip(state.points, event.points, strict=True))
    return replace(state, turn=turn, phase=event.phase, scoring=None, points=points)
