"""Tables of Mount Drago as text, and Mount Drago's scenarios."""

from typing import cast

from domain.games.mount_drago import GAME
from domain.games.mount_drago.catalogue import CARDS, COLOURS, PACK, Card, Colour, in_order
from domain.games.mount_drago.commands import Command
from domain.games.mount_drago.events import CardsDrawn, Event
from domain.games.mount_drago.state import Phase, State
from domain.shared.seats import Seat
from domain.shared.tuples import without
from tests.support.games.scenarios import Scenarios

mount_drago: Scenarios[State, Command, Event] = Scenarios(GAME)


def table(
    text: str,
    *,
    dragons: str = "",
    points: tuple[int, ...] | None = None,
    draw_pile: str = "",
    discard_pile: str = "",
    spent: bool = False,
    turn: int = 0,
    phase: Phase = Phase.PLAY,
) -> State:
    """Return the table that lines of text show.

    Args:
        text: A line a seat: `open card / cards under it, top first | hand`. The parts after `/` and `|` may
            be left out with their signs.
        dragons: Where dragons stand, `black 2, blue 5`; the others stand on the start.
        points: Points of each seat, 0 if left out.
        draw_pile: The top of the draw pile. All cards not named lie under it, in the order of `PACK`.
        discard_pile: The discard pile, oldest first.
        spent: Whether the cards that are not named lie on the discard pile instead.
        turn: The seat on turn.
        phase: What its turn has come to.
    """
    lines = [line.partition("|") for line in text.strip().splitlines()]
    piles = [laid.partition("/") for laid, _, _ in lines]
    hands = tuple(in_order(cards(hand)) for _, _, hand in lines)
    open_cards = tuple(card for laid, _, _ in piles for card in cards(laid))
    under = tuple(cards(below) for _, _, below in piles)
    named = [
        *open_cards,
        *cards(draw_pile),
        *cards(discard_pile),
        *(card for part in (*hands, *under) for card in part),
    ]
    others = without(PACK, named)
    spaces = dict.fromkeys(COLOURS, 0)
    for place in filter(None, dragons.split(",")):
        colour, space = place.split()
        spaces[cast(Colour, colour)] = int(space)
    if len(open_cards) != len(lines) or len(spaces) != len(COLOURS):
        raise ValueError("each seat has one open card, and there are ten dragons")
    return State(
        hands=hands,
        open_cards=open_cards,
        under=under,
        dragons=tuple(spaces.values()),
        points=points or (0,) * len(lines),
        draw_pile=(*cards(draw_pile), *(() if spent else others)),
        discard_pile=(*cards(discard_pile), *(others if spent else ())),
        turn=Seat(turn),
        phase=phase,
        scoring=None,
    )


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text, parted by blanks, in its order."""
    named = tuple(cast(Card, word) for word in text.split())
    if unknown := [card for card in named if card not in CARDS]:
        raise ValueError(f"no such cards: {unknown}")
    return named


def drew(seat: int, text: str, *, next_seat: int) -> CardsDrawn:
    """Return the draw that ends a seat's turn, and whose turn comes next."""
    return CardsDrawn(Seat(seat), cards(text), Seat(next_seat), Phase.PLAY)


RIDING = """
    red-1 | blue-1 black-1 black-1 red-2 green-4 white-3
    blue-2 | red-1
"""
"""Ann rides red, Ben blue."""

SPACES = "blue 4, brown 3, black 4, red 2, yellow 3, green 3, white 2, light_blue 7, purple 9, orange 3"
"""All are under way; red and white are last. No card in hand brings a scoring."""


def riding(spaces: str = SPACES) -> State:
    """Return a table at which Ann is to play, and draws an orange 1 then."""
    return table(RIDING, dragons=spaces, draw_pile="orange-1 orange-2")
