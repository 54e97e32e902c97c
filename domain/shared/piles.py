"""Ordered piles of cards: tuples whose first card is the top one."""

from collections.abc import Iterable


def draw[Card](pile: tuple[Card, ...], count: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the top `count` cards of a pile, or all it has, and what is left of it."""
    return pile[:count], pile[count:]


def without[Card](cards: tuple[Card, ...], taken: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards less the taken ones, first matches first, the others in their order.

    Raises:
        ValueError: A taken card is not among them.
    """
    left = list(cards)
    for card in taken:
        left.remove(card)
    return tuple(left)
