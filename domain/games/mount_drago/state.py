"""The whole table of Mount Drago, hidden parts too (mount_drago §3, §6)."""

from enum import StrEnum

from msgspec import Struct

from domain.games.mount_drago.catalogue import COLOURS, Board, Card, Scoring, board_for
from domain.shared.seats import Seat


class Phase(StrEnum):
    """What a turn has come to (§4); `over` once the game has come to its own end."""

    PLAY = "play"
    SCORE = "score"
    DISCARD = "discard"
    DRAW = "draw"
    OVER = "over"


class State(Struct, frozen=True):
    """The table.

    Attributes:
        turn: The seat whose turn it is; the last one's once the game is over.
        phase: What its turn has come to: `play` and `discard` wait for it, `score` and `draw` happen by
            themselves; `over` once the game is.
        scoring: The scoring that is due, in phase `score` only.
        hands: The cards in each seat's hand, sorted by colour and value.
        open_cards: The card that lies open before each seat; the seat rides its dragon.
        under: The cards under each open card, the top card first.
        points: Points of each seat, may be negative (R3).
        dragons: The space of each dragon, in the order of `COLOURS`; 0 is the start.
        draw_pile: The draw pile, the top card first.
        discard_pile: The discard pile, the oldest card first.
    """

    turn: Seat
    phase: Phase
    scoring: Scoring | None
    hands: tuple[tuple[Card, ...], ...]
    open_cards: tuple[Card, ...]
    under: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    dragons: tuple[int, ...]
    draw_pile: tuple[Card, ...]
    discard_pile: tuple[Card, ...]


INITIAL = State(
    turn=Seat(0),
    phase=Phase.PLAY,
    scoring=None,
    hands=(),
    open_cards=(),
    under=(),
    points=(),
    dragons=(),
    draw_pile=(),
    discard_pile=(),
)
"""Before the deal: no seat, no card."""


def board(state: State) -> Board:
    """Return the side of the board that is played on (§3.1)."""
    return board_for(len(state.hands))


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all 110 cards and ten dragons, sorted, wherever they are (§1)."""
    hidden = (*state.draw_pile, *(card for hand in state.hands for card in hand))
    public = (*state.discard_pile, *state.open_cards, *(card for pile in state.under for card in pile))
    return tuple(sorted((*COLOURS[: len(state.dragons)], *hidden, *public)))
