"""Where two pieces of plain data differ: dictionaries, lists, words and numbers, as they are sent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

type Path = tuple[str | int, ...]
"""The names and places that lead to a part of plain data."""

ABSENT = "-"
"""What stands for a part that is not there."""


class Difference(NamedTuple):
    """A part in which two pieces of plain data differ, and what it is in each."""

    path: Path
    one: Any
    other: Any


def plain(value: Any) -> Any:
    """Return a value as plain data."""
    return msgspec.json.decode(msgspec.json.encode(value))


def differences(one: Any, other: Any, *, items: bool = False, path: Path = ()) -> Iterator[Difference]:
    """Yield the smallest parts in which two pieces of plain data differ, in their order.

    Args:
        one: Plain data.
        other: Plain data.
        items: Whether the items of two equally long lists of words and numbers are parts of their own; else
            such a list is one part.
        path: Where both stand in something larger.
    """
    if one == other:
        return
    if type(one) is type(other) is dict:
        for name in one | other:
            yield from differences(
                one.get(name, ABSENT), other.get(name, ABSENT), items=items, path=(*path, name)
            )
    elif type(one) is type(other) is list and len(one) == len(other) and (items or not _flat(one, other)):
        for place, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from differences(first, second, items=items, path=(*path, place))
    else:
        yield Difference(path, one, other)


def part(data: Any, path: Path) -> Any:
    """Return what a path leads to, or what stands for nothing where it leads nowhere."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return data


def scalars(data: Any) -> Iterator[Any]:
    """Yield every word and number within plain data."""
    if isinstance(data, dict):
        for inner in data.values():
            yield from scalars(inner)
    elif isinstance(data, list):
        for inner in data:
            yield from scalars(inner)
    else:
        yield data


def written(path: Path) -> str:
    """Return a path as text, `hands.2.0`."""
    return ".".join(map(str, path))


def of_any(path: Path) -> Path:
    """Return a path without the numbers in it, the same for alike parts of a list."""
    return tuple(step for step in path if isinstance(step, str))


def _flat(one: list[Any], other: list[Any]) -> bool:
    return not any(isinstance(item, dict | list) for item in (*one, *other))
