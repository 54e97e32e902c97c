"""How each event changes the table of Mount Drago."""

from typing import assert_never

from msgspec.structs import replace

from domain.mount_drago.catalogue import COLOURS, DRAGONS, in_order
from domain.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.mount_drago.state import State, Step
from domain.shared.piles import draw, put, without


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case CardPlayed():
            return _after_play(state, event)
        case CardsDrawn():
            _, pile = draw(state.draw_pile, event.drawn.count)
            hand = in_order((*state.hands[event.seat], *event.drawn.cards))
            return replace(
                state,
                hands=put(state.hands, event.seat, hand),
                draw_pile=pile,
                turn=event.turn,
                step=event.step,
            )
        case Scored():
            points = tuple(had + won for had, won in zip(state.points, event.points, strict=True))
            return replace(state, points=points, turn=event.turn, step=event.step, scoring=None)
        case SummitCardsDiscarded():
            hand = without(state.hands[event.seat], event.cards)
            return replace(
                state,
                hands=put(state.hands, event.seat, hand),
                discard_pile=(*state.discard_pile, *event.cards),
                step=Step.DRAW,
            )
        case DrawPileRenewed():
            under = ((),) * len(state.under)
            pile = event.draw_pile.cards
            return replace(state, under=under, draw_pile=pile, discard_pile=(), step=Step.DRAW)
        case Dealt():
            return _after_deal(event)
        case _:
            assert_never(event)


def _after_deal(event: Dealt) -> State:
    """Return the table as it was laid (§3)."""
    return State(
        hands=tuple(hand.cards for hand in event.hands),
        open_cards=event.open_cards,
        under=((),) * len(event.open_cards),
        dragons=(0,) * len(COLOURS),
        points=(0,) * len(event.open_cards),
        draw_pile=event.draw_pile.cards,
        discard_pile=(),
        turn=event.first_seat,
        step=Step.PLAY,
        scoring=None,
    )


def _after_play(state: State, event: CardPlayed) -> State:
    """Return the table after a card was played (§4.1, §4.2)."""
    seat, card, dragon = event.seat, event.card, DRAGONS[event.card]
    covered = state.open_cards[seat]
    open_card, below = (card, covered) if event.on_top else (covered, card)
    return State(
        put(state.hands, seat, without(state.hands[seat], (card,))),
        put(state.open_cards, seat, open_card),
        put(state.under, seat, (below, *state.under[seat])),
        put(state.dragons, dragon, event.space),
        state.points,
        state.draw_pile,
        state.discard_pile,
        state.turn,
        event.step,
        event.scoring,
    )
