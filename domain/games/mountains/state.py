"""The whole table of Mountains, hidden parts too (mountains §3, §7)."""

from enum import StrEnum

from msgspec import Struct

from domain.games.mountains.catalogue import DECKS, Equipment, HikingCard, HikingCardId, SummitBooks
from domain.shared.seats import Seat


class Phase(StrEnum):
    """How far a turn is; `over` once the game has come to its own end."""

    CHOOSING = "choosing"
    HIKING = "hiking"
    OFFERING = "offering"
    DONE = "done"
    OVER = "over"


class State(Struct, frozen=True):
    """The table. What is held one a seat is in seat order, what is held one a deck in the order of the decks.

    Attributes:
        summit_books: Whether the others may see a seat's total of stamps.
        turn: The seat whose turn it is; the last one's once the game is over.
        phase: How far the turn is; `over` once the game is.
        hands: Equipment of each seat, in the order of §1, without what is on display.
        displayed: Equipment that each seat has on display, in the order of §1.
        stones: Of each seat.
        stamps: Of each seat.
        draw_pile: The equipment draw pile, the top card first.
        decks: Ids of the cards of each deck, the top card first.
        discard_piles: Ids of the discarded cards of each deck, the oldest card first.
        card: The hiking card that lies face up, if there is one.
        asked: Whether a question was asked for this hike.
        offered: The seats that a hut is still to be offered to, in that order; the first must choose.
    """

    summit_books: SummitBooks
    turn: Seat
    phase: Phase
    hands: tuple[tuple[Equipment, ...], ...]
    displayed: tuple[tuple[Equipment, ...], ...]
    stones: tuple[int, ...]
    stamps: tuple[int, ...]
    draw_pile: tuple[Equipment, ...]
    decks: tuple[tuple[HikingCardId, ...], ...]
    discard_piles: tuple[tuple[HikingCardId, ...], ...]
    card: HikingCard | None
    asked: bool
    offered: tuple[Seat, ...]


INITIAL = State(
    summit_books=SummitBooks.SECRET,
    turn=Seat(0),
    phase=Phase.CHOOSING,
    hands=(),
    displayed=(),
    stones=(),
    stamps=(),
    draw_pile=(),
    decks=((),) * len(DECKS),
    discard_piles=((),) * len(DECKS),
    card=None,
    asked=False,
    offered=(),
)
"""Before the deal: no seat, no card."""


def face_up(state: State) -> HikingCard:
    """Return the hiking card that lies face up.

    Raises:
        ValueError: None does: no hike and no hut is on.
    """
    if state.card is None:
        raise ValueError("no hiking card lies face up")
    return state.card


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all 32 equipment cards and 62 hiking cards, sorted, wherever they are (§1)."""
    places = (*state.hands, *state.displayed, state.draw_pile, *state.decks, *state.discard_piles)
    face_up = () if state.card is None else (state.card.id,)
    return tuple(sorted((*(name for place in places for name in place), *face_up)))
