"""The REST application."""

from collections.abc import Iterable, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import msgspec
from litestar import Litestar, Response, Router, get
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import License

from adapters.faces.base_path import Place
from adapters.rest import problems
from adapters.rest.answers import JSON, PUBLIC, Answer, Empty
from adapters.rest.documentation.openapi import document
from adapters.rest.documentation.prepared import FEW, Prepared, Shelf
from adapters.rest.negotiation import best_type
from adapters.rest.parameters import Operation, given_twice, once, operation
from adapters.rest.rate_limits import Limited, about
from adapters.rest.requests import MAX_BODY, Call, base_of, visit
from adapters.rest.routes import (
    branches,
    catalogue,
    chat,
    docs,
    health,
    lobby,
    matches,
    player_feed,
    players,
    proofs,
    statistics,
    webhooks,
)
from adapters.rest.server.connections import ClientGone
from adapters.rest.server.front import Front
from adapters.rest.sockets import Socket
from domain.shared.rejections import Rejected
from services.shared.errors import Failure, FailureReason, NotFound
from services.shared.rate_limits import DESCRIPTION_OF_API, UNLIMITED, Limiter
from services.use_cases import Services

EXPOSED = [
    "ETag",
    "Idempotency-Key",
    "Location",
    "Retry-After",
    "Next-Page-Token",
    "RateLimit",
    "RateLimit-Policy",
]
"""The headers that a client in a browser may read."""

DESCRIPTION = """Open matches, play them by commands, see them as your seat may.

A first game: `POST /v1/players` gives a token, `POST /v1/matches` opens a match, and
`POST /v1/matches/{match}/commands` plays; `POST /v1/quick-match` finds others to play with. The same over
gRPC in the package `montane.v1`.

A match can be played over one WebSocket too: `/v1/matches/{match}/socket`, with `after`, `as` and
`invitation` as for the list of events. It sends a `StreamItem` for all that happens. It takes a
`SocketCommand` and answers each, in order, with a `SocketResult` or a `SocketProblem`; every event comes
once, as an item or with a result, and with both if the socket looks from elsewhere than the seat that acted.
A browser, which can set no header, names its token in a subprotocol: it asks for `montane.v1` and
`montane.bearer.<token>`. What cannot be opened is told as a `SocketProblem`, and the socket closed with
4000 and the problem's status.

## Tokens

A caller shows who it is by `Authorization: Bearer <token>`. What a token allows is said by its scopes:

| scope | allows |
| --- | --- |
| `play` | to open, join and play matches; to read as the player; to manage its account |
| `read` | to read as the player: private matches, the own seat's view |
| `bot` | to play and read as a program: its seats are shown as a bot's; not to manage the account |
| `webhooks` | to have the player's events sent to an address, as its seats see them |
| `admin` | what concerns the whole deployment; only its operator gives it, by `montane token` |

What anybody may see needs no token; one that is shown must be good all the same. A revoked token is refused
everywhere within 5 seconds, and streams that are open by it end. A deployment may trust an OpenID Connect
issuer as well: its tokens, shown in the same way, name a player each, with `play`, `read` and `webhooks`; the
player is made when it is first seen.

## Connections

A request's head may have 8192 bytes a line, 100 lines and 32768 bytes in all; beyond, it is refused while
it comes (414, 431). It must come within 10 seconds, and its body after that at 1000 bytes a second (408).
Requests sent before the answers to earlier ones are answered in order. Who ends its sending side is answered
what it sent; then the connection closes, and with it a stream. A reader that takes nothing for 20 seconds is
cut off. A message of a WebSocket may come in 32 frames, and 20 pings and pongs a second; beyond, it is closed
with 1008. What is refused for how it was sent is answered with `Connection: close`.

## HTTP

`HEAD` may be asked wherever `GET` may, and opens no stream. A parameter that is unknown, given twice, or not
just what is described here is 400; a body whose fields all have defaults may be left out. `Accept` chooses
between what an operation can answer with, by weight; who excludes all of it with `q=0` gets 406.

What depends on the caller is `private` to caches. What is read of one match has an `ETag` of the match's
version and of who looks, as `"41.0"` or `"41.spectator"`, and `If-None-Match` is answered by 304 while that
is so; the `ETag` of a command's answer is the version alone. The catalogue and these pages have one too, and
come compressed to who accepts `gzip`. All else is `no-store`.
"""

ONLY_ONCE = {
    b"authorization": "Authorization",
    b"content-type": "Content-Type",
    b"idempotency-key": "Idempotency-Key",
    b"last-event-id": "Last-Event-ID",
}
"""The headers of which a request may have one line."""

LOOKED_AT = frozenset({b"accept", b"content-length", b"content-encoding", *ONLY_ONCE})
"""The headers that are looked at before anything is done."""

ANYTHING = (b"", b"*/*")
"""The `Accept` of a client that takes whatever there is."""

OPERATION = "operation"
"""The option of a handler that says what a request for it may have."""

NOT_CODED = (b"", b"identity")
"""The content codings in which a body is as it is."""


def build(
    services: Services, version: str, limiter: Limiter | None = None, place: Place | None = None
) -> Litestar:
    """Return the application.

    Args:
        services: The use cases.
        version: What it calls its version.
        limiter: The budgets; without, anybody may ask for anything.
        place: Where clients find it; at the root of what they see if left out.
    """
    limiter, place = limiter or Limiter(), place or Place()
    app = Litestar(
        route_handlers=[
            Router(
                "/v1",
                route_handlers=[
                    Router("/", route_handlers=catalogue.ROUTES, tags=["Catalogue"]),
                    Router("/", route_handlers=players.ROUTES, tags=["Players"]),
                    Router("/", route_handlers=matches.ROUTES, tags=["Matches"]),
                    Router("/", route_handlers=lobby.ROUTES, tags=["Lobby"]),
                    Router("/", route_handlers=branches.ROUTES, tags=["Branches"]),
                    Router("/", route_handlers=chat.ROUTES, tags=["Chat"]),
                    Router("/", route_handlers=proofs.ROUTES, tags=["Proof"]),
                    Router("/", route_handlers=player_feed.ROUTES, tags=["Players"]),
                    Router("/", route_handlers=statistics.ROUTES, tags=["Statistics"]),
                    Router("/", route_handlers=webhooks.ROUTES, tags=["Webhooks"]),
                ],
                before_request=look_over,
            ),
            Router("/", route_handlers=proofs.WELL_KNOWN, tags=["Proof"]),
            Router("/", route_handlers=health.ROUTES, tags=["Health"]),
            *docs.ROUTES,
            openapi,
        ],
        before_request=answer_options,
        state=State({"services": services, "shelf": Shelf(), "descriptions": Shelf(FEW)}),
        exception_handlers={
            Failure: problems.on_failure,
            Rejected: problems.on_failure,
            HTTPException: problems.on_http_exception,
            ClientGone: problems.on_client_gone,
            Exception: problems.on_bug,
        },
        websocket_class=Socket,
        cors_config=CORSConfig(allow_origins=["*"], expose_headers=EXPOSED),
        request_max_body_size=MAX_BODY,
        openapi_config=OpenAPIConfig(
            title="Montane",
            version=version,
            summary="Board and card games as a service.",
            description=DESCRIPTION + about(limiter.limits),
            license=License(name="Apache-2.0", identifier="Apache-2.0"),
            use_handler_docstrings=True,
            operation_id_creator=lambda handler, method, path: handler.handler_name,
            path="/openapi",
            # The document is finished here, and read at `/docs`.
            render_plugins=[NoPage(path=["/", "/openapi.json"])],
        ),
        logging_config=None,
        debug=False,
    )
    # Within CORS, so that a page of another origin can read that it was refused, and outside all else.
    outermost = cast(Any, app.asgi_handler)
    outermost.app = Front(Limited(outermost.app, limiter), place)
    limited = limiter.limits != UNLIMITED
    described = _document(app, list(services.catalogue.games.values()), limited=limited)
    by_name = {
        one["operationId"]: operation(one) for path in described["paths"].values() for one in path.values()
    }
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            if handler.handler_name in by_name:
                handler.opt[OPERATION] = by_name[handler.handler_name]
    app.state.methods = {route.path_format: problems.allowed(route.methods) for route in app.routes}
    del described["servers"]
    app.state.described = msgspec.json.encode(described)
    app.state.openapi = described_at(place.base, app.state.described)
    app.state.base = place.base
    return app


@get("/openapi.json", include_in_schema=False)
async def openapi(request: Call) -> Response[bytes]:
    """Give the OpenAPI document.

    For a path in front that is new, which any client may make up, it counts what it costs to write it.
    """
    base, state = base_of(request.scope), request.app.state
    if base != state.base and base not in state.descriptions:
        visit(request).weigh(DESCRIPTION_OF_API)
    prepared: Prepared = state.descriptions.get(
        base, lambda: Prepared(JSON, described_at(base, state.described))
    )
    return prepared.answer(request)


def described_at(base: str, described: bytes) -> bytes:
    """Return the OpenAPI document for clients that see this path in front of all others."""
    servers = msgspec.json.encode({"servers": [{"url": base or "/"}]})
    return servers[:-1] + b"," + described[1:]


class NoPage(OpenAPIRenderPlugin):
    """Keeps the framework from showing the document in pages of its own, which load from other servers."""

    def render(self, request: Any, openapi_schema: Any) -> bytes:
        """Say that there is nothing."""
        raise NotFound(FailureReason.NO_SUCH_RESOURCE)


async def answer_options(request: Call) -> Answer | None:
    """Answer `OPTIONS`: the framework names only the methods of the path that were registered first."""
    if request.method != "OPTIONS":
        return None
    return Empty(204, {"Allow": request.app.state.methods[request.scope["path_template"]]}, PUBLIC)


async def look_over(request: Call) -> Answer | None:
    """Refuse what the operation does not have, or cannot answer: it would be a slip that goes unnoticed.

    Raises:
        Malformed: A parameter is unknown, given twice, or not what the document says.
        HTTPException: The body is too large or coded, or nothing that there is is accepted.
    """
    scope = request.scope
    found: Operation | None = scope["route_handler"].opt.get(OPERATION)
    if found is None:
        return await answer_options(request)
    _check_headers(scope["headers"], found.offers)
    if query := scope["query_string"]:
        given = once(parse_qsl(query.decode("latin-1"), keep_blank_values=True), found.query)
        if read := {name: check(given[name], name) for name, check in found.checked.items() if name in given}:
            scope["query_string"] = urlencode(given | read).encode()
    for name, check in found.path.items():
        scope["path_params"][name] = check(scope["path_params"][name], name)
    return None


def _check_headers(headers: Iterable[tuple[bytes, bytes]], offers: tuple[str, ...]) -> None:
    accepted = b""
    seen: set[bytes] = set()
    for name, value in headers:
        if name not in LOOKED_AT:
            continue
        if name == b"accept":
            accepted = accepted + b"," + value if accepted else value
        elif name in ONLY_ONCE:
            if name in seen:
                raise given_twice(ONLY_ONCE[name])
            seen.add(name)
        elif name == b"content-length" and value.isdigit() and int(value[:9]) > MAX_BODY:
            raise HTTPException(status_code=413)
        elif name == b"content-encoding" and value.lower() not in NOT_CODED:
            raise HTTPException(status_code=415, headers={"Accept-Encoding": "identity"})
    if accepted not in ANYTHING and offers and best_type(accepted.decode("latin-1"), offers) is None:
        raise HTTPException(status_code=406)


def _document(app: Litestar, games: Sequence[Any], *, limited: bool) -> Any:
    options = {
        handler.handler_name: handler.opt
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if "answers" in handler.opt
    }
    return document(app.openapi_schema.to_schema(), games, options, limited=limited)
