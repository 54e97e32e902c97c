"""Accounts."""

from litestar import Response, get, post

from adapters.rest.answers import answer
from adapters.rest.bodies import NewPlayer, PlayerRequest, player_body
from adapters.rest.limits import login
from adapters.rest.openapi import describes
from adapters.rest.requests import Call, body, caller, services


@post(
    "/players",
    guards=[login],
    opt=describes(asks="PlayerRequest", answers="NewPlayer", fails=(400, 413, 415)),
)
async def create_player(request: Call) -> Response[bytes]:
    """Open a guest account.

    The answer holds the account's bearer token; it is shown this once.
    """
    asked = await body(request, PlayerRequest)
    player, token = await services(request).players.open_guest(asked.display_name)
    return answer(NewPlayer(player_body(player), token), status=201, headers={"Cache-Control": "no-store"})


@get("/players/me", opt=describes(answers="Player", fails=(401,), secured=True))
async def get_me(request: Call) -> Response[bytes]:
    """Tell whose token this is."""
    return answer(player_body(await caller(request)))


ROUTES = (create_player, get_me)
