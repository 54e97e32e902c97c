"""A client of Mount Drago that keeps the table by what its viewer is shown of each event."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.mount_drago import GAME
from domain.games.mount_drago.catalogue import COLOURS, DRAGONS, Card, board_for, in_order
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import Phase
from domain.games.mount_drago.view import Dragon, Table, TableSeat
from domain.shared.seats import Seat
from domain.shared.tuples import draw, put, without
from domain.shared.viewers import Seen, TablePile, Viewer, revealed, sees


class Client:
    """What a viewer can work out."""

    def __init__(self, viewer: Viewer) -> None:
        """Take the viewer whose events will come."""
        self._viewer = viewer
        self._table: Table = GAME.view(GAME.initial, viewer)

    def table(self) -> Table:
        """Return the table as the viewer would be shown it."""
        return self._table

    def take_in(self, event: Event) -> None:
        """Take in the next event, as the viewer saw it."""
        table = self._table
        match event:
            case Dealt():
                self._change(
                    turn=event.first_seat,
                    seats=tuple(
                        TableSeat(len(hand), revealed(hand), card, (), 0)
                        for hand, card in zip(event.hands, event.open_cards, strict=True)
                    ),
                    dragons=tuple(Dragon(colour, 0, 0) for colour in COLOURS),
                    draw_pile=_pile(event.draw_pile),
                )
            case CardPlayed():
                place, dragon = table.seats[event.seat], DRAGONS[event.card]
                top, below = (event.card, place.open_card) if event.on_top else (place.open_card, event.card)
                value = board_for(len(table.seats)).values[event.space]
                moved = Dragon(COLOURS[dragon], event.space, value)
                self._change(phase=event.phase, dragons=put(table.dragons, dragon, moved))
                self._take_out(event.seat, (event.card,))
                self._change_seat(event.seat, open_card=top, under=(below, *place.under))
            case Scored():
                seats = tuple(
                    replace(place, points=place.points + won)
                    for place, won in zip(table.seats, event.points, strict=True)
                )
                self._change(turn=event.next_seat, phase=event.phase, seats=seats)
            case SummitCardsDiscarded():
                self._change(phase=Phase.DRAW, discard_pile=(*table.discard_pile, *event.cards))
                self._take_out(event.seat, event.cards)
            case CardsDrawn():
                place, drawn = table.seats[event.seat], len(event.cards)
                _, cards = draw(table.draw_pile.cards, drawn)
                pile = TablePile(table.draw_pile.size - drawn, cards)
                self._change(turn=event.next_seat, phase=event.phase, draw_pile=pile)
                self._change_seat(
                    event.seat,
                    hand_size=place.hand_size + drawn,
                    hand=in_order((*place.hand, *(card for card in event.cards if card))),
                )
            case DrawPileRenewed():
                seats = tuple(replace(place, under=()) for place in table.seats)
                pile = _pile(event.draw_pile)
                self._change(phase=Phase.DRAW, seats=seats, draw_pile=pile, discard_pile=())
            case _:
                assert_never(event)

    def _change(self, **changes: object) -> None:
        self._table = replace(self._table, **changes)

    def _change_seat(self, seat: Seat, **changes: object) -> None:
        self._change(seats=put(self._table.seats, seat, replace(self._table.seats[seat], **changes)))

    def _take_out(self, seat: Seat, cards: tuple[Card, ...]) -> None:
        """Take cards that are shown out of a seat's hand."""
        place = self._table.seats[seat]
        hand = without(place.hand, cards) if sees(self._viewer, seat) else ()
        self._change_seat(seat, hand_size=place.hand_size - len(cards), hand=hand)


def _pile(cards: Seen[Card]) -> TablePile[Card]:
    """Return a new draw pile as a view shows it."""
    return TablePile(len(cards), revealed(cards))
