"""The deal of High Card (high_card §3)."""

from domain.shared.chance import Chance
from domain.shared.seats import chosen
from domain.shared.tuples import deal

from .catalogue import CARDS, HAND, Options, in_order
from .events import Dealt, Event


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: who begins, three cards a seat, the rest as the stock (§3)."""
    first_seat = chosen(options.first_seat, seats, chance)
    hands, stock = deal(chance.shuffle(CARDS), (HAND,) * seats)
    return (Dealt(first_seat, tuple(map(in_order, hands)), stock),)
