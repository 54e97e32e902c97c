"""Places at the table, in turn order."""

from typing import NewType

Seat = NewType("Seat", int)
"""A place at the table: 0 is first, numbers follow turn order (common §1)."""


def seats_in_order(count: int) -> tuple[Seat, ...]:
    """Return the seats of a table of `count`, in turn order."""
    return tuple(Seat(number) for number in range(count))
