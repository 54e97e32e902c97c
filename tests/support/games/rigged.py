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


class StackedChance:
    """Chance for packs with alike cards: shuffles give an order card by card, draws give wanted numbers."""

    def __init__(self, order: Iterable[object] = (), numbers: Iterable[int] = ()) -> None:
        """Take what is wanted.

        Args:
            order: The items that are shuffled, as they shall come; those that are not named come last.
            numbers: What the draws give, one after another; 0 when there are no more.
        """
        self._order = tuple(order)
        self._numbers = iter(numbers)

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in the wanted order."""
        left: list[Item] = list(items)
        first = [left.pop(left.index(wanted)) for wanted in self._order if wanted in left]
        return (*first, *left)

    def below(self, bound: int) -> int:
        """Return the next wanted number."""
        return next(self._numbers, 0)
