"""What can happen in High Card; stored for good.

As decided, an event tells everything. As a viewer sees it, a card that this viewer may not see is null; how
many cards there are is never hidden.
"""

from msgspec import Struct

from domain.shared.seats import Seat
from domain.shared.viewers import Seen

from .catalogue import Card


class Dealt(Struct, frozen=True, tag_field="type", tag="high_card.dealt"):
    """Cards were dealt (§3).

    Attributes:
        first_seat: The seat that begins.
        hands: One a seat, in order; each seat sees its own.
        stock: What is left, the top card first; nobody sees it.
    """

    first_seat: Seat
    hands: tuple[Seen[Card], ...]
    stock: Seen[Card]


class CardPlayed(Struct, frozen=True, tag_field="type", tag="high_card.card_played"):
    """A seat played a card to the trick (§4.1).

    Attributes:
        seat: The seat.
        card: The card.
        next_seat: The seat whose turn it is now.
    """

    seat: Seat
    card: Card
    next_seat: Seat


class TrickTaken(Struct, frozen=True, tag_field="type", tag="high_card.trick_taken"):
    """A seat took a trick (§4.2).

    Attributes:
        seat: The seat.
        next_seat: The seat whose turn it is now; null if the game is over.
    """

    seat: Seat
    next_seat: Seat | None


type Event = Dealt | CardPlayed | TrickTaken

EVENTS: tuple[type[Event], ...] = (Dealt, CardPlayed, TrickTaken)
