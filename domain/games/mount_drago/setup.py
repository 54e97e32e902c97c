"""The deal of Mount Drago (mount_drago §3)."""

from domain.games.mount_drago.catalogue import DRAGONS, HAND, PACK, Card, Options, in_order
from domain.games.mount_drago.events import Dealt, Event
from domain.shared.chance import Chance
from domain.shared.seats import chosen
from domain.shared.tuples import deal, without


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: who begins, an open card for each seat, the hands and the draw pile (§3.2).

    The open cards are drawn first, each from all cards of the colours that nobody has yet; the rest is
    shuffled (R1).
    """
    first_seat = chosen(options.first_seat, seats, chance)
    open_cards: tuple[Card, ...] = ()
    choice = PACK
    for _ in range(seats):
        card = choice[chance.below(len(choice))]
        open_cards += (card,)
        choice = tuple(other for other in choice if DRAGONS[other] != DRAGONS[card])
    hands, pile = deal(chance.shuffle(without(PACK, open_cards)), (HAND,) * seats)
    return (Dealt(first_seat, open_cards, tuple(map(in_order, hands)), pile),)
