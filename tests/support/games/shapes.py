"""What the values of a type look like: their order, all of them, some at random, near misses.

Read from the annotations of structs as the domain writes them, so that a game's commands and options can be
made up, and its moves put in order (common §9), without knowing the game.
"""

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from math import inf, prod
from random import Random
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    Protocol,
    TypeAliasType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Meta, Struct

FAR = 12
"""How far from zero a number without bounds is at most; a list without one has half as many items."""


class Shape(Protocol):
    """How the values of a type are made and ordered."""

    @property
    def size(self) -> float:
        """Return how many values there are, or infinity."""

    def order(self, value: Any) -> Any:
        """Return what a value is sorted by (common §9)."""

    def values(self) -> Iterator[Any]:
        """Yield all values in their order; asked for only if `size` is finite."""

    def sample(self, dice: Random) -> Any:
        """Return any value."""

    def near(self, value: Any, dice: Random) -> Any:
        """Return a value that differs little from a value, or not at all."""


@dataclass(frozen=True)
class Words:
    """One of some words, names or truth values, in the order in which they are declared."""

    words: tuple[Any, ...]

    @property
    def size(self) -> float:
        """Return how many there are."""
        return len(self.words)

    def order(self, value: Any) -> Any:
        """Return the place of the word."""
        return self.words.index(value)

    def values(self) -> Iterator[Any]:
        """Yield the words."""
        yield from self.words

    def sample(self, dice: Random) -> Any:
        """Return any word."""
        return dice.choice(self.words)

    def near(self, value: Any, dice: Random) -> Any:
        """Return any word."""
        return self.sample(dice)


@dataclass(frozen=True)
class Number:
    """A whole number between two bounds, both among them."""

    lowest: int | None
    highest: int | None

    @property
    def size(self) -> float:
        """Return how many there are."""
        return inf if self.lowest is None or self.highest is None else self.highest - self.lowest + 1

    def order(self, value: Any) -> Any:
        """Return the number: they rise."""
        return value

    def values(self) -> Iterator[Any]:
        """Yield the numbers, rising."""
        yield from range(self.lowest or 0, (self.highest or 0) + 1)

    def sample(self, dice: Random) -> Any:
        """Return any number."""
        lowest = -FAR if self.lowest is None else self.lowest
        return dice.randint(lowest, lowest + 2 * FAR if self.highest is None else self.highest)

    def near(self, value: Any, dice: Random) -> Any:
        """Return the number before or behind, where that is a value."""
        other = value + dice.choice((-1, 1))
        below = self.lowest is not None and other < self.lowest
        return value if below or (self.highest is not None and other > self.highest) else other


@dataclass(frozen=True)
class Maybe:
    """A value or None; None comes first."""

    inner: Shape

    @property
    def size(self) -> float:
        """Return how many there are, None among them."""
        return self.inner.size + 1

    def order(self, value: Any) -> Any:
        """Return what the value is sorted by, after None."""
        return () if value is None else (self.inner.order(value),)

    def values(self) -> Iterator[Any]:
        """Yield None and all values."""
        yield None
        yield from self.inner.values()

    def sample(self, dice: Random) -> Any:
        """Return None, or as often any value."""
        return dice.choice((None, self.inner.sample(dice)))

    def near(self, value: Any, dice: Random) -> Any:
        """Return None or something near the value."""
        if value is None:
            return self.inner.sample(dice)
        return dice.choice((None, self.inner.near(value, dice)))


@dataclass(frozen=True)
class List:
    """Values in a row; a list comes before those that continue it."""

    inner: Shape
    shortest: int
    longest: int | None

    @property
    def size(self) -> float:
        """Return how many lists there are."""
        if self.longest is None:
            return inf
        return sum(self.inner.size**length for length in range(self.shortest, self.longest + 1))

    def order(self, value: Any) -> Any:
        """Return what the items are sorted by."""
        return tuple(map(self.inner.order, value))

    def values(self) -> Iterator[Any]:
        """Yield all lists in their order."""
        lists = (
            items
            for length in range(self.shortest, (self.longest or 0) + 1)
            for items in product(tuple(self.inner.values()), repeat=length)
        )
        yield from sorted(lists, key=self.order)

    def sample(self, dice: Random) -> Any:
        """Return a list of any length."""
        length = dice.randint(self.shortest, max(self.shortest, self._most))
        return tuple(self.inner.sample(dice) for _ in range(length))

    def near(self, value: Any, dice: Random) -> Any:
        """Return the list with an item more, less or another, or in another order."""
        items = list(value)
        spot = dice.randrange(len(items) + 1)
        match dice.choice(("more", "less", "other", "mixed")):
            case "more" if len(items) < self._most:
                items.insert(spot, self.inner.sample(dice))
            case "less" if len(items) > self.shortest:
                del items[min(spot, len(items) - 1)]
            case "other" if items:
                items[spot - 1] = self.inner.near(items[spot - 1], dice)
            case _:
                dice.shuffle(items)
        return tuple(items)

    def part_of(self, items: Iterable[Any], dice: Random) -> Any:
        """Return some of the items, as many as a list may have, in any order."""
        given = list(items)
        most = min(len(given), self._most)
        return tuple(dice.sample(given, dice.randint(min(self.shortest, most), most)))

    @property
    def _most(self) -> int:
        return FAR // 2 if self.longest is None else self.longest


@dataclass(frozen=True)
class Fields:
    """A struct, or, without names, a tuple of so many values; ordered by its first difference."""

    make: Any
    names: tuple[str, ...] | None
    shapes: tuple[Shape, ...]

    @property
    def size(self) -> float:
        """Return how many combinations there are."""
        return prod(shape.size for shape in self.shapes)

    def order(self, value: Any) -> Any:
        """Return what each field is sorted by."""
        return tuple(shape.order(part) for shape, part in zip(self.shapes, self._parts(value), strict=True))

    def values(self) -> Iterator[Any]:
        """Yield all combinations in their order."""
        for parts in product(*(tuple(shape.values()) for shape in self.shapes)):
            yield self.make(*parts)

    def sample(self, dice: Random) -> Any:
        """Return any combination."""
        return self.make(*(shape.sample(dice) for shape in self.shapes))

    def near(self, value: Any, dice: Random) -> Any:
        """Return the value with one field changed; a value without fields stays as it is."""
        parts = list(self._parts(value))
        if parts:
            spot = dice.randrange(len(parts))
            parts[spot] = self.shapes[spot].near(parts[spot], dice)
        return self.make(*parts)

    def _parts(self, value: Any) -> tuple[Any, ...]:
        return value if self.names is None else tuple(getattr(value, name) for name in self.names)


def shape_of(hint: Any) -> Shape:
    """Return the shape of an annotation.

    Raises:
        TypeError: Values of this kind cannot be made up.
    """
    return _known_shape(hint)


@cache
def _known_shape(hint: Any) -> Shape:
    return _shape(hint, Meta())


def shapes_of(kind: type[Struct]) -> dict[str, Shape]:
    """Return the shapes of a struct type's fields, by their names."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: shape_of(hints[name]) for name in kind.__struct_fields__}


def orders(kinds: tuple[type[Struct], ...]) -> Any:
    """Return what structs of several types are sorted by: the place of their type, then their fields."""
    known = {kind: (place, shape_of(kind)) for place, kind in enumerate(kinds)}

    def order(value: Any) -> Any:
        place, shape = known[type(value)]
        return place, shape.order(value)

    return order


def made_up(kind: type[Struct], dice: Random, enough: int, near: Iterable[Any] = ()) -> tuple[Any, ...]:
    """Return values of a struct type: all of them if they are not more than enough, else a mixture.

    Args:
        kind: The struct type.
        dice: What chooses.
        enough: How many values are wanted.
        near: Values of the type; half of the mixture lies close to them.
    """
    shape = shape_of(kind)
    if shape.size <= enough:
        return tuple(shape.values())
    given = tuple(near)
    close = tuple(shape.near(dice.choice(given), dice) for _ in range(enough // 2 if given else 0))
    return close + tuple(shape.sample(dice) for _ in range(enough - len(close)))


def lists_within(value: Any, words: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield every list within plain data that holds nothing but these words."""
    known = set(words)
    if isinstance(value, dict):
        for inner in value.values():
            yield from lists_within(inner, known)
    elif isinstance(value, list):
        if value and all(isinstance(item, str) and item in known for item in value):
            yield value
        for inner in value:
            yield from lists_within(inner, known)


def _shape(hint: Any, meta: Meta) -> Shape:
    """Return the shape of an annotation of which this much is known."""
    if isinstance(hint, TypeAliasType):
        return _shape(hint.__value__, meta)
    if isinstance(hint, NewType):
        return _shape(hint.__supertype__, meta)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        known = next((note for note in arguments[1:] if isinstance(note, Meta)), meta)
        return _shape(arguments[0], known)
    if origin is Literal:
        return Words(arguments)
    if origin in (Union, types.UnionType):
        (inner,) = (kind for kind in arguments if kind is not type(None))
        return Maybe(_shape(inner, meta))
    if origin is tuple and arguments[-1] is ...:
        return List(_shape(arguments[0], Meta()), meta.min_length or 0, meta.max_length)
    if origin is tuple:
        return Fields(lambda *parts: parts, None, tuple(_shape(inner, Meta()) for inner in arguments))
    if hint is bool:
        return Words((False, True))
    if hint is int:
        return Number(meta.ge, meta.le)  # type: ignore[arg-type]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Words(tuple(hint))
    if isinstance(hint, type) and issubclass(hint, Struct):
        hints = get_type_hints(hint, include_extras=True)
        fields = hint.__struct_fields__
        return Fields(hint, fields, tuple(_shape(hints[name], Meta()) for name in fields))
    raise TypeError(f"no values of {hint} can be made up")
