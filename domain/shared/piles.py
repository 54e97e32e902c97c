"""Ordered piles of cards: tuples whose first card is the top one."""


def draw[Card](pile: tuple[Card, ...], count: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the top `count` cards of a pile, or all it has, and what is left of it."""
    return pile[:count], pile[count:]
