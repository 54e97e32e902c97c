"""Accounts and their tokens."""

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath
from msgspec import structs

from adapters.rest.answers import Empty, answer
from adapters.rest.bodies.players import NewPlayer, NewToken, PlayerRequest, ProfileRequest, TokenRequest
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken, paged
from adapters.rest.rate_limits import login
from adapters.rest.requests import Call, body, caller, caller_if_any, services, visit
from domain.match import PlayerId
from services.players.profiles import ProfileChange
from services.players.store import Scope
from services.shared.ids import TokenId
from services.shared.rate_limits import ERASURE


@post(
    "/players",
    guards=[login],
    opt=describes(asks="PlayerRequest", answers="NewPlayer", fails=(400, 413, 415)),
)
async def create_player(request: Call) -> Response[bytes]:
    """Open a guest account.

    The answer holds the account's bearer token; it is shown this once. It has the scopes `play`, `read` and
    `webhooks`, and stays good until it is revoked.
    """
    asked = await body(request, PlayerRequest)
    player, token = await services(request).players.open_guest(asked.display_name)
    return answer(NewPlayer(player, token), status=201)


@get("/players/me", opt=describes(answers="Player", fails=(401, 403), secured=True))
async def get_me(request: Call) -> Response[bytes]:
    """Tell whose token this is."""
    me = await caller(request, Scope.READ)
    return answer(await services(request).players.own(me))


@patch(
    "/players/me",
    opt=describes(asks="ProfileRequest", answers="Player", fails=(400, 401, 403, 413, 415), secured=True),
)
async def update_me(request: Call) -> Response[bytes]:
    """Change what the caller's account says of it.

    Needs the scope `play`; a bot's token does not do.
    """
    me = await caller(request, Scope.PLAY)
    asked = await body(request, ProfileRequest)
    return answer(await services(request).players.change(me, ProfileChange(**structs.asdict(asked))))


@delete("/players/me", opt=describes(answers=None, fails=(401, 403), secured=True))
async def delete_me(request: Call) -> Response[None]:
    """Erase the caller's account, for good.

    Its seats are left: in matches that have not begun they are free, those that are being played it gives up.
    Its name, picture and language, its tokens, and all else that is kept of it go. Its matches stay for those
    it played with, and can still be verified: they know it by its id only, and show an empty name. What it
    gave to a match as entropy, and its idempotency keys, stay there. Needs the scope `play`; a bot's token
    does not do. It counts as 10 requests.
    """
    me = await caller(request, Scope.PLAY)
    visit(request).weigh(ERASURE - 1)
    await services(request).departures.erase(me)
    return Empty()


@get("/players/{player:str}", opt=describes(answers="PublicPlayer", fails=(401, 403, 404)))
async def get_player(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Tell what everybody may know of a player."""
    onlooker = await caller_if_any(request)
    await services(request).blocks.check_shown(PlayerId(player), None if onlooker is None else onlooker.id)
    return answer(await services(request).players.public(PlayerId(player)))


@put(
    "/players/me/blocks/{player:str}",
    opt=describes(answers="Block", fails=(400, 401, 403, 404, 422), secured=True),
)
async def block_player(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Block a player.

    It cannot invite the caller any more: it is answered as if there were no such player. The caller is shown
    nothing that it writes in a chat, and a quick match brings the two together no more. Nothing tells it of
    that; seats and talk of matches are otherwise as before. Anyone who erases its account is blocked no
    longer.
    """
    me = await caller(request, Scope.PLAY)
    return answer(await services(request).blocks.block(me.id, PlayerId(player)))


@delete("/players/me/blocks/{player:str}", opt=describes(answers=None, fails=(401, 403), secured=True))
async def unblock_player(request: Call, player: FromPath[str]) -> Response[None]:
    """Block a player no longer."""
    me = await caller(request, Scope.PLAY)
    await services(request).blocks.unblock(me.id, PlayerId(player))
    return Empty()


@get("/players/me/blocks/{player:str}", opt=describes(answers="Block", fails=(401, 403, 404), secured=True))
async def get_block(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Tell since when the caller has blocked a player."""
    me = await caller(request, Scope.READ)
    return answer(await services(request).blocks.read(me.id, PlayerId(player)))


@get(
    "/players/me/blocks",
    opt=describes(answers="BlockPage", lines="Block", fails=(400, 401, 403), secured=True),
)
async def list_blocks(
    request: Call, page_size: PageSize = 50, page_token: PageToken = None
) -> Response[bytes]:
    """List whom the caller has blocked, by their ids."""
    me = await caller(request, Scope.READ)
    page = await services(request).blocks.page(me.id, after=page_token, size=page_size)
    return paged(request, page.items, page.next)


@get(
    "/players/me/tokens",
    opt=describes(answers="TokenPage", lines="Token", fails=(400, 401, 403), secured=True),
)
async def list_tokens(
    request: Call, page_size: PageSize = 50, page_token: PageToken = None
) -> Response[bytes]:
    """List the caller's tokens, newest first.

    What they allow and until when, never the tokens themselves. Those whose time has been over for a day may
    be missing. Needs the scope `play`; a bot's token does not do.
    """
    me = await caller(request, Scope.PLAY)
    page = await services(request).players.tokens(me, after=page_token, size=page_size)
    return paged(request, page.items, page.next)


@post(
    "/players/me/tokens",
    guards=[login],
    opt=describes(
        asks="TokenRequest", answers="NewToken", fails=(400, 401, 403, 413, 415, 422), secured=True
    ),
)
async def create_token(request: Call) -> Response[bytes]:
    """Make a further token.

    The answer holds the bearer token; it is shown this once. Its scopes are some of those of the token that
    makes it, and `bot` besides: the token of a program, whose seats are shown as a bot's. Needs the scope
    `play`; a bot's token does not do.
    """
    me = await caller(request, Scope.PLAY)
    asked = await body(request, TokenRequest)
    details, token = await services(request).players.make_token(me, asked.scopes, asked.expires_at)
    return answer(NewToken(details, token), status=201)


@delete("/players/me/tokens/{token:str}", opt=describes(answers=None, fails=(401, 403, 404), secured=True))
async def delete_token(request: Call, token: FromPath[str]) -> Response[None]:
    """Revoke one of the caller's tokens.

    It is refused everywhere within 5 seconds. Needs the scope `play`; a bot's token does not do.
    """
    await services(request).players.revoke(await caller(request, Scope.PLAY), TokenId(token))
    return Empty()


ROUTES = (
    create_player,
    get_me,
    update_me,
    delete_me,
    get_player,
    block_player,
    unblock_player,
    get_block,
    list_blocks,
    list_tokens,
    create_token,
    delete_token,
)
