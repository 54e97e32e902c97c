"""How each event changes the table of Montmartre."""

from typing import assert_never

from msgspec.structs import replace

from domain.games.montmartre.catalogue import COLOURS, SHELVES, STYLES, in_order
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
from domain.games.montmartre.state import INITIAL, Painter, Phase, State
from domain.shared.tuples import draw, put, without
from domain.shared.viewers import revealed

EMPTY_SHELVES: tuple[tuple[()], ...] = ((),) * len(COLOURS)


def evolve(state: State, event: Event) -> State:
    """Return the table after an event."""
    match event:
        case Painted():
            return _painted(state, event)
        case CardsPicked():
            return _picked(state, event)
        case TurnEnded():
            return _turn_ended(state, event)
        case SoldOff():
            return _sold_off(state, event)
        case VollardMoved():
            return replace(state, vollard=event.colour)
        case PaintingSold():
            return _sold(state, event)
        case ContractsOffered():
            return replace(state, phase=Phase.OFFERED, offered=event.contracts)
        case ContractTaken():
            return _contract_taken(state, event)
        case ContractDeclined():
            return replace(state, phase=Phase.DONE, offered=())
        case PilesRenewed():
            return replace(state, piles=tuple(revealed(pile) for pile in event.piles), discard_pile=())
        case Dealt():
            return _dealt(event)
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> State:
    """Return the table after the deal (§3)."""
    painters = tuple(Painter(revealed(hand), EMPTY_SHELVES, 0, EMPTY_SHELVES, None) for hand in event.hands)
    return replace(
        INITIAL,
        first_seat=event.first_seat,
        turn=event.first_seat,
        painters=painters,
        piles=tuple(revealed(pile) for pile in event.piles),
    )


def _painted(state: State, event: Painted) -> State:
    """Return the table after cards went from a hand into its workshop (§4.1)."""
    painter = state.painters[event.seat]
    workshop = painter.workshop
    for card in event.cards:
        shelf = SHELVES[STYLES[card]]
        workshop = put(workshop, shelf, in_order((*workshop[shelf], card)))
    changed = replace(painter, hand=without(painter.hand, event.cards), workshop=workshop)
    return replace(state, phase=Phase.PAINTED, painters=put(state.painters, event.seat, changed))


def _sold_off(state: State, event: SoldOff) -> State:
    """Return the table after paintings were discarded for francs (§4.2)."""
    painter = state.painters[event.seat]
    shelf = SHELVES[event.colour]
    workshop = put(painter.workshop, shelf, without(painter.workshop[shelf], event.cards))
    changed = replace(painter, workshop=workshop, francs=painter.francs + event.francs)
    return replace(
        state,
        phase=Phase.SOLD_OFF,
        painters=put(state.painters, event.seat, changed),
        discard_pile=(*state.discard_pile, *event.cards),
    )


def _picked(state: State, event: CardsPicked) -> State:
    """Return the table after cards went from a pile into a hand (§4.3)."""
    painter = state.painters[event.seat]
    _, rest = draw(state.piles[event.pile], len(event.cards))
    changed = replace(painter, hand=in_order((*painter.hand, *event.cards)))
    return replace(
        state,
        phase=Phase.PICKED,
        painters=put(state.painters, event.seat, changed),
        piles=put(state.piles, event.pile, rest),
    )


def _sold(state: State, event: PaintingSold) -> State:
    """Return the table after a painting was discarded for a collector (§5.3)."""
    painter = state.painters[event.seat]
    shelf = SHELVES[event.colour]
    changed = replace(
        painter,
        workshop=put(painter.workshop, shelf, without(painter.workshop[shelf], (event.painting,))),
        collectors=put(painter.collectors, shelf, (*painter.collectors[shelf], event.collector)),
    )
    return replace(
        state,
        phase=Phase.DONE,
        painters=put(state.painters, event.seat, changed),
        discard_pile=(*state.discard_pile, event.painting),
        collectors=put(state.collectors, shelf, without(state.collectors[shelf], (event.collector,))),
    )


def _contract_taken(state: State, event: ContractTaken) -> State:
    """Return the table after a contract went to a seat (§5.4)."""
    changed = replace(state.painters[event.seat], contract=event.contract)
    return replace(
        state,
        phase=Phase.DONE,
        painters=put(state.painters, event.seat, changed),
        contracts=without(state.contracts, (event.contract,)),
        offered=(),
    )


def _turn_ended(state: State, event: TurnEnded) -> State:
    """Return the table after a turn: the next one, or none any more (§7)."""
    if event.next_seat is None:
        return replace(state, phase=Phase.OVER, ending=event.ending)
    return replace(state, turn=event.next_seat, phase=Phase.BEGUN, ending=event.ending)
