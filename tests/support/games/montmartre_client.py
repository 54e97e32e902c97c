"""A client of Montmartre that keeps the table by what its viewer is shown of each event."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.montmartre import GAME
from domain.games.montmartre.catalogue import Card, in_order
from domain.games.montmartre.events import (
    CardsPicked,
    ContractDeclined,
    ContractsOffered,
    ContractTaken,
    Dealt,
    Event,
    Painted,
    PaintingSold,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.games.montmartre.state import Phase
from domain.games.montmartre.view import Collector, Table, TablePile, TableSeat
from domain.shared.seats import Seat
from domain.shared.tuples import put, without
from domain.shared.viewers import Seen, Viewer, revealed, sees


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
                    first_seat=event.first_seat,
                    turn=event.first_seat,
                    seats=tuple(
                        TableSeat(len(hand), revealed(hand), (), 0, (), None, 0) for hand in event.hands
                    ),
                    piles=tuple(map(_pile, event.piles)),
                )
            case Painted():
                place = table.seats[event.seat]
                self._change(phase=Phase.PAINTED)
                self._change_seat(
                    event.seat,
                    hand_size=place.hand_size - len(event.cards),
                    hand=without(place.hand, event.cards) if sees(self._viewer, event.seat) else (),
                    workshop=in_order((*place.workshop, *event.cards)),
                )
            case SoldOff():
                place = table.seats[event.seat]
                self._change(phase=Phase.SOLD_OFF, discard_pile=(*table.discard_pile, *event.cards))
                self._change_seat(
                    event.seat,
                    workshop=without(place.workshop, event.cards),
                    francs=place.francs + event.francs,
                )
            case CardsPicked():
                place, pile = table.seats[event.seat], table.piles[event.pile]
                picked = len(event.cards)
                left = TablePile(pile.size - picked, event.top, pile.cards[picked:])
                self._change(phase=Phase.PICKED, piles=put(table.piles, event.pile, left))
                self._change_seat(
                    event.seat,
                    hand_size=place.hand_size + picked,
                    hand=in_order((*place.hand, *event.cards)) if sees(self._viewer, event.seat) else (),
                )
            case PilesRenewed():
                self._change(piles=tuple(map(_pile, event.piles)), discard_pile=())
            case VollardMoved():
                self._change(vollard=event.colour)
            case PaintingSold():
                place = table.seats[event.seat]
                won = (*place.collectors, Collector(event.colour, event.collector))
                self._change(
                    phase=Phase.DONE,
                    discard_pile=(*table.discard_pile, event.painting),
                    collectors=tuple(
                        replace(pile, values=pile.values[1:]) if pile.colour is event.colour else pile
                        for pile in table.collectors
                    ),
                )
                self._change_seat(
                    event.seat,
                    workshop=without(place.workshop, (event.painting,)),
                    collectors=tuple(sorted(won, key=lambda card: (card.colour, card.value))),
                )
            case ContractsOffered():
                self._change(phase=Phase.OFFERED, offered=event.contracts)
            case ContractTaken():
                contracts = without(table.contracts, (event.contract,))
                self._change(phase=Phase.DONE, offered=(), contracts=contracts)
                self._change_seat(event.seat, contract=event.contract)
            case ContractDeclined():
                self._change(phase=Phase.DONE, offered=())
            case TurnEnded():
                phase = Phase.OVER if event.next_seat is None else Phase.BEGUN
                self._change(turn=event.next_seat, phase=phase, ending=event.ending)
            case _:
                assert_never(event)

    def _change(self, **changes: object) -> None:
        self._table = replace(self._table, **changes)

    def _change_seat(self, seat: Seat, **changes: object) -> None:
        """Change what a seat has, and count its points again (§7.3)."""
        place = replace(self._table.seats[seat], **changes)
        collected = sum(card.value for card in place.collectors)
        counted = replace(place, score=collected + place.francs + (place.contract or 0))
        self._change(seats=put(self._table.seats, seat, counted))


def _pile(cards: Seen[Card]) -> TablePile:
    """Return a new pile as a view shows it: all its cards only if every one is shown."""
    return TablePile(len(cards), cards[0], () if None in cards else revealed(cards))
