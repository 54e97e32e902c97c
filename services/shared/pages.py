"""Lists that are given in parts: where one ends, as a token that only the same list takes."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from services.shared.errors import FailureReason, Malformed
from services.shared.ids import parsed

CHECK = 9
"""Bytes of a token that tell whether the rest is as it was given."""


class Page[Item](Struct, frozen=True):
    """A part of a list.

    Attributes:
        items: In the list's order.
        next: Where the following part begins; None after the last one.
    """

    items: tuple[Item, ...]
    next: str | None

    def of[Other](self, items: Iterable[Other]) -> "Page[Other]":
        """Return the same part of a list of other items."""
        return Page(tuple(items), self.next)


def cut[Item](found: Sequence[Item], size: int, place: Callable[[Item], str]) -> Page[Item]:
    """Return the first part of what was found.

    Args:
        found: What was found, with one more than the part holds if there is more.
        size: How many the part holds at most.
        place: Gives where the following part begins, of the last item.
    """
    following = place(found[size - 1]) if len(found) > size else None
    return Page(tuple(found[:size]), following)


def ended_at[Id: str](prefix: str, token: str | None, make: Callable[[str], Id]) -> Id | None:
    """Return the id of the last item of the part before, which is the token of the following one.

    Raises:
        Malformed: The token is no such id.
    """
    if token is None:
        return None
    if parsed(prefix, token) is None:
        raise Malformed(FailureReason.INVALID_FIELD, field="page_token", expected="a token that a page gave")
    return make(token)


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
