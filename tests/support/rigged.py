"""Chance that gives what a test wants."""

from collections.abc import Iterable


class RiggedChance:
    """Chance whose every shuffle gives a wanted order, and whose every draw gives 0."""

    def __init__(self, order: Iterable[object]) -> None:
        """Take the order: the items that are shuffled, as they shall come."""
        self._order = tuple(order)

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in the wanted order."""
        given = list(items)
        return tuple(sorted(given, key=self._order.index))

    def below(self, bound: int) -> int:
        """Return 0."""
        return 0
