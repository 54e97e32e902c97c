"""What concerns the caller, over all matches."""

from typing import Annotated, Any

from litestar import Response, get
from litestar.params import QueryParameter

from adapters.rest.answers import answer
from adapters.rest.bodies.matches import PlayerEvents
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken
from adapters.rest.requests import Call, caller, services, visit
from adapters.rest.streams import EventStream, streamed
from services.players.store import Scope
from services.shared.errors import Malformed
from services.shared.rate_limits import ROWS


@get(
    "/players/me/events",
    opt=describes(answers="PlayerEventPage", streams="PlayerItem", fails=(400, 401, 403), secured=True),
)
async def list_player_events(
    request: Call,
    after: Annotated[
        str | None, QueryParameter(description="Only what is behind this position; 0 for all that is kept.")
    ] = None,
    page_size: PageSize = 50,
    page_token: PageToken = None,
) -> Response[Any]:
    """List what concerns the caller, over all matches, in order; or go on as it happens.

    A turn, an invitation, a seat that was taken or left, a beginning, an end, a message. Accept
    `text/event-stream` or `application/x-ndjson` for a stream that stays open. It begins after `after`, or
    else with what happens from now on: an `event` for each, `caught_up` once all that had happened is sent, a
    `heartbeat` at least every 15 seconds, and an `end` that says why. A new stream may always go on after
    the last `position` of any of them, on any server, and misses nothing. What is older than 90 days, or as
    many as the operator says, is forgotten: `oldest` is the position after which all is kept, and a stream
    that was to begin before it begins with `truncated`. The id of a server-sent event is
    the position: `Last-Event-ID` resumes after it. Which matches wait for the caller at first is told by
    `GET /v1/matches?my_turn=true`.
    """
    player = await caller(request, Scope.READ)
    feed = services(request).player_feed
    if (media_type := streamed(request)) is not None:
        resumed = request.headers.get("last-event-id")
        try:
            reading = await feed.watch(player.id, after=after if resumed is None else resumed)
        except Malformed as failed:
            if resumed is not None:
                failed.details["field"] = "Last-Event-ID"
            raise
        reading.charge = visit(request).charge
        services(request).players.sessions.hold(player.credential, reading)
        return EventStream(reading, media_type)
    page = await feed.page(player.id, after=after, token=page_token, size=page_size)
    visit(request).charge(len(page.items) // ROWS)
    return answer(PlayerEvents(page.items, page.next, page.oldest))


ROUTES = (list_player_events,)
