"""A client of Montmartre: it keeps a table by the events that it is shown, and by nothing else."""

from typing import assert_never

from msgspec.structs import replace

from domain.montmartre.catalogue import COLOURS, CONTRACTS, Card
from domain.montmartre.events import (
    CardsPicked,
    ContractDeclined,
    ContractsOffered,
    ContractTaken,
    Dealt,
    DealtPile,
    Event,
    Painted,
    PaintingSold,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.montmartre.state import Step
from domain.montmartre.view import Collector, CollectorPile, PainterView, Pile, Table
from domain.shared.piles import without


def followed(shown: Table | None, event: Event) -> Table:
    """Return the table that a client shows after an event; None is before the first."""
    if shown is None:
        if not isinstance(event, Dealt):
            raise ValueError(f"a game begins with its deal, not with {type(event).__name__}")
        return _dealt(event)
    match event:
        case Painted():
            painter = shown.painters[event.seat]
            return _of_seat(
                replace(shown, step=Step.PAINTED),
                event.seat,
                hand_size=painter.hand_size - len(event.cards),
                hand=without(painter.hand, event.cards) if painter.hand else (),
                workshop=tuple(sorted((*painter.workshop, *event.cards))),
            )
        case SoldOff():
            painter = shown.painters[event.seat]
            return _of_seat(
                replace(shown, step=Step.SOLD_OFF, discard_pile=(*shown.discard_pile, *event.cards)),
                event.seat,
                workshop=without(painter.workshop, event.cards),
                francs=painter.francs + event.francs,
            )
        case CardsPicked():
            painter = shown.painters[event.seat]
            before = shown.piles[event.pile]
            left = Pile(before.size - len(event.cards), event.top, before.cards[len(event.cards) :])
            return _of_seat(
                replace(
                    shown,
                    step=Step.PICKED,
                    piles=(*shown.piles[: event.pile], left, *shown.piles[event.pile + 1 :]),
                ),
                event.seat,
                hand_size=painter.hand_size + len(event.cards),
                hand=tuple(sorted((*painter.hand, *event.cards))) if painter.hand else (),
            )
        case PilesRenewed():
            return replace(shown, piles=_piles(event.piles), discard_pile=())
        case VollardMoved():
            return replace(shown, vollard=event.colour)
        case PaintingSold():
            painter = shown.painters[event.seat]
            won = Collector(event.colour, event.collector)
            collectors = tuple(
                replace(pile, values=pile.values[1:]) if pile.colour is event.colour else pile
                for pile in shown.collectors
            )
            return _of_seat(
                replace(
                    shown,
                    step=Step.DONE,
                    discard_pile=(*shown.discard_pile, event.painting),
                    collectors=collectors,
                ),
                event.seat,
                workshop=without(painter.workshop, (event.painting,)),
                collectors=tuple(
                    sorted((*painter.collectors, won), key=lambda card: (card.colour, card.value))
                ),
            )
        case ContractsOffered():
            return replace(shown, step=Step.OFFERED, offered=event.contracts)
        case ContractTaken():
            contracts = without(shown.contracts, (event.contract,))
            closed = replace(shown, step=Step.DONE, offered=(), contracts=contracts)
            return _of_seat(closed, event.seat, contract=event.contract)
        case ContractDeclined():
            return replace(shown, step=Step.DONE, offered=())
        case TurnEnded():
            return replace(shown, turn=event.next_seat, step=Step.BEGUN, ending=event.ending)
        case Dealt():
            raise ValueError("cards are dealt once")
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> Table:
    return Table(
        first_seat=event.first_seat,
        turn=event.first_seat,
        step=Step.BEGUN,
        painters=tuple(
            PainterView(len(hand.cards), _known(hand.cards), (), 0, (), None, 0) for hand in event.hands
        ),
        piles=_piles(event.piles),
        discard_pile=(),
        collectors=tuple(CollectorPile(colour, (2, 4, 6, 8, 10)) for colour in COLOURS),
        vollard=None,
        contracts=CONTRACTS,
        offered=(),
        ending=None,
    )


def _of_seat(shown: Table, seat: int, **changes: object) -> Table:
    """Return the table with other things at a seat, and its points counted anew (§7.3)."""
    painter = replace(shown.painters[seat], **changes)
    collected = sum(card.value for card in painter.collectors)
    counted = replace(painter, score=collected + painter.francs + (painter.contract or 0))
    return replace(shown, painters=(*shown.painters[:seat], counted, *shown.painters[seat + 1 :]))


def _piles(dealt: tuple[DealtPile, ...]) -> tuple[Pile, ...]:
    """Return piles as a view shows them: all their cards only if every one is shown."""
    return tuple(
        Pile(len(pile.cards), pile.cards[0], () if None in pile.cards else _known(pile.cards))
        for pile in dealt
    )


def _known(cards: tuple[Card | None, ...]) -> tuple[Card, ...]:
    """Return the cards that are shown."""
    return tuple(card for card in cards if card is not None)
