"""What can happen in Montmartre; stored for good.

As decided, an event tells everything. As a viewer sees it, a card that this viewer may not see is null; how
many cards there are is never hidden.
"""

from msgspec import Struct

from domain.games.montmartre.catalogue import Card, Colour
from domain.games.montmartre.state import Ending
from domain.shared.seats import Seat
from domain.shared.viewers import Seen


class Dealt(Struct, frozen=True, tag_field="type", tag="montmartre.dealt"):
    """Cards were dealt, and three piles made of the rest (§3.1).

    Attributes:
        first_seat: The seat that begins.
        hands: One a seat, by colour, then value; each seat sees its own.
        piles: Piles 0 to 2, the top card first; everybody sees the top cards, nobody those below.
    """

    first_seat: Seat
    hands: tuple[Seen[Card], ...]
    piles: tuple[Seen[Card], ...]


class Painted(Struct, frozen=True, tag_field="type", tag="montmartre.painted"):
    """A seat put cards from its hand into its workshop (§4.1).

    Attributes:
        seat: The seat.
        cards: One or two cards, in order.
    """

    seat: Seat
    cards: tuple[Card, ...]


class SoldOff(Struct, frozen=True, tag_field="type", tag="montmartre.sold_off"):
    """A seat sold paintings at the market; they were discarded in this order (§4.2).

    Attributes:
        seat: The seat.
        colour: The colour of all of them.
        cards: The paintings, in order.
        francs: What the seat got for them.
    """

    seat: Seat
    colour: Colour
    cards: tuple[Card, ...]
    francs: int


class CardsPicked(Struct, frozen=True, tag_field="type", tag="montmartre.cards_picked"):
    """A seat drew cards from the top of a pile, open to all (§4.3, §8).

    Attributes:
        seat: The seat.
        pile: The pile, 0 to 2.
        cards: The cards, the top card first.
        top: The card that is on top of the pile now; null if it is empty.
    """

    seat: Seat
    pile: int
    cards: tuple[Card, ...]
    top: Card | None


class PilesRenewed(Struct, frozen=True, tag_field="type", tag="montmartre.piles_renewed"):
    """The last pile and the discard pile were shuffled into three new piles (§4.4).

    Attributes:
        piles: Piles 0 to 2, the top card first; everybody sees the top cards, nobody those below.
    """

    piles: tuple[Seen[Card], ...]


class VollardMoved(Struct, frozen=True, tag_field="type", tag="montmartre.vollard_moved"):
    """Vollard approached the buyer of a sale to come (§5.2).

    Attributes:
        colour: Next to whose collectors he stands now.
    """

    colour: Colour


class PaintingSold(Struct, frozen=True, tag_field="type", tag="montmartre.painting_sold"):
    """A seat sold a painting to a collector; the painting was discarded (§5.3, §6.1).

    Attributes:
        seat: The seat.
        colour: The collector's colour.
        painting: The seat's highest painting of that colour.
        collector: The value of the collector card that the seat got.
    """

    seat: Seat
    colour: Colour
    painting: Card
    collector: int


class ContractsOffered(Struct, frozen=True, tag_field="type", tag="montmartre.contracts_offered"):
    """A sale opened contracts to a seat (§5.4, §6.2).

    Attributes:
        seat: The seat.
        contracts: The values of those it may take, rising.
    """

    seat: Seat
    contracts: tuple[int, ...]


class ContractTaken(Struct, frozen=True, tag_field="type", tag="montmartre.contract_taken"):
    """A seat took a contract (§5.4).

    Attributes:
        seat: The seat.
        contract: The value of the contract.
    """

    seat: Seat
    contract: int


class ContractDeclined(Struct, frozen=True, tag_field="type", tag="montmartre.contract_declined"):
    """A seat took none of the contracts that were open to it (§5.4).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class TurnEnded(Struct, frozen=True, tag_field="type", tag="montmartre.turn_ended"):
    """A turn was over (§7).

    Attributes:
        seat: The seat whose turn it was.
        next_seat: The seat whose turn begins; null if the game is over.
        ending: What brings the end, once something does: the round goes on to its last seat.
    """

    seat: Seat
    next_seat: Seat | None
    ending: Ending | None


type Event = (
    Dealt
    | Painted
    | SoldOff
    | CardsPicked
    | PilesRenewed
    | VollardMoved
    | PaintingSold
    | ContractsOffered
    | ContractTaken
    | ContractDeclined
    | TurnEnded
)

EVENTS: tuple[type[Event], ...] = (
    Dealt,
    Painted,
    SoldOff,
    CardsPicked,
    PilesRenewed,
    VollardMoved,
    PaintingSold,
    ContractsOffered,
    ContractTaken,
    ContractDeclined,
    TurnEnded,
)
