"""What a viewer may know of Mount Drago (mount_drago §6).

Anyone who may not see a card sees that it is there: its number in a view, null in an event.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.games.mount_drago.catalogue import COLOURS, Card, Colour, in_order
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import Phase, State, board
from domain.shared.chance import Chance
from domain.shared.seats import Seat, by_seat
from domain.shared.tuples import mixed, put
from domain.shared.viewers import TablePile, Viewer, each_its_own, face_down, sees, sees_all, shown


class TableSeat(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand_size: How many cards it has in hand.
        hand: Those cards by colour, then value; the seat sees them, to others this is empty.
        open_card: The card that lies open before it; the seat rides its dragon.
        under: The cards under that, the top card first.
        points: Its points, may be negative.
    """

    hand_size: int
    hand: tuple[Card, ...]
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
    """The table as a viewer may see it.

    Attributes:
        turn: The seat whose turn it is; null once the game has come to its own end. A match that ends
            otherwise, by resignation or time, leaves it as it was.
        phase: What its turn has come to; `over` once the game has come to its own end. A match that ends
            otherwise leaves it as it was.
        seats: What each seat has, in seat order; none before the deal.
        dragons: The ten dragons, in the order of the catalogue; none before the deal.
        draw_pile: The draw pile.
        discard_pile: The discard pile, the oldest card first.
    """

    turn: Seat | None
    phase: Phase
    seats: tuple[TableSeat, ...]
    dragons: tuple[Dragon, ...]
    draw_pile: TablePile[Card]
    discard_pile: tuple[Card, ...]


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    values = board(state).values
    return Table(
        turn=None if state.phase is Phase.OVER else state.turn,
        phase=state.phase,
        seats=tuple(_seat(state, seat, viewer) for seat, _ in by_seat(state.hands)),
        dragons=tuple(
            Dragon(COLOURS[dragon], space, values[space]) for dragon, space in enumerate(state.dragons)
        ),
        draw_pile=face_down(state.draw_pile, viewer),
        discard_pile=state.discard_pile,
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return Dealt(
                event.first_seat,
                event.open_cards,
                each_its_own(event.hands, viewer),
                shown(event.draw_pile, visible=sees_all(viewer)),
            )
        case CardPlayed():
            return CardPlayed(event.seat, event.card, event.on_top, event.space, event.scoring, event.phase)
        case Scored():
            return Scored(event.scoring, event.points, event.next_seat, event.phase)
        case SummitCardsDiscarded():
            return SummitCardsDiscarded(event.seat, event.cards)
        case CardsDrawn():
            cards = shown(event.cards, visible=sees(viewer, event.seat))
            return CardsDrawn(event.seat, cards, event.next_seat, event.phase)
        case DrawPileRenewed():
            return DrawPileRenewed(shown(event.draw_pile, visible=sees_all(viewer)))
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return another table that the viewer cannot tell from this one (§6).

    The other hands and the draw pile are mixed and dealt again in their sizes.
    """
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.hands) if not sees(viewer, seat)]
    *dealt, draw_pile = mixed((*(state.hands[seat] for seat in others), state.draw_pile), chance)
    hands = state.hands
    for seat, hand in zip(others, dealt, strict=True):
        hands = put(hands, seat, in_order(hand))
    return replace(state, hands=hands, draw_pile=draw_pile)


def _seat(state: State, seat: Seat, viewer: Viewer) -> TableSeat:
    """Return what a seat has, as the viewer may see it."""
    hand = state.hands[seat]
    return TableSeat(
        hand_size=len(hand),
        hand=hand if sees(viewer, seat) else (),
        open_card=state.open_cards[seat],
        under=state.under[seat],
        points=state.points[seat],
    )
