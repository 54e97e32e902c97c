"""What handlers read from a request: who calls, with which services, asking for what."""

from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException

from adapters.use_cases import Services
from services.errors import Malformed
from services.ports import Player

MAX_BODY = 65_536
"""The largest body in bytes."""

LONGEST_VERSION = 10
"""Digits that no version has."""

Call = Request[Any, Any, Any]


def services(request: ASGIConnection[Any, Any, Any, Any]) -> Services:
    """Return the use cases."""
    found: Services = request.app.state.services
    return found


def token(request: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the bearer token, or None if there is none."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else None


def accepted(request: Call) -> list[str]:
    """Return the media types that a request accepts, in its order."""
    parts = request.headers.get("accept", "").split(",")
    return [part.partition(";")[0].strip().lower() for part in parts]


def version_in(text: str, field: str, expected: str) -> int:
    """Return the version that a text says.

    Raises:
        Malformed: It is no version; names the field, and what it should be.
    """
    if not (text.isascii() and text.isdigit() and len(text) < LONGEST_VERSION):
        raise Malformed("INVALID_FIELD", field=field, expected=expected)
    return int(text)


def with_zone(time: datetime | None, field: str) -> datetime | None:
    """Return a time that a request says, if it says one.

    Raises:
        Malformed: It does not say its zone.
    """
    if time is not None and time.tzinfo is None:
        raise Malformed("INVALID_FIELD", field=field, expected="a time with its zone, as RFC 3339 has it")
    return time


async def caller(request: Call) -> Player:
    """Return who calls.

    Raises:
        Unauthenticated: There is no valid token.
    """
    return await services(request).players.authenticate(token(request))


async def caller_if_any(request: Call) -> Player | None:
    """Return who calls, or None without a token; a bad token is refused all the same."""
    return await caller(request) if "authorization" in request.headers else None


async def body[Body](request: Call, type: type[Body]) -> Body:
    """Return the request's body.

    Raises:
        HTTPException: It is too large, or not JSON by its media type.
        Malformed: It does not parse; names the field.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise HTTPException(status_code=415)
    return decoded(await request.body(), type)


def decoded[Body](raw: bytes, type: type[Body], within: str = "") -> Body:
    """Return JSON as a type; `within` is the field of the request that it came from.

    Raises:
        Malformed: It does not parse, or nests too deeply; names the field.
    """
    try:
        value: Body = _decoder(type).decode(raw)  # type: ignore[arg-type]
    except msgspec.ValidationError as error:
        raise _malformed(str(error), within) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        field = within or "body"
        raise Malformed("MALFORMED_REQUEST", field=field, message=f"{field} is not JSON: {error}") from error
    return value


def _malformed(said: str, within: str) -> Malformed:
    """Return what msgspec says of a value as a failure that names the field of the request."""
    message, _, path = said.partition(" - at `$")
    place = (within + path.removesuffix("`")).lstrip(".")
    for reason, beginning in _ABOUT_A_FIELD.items():
        if message.startswith(beginning):
            field = f"{place}.{message.removeprefix(beginning).strip('`')}".lstrip(".")
            return Malformed(reason, field=field)
    return Malformed("INVALID_FIELD", field=place or "body", message=f"{place or 'body'}: {message}")


_ABOUT_A_FIELD = {
    "MISSING_FIELD": "Object missing required field ",
    "UNKNOWN_FIELD": "Object contains unknown field ",
}
"""How msgspec begins to say that a field is missing or unknown; behind it comes the field's name."""


@cache
def _decoder(type: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type)
