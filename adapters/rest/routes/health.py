"""Whether the server works."""

from litestar import Response, get

from adapters.rest.answers import answer
from adapters.rest.bodies import Health
from adapters.rest.openapi import describes
from adapters.rest.requests import Call, services
from services.errors import Unavailable


@get("/health/live", opt=describes(answers="Health"))
async def live(request: Call) -> Response[bytes]:
    """Tell that the process works."""
    return answer(Health("live"))


@get("/health/ready", opt=describes(answers="Health", fails=(503,)))
async def ready(request: Call) -> Response[bytes]:
    """Tell that the store answers, so that matches can be played."""
    if not await services(request).matches.ready():
        raise Unavailable
    return answer(Health("ready"))


ROUTES = (live, ready)
