r"""Canonical JSON: the one way in which a value is written down, so that its hash is the same everywhere.

It is RFC 8785 for the values that a match has: objects, arrays, text, integers, true, false and null.

- No white space. The fields of an object stand in the order of their names, which are ASCII.
- Text is UTF-8. Only the quotation mark, the backslash and what is below U+0020 are escaped: as `\"`, `\\`,
  `\b`, `\t`, `\n`, `\f`, `\r`, or else as `\u00` and two lower-case hexadecimal digits.
- Integers are decimal and lie between -(2^53 - 1) and 2^53 - 1. There are no other numbers.
- Times are text, RFC 3339 in UTC: `2026-11-30T10:00:00Z`, or with six digits after a point if there is a
  fraction of a second.
"""

from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Return a value as canonical JSON."""
    return _ENCODER.encode(value)


def is_canonical(text: bytes) -> bool:
    """Return whether a text is canonical JSON."""
    try:
        return canonical(msgspec.json.decode(text)) == text
    except (msgspec.DecodeError, RecursionError):
        return False
