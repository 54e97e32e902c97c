"""The deal of Montanara (montanara §3)."""

from domain.montanara.catalogue import DEALT, SHUFFLED, Kind, Options, in_order
from domain.montanara.events import Dealt, Event
from domain.shared.chance import Chance
from domain.shared.piles import draw
from domain.shared.seats import chosen


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: a dwarf and three cards for each seat, the others as four mountains (§3)."""
    first_seat = chosen(options.first_seat, seats, chance)
    cards = chance.shuffle(SHUFFLED)
    hands: list[tuple[Kind, ...]] = []
    for _ in range(seats):
        drawn, cards = draw(cards, DEALT)
        hands.append(in_order((Kind.DWARF, *drawn)))
    mountains: list[tuple[Kind, ...]] = []
    for size in options.piles:
        mountain, cards = draw(cards, size)
        mountains.append(mountain)
    return (Dealt(first_seat, options.tunnel_order, tuple(hands), tuple(mountains)),)
