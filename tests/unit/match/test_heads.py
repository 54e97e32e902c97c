"""Heads: what is signed and published of finished matches."""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from domain.match.heads import Day, Head, day_of, included, signed_day, signed_head
from domain.shared.chain import written
from domain.shared.merkle import root

HEAD = Head(match="match_01j", version=41, head="A" * 43)
HEADS = [Head(match=f"match_{number}", version=number + 3, head=str(number)) for number in range(5)]


def test_a_head_is_signed_with_its_match_and_version() -> None:
    """As canonical JSON with a tag, so that it can be nothing else that the server signs."""
    assert signed_head(HEAD) == (
        b'{"head":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","match":"match_01j",'
        b'"tag":"montane/head/1","version":41}'
    )


def test_a_day_is_signed_with_its_size_and_root() -> None:
    """As canonical JSON with a tag of its own."""
    day = Day(date="2026-11-30", size=2, root="B")
    assert signed_day(day) == b'{"date":"2026-11-30","root":"B","size":2,"tag":"montane/day/1"}'


def test_heads_are_leaves_in_the_order_of_their_matches() -> None:
    """Anyone who has the heads of a day builds the same tree; its leaves are canonical JSON."""
    day, ordered = day_of("2026-11-30", reversed(HEADS))
    assert day_of("2026-11-30", HEADS) == (day, ordered)
    assert [head.match for head, _ in ordered] == ["match_0", "match_1", "match_2", "match_3", "match_4"]
    leaves = [b'{"head":"%d","match":"match_%d","version":%d}' % (n, n, n + 3) for n in range(5)]
    assert day == Day(date="2026-11-30", size=5, root=written(root(leaves)))


def test_a_head_is_proved_to_be_among_those_of_its_day() -> None:
    """By its place and the neighbours on the way to the root."""
    day, ordered = day_of("2026-11-30", HEADS)
    assert [len(inclusion.path) for _, inclusion in ordered] == [3, 3, 3, 3, 1]
    assert all(included(head, inclusion, day) for head, inclusion in ordered)


def test_a_day_without_matches_has_a_root() -> None:
    """That of the empty tree, so that no day is silently left out (RFC 6962 §2.1)."""
    assert day_of("2026-11-30", ()) == (Day(date="2026-11-30", size=0, root=written(sha256().digest())), ())


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("head", {"match": "match_5"}),
        ("head", {"version": 4}),
        ("head", {"head": "B"}),
        ("inclusion", {"place": 1}),
        ("inclusion", {"place": 5}),
        ("inclusion", {"path": ()}),
        ("inclusion", {"path": ("?",)}),
        ("day", {"size": 4}),
        ("day", {"root": "A" * 43}),
    ],
)
def test_anything_else_is_not_among_them(what: str, change: dict[str, object]) -> None:
    """Another head, place, path, size or root."""
    day, ((head, inclusion), *_) = day_of("2026-11-30", HEADS)
    proof = {"head": head, "inclusion": inclusion, "day": day}
    altered = {**proof, what: replace(proof[what], **change)}
    assert not included(**altered)  # type: ignore[arg-type]
