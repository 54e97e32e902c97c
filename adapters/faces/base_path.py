"""The path that clients see in front of all others: where a proxy serves this server under a prefix."""

import re
from collections.abc import Iterable

from msgspec import Struct

LONGEST = 200
"""Characters."""

OWN = frozenset({"v1", "docs", "problems", "health", "openapi.json", ".well-known"})
"""How the server's own paths begin."""

_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+")


class Place(Struct, frozen=True):
    """Where clients find the server.

    Attributes:
        base: The path in front of all others; empty for none, or if the proxies say it.
        trusted_proxies: How many proxies stand in front, whose `X-Forwarded-Prefix` says the path if `base`
            does not.
    """

    base: str = ""
    trusted_proxies: int = 0


def is_path(text: str) -> bool:
    """Return whether a text is a path that may stand in front of all others: `/games/montane`."""
    return len(text) <= LONGEST and _PATH.fullmatch(text) is not None


def is_own(path: str) -> bool:
    """Return whether a path begins as one of the server's own does, so that the two cannot be told apart."""
    return path.split("/", 2)[1] in OWN


def forwarded(headers: Iterable[tuple[bytes, bytes]], proxies: int) -> str:
    """Return the path that trusted proxies say: each says its part, the one next to the server last.

    Args:
        headers: Those of the request.
        proxies: How many proxies are trusted; what others said before them does not count.

    Returns:
        The path; empty if they say none, or anything but a plain path.
    """
    said = b",".join(value for name, value in headers if name == b"x-forwarded-prefix").decode("latin-1")
    path = "".join(part.strip().rstrip("/") for part in said.split(",")[-proxies:])
    return path if is_path(path) else ""
