"""The whole table of High Card, hidden parts too (high_card §3, §6)."""

from msgspec import Struct

from domain.shared.seats import Seat

from .catalogue import SEATS, Card


class State(Struct, frozen=True):
    """The table.

    Attributes:
        turn: The seat whose turn it is; the last one's once the game is over.
        over: Whether the game is over.
        hands: One a seat, in order.
        played: The card that each seat has played to the trick, or None.
        tricks: How many tricks each seat has taken.
        stock: The cards that were not dealt, the top card first.
        discard_pile: The discard pile, the oldest card first.
    """

    turn: Seat
    over: bool
    hands: tuple[tuple[Card, ...], ...]
    played: tuple[Card | None, ...]
    tricks: tuple[int, ...]
    stock: tuple[Card, ...]
    discard_pile: tuple[Card, ...]


INITIAL = State(
    turn=Seat(0),
    over=False,
    hands=((),) * SEATS,
    played=(None,) * SEATS,
    tricks=(0,) * SEATS,
    stock=(),
    discard_pile=(),
)
"""Before the deal: no card on the table."""


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all eight cards, sorted, wherever they are (§1)."""
    held = (card for hand in state.hands for card in hand)
    played = (card for card in state.played if card is not None)
    return tuple(sorted((*held, *played, *state.stock, *state.discard_pile)))
