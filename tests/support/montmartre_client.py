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
    Event,
    Painted,
    PaintingSold,
    Pile,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.montmartre.state import Step
from domain.montmartre.view import Collector, CollectorPile, PainterView, Table
from domain.shared.piles import without

type Held = tuple[Card | None, ...]


def followed(shown: Table | None, event: Event) -> Table:
    """Return the table that a client shows after an event; None is before the first."""
    if shown is None:
        if not isinstance(event, Dealt):
            raise ValueError(f"a game begins with its deal, not with {type(event).__name__}")
        return _dealt(event)
    match event:
        case Painted():
            return _of_seat(
                replace(shown, step=Step.PAINTED),
                event.seat,
                hand=_less(shown.painters[event.seat].hand, event.cards),
                workshop=tuple(sorted((*shown.painters[event.seat].workshop, *event.cards))),
            )
        case SoldOff():
            painter = shown.painters[event.seat]
            return _of_seat(
                replace(shown, step=Step.SOLD_OFF, discard=(*shown.discard, *event.cards)),
                event.seat,
                workshop=without(painter.workshop, event.cards),
                francs=painter.francs + event.francs,
            )
        case CardsPicked():
            below = shown.piles[event.pile].cards[len(event.cards) + 1 :]
            pile = Pile(() if event.top is None else (event.top, *below))
            piles = (*shown.piles[: event.pile], pile, *shown.piles[event.pile + 1 :])
            return _of_seat(
                replace(shown, step=Step.PICKED, piles=piles),
                event.seat,
                hand=_more(shown.painters[event.seat].hand, event.cards),
            )
        case PilesRenewed():
            return replace(shown, piles=event.piles, discard=())
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
                    shown, step=Step.DONE, discard=(*shown.discard, event.painting), collectors=collectors
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
            left = without(shown.contracts, (event.contract,))
            closed = replace(shown, step=Step.DONE, offered=(), contracts=left)
            return _of_seat(closed, event.seat, contract=event.contract)
        case ContractDeclined():
            return replace(shown, step=Step.DONE, offered=())
        case TurnEnded():
            return replace(shown, step=Step.BEGUN, ending=event.ending)
        case Dealt():
            raise ValueError("cards are dealt once")
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> Table:
    return Table(
        first_seat=event.first_seat,
        step=Step.BEGUN,
        painters=tuple(PainterView(hand.cards, (), 0, (), None, 0) for hand in event.hands),
        piles=event.piles,
        discard=(),
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


def _less(hand: Held, cards: tuple[Card, ...]) -> Held:
    """Return a hand after cards have left it; of a hidden one only the number is known."""
    return hand[len(cards) :] if None in hand else without(hand, cards)


def _more(hand: Held, cards: tuple[Card, ...]) -> Held:
    """Return a hand after cards have come; they are open, but a hidden hand is shown by its number."""
    if None in hand:
        return (*hand, *(None for _ in cards))
    return tuple(sorted((*(card for card in hand if card is not None), *cards)))
