"""What a viewer may know of Mount Drago: its own hand, and all that lies open (mount_drago §6)."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.mount_drago.catalogue import COLOURS, Card, Colour, in_order
from domain.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    FaceDown,
    Scored,
    SummitCardsDiscarded,
)
from domain.mount_drago.state import State, Step, board
from domain.shared.chance import Chance
from domain.shared.piles import mixed, put
from domain.shared.seats import Seat, by_seat
from domain.shared.viewers import Viewer, sees, sees_all


class Rider(Struct, frozen=True):
    """A seat and what lies before it.

    Attributes:
        hand: Its hand; the cards are seen by the seat itself only.
        open_card: The card that lies open; the seat rides its dragon.
        under: The cards under it, top first.
        points: Its points, may be negative.
    """

    hand: FaceDown
    open_card: Card
    under: tuple[Card, ...]
    points: int


class Dragon(Struct, frozen=True):
    """A dragon on the board.

    Attributes:
        colour: Its colour.
        space: Where it stands; 0 is the start.
        value: What that space gives in a scoring, -2 to 8.
    """

    colour: Colour
    space: int
    value: int


class Table(Struct, frozen=True, tag_field="game", tag="mount_drago"):
    """The table as one viewer may see it.

    Attributes:
        riders: One a seat, in seat order; none before the deal.
        dragons: The ten dragons, in the order of the catalogue; none before the deal.
        draw_pile: The draw pile; its cards are seen by nobody.
        discard_pile: Discarded cards, oldest first.
        turn: The seat on turn.
        step: What its turn has come to.
    """

    riders: tuple[Rider, ...]
    dragons: tuple[Dragon, ...]
    draw_pile: FaceDown
    discard_pile: tuple[Card, ...]
    turn: Seat
    step: Step


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    values = board(state).values
    return Table(
        riders=tuple(
            Rider(
                _face_down(hand, shown=sees(viewer, seat)),
                state.open_cards[seat],
                state.under[seat],
                state.points[seat],
            )
            for seat, hand in by_seat(state.hands)
        ),
        dragons=tuple(
            Dragon(COLOURS[dragon], space, values[space]) for dragon, space in enumerate(state.dragons)
        ),
        draw_pile=_face_down(state.draw_pile, shown=sees_all(viewer)),
        discard_pile=state.discard_pile,
        turn=state.turn,
        step=state.step,
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return Dealt(
                event.first_seat,
                event.open_cards,
                tuple(
                    _face_down(hand.cards, shown=sees(viewer, seat)) for seat, hand in by_seat(event.hands)
                ),
                _face_down(event.draw_pile.cards, shown=sees_all(viewer)),
            )
        case CardPlayed():
            return CardPlayed(event.seat, event.card, event.on_top, event.space, event.scoring, event.step)
        case Scored():
            return Scored(event.scoring, event.points, event.turn, event.step)
        case SummitCardsDiscarded():
            return SummitCardsDiscarded(event.seat, event.cards)
        case CardsDrawn():
            drawn = _face_down(event.drawn.cards, shown=sees(viewer, event.seat))
            return CardsDrawn(event.seat, drawn, event.turn, event.step)
        case DrawPileRenewed():
            return DrawPileRenewed(_face_down(event.draw_pile.cards, shown=sees_all(viewer)))
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return the table with the cards that the viewer cannot see mixed and shared out anew (§6)."""
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.hands) if not sees(viewer, seat)]
    *dealt, draw_pile = mixed((*(state.hands[seat] for seat in others), state.draw_pile), chance)
    hands = state.hands
    for seat, hand in zip(others, dealt, strict=True):
        hands = put(hands, seat, in_order(hand))
    return replace(state, hands=hands, draw_pile=draw_pile)


def _face_down(cards: tuple[Card, ...], *, shown: bool) -> FaceDown:
    """Return cards by their number, and which they are if they are shown."""
    return FaceDown(len(cards), cards if shown else ())
