"""Lists that are given in parts: where one ends, as a token that only the same list takes."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from services.shared.errors import FailureReason, Malformed

CHECK = 9
"""Bytes of a token that tell whether the rest is as it was given."""


class Page[Item](Struct, frozen=True):
    """A part of a list.

    Attributes:
        items: In the list's order.
        next: Where the following part begins; None behind the last one.
    """

    items: tuple[Item, ...]
    next: str | None


def page_token(position: str, *asked: Any) -> str:
    """Return the token of a place in the list that was asked for.

    It holds nothing that its reader may not know. What it guards against is being changed, or taken to
    another list.
    """
    return urlsafe_b64encode(_check(position, asked) + position.encode()).decode().rstrip("=")


def position_of[Position](token: str, read: Callable[[str], Position], *asked: Any) -> Position:
    """Return the place in the list that was asked for which a token names.

    Args:
        token: The token.
        read: Reads what is written in it, and raises ValueError for what no place is written as: anybody can
            work the check out.
        *asked: What was asked for.

    Raises:
        Malformed: No part of this list gave it.
    """
    try:
        position = urlsafe_b64decode(token + "=" * (-len(token) % 4))[CHECK:].decode()
        if page_token(position, *asked) == token:
            return read(position)
    except (ValueError, OverflowError):
        pass
    raise Malformed(
        FailureReason.INVALID_FIELD, field="page_token", expected="a token that a page of this list gave"
    )


def _check(position: str, asked: Any) -> bytes:
    return blake2b(msgspec.json.encode([position, asked]), digest_size=CHECK, person=b"page token").digest()
