"""Chance: the generator montane/chance/1, against another implementation of it and against fixed values."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice, permutations
from string import ascii_uppercase

import pytest

from domain.shared.chance import GENERATOR, ByteStream, SeededChance, decision_chance, seed_commitment

KEY = bytes(range(32))


def slow_bytes(key: bytes, context: str) -> Iterator[int]:
    """Yield the bytes of a stream, as the description of the generator has them."""
    for counter in count():
        yield from hmac.new(key, context.encode() + counter.to_bytes(8, "big"), hashlib.sha256).digest()


def slow_below(stream: Iterator[int], bound: int) -> int:
    """Return the next number below a bound from a stream of bytes, bit by bit."""
    bits = len(f"{bound - 1:b}") if bound > 1 else 0
    while True:
        drawn = "".join(f"{byte:08b}" for byte in islice(stream, -(-bits // 8)))
        number = int(drawn[len(drawn) - bits :] or "0", 2)
        if number < bound:
            return number


def slow_shuffle(stream: Iterator[int], items: Sequence[object]) -> tuple[object, ...]:
    """Return the items shuffled: each place from the last on takes one of those not yet placed."""
    rest = list(items)
    placed: list[object] = []
    while rest:
        other = slow_below(stream, len(rest)) if len(rest) > 1 else 0
        last = rest.pop()
        if other < len(rest):
            rest[other], last = last, rest[other]
        placed.insert(0, last)
    return tuple(placed)


def test_the_generator_has_a_name() -> None:
    """Its version is part of every context, so that a change of it is a new name (DESIGN 3)."""
    assert GENERATOR == "montane/chance/1"


def test_a_stream_is_blocks_of_hmac_sha256() -> None:
    """Block n is HMAC-SHA-256 of context and n as 8 bytes, joined without a separator (DESIGN 3)."""
    assert ByteStream(KEY, b"ctx").take(40).hex() == (
        "16d50ae27ac3fe43c07aa9e6a8e95a06a948b60a2fc0aadd1f1afe9dc3d3177e35ddf3ad413cd238"
    )


@pytest.mark.parametrize("sizes", [(1,) * 100, (3,) * 40, (100,), (31, 1, 32, 33), (0, 64, 0, 7)])
def test_a_stream_may_be_taken_in_any_pieces(sizes: tuple[int, ...]) -> None:
    """No byte is skipped or given twice where a piece crosses the end of a block (DESIGN 3)."""
    stream = ByteStream(KEY, b"pieces")
    taken = b"".join(stream.take(size) for size in sizes)
    assert taken == bytes(islice(slow_bytes(KEY, "pieces"), sum(sizes)))


def test_numbers_below_a_bound() -> None:
    """As many bytes as bound - 1 needs, big-endian, masked, drawn again if too large (DESIGN 3)."""
    stream = ByteStream(KEY, b"ctx")
    bounds = (1, 2, 10, 52, 256, 257, 65536, 65537, 2**32)
    assert [stream.below(bound) for bound in bounds] == [0, 0, 5, 10, 226, 195, 65091, 31401, 3869829466]


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 52, 256, 257, 1000, 65536, 65537])
def test_numbers_agree_with_the_other_implementation(bound: int) -> None:
    """Number by number, and with as many bytes taken from the stream (DESIGN 3)."""
    stream, slow = ByteStream(KEY, b"numbers"), slow_bytes(KEY, "numbers")
    assert [stream.below(bound) for _ in range(100)] == [slow_below(slow, bound) for _ in range(100)]
    assert stream.take(8) == bytes(islice(slow, 8))


@pytest.mark.parametrize(("bound", "size"), [(1, 0), (2, 1), (256, 1), (512, 2), (65536, 2), (131072, 3)])
def test_a_number_takes_as_many_bytes_as_the_largest_needs(bound: int, size: int) -> None:
    """Below 1 takes none, to 256 one, above two; a power of 2 is never drawn again (DESIGN 3)."""
    stream = ByteStream(KEY, b"size")
    stream.below(bound)
    assert stream.take(8) == ByteStream(KEY, b"size").take(size + 8)[size:]


@pytest.mark.parametrize("bound", [0, -1])
def test_no_number_is_below_zero_or_less(bound: int) -> None:
    """A bound below 1 is a bug of the asker."""
    with pytest.raises(ValueError, match="no number is below"):
        ByteStream(KEY, b"ctx").below(bound)


def test_a_shuffle_goes_from_the_last_index_down_to_1() -> None:
    """Fisher-Yates, as fixed values (DESIGN 3)."""
    assert ByteStream(KEY, b"ctx").shuffle(range(10)) == (1, 4, 0, 8, 3, 9, 7, 2, 5, 6)


@pytest.mark.parametrize("size", [0, 1, 2, 13, 52, 256, 300])
def test_shuffles_agree_with_the_other_implementation(size: int) -> None:
    """Any number of items, more than a byte can number among them (DESIGN 3)."""
    expected = slow_shuffle(slow_bytes(KEY, f"shuffle {size}"), range(size))
    assert ByteStream(KEY, f"shuffle {size}".encode()).shuffle(range(size)) == expected


def test_each_shuffle_or_draw_has_its_own_stream() -> None:
    """The n-th of a decision has the context with /n and takes nothing from the others (DESIGN 3)."""
    chance = SeededChance(KEY, "ctx")
    letters = ascii_uppercase[:5]
    assert chance.shuffle(letters) == ("B", "D", "C", "E", "A")
    assert (chance.below(100), chance.below(100)) == (40, 34)
    assert chance.shuffle(range(6)) == (3, 4, 5, 0, 2, 1)
    assert slow_shuffle(slow_bytes(KEY, "ctx/0"), letters) == ("B", "D", "C", "E", "A")
    assert slow_below(slow_bytes(KEY, "ctx/1"), 100) == 40
    assert slow_below(slow_bytes(KEY, "ctx/2"), 100) == 34
    assert slow_shuffle(slow_bytes(KEY, "ctx/3"), range(6)) == (3, 4, 5, 0, 2, 1)


def test_a_decision_has_its_own_chance() -> None:
    """Seed, match, every seat's entropy and version make it, and nothing else (DESIGN 3)."""
    chance = decision_chance(KEY, "match_1", ("", "red", "ñ"), 7)
    assert chance.below(1000) == 907
    assert chance.shuffle(range(8)) == (1, 7, 0, 2, 3, 4, 5, 6)
    entropies = hashlib.sha256("0:3:red2:ñ".encode()).hexdigest()
    assert entropies == "1972aeffa22fc1508fdca06c535c769bb057d0aff05483d000510dc5ac01e375"
    context = f"montane/chance/1/match_1/{entropies}/7"
    assert slow_below(slow_bytes(KEY, f"{context}/0"), 1000) == 907
    assert slow_shuffle(slow_bytes(KEY, f"{context}/1"), range(8)) == (1, 7, 0, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("seed", "match_id", "entropies", "version"),
    [
        (bytes(32), "match_1", ("a", "b"), 7),
        (KEY, "match_2", ("a", "b"), 7),
        (KEY, "match_1", ("b", "a"), 7),
        (KEY, "match_1", ("ab",), 7),
        (KEY, "match_1", ("ab", ""), 7),
        (KEY, "match_1", ("a1:b",), 7),
        (KEY, "match_1", ("a", "b"), 8),
    ],
)
def test_whatever_changes_changes_the_chance(
    seed: bytes, match_id: str, entropies: tuple[str, ...], version: int
) -> None:
    """Entropies are told apart by seat and cannot run into one another (DESIGN 3)."""
    usual = decision_chance(KEY, "match_1", ("a", "b"), 7)
    assert decision_chance(seed, match_id, entropies, version).shuffle(range(52)) != usual.shuffle(range(52))


def test_the_seed_is_committed_to_by_its_hash() -> None:
    """A match publishes SHA-256 of its seed, in lower-case hexadecimal (DESIGN 3)."""
    assert seed_commitment(KEY) == "sha256:630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


@pytest.mark.parametrize(
    ("bound", "limit"),
    # The 99.9 % points of chi-square for bound - 1 degrees of freedom.
    [(3, 13.82), (10, 27.88), (52, 87.97), (100, 148.2), (257, 330.5)],
)
def test_numbers_are_unbiased(bound: int, limit: float) -> None:
    """Each number below a bound comes equally often: chi-square over 50,000 draws from a fixed stream."""
    stream = ByteStream(KEY, f"fair {bound}".encode())
    draws = 50_000
    seen = Counter(stream.below(bound) for _ in range(draws))
    expected = draws / bound
    assert sum((seen[number] - expected) ** 2 / expected for number in range(bound)) < limit


def test_shuffles_are_unbiased() -> None:
    """Each of the 24 orders of four items comes equally often: chi-square over 24,000 fixed shuffles."""
    stream = ByteStream(KEY, b"fair shuffles")
    seen = Counter(stream.shuffle("ABCD") for _ in range(24_000))
    assert sum((seen[order] - 1000) ** 2 / 1000 for order in permutations("ABCD")) < 49.73
