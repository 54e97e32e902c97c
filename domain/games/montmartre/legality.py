"""What is legal in Montmartre (montmartre §4 to §6)."""

from collections.abc import Iterable
from itertools import combinations
from typing import assert_never

from domain.games.montmartre.catalogue import (
    CARDS,
    COLOURS,
    CONTRACTS,
    PAIR_LIMIT,
    PILES,
    SHELVES,
    STYLES,
    VALUES,
    Card,
    Colour,
)
from domain.games.montmartre.commands import (
    Command,
    DeclineContract,
    Paint,
    Pick,
    Sell,
    SellOff,
    SellPair,
    TakeContract,
)
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import Painter, Phase, State, excess
from domain.shared.seats import Seat, next_seat
from domain.shared.tuples import has_all, selections

# The commands that are listed, made once.
PAINT_ONE = {card: Paint((card,)) for card in CARDS}
PAINT_TWO = {
    first: {
        second: Paint((first, second))
        for second in CARDS
        if second >= first and VALUES[first] + VALUES[second] <= PAIR_LIMIT
    }
    for first in CARDS
}
"""Every pair that may be painted, by its first card and its second (§4.1)."""

PICK = tuple(Pick(pile) for pile in range(PILES))
SELL = tuple(Sell(colour) for colour in COLOURS)
SELL_PAIR = {
    (first, second): SellPair((COLOURS[first], COLOURS[second]))
    for first, second in combinations(range(len(COLOURS)), 2)
}
"""Every sale to two collectors, by their shelves."""

TAKE_CONTRACT = {value: TakeContract(value) for value in CONTRACTS}
DECLINE_CONTRACT = DeclineContract()

NO_SELL_OFF = {
    Phase.BEGUN: Reason.NOTHING_PAINTED,
    Phase.SOLD_OFF: Reason.ALREADY_SOLD_OFF,
    Phase.PICKED: Reason.PICK_HAS_BEGUN,
    Phase.OFFERED: Reason.NOTHING_PAINTED,
}
"""Why nothing may be sold off, by what has been done in the turn (§4.2, §4.3)."""


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that must choose: the one on turn; none while things happen by themselves (§4.0)."""
    return () if state.phase is Phase.DONE or state.phase is Phase.OVER else (state.turn,)


def turn_after(state: State) -> Seat:
    """Return the seat whose turn follows (§4.0, common §1)."""
    return next_seat(state.turn, len(state.painters))


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    match command:
        case Paint():
            return _why_not_paint(state, seat, command)
        case SellOff():
            return _why_not_sell_off(state, seat, command)
        case Pick():
            return _why_not_pick(state, seat, command)
        case Sell():
            return _why_not_sell(state, seat, command)
        case TakeContract():
            if state.phase is not Phase.OFFERED:
                return Reason.NO_CONTRACT_OFFERED
            return None if command.value in state.offered else Reason.CONTRACT_NOT_OFFERED
        case DeclineContract():
            return None if state.phase is Phase.OFFERED else Reason.NO_CONTRACT_OFFERED
        case SellPair():
            return _why_not_sell_pair(state, seat, command)
        case _:
            assert_never(command)


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return a seat's legal moves in the order of the rules; none unless it is to act (common §9)."""
    if seat not in to_act(state):
        return []
    painter = state.painters[seat]
    match state.phase:
        case Phase.BEGUN:
            return [*_paints(painter.hand), *_sales(state, seat)]
        case Phase.PAINTED:
            over = excess(painter)
            moves: list[Command] = [*_sell_offs(painter, max(1, over))]
            return moves if over else [*moves, *_picks(state)]
        case Phase.SOLD_OFF | Phase.PICKED:
            return [*_picks(state)]
        case Phase.OFFERED:
            return [*(TAKE_CONTRACT[value] for value in state.offered), DECLINE_CONTRACT]
        case Phase.DONE | Phase.OVER:
            return []
        case _:
            assert_never(state.phase)


def convinces(state: State, seat: Seat, shelf: int) -> bool:
    """Return whether a seat has a majority in a colour (§5.1, R13).

    It has strictly more paintings than every other seat, or a strictly higher total than every other seat.
    """
    own = state.painters[seat].workshop[shelf]
    if not own:
        return False
    others = [painter.workshop[shelf] for number, painter in enumerate(state.painters) if number != seat]
    return max(map(len, others)) < len(own) or max(map(total, others)) < total(own)


def total(cards: Iterable[Card]) -> int:
    """Return the total value of cards; 0 for none."""
    return sum(map(VALUES.__getitem__, cards))


def _why_not_paint(state: State, seat: Seat, paint: Paint) -> Reason | None:
    """Return why cards may not be painted, or None (§4.1)."""
    if state.phase is not Phase.BEGUN:
        return Reason.TURN_HAS_BEGUN
    if not has_all(state.painters[seat].hand, paint.cards):
        return Reason.CARDS_NOT_IN_HAND
    if len(paint.cards) > 1 and total(paint.cards) > PAIR_LIMIT:
        return Reason.SUM_ABOVE_FIVE
    return None


def _why_not_sell_off(state: State, seat: Seat, sell_off: SellOff) -> Reason | None:
    """Return why paintings may not be sold off, or None (§4.2, R1, R2)."""
    if reason := NO_SELL_OFF.get(state.phase):
        return reason
    painter = state.painters[seat]
    if any(STYLES[card] is not sell_off.colour for card in sell_off.cards):
        return Reason.SEVERAL_COLOURS
    if not has_all(painter.workshop[SHELVES[sell_off.colour]], sell_off.cards):
        return Reason.PAINTINGS_NOT_IN_WORKSHOP
    return Reason.WORKSHOP_ABOVE_SIX if len(sell_off.cards) < excess(painter) else None


def _why_not_pick(state: State, seat: Seat, pick: Pick) -> Reason | None:
    """Return why a pile may not be picked from, or None (§4.3)."""
    if state.phase in (Phase.BEGUN, Phase.OFFERED):
        return Reason.NOTHING_PAINTED
    if state.phase is Phase.PAINTED and excess(state.painters[seat]):
        return Reason.WORKSHOP_ABOVE_SIX
    return None if state.piles[pick.pile] else Reason.PILE_EMPTY


def _why_not_sell(state: State, seat: Seat, sell: Sell) -> Reason | None:
    """Return why a painting may not be sold to a collector, or None (§5.1)."""
    if len(state.painters) == 2:
        return Reason.NOT_FOR_TWO_SEATS
    if state.phase is not Phase.BEGUN:
        return Reason.TURN_HAS_BEGUN
    return _why_no_sale(state, seat, sell.colour)


def _why_not_sell_pair(state: State, seat: Seat, sell_pair: SellPair) -> Reason | None:
    """Return why paintings may not be sold to two collectors, or None (§6.1)."""
    if len(state.painters) != 2:
        return Reason.FOR_TWO_SEATS_ONLY
    if state.phase is not Phase.BEGUN:
        return Reason.TURN_HAS_BEGUN
    first, second = sell_pair.colours
    if first is second:
        return Reason.COLOURS_ALIKE
    return _why_no_sale(state, seat, first) or _why_no_sale(state, seat, second)


def _why_no_sale(state: State, seat: Seat, colour: Colour) -> Reason | None:
    """Return why a collector does not buy from a seat, or None (§5.1, R8)."""
    if colour is state.vollard:
        return Reason.VOLLARD_STANDS_THERE
    if not state.collectors[SHELVES[colour]]:
        return Reason.COLLECTORS_GONE
    return None if convinces(state, seat, SHELVES[colour]) else Reason.NO_MAJORITY


def _paints(hand: tuple[Card, ...]) -> Iterable[Paint]:
    """Yield one card, then the pairs that it begins, alike choices once (§4.1)."""
    for place, card in enumerate(hand):
        if card not in hand[:place]:
            yield PAINT_ONE[card]
            pairs = PAINT_TWO[card]
            yield from (pairs[other] for other in dict.fromkeys(hand[place + 1 :]) if other in pairs)


def _sell_offs(painter: Painter, least: int) -> Iterable[SellOff]:
    """Yield every choice of at least so many paintings of one colour (§4.2)."""
    for colour, shelf in zip(COLOURS, painter.workshop, strict=True):
        if len(shelf) >= least:
            yield from (SellOff(colour, cards) for cards in selections(shelf) if len(cards) >= least)


def _picks(state: State) -> Iterable[Pick]:
    """Yield the piles that have cards (§4.3)."""
    return (pick for pick, pile in zip(PICK, state.piles, strict=True) if pile)


def _sales(state: State, seat: Seat) -> Iterable[Command]:
    """Yield the sales to one collector or, with two seats, to two (§5.1, §6.1)."""
    buyers = [shelf for shelf, colour in enumerate(COLOURS) if _why_no_sale(state, seat, colour) is None]
    if len(state.painters) == 2:
        return (SELL_PAIR[pair] for pair in combinations(buyers, 2))
    return (SELL[shelf] for shelf in buyers)
