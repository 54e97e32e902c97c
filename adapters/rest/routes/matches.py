"""Matches: open, list, join, play, look and look back."""

from functools import partial
from typing import Annotated, Any

from litestar import Response, get, post, put, websocket
from litestar.params import FromPath, QueryParameter

from adapters.rest.answers import Empty, answer, reading
from adapters.rest.bodies.matches import (
    CommandResult,
    LegalMoves,
    RawCommandRequest,
    RawMatchRequest,
    SeatRequest,
)
from adapters.rest.documentation.of_games import command_in, options_in
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken, listed, paged
from adapters.rest.parameters import number_in, time_in
from adapters.rest.requests import (
    HEAD,
    Call,
    body,
    caller,
    caller_if_any,
    link,
    services,
    visit,
)
from adapters.rest.routes.common import Key, LookingAs, Shown, match_answer
from adapters.rest.sockets import Socket, converse_over
from adapters.rest.streams import EventStream, resumed_behind, streamed, weighed
from domain.match import MatchStatus, PlayerId, conditions_of, seat_held
from domain.shared.viewers import SPECTATOR, seated
from services.lobby.match_list import MatchFilter
from services.matches.opening import Proposal
from services.matches.summaries import summaries
from services.players.store import Scope
from services.shared.errors import FailureReason, Malformed
from services.shared.ids import MatchId
from services.shared.rate_limits import BOT, EVENTS, MOST_EVENTS

A_TIME = {"format": "date-time"}
"""What the schema says of a parameter that is a time, beside that it is text."""


@post(
    "/matches",
    opt=describes(
        asks="MatchRequest", answers="Match", fails=(400, 401, 403, 404, 413, 415, 422), secured=True
    ),
)
async def create_match(request: Call, key: Key = None) -> Response[bytes]:
    """Open a match.

    The caller takes the seat it names. A match starts by itself when its last seat is taken, unless `start`
    is `manual`. One that does not begin is cancelled after a time that the server sets, commonly a day.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, RawMatchRequest)
    known = services(request)
    game = known.catalogue.game(asked.game)
    proposal = Proposal(
        game=game.id,
        options=options_in(asked.options, game),
        seats=asked.seats,
        seat=asked.seat,
        entropy=asked.entropy,
        kind=player.holder_kind,
        **conditions_of(asked),
    )
    used, listed = await known.openings.open(player.id, proposal, key)
    headers = {"Location": link(request, f"/v1/matches/{listed.id}"), "Idempotency-Key": used}
    return await match_answer(request, listed, status=201, headers=headers)


@get("/matches", opt=describes(answers="MatchPage", lines="Match", fails=(400, 401, 403, 404)))
async def list_matches(
    request: Call,
    game: Annotated[str | None, QueryParameter(description="Only matches of this game.")] = None,
    phase: Annotated[
        MatchStatus | None, QueryParameter(description="Only matches that are this far.", name="state")
    ] = None,
    open_seats: Annotated[
        bool, QueryParameter(description="Only matches with a free seat that may be taken.")
    ] = False,
    player: Annotated[
        str | None, QueryParameter(description="Only matches in which this player has a seat.")
    ] = None,
    my_turn: Annotated[
        bool, QueryParameter(description="Only matches in which the caller is to act.")
    ] = False,
    created_after: Annotated[
        str | None, QueryParameter(description="Only matches opened later than this.", schema_extra=A_TIME)
    ] = None,
    created_before: Annotated[
        str | None, QueryParameter(description="Only matches opened earlier than this.", schema_extra=A_TIME)
    ] = None,
    page_size: PageSize = 50,
    page_token: PageToken = None,
) -> Response[bytes]:
    """List matches, newest first.

    Public ones, and the private ones in which the caller sits, which it opened, or to which it is invited;
    of these, those for which all holds that is asked for. The list follows the matches within moments. With
    `Accept: application/x-ndjson` each match is a line, and the token of the next page the header
    `Next-Page-Token`. A token goes with the same filters.
    """
    onlooker = await caller_if_any(request)
    wanted = MatchFilter(
        game=game,
        status=phase,
        open_seats=open_seats,
        player=None if player is None else PlayerId(player),
        my_turn=my_turn,
        created_after=time_in(created_after, "created_after"),
        created_before=time_in(created_before, "created_before"),
    )
    page = await services(request).match_list.page(
        None if onlooker is None else onlooker.id, wanted, after=page_token, size=page_size
    )
    return paged(request, await summaries(page.items, services(request).players), page.next)


@get("/matches/{match:str}", opt=describes(answers="Match", conditional=True, fails=(400, 401, 403, 404)))
async def get_match(request: Call, match: FromPath[str], shown: Shown = None) -> Response[bytes]:
    """Tell a match without its table."""
    player = await caller_if_any(request)
    listed = await services(request).queries.read(
        MatchId(match), None if player is None else player.id, shown
    )
    (summary,) = await summaries([listed], services(request).players)
    seat = None if player is None else seat_held(listed.match, player.id)
    viewer = SPECTATOR if seat is None else seated(seat)
    # Names of players change without a version.
    return reading(request, summary, listed.version, viewer, changes_between_versions=True)


@put(
    "/matches/{match:str}/seats/{seat:str}",
    opt=describes(
        asks="SeatRequest", answers="Match", fails=(400, 401, 403, 404, 409, 413, 415, 422), secured=True
    ),
)
async def take_seat(
    request: Call, match: FromPath[str], seat: FromPath[int], key: Key = None, shown: Shown = None
) -> Response[bytes]:
    """Take a seat, or give it to a bot.

    The last one to sit down starts the match. With `bot` one of the server's bots sits down, which the opener
    alone may ask for; it counts as 10 requests.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, SeatRequest)
    lobby, id = services(request).lobby, MatchId(match)
    if asked.bot is not None:
        visit(request).weigh(BOT - 1)
    if asked.bot is None:
        used, listed = await lobby.take_seat(
            player.id, id, seat, asked.entropy, key, kind=player.holder_kind, invitation=shown
        )
    else:
        used, listed = await lobby.seat_bot(player.id, id, seat, asked.bot, asked.entropy, key)
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@post(
    "/matches/{match:str}/commands",
    status_code=200,
    opt=describes(
        asks="CommandRequest",
        answers="CommandResult",
        fails=(400, 401, 403, 404, 409, 413, 415, 422),
        secured=True,
    ),
)
async def submit_command(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Give a command for the caller's seat.

    The answer leaves after the command is stored durably.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, RawCommandRequest)
    result = await services(request).commands.submit(
        player.id,
        MatchId(match),
        partial(command_in, asked.command),
        key=key,
        expected_version=asked.expected_version,
        validate_only=asked.validate_only,
        seat=asked.seat,
    )
    return answer(
        CommandResult(result.version, result.events, result.view),
        version=result.version,
        headers={"Idempotency-Key": result.key},
    )


@get(
    "/matches/{match:str}/legal-moves",
    opt=describes(answers="LegalMoves", conditional=True, fails=(400, 401, 403, 404), secured=True),
)
async def list_legal_moves(request: Call, match: FromPath[str], shown: Shown = None) -> Response[bytes]:
    """List the legal moves of the caller's seat.

    In full form and stated order; none while the seat is not to act.
    """
    player = await caller(request, Scope.READ)
    view = await services(request).queries.legal_moves(MatchId(match), player.id, shown)
    return reading(request, LegalMoves(view.version, view.legal_moves), view.version, view.viewer)


@get("/matches/{match:str}/view", opt=describes(answers="View", conditional=True, fails=(400, 401, 403, 404)))
async def get_view(
    request: Call,
    match: FromPath[str],
    version: Annotated[
        int | None, QueryParameter(description="The version to look back to; now if left out.", ge=1)
    ] = None,
    looking_as: LookingAs = None,
    shown: Shown = None,
) -> Response[bytes]:
    """Show the table, now or at any version, as one viewer may see it.

    At a past version it counts as a request more for each 100 events before it.
    """
    player = await caller_if_any(request)
    visit(request).weigh(min(version or 0, MOST_EVENTS) // EVENTS)
    view = await services(request).queries.view(
        MatchId(match),
        None if player is None else player.id,
        version=version,
        looking_as=looking_as,
        invitation=shown,
    )
    return reading(request, view, view.version, view.viewer)


@get(
    "/matches/{match:str}/events",
    opt=describes(answers="EventPage", streams="StreamItem", ends=True, fails=(400, 401, 403, 404)),
)
async def list_events(
    request: Call,
    match: FromPath[str],
    after: Annotated[
        int | None, QueryParameter(description="Only events after this version; 0 for all.", ge=0)
    ] = None,
    page_size: PageSize = 50,
    page_token: PageToken = None,
    looking_as: LookingAs = None,
    shown: Shown = None,
) -> Response[Any]:
    """List what happened, in order, as one viewer may see it; or go on as it happens.

    Accept `text/event-stream` or `application/x-ndjson` for a stream that stays open. Without `after` it
    begins with a `snapshot`, the view as it is; then come an `event` for every event, a `presence` that says
    who is there, and `caught_up` once all that has happened was sent. From then on it is live: each `event`,
    a `presence` when that changes, at most once a second, a `heartbeat` at least every 15 seconds, and at
    last an `end` that says why, and whether a new stream may go on after its `version`. It ends too for a
    player that leaves its seat, or loses it. The id of a server-sent event is the version: `Last-Event-ID`
    resumes after it. To the `Last-Event-ID` of a match that is over the answer is 204, so that a browser
    does not come back.
    """
    player = await caller_if_any(request)
    if (media_type := streamed(request)) is not None:
        watch = await services(request).match_streams.watch(
            MatchId(match),
            None if player is None else player.id,
            after=resumed_behind(request, after),
            looking_as=looking_as,
            invitation=shown,
            unseen=HEAD in request.scope,
        )
        weighed(watch, visit(request))
        if watch.finished and "last-event-id" in request.headers:
            watch.leave()
            return Empty()
        if player is not None:
            services(request).players.sessions.hold(player.credential, watch)
        return EventStream(watch, media_type)
    if page_token is not None:
        if after is not None:
            raise Malformed(FailureReason.INVALID_FIELD, field="page_token", expected="given without after")
        after = number_in(page_token, "page_token", "a token that a page gave")
    page = await services(request).queries.events(
        MatchId(match),
        None if player is None else player.id,
        after=after or 0,
        size=page_size,
        looking_as=looking_as,
        invitation=shown,
    )
    return listed(request, page.items, page.next)


@websocket("/matches/{match:str}/socket")
async def play(socket: Socket, match: FromPath[str]) -> None:
    """Send what happens, and take commands: a match over one WebSocket."""
    await converse_over(socket, MatchId(match))


ROUTES = (
    create_match,
    list_matches,
    get_match,
    take_seat,
    submit_command,
    list_legal_moves,
    get_view,
    list_events,
    play,
)
