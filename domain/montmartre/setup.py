"""The deal of Montmartre (montmartre §3)."""

from domain.montmartre.catalogue import HAND, PACK, PILES, Card, Options
from domain.montmartre.events import Dealt, DealtHand, DealtPile, Event
from domain.shared.chance import Chance
from domain.shared.piles import draw
from domain.shared.seats import chosen


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: four cards a seat, the rest in three piles (§3.1)."""
    first_seat = chosen(options.first_seat, seats, chance)
    cards = chance.shuffle(PACK)
    hands = []
    for _ in range(seats):
        hand, cards = draw(cards, HAND)
        hands.append(DealtHand(tuple(sorted(hand))))
    return (Dealt(first_seat, tuple(hands), laid(cards)),)


def laid(cards: tuple[Card, ...]) -> tuple[DealtPile, ...]:
    """Return three piles as equal as possible, the larger first (§3.1, R12)."""
    piles = []
    for number in range(PILES):
        rest = PILES - number
        pile, cards = draw(cards, -(-len(cards) // rest))
        piles.append(DealtPile(pile))
    return tuple(piles)
