"""What can happen in Montanara; stored for good.

As decided, an event tells everything. As a viewer sees it, a card that this viewer may not see is null; how
many cards there are is never hidden.
"""

from msgspec import Struct

from domain.games.montanara.catalogue import Kind, TunnelOrder
from domain.games.montanara.commands import Place
from domain.shared.seats import Seat
from domain.shared.viewers import Seen


class Dealt(Struct, frozen=True, tag_field="type", tag="montanara.dealt"):
    """Each seat took a dwarf and three cards, and the others were laid out as four mountains (§3).

    Attributes:
        first_seat: The seat that begins.
        tunnel_order: How the cards of a tunnel go back.
        hands: One a seat, by kind; each seat sees its own.
        mountains: One a space, the top card first; nobody sees them.
    """

    first_seat: Seat
    tunnel_order: TunnelOrder
    hands: tuple[Seen[Kind], ...]
    mountains: tuple[Seen[Kind], ...]


class CardTaken(Struct, frozen=True, tag_field="type", tag="montanara.card_taken"):
    """A seat took the top card of a mountain into hand; its turn is over (§4.1).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        card: The card; the seat sees it.
    """

    seat: Seat
    mountain: int
    card: Kind | None


class DwarfPlayed(Struct, frozen=True, tag_field="type", tag="montanara.dwarf_played"):
    """A seat played a dwarf into its display; its turn is over (§4.2).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class CaveInPlayed(Struct, frozen=True, tag_field="type", tag="montanara.cave_in_played"):
    """A seat played a cave-in: all dwarfs ran away, and both seats may look, the opponent first (§4.3).

    Attributes:
        seat: The seat.
        dwarfs: How many dwarfs of each seat's display were discarded, by seat.
    """

    seat: Seat
    dwarfs: tuple[int, ...]


class MountainLookedAt(Struct, frozen=True, tag_field="type", tag="montanara.mountain_looked_at"):
    """A seat looked at a mountain; after the last look the turn is over (§4.3, §4.12).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        cards: Its cards, the top card first; the seat sees them.
    """

    seat: Seat
    mountain: int
    cards: Seen[Kind]


class LookDeclined(Struct, frozen=True, tag_field="type", tag="montanara.look_declined"):
    """A seat looked at no mountain; after the last look the turn is over (§4.3).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class TheftPlayed(Struct, frozen=True, tag_field="type", tag="montanara.theft_played"):
    """A seat played a theft, and the hands were swapped; its turn is over (§4.4).

    Attributes:
        seat: The seat.
        hands: The new hands, by seat and kind; each seat sees its own.
    """

    seat: Seat
    hands: tuple[Seen[Kind], ...]


class ShakingPlayed(Struct, frozen=True, tag_field="type", tag="montanara.shaking_played"):
    """A seat played a shaking: two mountains were shuffled together and divided; its turn is over (§4.5).

    Attributes:
        seat: The seat.
        first: The lower-numbered space.
        second: The higher-numbered space.
        mountains: The two new mountains, the top card first; the seat sees the two top cards.
    """

    seat: Seat
    first: int
    second: int
    mountains: tuple[Seen[Kind], ...]


class TunnelPlayed(Struct, frozen=True, tag_field="type", tag="montanara.tunnel_played"):
    """A seat played a tunnel and saw the topmost cards of a mountain; of one card there is no order (§4.6).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        cards: Its top four cards, or all it has, the top card first; the seat sees them.
    """

    seat: Seat
    mountain: int
    cards: Seen[Kind]


class TunnelArranged(Struct, frozen=True, tag_field="type", tag="montanara.tunnel_arranged"):
    """The cards of a tunnel went back on top of their mountain; the turn is over (§4.6).

    Attributes:
        seat: The seat that played the tunnel.
        mountain: The mountain.
        cards: The cards in their new order, the top card first; the seat sees them if it has chosen it.
        chosen: Whether the seat has chosen the order; else chance has, and nobody sees it.
    """

    seat: Seat
    mountain: int
    cards: Seen[Kind]
    chosen: bool


class DrillingPlayed(Struct, frozen=True, tag_field="type", tag="montanara.drilling_played"):
    """A seat played a drilling (§4.7).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class CardLifted(Struct, frozen=True, tag_field="type", tag="montanara.card_lifted"):
    """A seat saw the bottom card of a mountain and is to place it (§4.7).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        card: The card; the seat sees it.
    """

    seat: Seat
    mountain: int
    card: Kind | None


class CardPlaced(Struct, frozen=True, tag_field="type", tag="montanara.card_placed"):
    """A seat put the lifted card back (§4.7).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        on: Where it went.
    """

    seat: Seat
    mountain: int
    on: Place


class DrillingEnded(Struct, frozen=True, tag_field="type", tag="montanara.drilling_ended"):
    """A seat stopped drilling, or no mountain was left to drill; its turn is over (§4.7).

    Attributes:
        seat: The seat.
    """

    seat: Seat


class OpenPitPlayed(Struct, frozen=True, tag_field="type", tag="montanara.open_pit_played"):
    """A seat reversed a mountain and took its new top card; its turn is over (§4.8).

    Attributes:
        seat: The seat.
        mountain: The mountain.
        card: The card taken; the seat sees it.
    """

    seat: Seat
    mountain: int
    card: Kind | None


class DigBegun(Struct, frozen=True, tag_field="type", tag="montanara.dig_begun"):
    """A seat began to dig (§4.9).

    Attributes:
        seat: The seat.
        mountain: The mountain; null for the seat's own hand.
        cards: How many cards are to be turned over: one for each dwarf, or as many as there are (R3, R4).
    """

    seat: Seat
    mountain: int | None
    cards: int


class CardDug(Struct, frozen=True, tag_field="type", tag="montanara.card_dug"):
    """A card was turned over and discarded without effect; after the last one the turn is over (§4.9).

    Attributes:
        seat: The seat that digs.
        mountain: Where the card was; null for the seat's own hand.
        card: The card; everybody sees it.
        left: How many more are to be turned over.
    """

    seat: Seat
    mountain: int | None
    card: Kind
    left: int


class CrystalDug(Struct, frozen=True, tag_field="type", tag="montanara.crystal_dug"):
    """A crystal was turned over and changed for a dwarf of the display; the turn is over (§4.9).

    Attributes:
        seat: The seat that digs.
        mountain: Where the crystal was; null for the seat's own hand.
    """

    seat: Seat
    mountain: int | None


class CaveInDug(Struct, frozen=True, tag_field="type", tag="montanara.cave_in_dug"):
    """A cave-in was turned over: the seat's dwarfs ran away, and it may look at a mountain (§4.9).

    Attributes:
        seat: The seat that digs.
        mountain: Where the cave-in was; null for the seat's own hand.
        dwarfs: How many dwarfs of its display were discarded.
    """

    seat: Seat
    mountain: int | None
    dwarfs: int


type Event = (
    Dealt
    | CardTaken
    | DwarfPlayed
    | CaveInPlayed
    | MountainLookedAt
    | LookDeclined
    | TheftPlayed
    | ShakingPlayed
    | TunnelPlayed
    | TunnelArranged
    | DrillingPlayed
    | CardLifted
    | CardPlaced
    | DrillingEnded
    | OpenPitPlayed
    | DigBegun
    | CardDug
    | CrystalDug
    | CaveInDug
)

EVENTS: tuple[type[Event], ...] = (
    Dealt,
    CardTaken,
    DwarfPlayed,
    CaveInPlayed,
    MountainLookedAt,
    LookDeclined,
    TheftPlayed,
    ShakingPlayed,
    TunnelPlayed,
    TunnelArranged,
    DrillingPlayed,
    CardLifted,
    CardPlaced,
    DrillingEnded,
    OpenPitPlayed,
    DigBegun,
    CardDug,
    CrystalDug,
    CaveInDug,
)
