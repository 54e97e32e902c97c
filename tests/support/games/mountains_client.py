"""A client of Mountains that keeps the table by what its viewer is shown of each event."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.mountains import GAME
from domain.games.mountains.catalogue import DECKS, CardKind, Equipment, HikingCard, SummitBooks, in_order
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
from domain.games.mountains.state import Phase
from domain.games.mountains.view import Table, TableDeck, TableSeat
from domain.match import Finished
from domain.shared.seats import Seat, by_seat, next_seat
from domain.shared.tuples import put, without
from domain.shared.viewers import TablePile, Viewer, revealed, sees


class Client:
    """What a viewer can work out."""

    def __init__(self, viewer: Viewer) -> None:
        """Take the viewer whose events will come."""
        self._viewer = viewer
        self._table: Table = GAME.view(GAME.initial, viewer)
        self._stamps: tuple[int, ...] = ()
        self._over = False

    def table(self) -> Table:
        """Return the table as the viewer would be shown it, less the totals that are secret."""
        table = self._table
        open_books = table.summit_books is SummitBooks.OPEN or table.phase is Phase.OVER or self._over
        seats = tuple(
            replace(place, stamps=self._stamps[seat] if open_books or sees(self._viewer, seat) else None)
            for seat, place in by_seat(table.seats)
        )
        return replace(table, seats=seats)

    def take_in(self, event: Event | Finished) -> None:
        """Take in the next event, as the viewer saw it, or the end of the match."""
        match event:
            case Finished(outcome=outcome):
                self._stamps, self._over = outcome.scores, True
            case Dealt():
                self._stamps = (0,) * len(event.hands)
                self._change(
                    summit_books=event.summit_books,
                    turn=event.first_seat,
                    seats=tuple(
                        TableSeat(len(hand), revealed(hand), (), event.stones, None) for hand in event.hands
                    ),
                    draw_pile=TablePile(len(event.draw_pile), revealed(event.draw_pile)),
                    decks=tuple(
                        TableDeck(deck, len(cards), revealed(cards), ())
                        for deck, cards in zip(DECKS, event.decks, strict=True)
                    ),
                )
            case CardTurnedOver():
                self._turn_over(event.seat, event.card)
            case EquipmentAsked():
                self._change(asked=True)
                self._gain(event.seat, stones=-1)
                self._gain(event.neighbour, stones=1)
                if event.displayed:
                    self._display(event.neighbour, (event.equipment,))
            case HikeCompleted():
                self._change(phase=Phase.DONE)
                self._gain(event.seat, event.stones, event.stamps)
                self._display(event.seat, event.equipment)
            case HikeDeclined() | Rested():
                self._change(phase=Phase.DONE)
                self._gain(event.seat, event.stones)
            case HikeAbandoned():
                self._change(phase=Phase.DONE)
            case EquipmentBought():
                pile = self._table.draw_pile
                self._change(draw_pile=TablePile(pile.size - 1, pile.cards[1:]))
                self._gain(event.seat, -event.stones)
                self._take(event.seat, 1, () if event.equipment is None else (event.equipment,))
                self._offer_next()
            case StampsBought():
                self._gain(event.seat, -event.stones, event.stamps)
                self._offer_next()
            case OfferDeclined() | OfferPassedOver():
                self._offer_next()
            case TurnEnded():
                self._clear()
                phase = Phase.OVER if event.next_seat is None else Phase.CHOOSING
                self._change(turn=event.next_seat, phase=phase)
            case _:
                assert_never(event)

    def _change(self, **changes: object) -> None:
        self._table = replace(self._table, **changes)

    def _change_seat(self, seat: Seat, **changes: object) -> None:
        self._change(seats=put(self._table.seats, seat, replace(self._table.seats[seat], **changes)))

    def _change_deck(self, card: HikingCard, deck: TableDeck) -> None:
        self._change(decks=put(self._table.decks, DECKS.index(card.deck), deck))

    def _gain(self, seat: Seat, stones: int, stamps: int = 0) -> None:
        self._change_seat(seat, stones=self._table.seats[seat].stones + stones)
        self._stamps = put(self._stamps, seat, self._stamps[seat] + stamps)

    def _take(self, seat: Seat, count: int, equipment: tuple[Equipment, ...]) -> None:
        """Put equipment into a seat's hand, as far as it is shown."""
        place = self._table.seats[seat]
        hand = in_order((*place.hand, *equipment))
        self._change_seat(seat, hand_size=place.hand_size + count, hand=hand)

    def _display(self, seat: Seat, equipment: tuple[Equipment, ...]) -> None:
        """Lay equipment of a seat's hand on display."""
        place = self._table.seats[seat]
        self._change_seat(
            seat,
            hand_size=place.hand_size - len(equipment),
            hand=without(place.hand, equipment) if sees(self._viewer, seat) else (),
            displayed=in_order((*place.displayed, *equipment)),
        )

    def _turn_over(self, seat: Seat, card: HikingCard) -> None:
        """Lay the top card of a deck face up; a hut is offered to all, beginning with the seat on turn."""
        deck = self._table.decks[DECKS.index(card.deck)]
        self._change_deck(card, replace(deck, size=deck.size - 1, cards=deck.cards[1:]))
        offered: tuple[Seat, ...] = ()
        if card.kind is not CardKind.HIKE:
            for _ in self._table.seats:
                offered, seat = (*offered, seat), next_seat(seat, len(self._table.seats))
        self._change(card=card, phase=Phase.OFFERING if offered else Phase.HIKING, offered=offered)

    def _offer_next(self) -> None:
        self._change(offered=self._table.offered[1:])

    def _clear(self) -> None:
        """Discard the card that lies face up, and let everybody take back what is on display."""
        for seat, place in by_seat(self._table.seats):
            self._change_seat(seat, displayed=())
            self._take(seat, len(place.displayed), place.displayed if sees(self._viewer, seat) else ())
        if card := self._table.card:
            deck = self._table.decks[DECKS.index(card.deck)]
            self._change_deck(card, replace(deck, discard_pile=(*deck.discard_pile, card.id)))
        self._change(card=None, asked=False, offered=())
