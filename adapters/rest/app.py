"""The REST application."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
from litestar import Litestar, Response, Router, get
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import License

from adapters.rest import problems
from adapters.rest.connections import ClientGone
from adapters.rest.limits import Limited, about
from adapters.rest.openapi import document
from adapters.rest.requests import MAX_BODY, Call
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
from adapters.rest.sockets import Socket
from adapters.use_cases import Services
from domain.shared.rejections import Rejected
from services.errors import Failure, Malformed
from services.limits import UNLIMITED, Limiter

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
"""


def build(services: Services, version: str, limiter: Limiter | None = None) -> Litestar:
    """Return the application on these use cases; without a limiter anybody may ask for anything."""
    limiter = limiter or Limiter()
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
        state=State({"services": services}),
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
        ),
        logging_config=None,
        debug=False,
    )
    # Within CORS, so that a page of another origin can read that it was refused, and outside all else.
    outermost = cast(Any, app.asgi_handler)
    outermost.app = Limited(outermost.app, limiter)
    limited = limiter.limits != UNLIMITED
    described = _document(app, list(services.matches.games.values()), limited=limited)
    app.state.query_names = {
        operation["operationId"]: {
            parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "query"
        }
        for path in described["paths"].values()
        for operation in path.values()
    }
    app.state.methods = {route.path_format: ", ".join(sorted(route.methods)) for route in app.routes}
    app.state.openapi = msgspec.json.encode(described)
    return app


@get("/openapi.json", include_in_schema=False)
async def openapi(state: State) -> Response[bytes]:
    """Give the OpenAPI document."""
    return Response(state.openapi, media_type="application/json")


async def look_over(request: Call) -> Response[None] | None:
    """Refuse a query parameter that the operation does not have: it would be a slip that goes unnoticed.

    OPTIONS is answered here: the framework names only the methods of the path that were registered first.
    """
    if request.method == "OPTIONS":
        methods = request.app.state.methods[request.scope["path_template"]]
        return Response(None, status_code=204, headers={"Allow": methods})
    if not request.scope["query_string"]:
        return None
    known = request.app.state.query_names.get(request.route_handler.handler_name, ())
    for name in request.query_params:
        if name not in known:
            raise Malformed("UNKNOWN_FIELD", field=name)
    return None


def _document(app: Litestar, games: Sequence[Any], *, limited: bool) -> Any:
    options = {
        handler.handler_name: handler.opt
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if "answers" in handler.opt
    }
    return document(app.openapi_schema.to_schema(), games, options, limited=limited)
