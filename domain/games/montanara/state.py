"""The whole table of Montanara, hidden parts and who knows them too (montanara §3, §6)."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from domain.games.montanara.catalogue import PLACES, SEATS, SPACES, TUNNEL_LENGTH, Kind, TunnelOrder
from domain.shared.seats import Seat, seats_in_order


class Phase(StrEnum):
    """What is to be chosen (§4.0); `over`, in views, once the game has come to its own end."""

    TURN = "turn"
    LOOK = "look"
    TUNNEL = "tunnel"
    DRILLING = "drilling"
    OVER = "over"


class Card(Struct, frozen=True):
    """A card in a hand or a mountain. Wherever it goes, who knows it goes with it (R14).

    Attributes:
        kind: What it is.
        known_to: Who knows that it is there: seats, and None for anyone who looks on.
        given: Whether it lies in a hand that the other seat gave in the latest theft.
    """

    kind: Kind
    known_to: tuple[Seat | None, ...] = ()
    given: bool = False


class Display(Struct, frozen=True):
    """What lies on a seat's side of the board.

    Attributes:
        dwarfs: How many dwarfs.
        crystals: How many crystals.
    """

    dwarfs: int = 0
    crystals: int = 0


type Hand = tuple[Card, ...]
"""By kind, of a kind the card that most know first."""

type Pile = tuple[Card, ...]
"""The top card first."""


class State(Struct, frozen=True):
    """The table.

    Attributes:
        tunnel_order: How the cards of a tunnel go back.
        turn: The seat whose turn it is.
        phase: What is to be chosen.
        hands: One a seat.
        displays: One a seat.
        mountains: One a space.
        discard_pile: The discard pile, the oldest card first.
        played: The action card whose phase goes on: it lies open on the table (§4.10).
        visited: The mountains that the action has been to, in order: the one that was looked at, that of the
            tunnel, those that were drilled, the one that is dug.
        lookers: The seats that may still look at a mountain, in order.
        lifted: Whether the bottom card of the mountain drilled last is still to be placed.
        left: How many cards are still to be turned over in a dig; 0 while nobody digs.
    """

    tunnel_order: TunnelOrder
    turn: Seat
    phase: Phase
    hands: tuple[Hand, ...]
    displays: tuple[Display, ...]
    mountains: tuple[Pile, ...]
    discard_pile: tuple[Kind, ...]
    played: Kind | None
    visited: tuple[int, ...]
    lookers: tuple[Seat, ...]
    lifted: bool
    left: int


INITIAL = State(
    tunnel_order=TunnelOrder.RANDOM,
    turn=Seat(0),
    phase=Phase.TURN,
    hands=((),) * SEATS,
    displays=(Display(),) * SEATS,
    mountains=((),) * SPACES,
    discard_pile=(),
    played=None,
    visited=(),
    lookers=(),
    lifted=False,
    left=0,
)
"""Before the deal: no card on the table."""

BOTH = seats_in_order(SEATS)
EVERYBODY = (*BOTH, None)
"""Both seats, and anyone who looks on."""


def opponent(seat: Seat) -> Seat:
    """Return the other seat."""
    return BOTH[1 - seat]


def as_hand(cards: Iterable[Card]) -> Hand:
    """Return cards as a hand holds them.

    Of a kind the card that most know comes first: it is the one that leaves, as anyone who knew of one such
    card cannot know of one any more (R14).
    """
    return tuple(sorted(cards, key=_rank))


def kinds(cards: Iterable[Card]) -> tuple[Kind, ...]:
    """Return what the cards are, in their order."""
    return tuple(card.kind for card in cards)


def in_tunnel(state: State, mountain: int) -> tuple[Kind, ...]:
    """Return the topmost cards of a mountain: what a tunnel shows, or is showing (§4.6)."""
    return kinds(state.mountains[mountain][:TUNNEL_LENGTH])


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all 80 cards, sorted, wherever they are (§1)."""
    cards = [card.kind for pile in (*state.hands, *state.mountains) for card in pile]
    for display in state.displays:
        cards += [Kind.DWARF] * display.dwarfs + [Kind.CRYSTAL] * display.crystals
    cards += state.discard_pile
    return tuple(sorted(cards if state.played is None else [*cards, state.played]))


def _rank(card: Card) -> tuple[int, bool, int]:
    return PLACES[card.kind], not card.given, -len(card.known_to)
