"""The limits over HTTP: every request is counted before anything is done for it, and told how it stands."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from adapters.rest import problems
from adapters.rest.requests import VISIT, base_of, bearer, visit
from adapters.rest.sockets import Socket, accept, refuse, token_offered
from services.shared.errors import RateLimited
from services.shared.rate_limits import Budget, Limiter, Limits, Visit

UNCOUNTED = frozenset({"", "health", "docs", "problems", "openapi.json", ".well-known"})
"""What is not counted, by the first part of its path."""

ABOUT = """
## Limits

| budget | of | allows |
| --- | --- | --- |
{rows}

A window begins with the first request that it counts. The same budgets hold over gRPC, and a command over a
WebSocket or within `Play` counts as a request. An address of IPv6 is counted with the 64 bits that it shares
with its neighbours. Pages like this one and health are not counted. Each process of the server counts for
itself.

## What a call counts as

| call | counts as |
| --- | --- |
| an export | 1 and 1 for each 100 events |
| a branch | 10 |
| a bot that is seated; an account that is erased | 10 |
| a list, also as lines | 1 and 1 for each 50 rows that it gives |
| a view of a past version | 1 and 1 for each 100 events before it |
| a stream, until it has caught up | 1 and 1 for each 100 events, or 50 items that are none |
| a version conflict | 1 and 1 for each 50 events that were missed |
| a proof | 1 and 1 for each 20000 matches of its day |
| `/openapi.json` under a path that a proxy says and nobody asked for lately | 15 |
| all else, and each command of a stream | 1 |

What is known beforehand is counted before anything is done, and may be refused; the rest is counted then.

Every answer says by which budgets it was counted, `RateLimit-Policy: "token";q=3000;w=60` for 3000 in 60
seconds, and how the caller stands with them, `RateLimit: "token";r=2999;t=55` for 2999 that are left, and 55
seconds until all are back. Who has spent one gets 429, `RATE_LIMITED`; `Retry-After` has the seconds to wait.
Over gRPC the same stand in the metadata, and the code is RESOURCE_EXHAUSTED with `RetryInfo`.
"""

STARTS = frozenset({"http.response.start", "websocket.accept"})
"""How an answer begins that has headers."""

UNLIMITED = """
## Limits

This server sets none.
"""


class Limited:
    """The application, with each request counted on its way in."""

    def __init__(self, app: Any, limiter: Limiter) -> None:
        """Take the application and the budgets."""
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it, and say how the caller stands."""
        counted = scope[VISIT] = _visit(self._limiter, scope)
        if scope["path"].strip("/").partition("/")[0] in UNCOUNTED:
            await self._app(scope, receive, send)
            return

        async def telling(message: Any) -> None:
            if message["type"] in STARTS and (fields := counted.fields()):
                policies, standings = fields
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"ratelimit-policy", policies.encode()),
                    (b"ratelimit", standings.encode()),
                ]
            await send(message)

        is_socket = scope["type"] == "websocket"
        try:
            try:
                counted.request()
                if is_socket:
                    counted.stream()
            except RateLimited as limited:
                refused = _refused_socket if is_socket else _refused
                await refused(limited, scope, receive, telling)
            else:
                await self._app(scope, receive, telling)
        finally:
            counted.leave()


def login(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Guard what gives a token: it is counted apart.

    Raises:
        RateLimited: There have been too many.
    """
    visit(connection).login()


def about(limits: Limits) -> str:
    """Return what the documentation says of the limits, with their figures."""
    budgets = (
        ("token", "requests with one token", limits.token),
        ("anonymous", "requests without a token from one address", limits.anonymous),
        ("address", "requests from one address, with tokens or without", limits.address),
        ("login", "accounts opened, tokens made and wrong tokens shown, from one address", limits.login),
        ("streams", "streams opened with one token, or without a token from one address", limits.streams),
        (
            "open-streams",
            "streams open at once with one token, or without from one address",
            limits.open_streams,
        ),
        ("address-streams", "streams open at once from one address", limits.address_streams),
    )
    rows = [f"| `{name}` | {of} | {_figure(budget)} |" for name, of, budget in budgets if budget is not None]
    return ABOUT.format(rows="\n".join(rows)) if rows else UNLIMITED


def _figure(budget: Budget | int) -> str:
    return str(budget) if isinstance(budget, int) else f"{budget.quota} in {budget.window} seconds"


async def _refused(limited: RateLimited, scope: Any, receive: Any, send: Any) -> None:
    await problems.answer(problems.problem_of(base_of(scope), limited)).to_asgi_response()(
        scope, receive, send
    )


async def _refused_socket(limited: RateLimited, scope: Any, receive: Any, send: Any) -> None:
    socket = Socket(scope, receive, send)
    await accept(socket)
    await refuse(socket, limited)


def _visit(limiter: Limiter, scope: Any) -> Visit:
    token, forwarded = None, []
    for name, value in scope["headers"]:
        if name == b"authorization":
            token = bearer(value.decode("latin-1"))
        elif name == b"x-forwarded-for":
            forwarded.append(value.decode("latin-1"))
    if scope["type"] == "websocket":
        token = token_offered(scope["subprotocols"]) or token
    host, _ = scope["client"] or ("", 0)
    return limiter.visit(host, ",".join(forwarded), token or None)
