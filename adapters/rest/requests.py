"""What handlers read from a request: who calls, with which services, asking for what."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException

from adapters.rest.negotiation import best_type
from services.players.accounts import Caller
from services.players.store import Scope
from services.shared.errors import FailureReason, Malformed
from services.shared.rate_limits import Visit
from services.use_cases import Services

MAX_BODY = 65_536
"""The largest body in bytes."""

VISIT = "montane.visit"
"""Where an ASGI scope has the call as it is counted."""

BASE = "montane.base"
"""Where an ASGI scope has the path that clients see in front of all others."""

HEAD = "montane.head"
"""Where an ASGI scope says that of the answer only the head is wanted."""

UTF8 = frozenset({"utf-8", "utf8", "us-ascii"})
"""The charsets that JSON may be said to be in."""

_TAG = re.compile(r'"[^"]*"')

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


def link(connection: ASGIConnection[Any, Any, Any, Any], path: str) -> str:
    """Return where clients find a path of this server."""
    return base_of(connection.scope) + path


def base_of(scope: Mapping[str, Any]) -> str:
    """Return the path that clients see in front of all others, empty if there is none."""
    found: str = scope[BASE]
    return found


def header_of(request: Call, name: str) -> str:
    """Return a header that may have several lines, as one; empty if there is none."""
    return ",".join(request.headers.getall(name, ()))


def preferred(request: Call, *offers: str) -> str | None:
    """Return the media type that a request likes best of what there is; None if it takes none of it."""
    return best_type(header_of(request, "accept"), offers)


def unchanged(request: Call, *tags: str) -> bool:
    """Return whether a request says by `If-None-Match` that it has an answer with one of these tags.

    The comparison is weak, as RFC 9110 wants it here (13.1.2).

    Args:
        request: The request.
        tags: Entity tags, with their quotation marks.
    """
    said = header_of(request, "if-none-match")
    return said.strip() == "*" or not set(tags).isdisjoint(_TAG.findall(said))


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
    """Return the request's body; one that has defaults for all its fields may be left out.

    Raises:
        HTTPException: It is too large, or not JSON by its media type.
        Malformed: It does not parse; names the field.
    """
    media_type = request.headers.get("content-type", "")
    is_json = media_type == "application/json" or _is_json(media_type)
    # Before it is read: who asks by `Expect` whether to send it need not.
    if media_type and not is_json and _comes(request):
        raise HTTPException(status_code=415)
    raw = await request.body()
    if not raw and _has_defaults(type):  # type: ignore[arg-type]
        return type()
    if not is_json and (raw or media_type):
        raise HTTPException(status_code=415)
    return decoded(raw, type)


def _comes(request: Call) -> bool:
    """Return whether the head of a request says that a body comes, which is not empty."""
    length: str | None = request.headers.get("content-length")
    return "expect" in request.headers if length is None else length.strip("0") != ""


def _is_json(media_type: str) -> bool:
    """Return whether a media type with its parameters says JSON, in the one encoding that JSON has."""
    kind, *parameters = (part.strip().lower() for part in media_type.split(";"))
    charsets = {
        part.removeprefix("charset=").strip('"') for part in parameters if part.startswith("charset=")
    }
    return kind == "application/json" and charsets <= UTF8


@cache
def _has_defaults(type: Any) -> bool:
    """Return whether a body says nothing that must be said."""
    return not any(field.required for field in msgspec.structs.fields(type))


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
        raise Malformed(
            FailureReason.MALFORMED_REQUEST, field=field, message=f"{field} is not JSON: {error}"
        ) from error
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
    return Malformed(
        FailureReason.INVALID_FIELD, field=place or "body", message=f"{place or 'body'}: {message}", **cited
    )


_ABOUT_A_FIELD = {
    FailureReason.MISSING_FIELD: "Object missing required field ",
    FailureReason.UNKNOWN_FIELD: "Object contains unknown field ",
}
"""How msgspec begins to say that a field is missing or unknown; after it comes the field's name."""


@cache
def _decoder(type: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type)
