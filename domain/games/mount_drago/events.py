"""What can happen in Mount Drago; stored for good.

As decided, an event tells everything. As a viewer sees it, a card that this viewer may not see is null; how
many cards there are is never hidden.
"""

from msgspec import Struct

from domain.games.mount_drago.catalogue import Card, Scoring
from domain.games.mount_drago.state import Phase
from domain.shared.seats import Seat
from domain.shared.viewers import Seen


class Dealt(Struct, frozen=True, tag_field="type", tag="mount_drago.dealt"):
    """Every seat got its first dragon and its hand (§3).

    Attributes:
        first_seat: The seat that begins.
        open_cards: The card that lies open before each seat, in seat order.
        hands: One a seat, by colour, then value; each seat sees its own.
        draw_pile: What is left, the top card first; nobody sees it.
    """

    first_seat: Seat
    open_cards: tuple[Card, ...]
    hands: tuple[Seen[Card], ...]
    draw_pile: Seen[Card]


class CardPlayed(Struct, frozen=True, tag_field="type", tag="mount_drago.card_played"):
    """A seat played a card and moved its dragon (§4.1, §4.2).

    Attributes:
        seat: The seat.
        card: The card.
        on_top: Whether the card went on top of the seat's open card, which it replaces, or under it.
        space: Where the dragon stands now.
        scoring: The scoring that this brings, if any (§4.3).
        phase: What the turn has come to.
    """

    seat: Seat
    card: Card
    on_top: bool
    space: int
    scoring: Scoring | None
    phase: Phase


class Scored(Struct, frozen=True, tag_field="type", tag="mount_drago.scored"):
    """Seats got points for the dragons that they ride (§4.3).

    Attributes:
        scoring: Which scoring it was.
        points: What each seat got, in seat order, may be negative.
        next_seat: The seat whose turn it is now; null if the game is over.
        phase: What its turn has come to.
    """

    scoring: Scoring
    points: tuple[int, ...]
    next_seat: Seat | None
    phase: Phase


class SummitCardsDiscarded(Struct, frozen=True, tag_field="type", tag="mount_drago.summit_cards_discarded"):
    """A seat discarded cards of dragons on summit spaces; it draws next (§4.4, R5).

    Attributes:
        seat: The seat.
        cards: The cards by colour, then value.
    """

    seat: Seat
    cards: tuple[Card, ...]


class CardsDrawn(Struct, frozen=True, tag_field="type", tag="mount_drago.cards_drawn"):
    """A seat drew cards (§4.4).

    Attributes:
        seat: The seat.
        cards: The cards by colour, then value; the seat sees them.
        next_seat: The seat whose turn it is now: the same one if the draw pile ran out before the hand was
            full (R6).
        phase: What its turn has come to.
    """

    seat: Seat
    cards: Seen[Card]
    next_seat: Seat
    phase: Phase


class DrawPileRenewed(Struct, frozen=True, tag_field="type", tag="mount_drago.draw_pile_renewed"):
    """The discard pile and all cards under open cards were shuffled into a new draw pile (R6).

    Attributes:
        draw_pile: The new pile, the top card first; nobody sees it. The draw goes on.
    """

    draw_pile: Seen[Card]


type Event = Dealt | CardPlayed | Scored | SummitCardsDiscarded | CardsDrawn | DrawPileRenewed

EVENTS: tuple[type[Event], ...] = (
    Dealt,
    CardPlayed,
    Scored,
    SummitCardsDiscarded,
    CardsDrawn,
    DrawPileRenewed,
)
