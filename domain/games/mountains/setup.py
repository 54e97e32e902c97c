"""The deal of Mountains (mountains §3)."""

from domain.games.mountains.catalogue import (
    DECKS,
    FIRST_STONES,
    HAND_SIZES,
    HIKING_CARDS,
    PACK,
    Options,
    in_order,
)
from domain.games.mountains.events import Dealt, Event
from domain.shared.chance import Chance
from domain.shared.seats import chosen
from domain.shared.tuples import deal


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: who begins, the decks in their order, then the equipment (§3.1, §3.2)."""
    first_seat = chosen(options.first_seat, seats, chance)
    decks = tuple(chance.shuffle(card.id for card in HIKING_CARDS if card.deck == deck) for deck in DECKS)
    hands, draw_pile = deal(chance.shuffle(PACK), (HAND_SIZES[seats],) * seats)
    dealt = tuple(map(in_order, hands))
    return (Dealt(first_seat, options.summit_books, FIRST_STONES, dealt, draw_pile, decks),)
