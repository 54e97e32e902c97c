"""Merkle trees as in RFC 6962 §2.1: many values under one hash, and short proofs that one is among them.

The hash of a leaf is SHA-256 of a byte 0 and the value, that of a node SHA-256 of a byte 1 and the hashes of
its two children. Neighbours are joined level by level; the last of a level moves up as it is if it has none.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

_LEAF = b"\0"
_NODE = b"\1"

type Level = tuple[bytes, ...]
"""The hashes of one level of a tree, from left to right."""


def levels(leaves: Sequence[bytes]) -> tuple[Level, ...]:
    """Return the levels of the tree over these values, from the leaves to the root alone.

    Args:
        leaves: The values, in their order.
    """
    level = tuple(sha256(_LEAF + leaf).digest() for leaf in leaves)
    built = [level]
    while len(level) > 1:
        level = tuple(
            _joined(level[place], level[place + 1]) if place + 1 < len(level) else level[place]
            for place in range(0, len(level), 2)
        )
        built.append(level)
    return tuple(built)


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the hash over these values, in their order; that of nothing if there are none."""
    return top(levels(leaves))


def top(built: Sequence[Level]) -> bytes:
    """Return the hash over a tree with these levels."""
    return built[-1][0] if built[-1] else sha256().digest()


def path(built: Sequence[Level], place: int) -> tuple[bytes, ...]:
    """Return what proves that a leaf is in a tree: the neighbours on the way from it to the root.

    Args:
        built: The levels of the tree.
        place: Which leaf, from 0.
    """
    return tuple(built[level][neighbour] for level, neighbour in neighbours(place, len(built[0])))


def neighbours(place: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the level and the place there of each neighbour on the way from a leaf to the root.

    Args:
        place: Which leaf, from 0.
        size: How many leaves the tree has.
    """
    level = 0
    while size > 1:
        if place ^ 1 < size:
            yield level, place ^ 1
        level, place, size = level + 1, place // 2, (size + 1) // 2


def root_of(leaf: bytes, place: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root of the tree that has a value at a place, by the proof of it; None if it is no proof.

    Args:
        leaf: The value.
        place: Which leaf it is, from 0.
        size: How many leaves the tree has.
        path: The neighbours on the way from the leaf to the root.
    """
    if not 0 <= place < size:
        return None
    reached, rest = sha256(_LEAF + leaf).digest(), list(reversed(path))
    for _, where in neighbours(place, size):
        if not rest:
            return None
        neighbour = rest.pop()
        reached = _joined(reached, neighbour) if where % 2 else _joined(neighbour, reached)
    return None if rest else reached


def _joined(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()
