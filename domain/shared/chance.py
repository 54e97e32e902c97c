"""Chance: the one door through which luck enters, and the generator behind it.

The generator is `montane/chance/1`. A stream of bytes is the blocks HMAC-SHA-256(key, context || counter),
counter from 0 as 8 bytes big-endian, context and counter joined without a separator. A number below n takes
as many bytes as n - 1 needs, big-endian, masks them to its bit length, and draws again if the result is not
below n. A shuffle is Fisher-Yates from the last index down to 1. Each shuffle or draw has its own stream.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from hmac import HMAC
from itertools import chain, count, islice
from typing import Protocol

GENERATOR = "montane/chance/1"


class Chance(Protocol):
    """Luck, as the rules ask for it. Every answer is recorded in an event."""

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in an order of which each is equally likely."""

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1, each equally likely."""


def stream_block(key: bytes, context: bytes, counter: int) -> bytes:
    """Return 32 bytes of the stream that key and context fix: the block of that number, from 0."""
    block = _keyed(key).copy()
    block.update(context + counter.to_bytes(8, "big"))
    return block.digest()


@lru_cache(10_000)
def _keyed(key: bytes) -> HMAC:
    """Return HMAC-SHA-256 with the key taken in, which is half of its work for a short context."""
    return HMAC(key, digestmod="sha256")


class ByteStream:
    """An endless stream of bytes that key and context fix."""

    __slots__ = ("_bytes",)

    def __init__(self, key: bytes, context: bytes) -> None:
        """Start the stream at its first byte."""
        blocks = (stream_block(key, context, counter) for counter in count())
        self._bytes = chain.from_iterable(blocks)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        return bytes(islice(self._bytes, size))

    def below(self, bound: int) -> int:
        """Return an unbiased number from 0 to `bound` - 1; `bound` is at least 1."""
        if bound < 1:
            raise ValueError(f"no number is below {bound}")
        bits = (bound - 1).bit_length()
        mask = (1 << bits) - 1
        # Most numbers take one byte: a quarter of the time of the general way.
        if 1 <= bits <= 8:
            while (number := next(self._bytes) & mask) >= bound:
                pass
            return number
        size = (bits + 7) // 8
        while (number := int.from_bytes(self.take(size), "big") & mask) >= bound:
            pass
        return number

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items shuffled by Fisher-Yates, from the last index down to 1."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class SeededChance:
    """The chance of one decision: the n-th shuffle or draw has the stream `context` + `/n`, n from 0."""

    __slots__ = ("_context", "_key", "_number")

    def __init__(self, key: bytes, context: str) -> None:
        """Take the secret key and the decision's context."""
        self._key = key
        self._context = context
        self._number = 0

    @property
    def drawn(self) -> int:
        """How many shuffles and draws there were."""
        return self._number

    def _stream(self) -> ByteStream:
        stream = ByteStream(self._key, f"{self._context}/{self._number}".encode())
        self._number += 1
        return stream

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in an order of which each is equally likely."""
        return self._stream().shuffle(items)

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1, each equally likely."""
        return self._stream().below(bound)


def decision_chance(seed: bytes, match_id: str, entropies: Sequence[str], version: int) -> SeededChance:
    """Return the chance for the decision taken at `version` of a match.

    The context is `montane/chance/1/<match id>/<SHA-256 of the entropies>/<version>`. The hash, in lower-case
    hexadecimal, is over each seat's entropy in seat order (empty if it gave none), as its length in bytes in
    decimal, a colon and the text in UTF-8.

    Args:
        seed: The match's secret, 32 bytes; the HMAC key.
        match_id: As clients see it, `match_...`.
        entropies: One a seat, in seat order.
        version: How many events the match has before the decision.
    """
    return SeededChance(seed, f"{GENERATOR}/{match_id}/{_joined(tuple(entropies))}/{version}")


@lru_cache(10_000)
def _joined(entropies: tuple[str, ...]) -> str:
    """Return the hash of all entropies, which is the same in every decision of a match."""
    texts = [entropy.encode() for entropy in entropies]
    return sha256(b"".join(b"%d:%b" % (len(text), text) for text in texts)).hexdigest()


def seed_commitment(seed: bytes) -> str:
    """Return what a match publishes of its seed at opening: `sha256:` and the digest in hexadecimal."""
    return f"sha256:{sha256(seed).hexdigest()}"
