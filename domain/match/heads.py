"""Heads: the hash of a match's last event, which stands for all of them, as it is signed and published.

What is signed is canonical JSON (`domain.shared.canonical`) with a tag that says what it is.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from domain.shared.canonical import canonical
from domain.shared.chain import read, written
from domain.shared.merkle import Level, levels, path, root_of, top


class Head(Struct, frozen=True, kw_only=True, order=True):
    """The end of a match's chain.

    Attributes:
        match: The match's id.
        version: How many events it has.
        head: Hash of the last of them.
    """

    match: str
    version: int
    head: str


class Inclusion(Struct, frozen=True, kw_only=True):
    """What proves that a match is among those of its day.

    Attributes:
        place: Which leaf of the day's tree its head is, from 0.
        path: The neighbours on the way from the leaf to the root, in base64url.
    """

    place: int
    path: tuple[str, ...]


class Day(Struct, frozen=True, kw_only=True):
    """All matches that finished on a day, under one hash.

    Attributes:
        date: The day, UTC, as `2026-11-30`.
        size: How many matches finished on it.
        root: Root of the Merkle tree over their heads in the order of their ids, in base64url.
    """

    date: str
    size: int
    root: str


def day_of(date: str, heads: Iterable[Head]) -> tuple[Day, tuple[tuple[Head, Inclusion], ...]]:
    """Return a day, and its heads in the order of their matches, each with the proof of being among them."""
    ordered = sorted(heads)
    built = tree(ordered)
    return day_over(date, built), tuple(
        (head, Inclusion(place=place, path=tuple(map(written, path(built, place)))))
        for place, head in enumerate(ordered)
    )


def tree(heads: Sequence[Head]) -> tuple[Level, ...]:
    """Return the levels of the Merkle tree over heads that stand in the order of their matches."""
    return levels([canonical(head) for head in heads])


def day_over(date: str, built: Sequence[Level]) -> Day:
    """Return the day whose tree has these levels."""
    return Day(date=date, size=len(built[0]), root=written(top(built)))


def included(head: Head, inclusion: Inclusion, day: Day) -> bool:
    """Return whether a head is proved to be among those of a day."""
    try:
        neighbours = tuple(map(read, inclusion.path))
    except ValueError:
        return False
    reached = root_of(canonical(head), inclusion.place, day.size, neighbours)
    return reached is not None and written(reached) == day.root


def signed_head(head: Head) -> bytes:
    """Return what is signed of a finished match."""
    return canonical(
        {"head": head.head, "match": head.match, "tag": "montane/head/1", "version": head.version}
    )


def signed_day(day: Day) -> bytes:
    """Return what is signed of a day."""
    return canonical({"date": day.date, "root": day.root, "size": day.size, "tag": "montane/day/1"})
