"""Lists that are given in parts."""

from msgspec import Struct


class Page[Item](Struct, frozen=True):
    """A part of a list.

    Attributes:
        items: In the list's order.
        next: Where the following page begins; None behind the last one.
    """

    items: tuple[Item, ...]
    next: str | None
