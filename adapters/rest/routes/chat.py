"""Talk in a match."""

from typing import Annotated, Any

from litestar import Response, delete, get, post
from litestar.params import FromPath, QueryParameter

from adapters.rest.answers import answer
from adapters.rest.bodies.chat import MessageRequest, ReportRequest
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken, listed, paged
from adapters.rest.requests import Call, body, caller, caller_if_any, services, visit
from adapters.rest.routes.common import Key, Shown
from adapters.rest.streams import EventStream, streamed
from services.chat.log import ChatRoom
from services.players.store import Scope
from services.shared.ids import MatchId


@post(
    "/matches/{match:str}/chat",
    opt=describes(
        asks="MessageRequest",
        answers="ChatMessage",
        fails=(400, 401, 403, 404, 413, 415, 422, 429),
        secured=True,
    ),
)
async def post_message(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Write a message.

    To `players`, all seats of the match; to another `seat`, a whisper that only the two ever read; or to
    `spectators`, those who look on, where nobody at the table may read or write before the match is over. Ten
    messages within 30 seconds are taken, in one match.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, MessageRequest)
    used, message = await services(request).chat.post(
        player.id, MatchId(match), room=asked.room, to_seat=asked.to_seat, text=asked.text, key=key
    )
    return answer(message, status=201, headers={"Idempotency-Key": used})


@get(
    "/matches/{match:str}/chat",
    opt=describes(
        answers="ChatPage",
        streams="ChatItem",
        fails=(400, 401, 403, 404, 422),
    ),
)
async def list_messages(
    request: Call,
    match: FromPath[str],
    room: Annotated[
        ChatRoom | None, QueryParameter(description="Only messages of this room; left out, of all.")
    ] = None,
    after: Annotated[
        str | None, QueryParameter(description="Only messages after the one of this id.")
    ] = None,
    page_size: PageSize = 50,
    page_token: PageToken = None,
    shown: Shown = None,
) -> Response[Any]:
    """List what was said, in order, as far as the caller may read it; or go on as it is said.

    Accept `text/event-stream` or `application/x-ndjson` for a stream that stays open: a `message` for each,
    `caught_up` once all that was said is sent, a `heartbeat` at least every 15 seconds, and an `end` that
    says why, and whether a new stream may go on after its `last` message. The id of a server-sent event is
    the message's: `Last-Event-ID` resumes after it. A message whose text was taken away keeps its place,
    with `removed`. What the caller may read only from some time on, as the seats may what was said among
    those who look on, is then in the list, and in streams that begin then.
    """
    player = await caller_if_any(request)
    reader = None if player is None else player.id
    if (media_type := streamed(request)) is not None:
        resumed = request.headers.get("last-event-id", after)
        listener = await services(request).chat.listen(
            MatchId(match), reader, room=room, after=resumed, invitation=shown
        )
        listener.charge = visit(request).charge
        if player is not None:
            services(request).players.sessions.hold(player.credential, listener)
        return EventStream(listener, media_type)
    page = await services(request).chat.page(
        MatchId(match),
        reader,
        room=room,
        after=after,
        token=page_token,
        size=page_size,
        invitation=shown,
    )
    return listed(request, page.items, page.next)


@post(
    "/matches/{match:str}/chat/{message:str}/report",
    opt=describes(
        asks="ReportRequest", answers="ChatReport", fails=(400, 401, 403, 404, 413, 415, 422), secured=True
    ),
)
async def report_message(request: Call, match: FromPath[str], message: FromPath[str]) -> Response[bytes]:
    """Report a message that the caller may read, to those who look after the deployment.

    Once for each message; the same report again gives the same answer.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, ReportRequest)
    reported = await services(request).chat.report(
        player.id, MatchId(match), message, asked.reason, asked.text
    )
    return answer(reported, status=201)


@delete(
    "/matches/{match:str}/chat/{message:str}",
    status_code=200,
    opt=describes(answers="ChatMessage", fails=(401, 403, 404), secured=True),
)
async def remove_message(request: Call, match: FromPath[str], message: FromPath[str]) -> Response[bytes]:
    """Take a message's text away; its place stays.

    Needs the scope `admin`.
    """
    await caller(request, Scope.ADMIN)
    return answer(await services(request).chat.remove(MatchId(match), message))


@get("/reports", opt=describes(answers="ReportPage", lines="ChatReport", fails=(400, 401, 403), secured=True))
async def list_reports(
    request: Call, page_size: PageSize = 50, page_token: PageToken = None
) -> Response[bytes]:
    """List what was reported, newest first, each with its message as it stands now.

    Needs the scope `admin`. With `Accept: application/x-ndjson` each report is a line, and the token of the
    next page the header `Next-Page-Token`.
    """
    await caller(request, Scope.ADMIN)
    page = await services(request).chat.reports(after=page_token, size=page_size)
    return paged(request, page.items, page.next)


ROUTES = (post_message, list_messages, report_message, remove_message, list_reports)
