"""Around a match: leave a seat, start, cancel, invite, play again, find others to play with."""

from collections.abc import Mapping

from litestar import Response, delete, get, post
from litestar.params import FromPath
from msgspec import Raw, structs

from adapters.rest.answers import NO_HEADERS, Answer, answer
from adapters.rest.bodies.lobby import Bot, InvitationRequest, QuickMatchRequest, RematchRequest
from adapters.rest.bodies.matches import Items
from adapters.rest.documentation.of_games import options_in
from adapters.rest.documentation.openapi import describes
from adapters.rest.documentation.prepared import document
from adapters.rest.requests import Call, body, caller, link, services
from adapters.rest.routes.common import Key, match_answer
from domain.match import PlayerId, conditions_of
from services.bots.accounts import BOTS
from services.lobby.invitations import Invitation
from services.matches.opening import Proposal
from services.players.store import Scope
from services.shared.ids import MatchId


@delete(
    "/matches/{match:str}/seats/{seat:str}",
    status_code=200,
    opt=describes(answers="Match", fails=(400, 401, 403, 404, 409, 422), secured=True),
)
async def leave_seat(
    request: Call, match: FromPath[str], seat: FromPath[int], key: Key = None
) -> Response[bytes]:
    """Leave a seat.

    Before the start the seat is free again; while the match is played its player gives up. The opener may
    free another's seat before the start; its player may not come back.
    """
    player = await caller(request, Scope.PLAY)
    used, listed = await services(request).lobby.leave_seat(player.id, MatchId(match), seat, key)
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@post(
    "/matches/{match:str}/start",
    status_code=200,
    opt=describes(answers="Match", fails=(400, 401, 403, 404, 409, 422), secured=True),
)
async def start_match(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Start a match that waits for its opener's word.

    All its seats must be taken.
    """
    player = await caller(request, Scope.PLAY)
    used, listed = await services(request).lobby.start(player.id, MatchId(match), key)
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@post(
    "/matches/{match:str}/cancel",
    status_code=200,
    opt=describes(answers="Match", fails=(400, 401, 403, 404, 409, 422), secured=True),
)
async def cancel_match(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Call a match off.

    Its opener may do so until it begins.
    """
    player = await caller(request, Scope.PLAY)
    used, listed = await services(request).lobby.cancel(player.id, MatchId(match), key)
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@post(
    "/matches/{match:str}/invitations",
    status_code=200,
    opt=describes(
        asks="InvitationRequest",
        answers="Match",
        fails=(400, 401, 403, 404, 409, 413, 415, 422),
        secured=True,
    ),
)
async def invite_player(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Invite a player by name.

    The opener and the seats may do so until the match begins. Anyone who is invited may know of a private
    match, and take a seat of a match that is played again.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, InvitationRequest)
    used, listed = await services(request).invitations.invite(
        player.id, MatchId(match), PlayerId(asked.player), key
    )
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@get(
    "/matches/{match:str}/invitation",
    opt=describes(answers="Invitation", fails=(401, 403, 404), secured=True),
)
async def get_invitation(request: Call, match: FromPath[str]) -> Response[bytes]:
    """Tell the link of a match, to its opener and its seats.

    Anyone who shows it as `invitation` may know of the match and take a seat in it, until it is renewed.
    """
    player = await caller(request, Scope.PLAY)
    invitation = await services(request).invitations.link(player.id, MatchId(match))
    return _shown(request, invitation)


@post(
    "/matches/{match:str}/invitation",
    status_code=200,
    opt=describes(answers="Invitation", fails=(400, 401, 403, 404, 409, 422), secured=True),
)
async def renew_invitation(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Give a match another link, by the word of its opener.

    The link that it had opens nothing any more, and streams that are open by it alone end. Who has a seat, or
    was invited by name, may know of the match as before. A match's link is also renewed when its opener
    takes a player's seat away.
    """
    player = await caller(request, Scope.PLAY)
    used, invitation = await services(request).invitations.renew(player.id, MatchId(match), key)
    return _shown(request, invitation, {"Idempotency-Key": used})


@post(
    "/matches/{match:str}/rematch",
    status_code=200,
    opt=describes(
        asks="RematchRequest", answers="Match", fails=(400, 401, 403, 404, 409, 413, 415, 422), secured=True
    ),
)
async def rematch(request: Call, match: FromPath[str], key: Key = None) -> Response[bytes]:
    """Play a match again that is over.

    On the same terms, but that the next seat begins. The first of its players to ask opens the new match, the
    others are invited and come to the same one; each has its seat again.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, RematchRequest)
    used, listed = await services(request).rematches.rematch(
        player.id, MatchId(match), asked.entropy, key, kind=player.holder_kind
    )
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@post(
    "/quick-match",
    status_code=200,
    opt=describes(
        asks="QuickMatchRequest",
        answers="Match",
        fails=(400, 401, 403, 404, 409, 413, 415, 422),
        secured=True,
    ),
)
async def quick_match(request: Call, key: Key = None) -> Response[bytes]:
    """Find others to play with.

    Takes the first free seat of a public match on the same terms that waits for players, or else opens one.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, QuickMatchRequest[Raw])
    game = services(request).catalogue.game(asked.game)
    proposal = Proposal(
        game=game.id,
        options=options_in(asked.options, game),
        seats=asked.seats,
        seat=0,
        entropy=asked.entropy,
        kind=player.holder_kind,
        **conditions_of(asked),
    )
    used, listed = await services(request).quick_match.join(player.id, proposal, key)
    return await match_answer(request, listed, headers={"Idempotency-Key": used})


@get("/bots", opt=describes(answers="BotPage", conditional=True))
async def list_bots(request: Call) -> Response[bytes]:
    """List the server's bots.

    Each can be given any number of seats of a match, by its opener.
    """
    bots = Items(tuple(Bot(bot.name, bot.description) for bot in BOTS.values()), None)
    return document(request, "bots", lambda: bots)


def _shown(request: Call, invitation: Invitation, headers: Mapping[str, str] = NO_HEADERS) -> Answer:
    """Return the answer with a link as the caller can follow it."""
    return answer(structs.replace(invitation, path=link(request, invitation.path)), headers=headers)


ROUTES = (
    leave_seat,
    start_match,
    cancel_match,
    invite_player,
    get_invitation,
    renew_invitation,
    rematch,
    quick_match,
    list_bots,
)
