"""Tables of Mountains as text, and Mountains' scenarios."""

from collections.abc import Sequence
from typing import cast

from domain.games.mountains import GAME
from domain.games.mountains.catalogue import (
    CARDS,
    DECKS,
    FIRST_STONES,
    HIKING_CARDS,
    PACK,
    CardKind,
    Equipment,
    HikingCard,
    HikingCardId,
    SummitBooks,
    in_order,
)
from domain.games.mountains.commands import Command
from domain.games.mountains.events import Event
from domain.games.mountains.state import Phase, State
from domain.shared.seats import Seat
from domain.shared.tuples import without
from tests.support.games.scenarios import Scenarios

mountains: Scenarios[State, Command, Event] = Scenarios(GAME)


def table(
    *places: str,
    turn: int = 0,
    card: str = "",
    asked: bool = False,
    offered: Sequence[int] | None = None,
    phase: Phase | None = None,
    stones: Sequence[int] = (),
    stamps: Sequence[int] = (),
    draw_pile: str | None = None,
    tops: str = "",
    discard_piles: str = "",
    used: str = "",
    books: SummitBooks = SummitBooks.SECRET,
) -> State:
    """Return the table that a few words show.

    Args:
        places: One a seat: its equipment parted by blanks, after a slash what it has on display:
            `rope mug / boots`.
        turn: The seat on turn.
        card: Id of the hiking card that lies face up.
        asked: Whether a question was asked.
        offered: Seats that the hut is still to be offered to; all, from the seat on turn, if it is left out.
        phase: As the card has it, if it is left out.
        stones: One a seat; 8 each if they are left out.
        stamps: One a seat; none if they are left out.
        draw_pile: The equipment draw pile, top first; if it is left out, all that nobody has, in the order of
            §1.
        tops: Ids of hiking cards that lie on top of their decks; below come the others in the order of §9.
        discard_piles: Ids of hiking cards on their discard piles, oldest first.
        used: Decks whose other cards are all discarded, in the order of §9.
        books: Whether the others may see a seat's stamps.
    """
    seats = len(places)
    halves = [place.partition("/") for place in places]
    hands = tuple(equipment(hand) for hand, _, _ in halves)
    displayed = tuple(equipment(shown) for _, _, shown in halves)
    rest = without(PACK, (piece for pieces in (*hands, *displayed) for piece in pieces))
    lying = hiking_card(card) if card else None
    named = [*ids(tops), *ids(discard_piles), *ids(card)]
    others = [other.id for other in HIKING_CARDS if other.id not in named]
    gone = [*ids(discard_piles), *(id for id in others if CARDS[id].deck in used.split())]
    hut = lying is not None and lying.kind is not CardKind.HIKE
    if phase is None:
        phase = Phase.OFFERING if hut else Phase.HIKING if lying else Phase.CHOOSING
    if offered is None:
        offered = [(turn + after) % seats for after in range(seats)] if hut else []
    return State(
        summit_books=books,
        phase=phase,
        turn=Seat(turn),
        card=lying,
        asked=asked,
        offered=tuple(Seat(seat) for seat in offered),
        hands=hands,
        displayed=displayed,
        draw_pile=rest if draw_pile is None else cast(tuple[Equipment, ...], tuple(draw_pile.split())),
        decks=_by_deck([*ids(tops), *(id for id in others if id not in gone)]),
        discard_piles=_by_deck(gone),
        stones=tuple(stones) or (FIRST_STONES,) * seats,
        stamps=tuple(stamps) or (0,) * seats,
    )


def equipment(text: str) -> tuple[Equipment, ...]:
    """Return the equipment that a text names, in the order of §1."""
    return in_order(cast(list[Equipment], text.split()))


def ids(text: str) -> tuple[HikingCardId, ...]:
    """Return the ids of hiking cards that a text names, in its order."""
    return tuple(hiking_card(word).id for word in text.split())


def hiking_card(id: str) -> HikingCard:
    """Return the hiking card of an id."""
    return CARDS[cast(HikingCardId, id)]


def _by_deck(cards: Sequence[HikingCardId]) -> tuple[tuple[HikingCardId, ...], ...]:
    return tuple(tuple(id for id in cards if CARDS[id].deck == deck) for deck in DECKS)
