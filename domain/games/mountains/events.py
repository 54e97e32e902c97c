"""What can happen in Mountains; stored for good.

As decided, an event tells everything. As a viewer sees it, a card that this viewer may not see is null; how
many cards there are is never hidden.
"""

from msgspec import Struct

from domain.games.mountains.catalogue import Equipment, HikingCard, HikingCardId, SummitBooks
from domain.shared.seats import Seat
from domain.shared.viewers import Seen


class Dealt(Struct, frozen=True, tag_field="type", tag="mountains.dealt"):
    """Decks and equipment were shuffled and dealt (§3).

    Attributes:
        first_seat: The seat that begins.
        summit_books: Whether the others may see a seat's total of stamps.
        stones: What each seat begins with.
        hands: One a seat, in the order of §1; each seat sees its own.
        draw_pile: The rest of the equipment, the top card first; nobody sees it.
        decks: Ids of the cards of the six decks, in the order of §1, the top card first; nobody sees them.
    """

    first_seat: Seat
    summit_books: SummitBooks
    stones: int
    hands: tuple[Seen[Equipment], ...]
    draw_pile: Seen[Equipment]
    decks: tuple[Seen[HikingCardId], ...]


class CardTurnedOver(Struct, frozen=True, tag_field="type", tag="mountains.card_turned_over"):
    """A seat chose a deck and turned over its top card, a hike or a hut (§4.1, §5.1).

    Attributes:
        seat: The seat on turn.
        card: The card.
    """

    seat: Seat
    card: HikingCard


class EquipmentAsked(Struct, frozen=True, tag_field="type", tag="mountains.equipment_asked"):
    """A seat paid another one stone and asked it for a piece (§4.3).

    Attributes:
        seat: The seat on turn, one stone poorer.
        neighbour: The seat that was asked, one stone richer whatever the answer.
        equipment: The piece that was asked for.
        displayed: The answer: whether the neighbour had the piece and has it on display now.
    """

    seat: Seat
    neighbour: Seat
    equipment: Equipment
    displayed: bool


class HikeCompleted(Struct, frozen=True, tag_field="type", tag="mountains.hike_completed"):
    """All pieces of a hike lie face up (§4.4).

    Attributes:
        seat: The seat on turn.
        equipment: Its own pieces for the hike, laid out now, in the order of §1.
        stones: What it gets, 0 to 5.
        stamps: What it gets, 0 to 4.
    """

    seat: Seat
    equipment: tuple[Equipment, ...]
    stones: int
    stamps: int


class HikeDeclined(Struct, frozen=True, tag_field="type", tag="mountains.hike_declined"):
    """A hike was not started (§4.5).

    Attributes:
        seat: The seat on turn.
        stones: What it gets.
    """

    seat: Seat
    stones: int


class HikeAbandoned(Struct, frozen=True, tag_field="type", tag="mountains.hike_abandoned"):
    """A hike was given up, for nothing (§4.6).

    Attributes:
        seat: The seat on turn.
    """

    seat: Seat


class EquipmentBought(Struct, frozen=True, tag_field="type", tag="mountains.equipment_bought"):
    """A seat bought the top card of the equipment pile at a hut (§5.2).

    Attributes:
        seat: The buyer.
        stones: What it paid to the stockpile.
        equipment: The card; the seat sees it.
    """

    seat: Seat
    stones: int
    equipment: Equipment | None


class StampsBought(Struct, frozen=True, tag_field="type", tag="mountains.stamps_bought"):
    """A seat bought the stamps of a hut (§5.3).

    Attributes:
        seat: The buyer.
        stones: What it paid to the stockpile.
        stamps: What it got.
    """

    seat: Seat
    stones: int
    stamps: int


class OfferDeclined(Struct, frozen=True, tag_field="type", tag="mountains.offer_declined"):
    """A seat bought nothing at a hut (§5.1).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class OfferPassedOver(Struct, frozen=True, tag_field="type", tag="mountains.offer_passed_over"):
    """A hut's offer passed a seat over that cannot pay, or for which no card is left (§5.1).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class Rested(Struct, frozen=True, tag_field="type", tag="mountains.rested"):
    """A seat took a rest day (§6.2).

    Attributes:
        seat: The seat on turn.
        stones: What it gets.
    """

    seat: Seat
    stones: int


class TurnEnded(Struct, frozen=True, tag_field="type", tag="mountains.turn_ended"):
    """The face-up card was discarded, pieces on display went back to their hands, and the turn ended (§4.7).

    Attributes:
        seat: The seat whose turn it was.
        next_seat: The seat whose turn begins, the same again after a hut (R8); null if the game is over.
    """

    seat: Seat
    next_seat: Seat | None


type Event = (
    Dealt
    | CardTurnedOver
    | EquipmentAsked
    | HikeCompleted
    | HikeDeclined
    | HikeAbandoned
    | EquipmentBought
    | StampsBought
    | OfferDeclined
    | OfferPassedOver
    | Rested
    | TurnEnded
)

EVENTS: tuple[type[Event], ...] = (
    Dealt,
    CardTurnedOver,
    EquipmentAsked,
    HikeCompleted,
    HikeDeclined,
    HikeAbandoned,
    EquipmentBought,
    StampsBought,
    OfferDeclined,
    OfferPassedOver,
    Rested,
    TurnEnded,
)
