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
from domain.shared.piles import draw
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer, ViewerKind, sees


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
                _face_down(hand, shown=sees(viewer, Seat(seat))),
                state.open_cards[seat],
                state.under[seat],
                state.points[seat],
            )
            for seat, hand in enumerate(state.hands)
        ),
        dragons=tuple(
            Dragon(COLOURS[dragon], space, values[space]) for dragon, space in enumerate(state.dragons)
        ),
        draw_pile=_face_down(state.draw_pile, shown=viewer.kind is ViewerKind.ALL),
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
                    _face_down(hand.cards, shown=sees(viewer, Seat(seat)))
                    for seat, hand in enumerate(event.hands)
                ),
                _face_down(event.draw_pile.cards, shown=viewer.kind is ViewerKind.ALL),
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
            return DrawPileRenewed(_face_down(event.draw_pile.cards, shown=viewer.kind is ViewerKind.ALL))
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return the table with the cards that the viewer cannot see mixed and shared out anew (§6)."""
    if viewer.kind is ViewerKind.ALL:
        return state
    hidden = [seat for seat in range(len(state.hands)) if not sees(viewer, Seat(seat))]
    mixed = chance.shuffle((*state.draw_pile, *(card for seat in hidden for card in state.hands[seat])))
    hands = list(state.hands)
    for seat in hidden:
        hand, mixed = draw(mixed, len(hands[seat]))
        hands[seat] = in_order(hand)
    return replace(state, hands=tuple(hands), draw_pile=mixed)


def _face_down(cards: tuple[Card, ...], *, shown: bool) -> FaceDown:
    """Return cards by their number, and which they are if they are shown."""
    return FaceDown(len(cards), cards if shown else ())
