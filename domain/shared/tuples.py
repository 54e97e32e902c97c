"""Piles, hands and other tuples of cards; the first card of a pile is the top one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from domain.shared.chance import Chance


def draw[Card](pile: tuple[Card, ...], count: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the top `count` cards of a pile, or all it has, and what is left of it."""
    return pile[:count], pile[count:]


def deal[Card](
    pile: tuple[Card, ...], sizes: Iterable[int]
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """Return piles of these sizes, one after another off the top of a pile, and what is left (common §4)."""
    dealt = []
    for size in sizes:
        drawn, pile = draw(pile, size)
        dealt.append(drawn)
    return tuple(dealt), pile


def mixed[Card](piles: Sequence[tuple[Card, ...]], chance: Chance) -> tuple[tuple[Card, ...], ...]:
    """Return piles of the same sizes, dealt from all their cards shuffled together."""
    dealt, _ = deal(chance.shuffle(chain.from_iterable(piles)), map(len, piles))
    return dealt


def without[Card](cards: tuple[Card, ...], taken: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards less the taken ones, first matches first, the others in their order.

    Raises:
        ValueError: A taken card is not among them.
    """
    left = list(cards)
    for card in taken:
        left.remove(card)
    return tuple(left)


def put[Item](items: tuple[Item, ...], place: int, item: Item) -> tuple[Item, ...]:
    """Return the items with another one in a place."""
    return (*items[:place], item, *items[place + 1 :])


def has_all[Card](cards: tuple[Card, ...], wanted: Sequence[Card]) -> bool:
    """Return whether all wanted cards are there, alike ones as often (common §2)."""
    return all(cards.count(card) >= wanted.count(card) for card in wanted)


def selections[Card](cards: tuple[Card, ...]) -> Iterator[tuple[Card, ...]]:
    """Yield every choice of one or more of some sorted cards, alike choices once, in order (common §9)."""
    for place, card in enumerate(cards):
        if card not in cards[:place]:
            yield (card,)
            yield from ((card, *others) for others in selections(cards[place + 1 :]))


def sorter[Card](catalogue: Iterable[Card]) -> Callable[[Iterable[Card]], tuple[Card, ...]]:
    """Return what puts cards in the order of a catalogue's list (common §2, §9)."""
    place = {card: number for number, card in enumerate(catalogue)}.__getitem__
    return lambda cards: tuple(sorted(cards, key=place))
