"""How a failure looks over HTTP: problem details by RFC 9457, one table for all kinds."""

import logging
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from msgspec import Struct

from adapters.faces.reasons import FaceReason
from adapters.faces.sentences import BUG, TITLES, clause_cited, clause_path, describe
from adapters.rest.answers import Answer
from adapters.rest.requests import base_of, visit
from domain.shared.rejections import Rejected
from services.matches.decisions import MISSED_EVENTS
from services.shared.errors import (
    Conflict,
    Failure,
    FailureReason,
    Forbidden,
    KeyReused,
    Malformed,
    NotFound,
    RateLimited,
    SetAside,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from services.shared.rate_limits import missed

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1

log = logging.getLogger(__name__)


class Kind(Struct, frozen=True):
    """A kind of problem.

    Attributes:
        slug: Its name in addresses: `/problems/<slug>`.
        status: HTTP status.
        title: What it is, in a few words.
        meaning: When it comes, and what to do about it.
    """

    slug: str
    status: int
    title: str
    meaning: str


class Problem(Struct, frozen=True, kw_only=True):
    """A problem, as clients read it.

    Attributes:
        type: Address of the kind's documentation on this server.
        title: What kind it is.
        status: The HTTP status.
        detail: What is wrong here, for people; never to be read by a program.
        reason: Stable code, the same in gRPC.
        clause: The clause of the rules that is enforced, where one is: of a refusal the one that it enforces,
            `montana §4.2`; where a command or options do not parse the section that says which there are,
            `montana §4` or `montana §2`.
        clause_url: Where that clause can be read: the rules on this server, and after `#` the place in them
            (RFC 6901).
        details: Named values.
    """

    type: str
    title: str
    status: int
    detail: str
    reason: str
    clause: str | None = None
    clause_url: str | None = None
    details: dict[str, Any] = {}


REJECTED = Kind("rejected", 422, TITLES[Rejected], "The command is not legal now. `clause` says why.")
INTERNAL = Kind("internal", 500, BUG[0], "A fault of the server. It has been logged.")

KINDS: Mapping[type[Failure], Kind] = {
    Malformed: Kind(
        "malformed",
        400,
        TITLES[Malformed],
        "`details` names the field. If it is one of a command or of options, `clause` names the section of"
        " the game's rules that says which there are: §4, §2.",
    ),
    Unauthenticated: Kind(
        "unauthenticated",
        401,
        TITLES[Unauthenticated],
        "Send `Authorization: Bearer <token>` with a player's token. `reason` says what is wrong with the one"
        " sent: `TOKEN_MISSING`, `TOKEN_MALFORMED`, `TOKEN_UNKNOWN` (or revoked), `TOKEN_EXPIRED`; of an"
        " issuer's, `TOKEN_NOT_YET_VALID` or `TOKEN_FOREIGN` too.",
    ),
    Forbidden: Kind(
        "forbidden",
        403,
        TITLES[Forbidden],
        "The seat, the match or the view is not the caller's, or its token lacks the `scope` that `details`"
        " names.",
    ),
    NotFound: Kind("not-found", 404, TITLES[NotFound], "There is none, or none that the caller may know of."),
    Conflict: Kind(
        "version-conflict",
        409,
        TITLES[Conflict],
        "`details` has the current `version`, the `expected_version` and the `events` that were missed, the"
        f" first {MISSED_EVENTS} of them; `truncated` says whether there are more, which the list of events"
        " gives. Decide again on these.",
    ),
    KeyReused: Kind(
        "idempotency-key-reused",
        422,
        TITLES[KeyReused],
        "The same key came with another request. Use a fresh key for each request.",
    ),
    RateLimited: Kind(
        "rate-limited",
        429,
        TITLES[RateLimited],
        "The caller has spent the budget that `details` names as its `policy`. Come again after the seconds"
        " in `Retry-After`, `retry_after` of `details`. With every answer `RateLimit` says how much is left;"
        " the description of the API lists the budgets, and an operation's own budget is told with it.",
    ),
    TooMany: Kind(
        "too-many", 422, TITLES[TooMany], "`details` says how `most` there may be. Give one up first."
    ),
    Unavailable: Kind(
        "unavailable",
        503,
        TITLES[Unavailable],
        "The store is away, or the issuer of the token. Nothing happened, or the idempotency key makes it"
        " safe to send the same again, in the seconds that `Retry-After` says.",
    ),
    SetAside: Kind(
        "set-aside",
        503,
        TITLES[SetAside],
        "An event of the match is missing, or cannot be read. Trying again does not help until the"
        " operator has repaired it, so there is no `Retry-After`. Nothing happens in the match meanwhile.",
    ),
}

HTTP_KINDS: Mapping[int, tuple[FailureReason | FaceReason, Kind]] = {
    400: (FailureReason.MALFORMED_REQUEST, KINDS[Malformed]),
    404: (FailureReason.NO_SUCH_RESOURCE, KINDS[NotFound]),
    405: (
        FaceReason.METHOD_NOT_ALLOWED,
        Kind("method-not-allowed", 405, "Method not allowed", "`Allow` names the methods that are."),
    ),
    406: (
        FaceReason.NOT_ACCEPTABLE,
        Kind(
            "not-acceptable",
            406,
            "Not acceptable",
            "`Accept`, or `Accept-Encoding`, excludes all that the server has.",
        ),
    ),
    413: (
        FaceReason.BODY_TOO_LARGE,
        Kind("body-too-large", 413, "Body too large", "A request's body may have 65536 bytes."),
    ),
    415: (
        FaceReason.UNSUPPORTED_MEDIA_TYPE,
        Kind(
            "unsupported-media-type",
            415,
            "Unsupported media type",
            "Send `application/json`, in UTF-8 and not compressed.",
        ),
    ),
    426: (
        FaceReason.UPGRADE_REQUIRED,
        Kind(
            "upgrade-required",
            426,
            "Upgrade required",
            "This is the address of a WebSocket. A proxy in front may not pass `Upgrade` on.",
        ),
    ),
    408: (
        FaceReason.REQUEST_TOO_SLOW,
        Kind(
            "request-too-slow",
            408,
            "Request too slow",
            "A request's head must come within 10 seconds, and after that 1000 bytes of its body a second.",
        ),
    ),
    414: (
        FaceReason.TARGET_TOO_LONG,
        Kind("target-too-long", 414, "Target too long", "A request's first line may have 8192 bytes."),
    ),
    417: (
        FaceReason.EXPECTATION_FAILED,
        Kind("expectation-failed", 417, "Expectation failed", "`Expect` may be `100-continue` only."),
    ),
    431: (
        FaceReason.HEAD_TOO_LARGE,
        Kind(
            "head-too-large",
            431,
            "Head too large",
            "The fields of a request may have 100 lines, 8192 bytes a line and 32768 bytes in all.",
        ),
    ),
    501: (
        FaceReason.NOT_IMPLEMENTED,
        Kind(
            "not-implemented",
            501,
            "Not implemented",
            "The server knows neither the method `CONNECT` nor any transfer coding but `chunked`.",
        ),
    ),
    503: (
        FaceReason.TOO_MANY_CONNECTIONS,
        Kind(
            "too-many-connections",
            503,
            "Too many connections",
            "The server has, or has of the caller's address, as many connections open as it allows.",
        ),
    ),
    505: (
        FaceReason.VERSION_NOT_SUPPORTED,
        Kind("version-not-supported", 505, "Version not supported", "The server speaks HTTP/1.1 and 1.0."),
    ),
}

ALL_KINDS: tuple[Kind, ...] = (
    *KINDS.values(),
    REJECTED,
    *(kind for _, kind in HTTP_KINDS.values() if kind not in KINDS.values()),
    INTERNAL,
)

PARAMETERS: Mapping[str, str] = {"key": "Idempotency-Key", "phase": "state", "shown": "invitation"}
"""The parameters that handlers call otherwise than clients do: the framework reports its own names."""


def allowed(methods: Iterable[str]) -> str:
    """Return methods as `Allow` names them, with `HEAD` wherever `GET` is."""
    found = set(methods)
    return ", ".join(sorted(found | {"HEAD"} if "GET" in found else found))


_APART = frozenset({"message", "clause"})
"""The details that have fields of their own."""


def problem(
    base: str, kind: Kind, reason: StrEnum, detail: str, details: Mapping[str, Any], clause: str | None = None
) -> Problem:
    """Return a problem of a kind, for clients that see this path in front of all others."""
    return Problem(
        type=f"{base}/problems/{kind.slug}",
        title=kind.title,
        status=kind.status,
        detail=detail,
        reason=reason,
        clause=clause,
        clause_url=None if clause is None or (path := clause_path(clause)) is None else f"{base}{path}",
        details={name: value for name, value in details.items() if name not in _APART},
    )


def answer(found: Problem, headers: Mapping[str, str] | None = None) -> Answer:
    """Return the answer that carries a problem."""
    extra = dict(headers or {})
    if found.status == 503 and not found.type.endswith(f"/{KINDS[SetAside].slug}"):
        extra["Retry-After"] = str(found.details.get("retry_after", RETRY_SECONDS))
    if found.status == 429:
        extra["Retry-After"] = str(found.details["retry_after"])
    if found.status == 401:
        extra["WWW-Authenticate"] = "Bearer"
    return Answer(found.status, MEDIA_TYPE, msgspec.json.encode(found), extra)


def problem_of(base: str, failed: Failure | Rejected) -> Problem:
    """Return what a use case that failed, or a refusal of the rules, looks like."""
    kind = REJECTED if isinstance(failed, Rejected) else KINDS[type(failed)]
    return problem(base, kind, failed.reason, describe(failed)[1], failed.details, clause_cited(failed))


def bug(base: str, what: str, error: Exception) -> Problem:
    """Return what a fault of the server looks like, and log it once."""
    log.error("%s failed", what, exc_info=error)
    return problem(base, INTERNAL, FaceReason.INTERNAL, BUG[1], {})


def on_failure(request: Request[Any, Any, Any], failed: Failure | Rejected) -> Response[bytes]:
    """Answer a use case that failed, or a refusal of the rules."""
    counted = visit(request)
    counted.charge(missed(failed))
    return answer(problem_of(base_of(request.scope), counted.told(failed)))


def on_http_exception(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer what the framework refuses: paths, methods, parameters, sizes."""
    status, headers = error.status_code, error.headers or {}
    if status == 405:
        methods = set(headers["allow"].split(", "))
        if "websocket" in methods:
            status, headers = 426, {"Upgrade": "websocket", "Connection": "Upgrade"}
        else:
            headers = {"Allow": allowed(methods)}
    if status not in HTTP_KINDS:
        return on_bug(request, error)
    reason, kind = HTTP_KINDS[status]
    detail, details = kind.meaning.replace("`", ""), {}
    extra = error.extra if isinstance(error.extra, list) else []
    if extra and isinstance(extra[0], dict):
        reason = FailureReason.INVALID_FIELD
        field = PARAMETERS.get(extra[0]["key"], extra[0]["key"])
        detail, details = f"{field}: {extra[0]['message']}", {"field": field}
    return answer(problem(base_of(request.scope), kind, reason, detail, details), headers)


def on_client_gone(request: Request[Any, Any, Any], gone: Exception) -> Response[bytes]:
    """Answer a client that has gone: nobody reads it, and it is no fault of the server."""
    reason, kind = HTTP_KINDS[400]
    return answer(problem(base_of(request.scope), kind, reason, kind.meaning, {}))


def on_bug(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer a fault of the server."""
    return answer(bug(base_of(request.scope), f"{request.method} {request.url.path!r}", error))
