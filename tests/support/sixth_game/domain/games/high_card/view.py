"""What a viewer may know of High Card (high_card §6).

Anyone who may not see a card sees that it is there: its number in a view, null in an event.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.shared.chance import Chance
from domain.shared.seats import Seat, by_seat
from domain.shared.tuples import mixed, put
from domain.shared.viewers import TablePile, Viewer, each_its_own, face_down, sees, sees_all, shown

from .catalogue import Card, in_order
from .events import CardPlayed, Dealt, Event, TrickTaken
from .state import State


class TableSeat(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand_size: How many cards it has in hand.
        hand: Those cards in order; the seat sees them, to others this is empty.
        played: The card that it has played to the trick; null without one.
        tricks: How many tricks it has taken.
    """

    hand_size: int
    hand: tuple[Card, ...]
    played: Card | None
    tricks: int


class Table(Struct, frozen=True, tag_field="game", tag="high_card"):
    """The table as a viewer may see it.

    Attributes:
        turn: The seat whose turn it is; null once the game is over.
        seats: What each seat has, in seat order.
        stock: The cards that were not dealt.
        discard_pile: The discard pile, the oldest card first.
    """

    turn: Seat | None
    seats: tuple[TableSeat, ...]
    stock: TablePile[Card]
    discard_pile: tuple[Card, ...]


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    return Table(
        turn=None if state.over else state.turn,
        seats=tuple(_seat(state, seat, viewer) for seat, _ in by_seat(state.hands)),
        stock=face_down(state.stock, viewer),
        discard_pile=state.discard_pile,
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            stock = shown(event.stock, visible=sees_all(viewer))
            return Dealt(event.first_seat, each_its_own(event.hands, viewer), stock)
        case CardPlayed():
            return CardPlayed(event.seat, event.card, event.next_seat)
        case TrickTaken():
            return TrickTaken(event.seat, event.next_seat)
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return another table that the viewer cannot tell from this one (§6).

    The other hands and the stock are mixed and dealt again in their sizes.
    """
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.hands) if not sees(viewer, seat)]
    *dealt, stock = mixed((*(state.hands[seat] for seat in others), state.stock), chance)
    hands = state.hands
    for seat, hand in zip(others, dealt, strict=True):
        hands = put(hands, seat, in_order(hand))
    return replace(state, hands=hands, stock=stock)


def _seat(state: State, seat: Seat, viewer: Viewer) -> TableSeat:
    """Return what a seat has, as the viewer may see it."""
    hand = state.hands[seat]
    return TableSeat(
        hand_size=len(hand),
        hand=hand if sees(viewer, seat) else (),
        played=state.played[seat],
        tricks=state.tricks[seat],
    )
