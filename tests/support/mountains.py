"""Tables of Mountains as text, and Mountains' scenarios."""

from collections.abc import Sequence
from typing import cast

from domain.mountains import GAME
from domain.mountains.catalogue import (
    CARDS,
    DECKS,
    FIRST_STONES,
    HIKING_CARDS,
    PACK,
    CardKind,
    Equipment,
    SummitBooks,
    in_order,
)
from domain.mountains.commands import Command
from domain.mountains.events import Event
from domain.mountains.state import Phase, State
from domain.shared.piles import without
from domain.shared.seats import Seat
from tests.support.scenarios import Scenarios

mountains: Scenarios[State, Command, Event] = Scenarios(GAME)

ANN, BEN, CAM, DAN, EVE = (Seat(number) for number in range(5))


def table(
    *places: str,
    turn: int = 0,
    card: str = "",
    asked: bool = False,
    offered: Sequence[int] | None = None,
    phase: Phase | None = None,
    stones: Sequence[int] = (),
    stamps: Sequence[int] = (),
    pile: str | None = None,
    tops: str = "",
    discarded: str = "",
    used: str = "",
    books: SummitBooks = SummitBooks.SECRET,
) -> State:
    """Return the table that a few words show.

    Args:
        places: One a seat: its equipment parted by blanks, behind a slash what it has on display:
            `rope mug / boots`.
        turn: The seat on turn.
        card: Id of the hiking card that lies face up.
        asked: Whether a question was asked.
        offered: Seats that the hut is still to be offered to; all, from the seat on turn, if it is left out.
        phase: As the card has it, if it is left out.
        stones: One a seat; 8 each if they are left out.
        stamps: One a seat; none if they are left out.
        pile: The equipment draw pile, top first; all that nobody has, in the order of §1, if it is left out.
        tops: Ids of hiking cards that lie on top of their decks; below come the others in the order of §9.
        discarded: Ids of hiking cards on their discard piles, oldest first.
        used: Decks whose other cards are all discarded, in the order of §9.
        books: Whether the others may see a seat's stamps.
    """
    seats = len(places)
    halves = [place.partition("/") for place in places]
    hands = tuple(equipment(hand) for hand, _, _ in halves)
    displayed = tuple(equipment(shown) for _, _, shown in halves)
    rest = without(PACK, (piece for pieces in (*hands, *displayed) for piece in pieces))
    named = [*tops.split(), *discarded.split(), *([card] if card else [])]
    others = [other.id for other in HIKING_CARDS if other.id not in named]
    gone = [*discarded.split(), *(id for id in others if CARDS[id].deck in used.split())]
    hut = bool(card) and CARDS[card].kind is not CardKind.HIKE
    if phase is None:
        phase = Phase.OFFERING if hut else Phase.HIKING if card else Phase.CHOOSING
    if offered is None:
        offered = [(turn + after) % seats for after in range(seats)] if hut else []
    return State(
        summit_books=books,
        phase=phase,
        turn=Seat(turn),
        card=CARDS[card] if card else None,
        asked=asked,
        offered=tuple(Seat(seat) for seat in offered),
        hands=hands,
        displayed=displayed,
        pile=rest if pile is None else cast(tuple[Equipment, ...], tuple(pile.split())),
        decks=_by_deck([*tops.split(), *(id for id in others if id not in gone)]),
        discards=_by_deck(gone),
        stones=tuple(stones) or (FIRST_STONES,) * seats,
        stamps=tuple(stamps) or (0,) * seats,
    )


def equipment(text: str) -> tuple[Equipment, ...]:
    """Return the equipment that a text names, in the order of §1."""
    return in_order(cast(list[Equipment], text.split()))


def _by_deck(ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(id for id in ids if CARDS[id].deck == deck) for deck in DECKS)
