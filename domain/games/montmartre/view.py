"""What a viewer may know of Montmartre (montmartre §8).

Anyone who may not see a card sees that it is there: its number in a view, null in an event.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.games.montmartre.catalogue import COLOURS, Card, Colour, in_order
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
from domain.games.montmartre.outcome import score
from domain.games.montmartre.state import Ending, Painter, Phase, State, paintings
from domain.shared.chance import Chance
from domain.shared.seats import Seat, by_seat
from domain.shared.tuples import draw, mixed, put
from domain.shared.viewers import Seen, Viewer, each_its_own, sees, sees_all, shown


class Collector(Struct, frozen=True):
    """A collector card.

    Attributes:
        colour: The colour that the collector likes.
        value: What the card is worth: 2, 4, 6, 8 or 10.
    """

    colour: Colour
    value: int


class TableSeat(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand_size: How many cards it has in hand.
        hand: Those cards by colour, then value; the seat sees them, to others this is empty.
        workshop: Its paintings by colour, then value.
        francs: What it earned at the market.
        collectors: The collector cards it won, by colour, then value.
        contract: The value of the contract it took, if it did.
        score: Its points as they stand.
    """

    hand_size: int
    hand: tuple[Card, ...]
    workshop: tuple[Card, ...]
    francs: int
    collectors: tuple[Collector, ...]
    contract: int | None
    score: int


class TablePile(Struct, frozen=True):
    """A face-up pile of Muse cards.

    Attributes:
        size: How many cards it has.
        top: The card on top; null if the pile is empty.
        cards: All its cards, the top card first; empty for all but the viewer that sees all.
    """

    size: int
    top: Card | None
    cards: tuple[Card, ...]


class CollectorPile(Struct, frozen=True):
    """The collectors of a colour that are left.

    Attributes:
        colour: The colour that they like.
        values: What their cards are worth, top first.
    """

    colour: Colour
    values: tuple[int, ...]


class Table(Struct, frozen=True, tag_field="game", tag="montmartre"):
    """The table as a viewer may see it.

    Attributes:
        first_seat: The seat that began; a round ends with the seat before it.
        turn: The seat whose turn it is; null once the game has come to its own end. A match that ends
            otherwise, by resignation or time, leaves it as it was.
        phase: What has been done in the turn; `over` once the game has come to its own end. A match that ends
            otherwise leaves it as it was.
        seats: What each seat has, in seat order; none before the deal.
        piles: Piles 0 to 2 of Muse cards; none before the deal.
        discard_pile: The discard pile, the oldest card first.
        collectors: The four collector piles, by colour.
        vollard: Next to whose collectors Vollard stands; null before the first sale, and with two seats.
        contracts: The values of the contracts left, rising.
        offered: The values of those that the seat to act may take now, rising; none unless it may.
        ending: What brings the end, once something does: this is the last round then.
    """

    first_seat: Seat
    turn: Seat | None
    phase: Phase
    seats: tuple[TableSeat, ...]
    piles: tuple[TablePile, ...]
    discard_pile: tuple[Card, ...]
    collectors: tuple[CollectorPile, ...]
    vollard: Colour | None
    contracts: tuple[int, ...]
    offered: tuple[int, ...]
    ending: Ending | None


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    return Table(
        first_seat=state.first_seat,
        turn=None if state.phase is Phase.OVER else state.turn,
        phase=state.phase,
        seats=tuple(_seat(painter, seat, viewer) for seat, painter in by_seat(state.painters)),
        piles=tuple(_pile(pile, viewer) for pile in state.piles),
        discard_pile=state.discard_pile,
        collectors=tuple(
            CollectorPile(colour, values) for colour, values in zip(COLOURS, state.collectors, strict=True)
        ),
        vollard=state.vollard,
        contracts=state.contracts,
        offered=state.offered,
        ending=state.ending,
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return Dealt(event.first_seat, each_its_own(event.hands, viewer), _tops(event.piles, viewer))
        case Painted():
            return Painted(event.seat, event.cards)
        case SoldOff():
            return SoldOff(event.seat, event.colour, event.cards, event.francs)
        case CardsPicked():
            return CardsPicked(event.seat, event.pile, event.cards, event.top)
        case PilesRenewed():
            return PilesRenewed(_tops(event.piles, viewer))
        case VollardMoved():
            return VollardMoved(event.colour)
        case PaintingSold():
            return PaintingSold(event.seat, event.colour, event.painting, event.collector)
        case ContractsOffered():
            return ContractsOffered(event.seat, event.contracts)
        case ContractTaken():
            return ContractTaken(event.seat, event.contract)
        case ContractDeclined():
            return ContractDeclined(event.seat)
        case TurnEnded():
            return TurnEnded(event.seat, event.next_seat, event.ending)
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return another table that the viewer cannot tell from this one (§8).

    The other hands and the piles below their tops are mixed and dealt again in their sizes. Which cards
    others picked openly is in the log, not in the view.
    """
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.painters) if not sees(viewer, seat)]
    hidden = (*(state.painters[seat].hand for seat in others), *(pile[1:] for pile in state.piles))
    hands, below = draw(mixed(hidden, chance), len(others))
    painters = state.painters
    for seat, hand in zip(others, hands, strict=True):
        painters = put(painters, seat, replace(painters[seat], hand=in_order(hand)))
    piles = tuple((*pile[:1], *cards) for pile, cards in zip(state.piles, below, strict=True))
    return replace(state, painters=painters, piles=piles)


def _seat(painter: Painter, seat: Seat, viewer: Viewer) -> TableSeat:
    """Return what a seat has, as the viewer may see it."""
    return TableSeat(
        hand_size=len(painter.hand),
        hand=painter.hand if sees(viewer, seat) else (),
        workshop=paintings(painter),
        francs=painter.francs,
        collectors=tuple(
            Collector(colour, value)
            for colour, values in zip(COLOURS, painter.collectors, strict=True)
            for value in values
        ),
        contract=painter.contract,
        score=score(painter),
    )


def _pile(cards: tuple[Card, ...], viewer: Viewer) -> TablePile:
    """Return a pile, as the viewer may see it."""
    return TablePile(len(cards), cards[0] if cards else None, cards if sees_all(viewer) else ())


def _tops(piles: tuple[Seen[Card], ...], viewer: Viewer) -> tuple[Seen[Card], ...]:
    """Return new piles: everybody sees the top cards, nobody those below (§8)."""
    return tuple((*pile[:1], *shown(pile[1:], visible=sees_all(viewer))) for pile in piles)
