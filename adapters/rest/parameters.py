"""What a request's parameters may be: exactly what the document says of them, as text."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from services.shared.errors import FailureReason, Malformed
from services.shared.time import Time

LARGEST = 2**63 - 1
"""The largest whole number."""

_NUMBER = re.compile(r"[0-9]+")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9:]{6})([0-9]{2})((?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))"
)

type ParameterCheck = Callable[[str, str], str]
"""Returns the text of a parameter as the framework reads it, or refuses it; told its name too."""


class Operation(Struct, frozen=True):
    """What a request for an operation may have.

    Attributes:
        query: The parameters of its query.
        checked: What checks the text of some of them beyond what the framework does.
        path: What checks the parameters of its path.
        offers: The media types that it can answer with, the preferred one first; none if it has no body.
    """

    query: frozenset[str]
    checked: Mapping[str, ParameterCheck]
    path: Mapping[str, ParameterCheck]
    offers: tuple[str, ...]


def operation(described: Mapping[str, Any]) -> Operation:
    """Return what a request may have, from the description of an operation."""
    parameters = described.get("parameters", ())
    good = next(answer for status, answer in described["responses"].items() if status.startswith("2"))

    def checked(place: str) -> dict[str, ParameterCheck]:
        kinds = {one["name"]: one["schema"].get("type") for one in parameters if one["in"] == place}
        return {name: _CHECKS[kind] for name, kind in kinds.items() if kind in _CHECKS}

    return Operation(
        frozenset(one["name"] for one in parameters if one["in"] == "query"),
        checked("query"),
        checked("path"),
        tuple(good.get("content", ())),
    )


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter as text can fulfil it: none is null, no whole number is negative."""
    choices = [choice for choice in schema.get("oneOf", ()) if choice != {"type": "null"}]
    found = {name: value for name, value in schema.items() if name != "oneOf"}
    if choices:
        found |= choices[0] if len(choices) == 1 else {"oneOf": choices}
    if found.get("type") == "integer":
        bounds = {name: int(found[name]) for name in ("minimum", "maximum") if name in found}
        found |= {"minimum": 0, "maximum": LARGEST} | bounds
    return found


def once(given: Iterable[tuple[str, str]], known: Collection[str]) -> dict[str, str]:
    """Return parameters by name.

    Raises:
        Malformed: One of them is unknown, or given twice; names it.
    """
    found: dict[str, str] = {}
    for name, value in given:
        if name not in known:
            raise Malformed(FailureReason.UNKNOWN_FIELD, field=name)
        if name in found:
            raise given_twice(name)
        found[name] = value
    return found


def given_twice(name: str) -> Malformed:
    """Return what is wrong with a parameter, or a header, that is given more than once."""
    return Malformed(FailureReason.INVALID_FIELD, field=name, expected="given only once")


def number_in(text: str, field: str, expected: str = "a whole number, in digits alone") -> int:
    """Return the whole number that a text says.

    Raises:
        Malformed: It is none, or too large; names the field, and what it should be.
    """
    if _NUMBER.fullmatch(text) and (number := int(text[-20:])) <= LARGEST and not text[:-20].strip("0"):
        return number
    raise Malformed(FailureReason.INVALID_FIELD, field=field, expected=expected)


def time_in(text: str | None, field: str) -> datetime | None:
    """Return the time that a text says, if there is one; a leap second is the beginning of the next minute.

    Raises:
        Malformed: It is no time with its zone; names the field.
    """
    if text is None:
        return None
    if said := _TIME.fullmatch(text):
        date, minute, second, rest = said.groups()
        leap = second == "60"
        try:
            time: datetime = msgspec.convert(f"{date}T{minute}{'59' if leap else second}{rest}", Time)
            time = time.astimezone(UTC)
            if not leap:
                return time
            time = time.replace(microsecond=0) + timedelta(seconds=1)
            if (time.hour, time.minute) == (0, 0):
                return time
        except (msgspec.ValidationError, OverflowError):
            pass
    raise Malformed(FailureReason.INVALID_FIELD, field=field, expected="a time with its zone (RFC 3339)")


def _number(text: str, field: str) -> str:
    return str(number_in(text, field))


def _switch(text: str, field: str) -> str:
    if text not in {"true", "false"}:
        raise Malformed(FailureReason.INVALID_FIELD, field=field, expected="true or false")
    return text


_CHECKS: Mapping[Any, ParameterCheck] = {"integer": _number, "boolean": _switch}
"""What checks a parameter, by the type that the document names."""
