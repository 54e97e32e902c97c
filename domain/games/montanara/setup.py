"""The deal of Montanara (montanara §3)."""

from domain.games.montanara.catalogue import DEALT, SHUFFLED, Kind, Options, in_order
from domain.games.montanara.events import Dealt, Event
from domain.shared.chance import Chance
from domain.shared.seats import chosen
from domain.shared.tuples import deal


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: who begins, a dwarf and three cards a seat, the rest as mountains (§3)."""
    first_seat = chosen(options.first_seat, seats, chance)
    drawn, cards = deal(chance.shuffle(SHUFFLED), (DEALT,) * seats)
    hands = tuple(in_order((Kind.DWARF, *cards)) for cards in drawn)
    mountains, _ = deal(cards, options.piles)
    return (Dealt(first_seat, options.tunnel_order, hands, mountains),)
