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
from services.limits import Visit
from services.players import Caller
from services.ports import Scope, Time

MAX_BODY = 65_536
"""The largest body in bytes."""

LONGEST_VERSION = 10
"""Digits that no version has."""

VISIT = "montane.visit"
"""Where an ASGI scope has the call as it is counted."""

Call = Request[Any, Any, Any]


def services(request: ASGIConnection[Any, Any, Any, Any]) -> Services:
    """Return the use cases."""
    found: Services = request.app.state.services
    return found


def visit(connection: ASGIConnection[Any, Any, Any, Any]) -> Visit:
    """Return the call as it is counted."""
    found: Visit = connection.scope[VISIT]  # type: ignore[literal-required]
    return found


def token(request: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the bearer token, or None if there is none."""
    return bearer(request.headers.get("authorization", ""))


def bearer(authorization: str) -> str | None:
    """Return the token that an `Authorization` bears, or None if it bears none."""
    scheme, _, rest = authorization.partition(" ")
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


def time_in(text: str | None, field: str) -> datetime | None:
    """Return the time that a text says, if there is one.

    Raises:
        Malformed: It is no time with its zone; names the field.
    """
    if text is None:
        return None
    try:
        time: datetime = msgspec.convert(text, Time)
    except msgspec.ValidationError as error:
        raise Malformed("INVALID_FIELD", field=field, expected="a time with its zone (RFC 3339)") from error
    return time


async def caller(request: Call, scope: Scope) -> Caller:
    """Return who calls, with a token that allows what is asked.

    Raises:
        Unauthenticated: There is no valid token.
        Forbidden: It does not have the scope.
    """
    return await services(request).players.authenticate(token(request), scope)


async def caller_if_any(request: Call) -> Caller | None:
    """Return who reads, or None without a token; a bad token is refused all the same."""
    return await caller(request, Scope.READ) if "authorization" in request.headers else None


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


def decoded[Body](raw: bytes, type: type[Body], within: str = "", clause: str | None = None) -> Body:
    """Return JSON as a type.

    Args:
        raw: The JSON.
        type: The type.
        within: The field of the request that it came from.
        clause: The clause of the rules that says what may be there, if one does.

    Raises:
        Malformed: It does not parse, or nests too deeply; names the field.
    """
    try:
        value: Body = _decoder(type).decode(raw)  # type: ignore[arg-type]
    except msgspec.ValidationError as error:
        raise _malformed(str(error), within, clause) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        field = within or "body"
        raise Malformed("MALFORMED_REQUEST", field=field, message=f"{field} is not JSON: {error}") from error
    return value


def _malformed(said: str, within: str, clause: str | None) -> Malformed:
    """Return what msgspec says of a value as a failure that names the field of the request."""
    message, _, path = said.partition(" - at `$")
    place = (within + path.removesuffix("`")).lstrip(".")
    cited = {} if clause is None else {"clause": clause}
    for reason, beginning in _ABOUT_A_FIELD.items():
        if message.startswith(beginning):
            field = f"{place}.{message.removeprefix(beginning).strip('`')}".lstrip(".")
            return Malformed(reason, field=field, **cited)
    return Malformed("INVALID_FIELD", field=place or "body", message=f"{place or 'body'}: {message}", **cited)


_ABOUT_A_FIELD = {
    "MISSING_FIELD": "Object missing required field ",
    "UNKNOWN_FIELD": "Object contains unknown field ",
}
"""How msgspec begins to say that a field is missing or unknown; behind it comes the field's name."""


@cache
def _decoder(type: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type)
