"""A client of Mountains: all it knows is what its viewer is shown of each event."""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from domain.mountains.catalogue import CardKind, Equipment, HikingCard, SummitBooks, in_order
from domain.mountains.events import (
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
from domain.mountains.view import Table, TableDeck, TableSeat
from domain.shared.piles import without
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer


class Client:
    """Keeps the table of one viewer, from the deal on, by the events that the viewer sees."""

    def __init__(self, viewer: Viewer) -> None:
        """Take a seat at the table, or stand beside it."""
        self._me = viewer.seat
        self._books = SummitBooks.SECRET
        self._seats: list[TableSeat] = []
        self._stamps: list[int] = []
        self._decks: list[TableDeck] = []
        self._pile = 0
        self._turn: Seat | None = None
        self._card: HikingCard | None = None
        self._asked = False
        self._offered: tuple[Seat, ...] = ()

    def table(self) -> Table:
        """Return the table as the client has it, less the totals that the summit books keep secret."""
        shown = self._books is SummitBooks.OPEN or self._turn is None
        return Table(
            summit_books=self._books,
            seats=tuple(
                replace(place, stamps=stamps if shown or number == self._me else None)
                for number, (place, stamps) in enumerate(zip(self._seats, self._stamps, strict=True))
            ),
            pile_size=self._pile,
            pile=(),
            decks=tuple(self._decks),
            turn=self._turn,
            card=self._card,
            asked=self._asked,
            offered=self._offered,
        )

    def follow(self, event: Event) -> None:
        """Bring the table up to an event."""
        match event:
            case Dealt():
                self._books, self._turn, self._pile = event.summit_books, event.first_seat, event.pile.size
                self._seats = [
                    TableSeat(hand.size, hand.equipment, (), event.stones, None) for hand in event.hands
                ]
                self._stamps = [0 for _ in event.hands]
                self._decks = [TableDeck(deck.deck, deck.size, (), ()) for deck in event.decks]
            case CardTurnedOver():
                self._turn_over(event.seat, event.card)
            case EquipmentAsked():
                self._asked = True
                self._gain(event.seat, stones=-1)
                self._gain(event.neighbour, stones=1)
                if event.displayed:
                    self._display(event.neighbour, (event.equipment,))
            case HikeCompleted():
                self._gain(event.seat, stones=event.stones, stamps=event.stamps)
                self._display(event.seat, event.equipment)
            case HikeDeclined() | Rested():
                self._gain(event.seat, stones=event.stones)
            case HikeAbandoned():
                pass
            case EquipmentBought():
                self._offered = self._offered[1:]
                self._gain(event.seat, stones=-event.stones)
                self._pile -= 1
                self._take(event.seat, 1, () if event.equipment is None else (event.equipment,))
            case StampsBought():
                self._offered = self._offered[1:]
                self._gain(event.seat, stones=-event.stones, stamps=event.stamps)
            case OfferDeclined() | OfferPassedOver():
                self._offered = self._offered[1:]
            case TurnEnded():
                self._clear()
                self._turn = event.next_seat
            case _:
                assert_never(event)

    def _gain(self, seat: Seat, *, stones: int, stamps: int = 0) -> None:
        place = self._seats[seat]
        self._seats[seat] = replace(place, stones=place.stones + stones)
        self._stamps[seat] += stamps

    def _take(self, seat: int, count: int, equipment: Iterable[Equipment]) -> None:
        place = self._seats[seat]
        self._seats[seat] = replace(
            place, hand_size=place.hand_size + count, hand=in_order((*place.hand, *equipment))
        )

    def _display(self, seat: Seat, equipment: tuple[Equipment, ...]) -> None:
        place = self._seats[seat]
        self._seats[seat] = replace(
            place,
            hand_size=place.hand_size - len(equipment),
            hand=without(place.hand, equipment) if seat == self._me else (),
            displayed=in_order((*place.displayed, *equipment)),
        )

    def _turn_over(self, seat: Seat, card: HikingCard) -> None:
        self._card = card
        self._decks = [
            replace(deck, size=deck.size - 1) if deck.deck == card.deck else deck for deck in self._decks
        ]
        if card.kind is not CardKind.HIKE:
            seats = len(self._seats)
            self._offered = tuple(Seat((seat + after) % seats) for after in range(seats))

    def _clear(self) -> None:
        """Discard the card, and let everybody take back what is on display."""
        for number, place in enumerate(self._seats):
            back = place.displayed
            self._seats[number] = replace(place, displayed=())
            self._take(number, len(back), back if number == self._me else ())
        if self._card is not None:
            card = self._card
            self._decks = [
                replace(deck, discarded=(*deck.discarded, card.id)) if deck.deck == card.deck else deck
                for deck in self._decks
            ]
        self._card, self._asked, self._offered = None, False, ()
