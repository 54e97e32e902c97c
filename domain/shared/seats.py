"""Places at the table, in turn order."""

from collections.abc import Iterable, Iterator
from typing import Literal, NewType

from domain.shared.chance import Chance

Seat = NewType("Seat", int)
"""A place at the table: 0 is first, numbers follow turn order (common §1)."""


def seats_in_order(count: int) -> tuple[Seat, ...]:
    """Return the seats of a table of `count`, in turn order."""
    return tuple(Seat(number) for number in range(count))


def by_seat[Item](items: Iterable[Item]) -> Iterator[tuple[Seat, Item]]:
    """Yield what there is one of a seat, each with its seat, in turn order."""
    return ((Seat(number), item) for number, item in enumerate(items))


def next_seat(seat: Seat, seats: int) -> Seat:
    """Return the seat that follows in turn order at a table of so many (common §1)."""
    return Seat((seat + 1) % seats)


type Beginner = Literal["random"] | int
"""Who begins: chance says, or a seat is named (common §1). A game's options say which seats may be."""


def fits(first: Beginner, seats: int) -> bool:
    """Return whether a table of so many seats has the one that is to begin; chance always finds one."""
    return first == "random" or first < seats


def chosen(first: Beginner, seats: int, chance: Chance) -> Seat:
    """Return the seat that begins at a table of so many (common §1)."""
    return Seat(chance.below(seats) if first == "random" else first)
