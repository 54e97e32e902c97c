"""The deal of Montmartre (montmartre §3)."""

from domain.games.montmartre.catalogue import HAND, PACK, PILES, Card, Options, in_order
from domain.games.montmartre.events import Dealt, Event
from domain.shared.chance import Chance
from domain.shared.seats import chosen
from domain.shared.tuples import deal


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: who begins, four cards a seat, the rest in three piles (§3.1)."""
    first_seat = chosen(options.first_seat, seats, chance)
    hands, cards = deal(chance.shuffle(PACK), (HAND,) * seats)
    return (Dealt(first_seat, tuple(map(in_order, hands)), laid(cards)),)


def laid(cards: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    """Return three piles as equal as possible, the larger first (§3.1, R12)."""
    size, larger = divmod(len(cards), PILES)
    piles, _ = deal(cards, (size + (number < larger) for number in range(PILES)))
    return piles
