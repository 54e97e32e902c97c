"""What a client accepts, as RFC 9110 (12.4, 12.5) weighs it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST = 1000
"""Characters of a header that are read."""

DECIMALS = 3
"""How exact a weight is at most."""


class Range(NamedTuple):
    """A part of an `Accept` header.

    Attributes:
        name: A media range, or a coding; in lower case.
        weight: From 0, not at all, to 1.
    """

    name: str
    weight: float


class Liking(NamedTuple):
    """How much a client likes what there is.

    Attributes:
        weight: 0 for not at all.
        exactness: How exactly it is named.
        earliness: How early.
    """

    weight: float
    exactness: int
    earliness: int


UNNAMED = Liking(0, -1, 0)
"""What a client says nothing of."""


@lru_cache(256)
def ranges(header: str) -> tuple[Range, ...]:
    """Return the parts of an `Accept` or `Accept-Encoding`, in its order."""
    found = []
    for part in header[:LONGEST].split(","):
        name, *parameters = (text.strip().lower() for text in part.split(";"))
        weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        if name:
            found.append(Range(name, _weight(weight)))
    return tuple(found)


@lru_cache(256)
def best_type(header: str, offers: tuple[str, ...]) -> str | None:
    """Return the media type that an `Accept` likes best; None if there is nothing for it.

    An offer has the weight of the range that names it most exactly. Of those with the same weight goes first
    what is named most exactly, then what the client names first, then what the server prefers. Of a client
    that likes none, as one that always sends the same header, the header is disregarded, as RFC 9110 lets a
    server do (12.5.1), unless it excludes what the server prefers.

    Args:
        header: The header; empty if there is none, which takes anything.
        offers: What there is, what the server prefers first.
    """
    asked = ranges(header)
    if not asked:
        return offers[0]
    likings = {offer: _liking_of(offer, asked) for offer in offers}
    best = max(offers, key=likings.__getitem__)
    if likings[best].weight > 0:
        return best
    return offers[0] if likings[offers[0]] is UNNAMED else None


def takes_gzip(header: str) -> bool:
    """Return whether an `Accept-Encoding` likes gzip at least as well as what is not compressed."""
    weights = dict(ranges(header))
    others = weights.get("*")
    gzip = weights.get("gzip", weights.get("x-gzip", others or 0))
    # What is not compressed is good unless it is excluded; where nothing is said of it, compressed is meant.
    plain = weights.get("identity", 0 if others is None else others)
    return gzip > 0 and gzip >= plain


def takes_plain(header: str) -> bool:
    """Return whether an `Accept-Encoding` takes what is not compressed."""
    weights = dict(ranges(header))
    return weights.get("identity", weights.get("*", 1)) > 0


def _liking_of(offer: str, asked: Sequence[Range]) -> Liking:
    kind = offer.partition("/")[0] + "/*"
    for exactness, name in ((2, offer), (1, kind), (0, "*/*")):
        for place, part in enumerate(asked):
            if part.name == name:
                return Liking(part.weight, exactness, -place)
    return UNNAMED


def _weight(text: str) -> float:
    """Return a weight; what is none counts as 1, as if it were left out."""
    try:
        return min(max(round(float(text), DECIMALS), 0), 1) if text[:1] in "01." else 1
    except ValueError:
        return 1
