"""Merkle trees: against their recursive definition, and against published values."""

from hashlib import sha256

import pytest

from domain.shared.merkle import levels, path, root, root_of

LEAVES = [b"", b"\x00", b"\x10", b"\x20\x21", b"\x30\x31", b"@ABC", b"PQRSTUVW", b"`abcdefghijklmno"]
"""The leaves for which Certificate Transparency publishes roots."""
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33]


def leaves(count: int) -> list[bytes]:
    """Return so many different values."""
    return [b"leaf %d" % number for number in range(count)]


def slow_root(values: list[bytes]) -> bytes:
    """Return the root as RFC 6962 §2.1 defines it: split before the largest power of 2 below the size."""
    if not values:
        return sha256().digest()
    if len(values) == 1:
        return sha256(b"\x00" + values[0]).digest()
    half = 1 << (len(values) - 1).bit_length() - 1
    return sha256(b"\x01" + slow_root(values[:half]) + slow_root(values[half:])).digest()


def slow_path(values: list[bytes], place: int) -> list[bytes]:
    """Return the audit path as RFC 6962 §2.1.1 defines it."""
    if len(values) == 1:
        return []
    half = 1 << (len(values) - 1).bit_length() - 1
    if place < half:
        return [*slow_path(values[:half], place), slow_root(values[half:])]
    return [*slow_path(values[half:], place - half), slow_root(values[:half])]


@pytest.mark.parametrize("size", range(40))
def test_roots_are_those_of_the_definition(size: int) -> None:
    """Joining neighbours level by level is the tree of RFC 6962 §2.1."""
    assert root(leaves(size)) == slow_root(leaves(size))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ],
)
def test_roots_are_those_that_others_publish(size: int, expected: str) -> None:
    """The values of Certificate Transparency's own tests."""
    assert root(LEAVES[:size]).hex() == expected


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_is_proved(size: int) -> None:
    """The path of each leaf is that of RFC 6962 §2.1.1, and leads to the root."""
    values = leaves(size)
    built = levels(values)
    for place, value in enumerate(values):
        assert list(path(built, place)) == slow_path(values, place)
        assert root_of(value, place, size, path(built, place)) == root(values)


@pytest.mark.parametrize("size", SIZES)
def test_nothing_else_is_proved(size: int) -> None:
    """Another value or place, a path that is longer, shorter, altered or in another order leads elsewhere."""
    values = leaves(size)
    built, reached = levels(values), root(values)
    for place, value in enumerate(values):
        proof = path(built, place)
        assert root_of(b"other", place, size, proof) != reached
        assert root_of(value, place, size, (*proof, bytes(32))) is None
        assert all(root_of(value, other, size, proof) != reached for other in range(size) if other != place)
        if proof:
            assert root_of(value, place, size, proof[:-1]) is None
            assert root_of(value, place, size, (*proof[:-1], bytes(32))) != reached
        if len(proof) > 1:
            assert root_of(value, place, size, proof[::-1]) != reached


@pytest.mark.parametrize("place", [-1, 3, 4])
def test_there_is_no_leaf_outside_the_tree(place: int) -> None:
    """Leaves are numbered from 0 to below the size."""
    assert root_of(b"leaf 0", place, 3, ()) is None
    assert root_of(b"leaf 0", place, 0, ()) is None


def test_a_node_is_no_leaf() -> None:
    """Leaves and nodes are hashed after different bytes, so that one does not pass for the other."""
    (left, right), _ = levels(leaves(2))
    assert root_of(left + right, 0, 1, ()) != root(leaves(2))
