"""Whether the server works."""

from litestar import Response, get

from adapters.rest.answers import answer
from adapters.rest.bodies.matches import Health
from adapters.rest.documentation.openapi import describes
from adapters.rest.requests import Call, services
from services.shared.errors import Unavailable


@get("/health/live", opt=describes(answers="Health"))
async def live(request: Call) -> Response[bytes]:
    """Tell that the process works."""
    return answer(Health("live"))


@get("/health/ready", opt=describes(answers="Health", fails=(503,)))
async def ready(request: Call) -> Response[bytes]:
    """Tell that matches can be played; `degraded` says what does not go well though they can.

    It is 503 once the store has been away for 15 seconds, or streams are 10 seconds late.
    """
    known = services(request)
    if known.vitals is not None:
        return answer(Health("ready", tuple(await known.vitals.degraded())))
    if not await known.ready():
        raise Unavailable
    return answer(Health("ready"))


ROUTES = (live, ready)
