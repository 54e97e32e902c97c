"""Ids that clients see: a prefix and a UUIDv7 in Crockford base 32, so that they sort by age.

They are TypeIDs: `<prefix>_<26 digits>`, as that specification writes them.

By hand because the libraries that do this are alpha, or come without wheels for some platforms.
"""

from datetime import UTC, datetime
from secrets import randbits
from typing import NewType
from uuid import UUID

MatchId = NewType("MatchId", str)
TokenId = NewType("TokenId", str)

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 26
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)}


def new_uuid(at: datetime) -> UUID:
    """Return a UUIDv7 made at a time: 48 bits of milliseconds, then random bits."""
    milliseconds = int(at.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | randbits(12) << 64 | 0b10 << 62 | randbits(62))


def placed_uuid(at: datetime, place: int) -> UUID:
    """Return a UUIDv7 that sorts after those of the same millisecond which have lower places (26 bits)."""
    milliseconds = int(at.timestamp() * 1000)
    high, low = place >> 14 & 0xFFF, place & 0x3FFF
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 48 | randbits(48))


def written(prefix: str, number: UUID) -> str:
    """Return an id as clients see it: `match_01j...`, 26 digits after the prefix."""
    return f"{prefix}_" + "".join(ALPHABET[number.int >> shift & 31] for shift in range(125, -1, -5))


def parsed(prefix: str, text: str) -> UUID | None:
    """Return the UUID that an id names, or None if it is not such an id."""
    digits = text.removeprefix(f"{prefix}_")
    if len(digits) != LENGTH or len(text) != len(prefix) + 1 + LENGTH or digits[0] > "7":
        return None
    try:
        number = 0
        for digit in digits:
            number = number << 5 | _VALUES[digit]
    except KeyError:
        return None
    return UUID(int=number)


def number_of(prefix: str, id: str) -> UUID:
    """Return the UUID that an id of our own names.

    Raises:
        ValueError: It is not such an id.
    """
    number = parsed(prefix, id)
    if number is None:
        raise ValueError(f"{id} is no {prefix}")
    return number


def match_id(number: UUID) -> MatchId:
    """Return a match's id as clients see it."""
    return MatchId(written("match", number))


def made_before(at: datetime) -> UUID:
    """Return what is above all ids made before a time, which none is before 1970, and not above any other."""
    return UUID(int=max(0, int(at.timestamp() * 1000)) << 80)


def made_at(id: MatchId) -> datetime:
    """Return when a match's id was made, to the millisecond."""
    return datetime.fromtimestamp((number_of("match", id).int >> 80) / 1000, UTC)
