"""What players have achieved."""

from litestar import Response, get
from litestar.params import FromPath

from adapters.rest.answers import answer
from adapters.rest.documentation.openapi import describes
from adapters.rest.lists import PageSize, PageToken, paged
from adapters.rest.requests import Call, caller_if_any, services
from domain.match import PlayerId


@get("/players/{player:str}/statistics", opt=describes(answers="Achievements", fails=(401, 403, 404)))
async def get_statistics(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Tell what a player has achieved, game by game.

    Public matches count once they have finished, within moments; private ones do not. `resigned` and
    `timed_out` are among the lost ones; `best_score` is of matches played alone. A `rating` comes from the
    rated matches of two players or more: the winners before the others, those by score and stones, and those
    that gave up last. It is that of Plackett and Luce (openskill): `mu` is the likeliest strength, `sigma`
    how uncertain that is, and the `estimate`, `mu` less three times `sigma`, what the player's strength is at
    least, most likely. Everybody begins at 0, with `mu` 25 and `sigma` 25/3.
    """
    onlooker = await caller_if_any(request)
    await services(request).blocks.check_shown(PlayerId(player), None if onlooker is None else onlooker.id)
    return answer(await services(request).achievements.of_player(PlayerId(player)))


@get(
    "/games/{game:str}/leaderboard",
    opt=describes(answers="Leaderboard", lines="RankedPlayer", fails=(400, 401, 403, 404)),
)
async def get_leaderboard(
    request: Call, game: FromPath[str], page_size: PageSize = 50, page_token: PageToken = None
) -> Response[bytes]:
    """List those who have a rating in a game, the highest estimate first.

    With `Accept: application/x-ndjson` each place is a line, and the token of the next page the header
    `Next-Page-Token`.
    """
    await caller_if_any(request)
    page = await services(request).achievements.leaderboard(game, after=page_token, size=page_size)
    return paged(request, page.items, page.next)


ROUTES = (get_statistics, get_leaderboard)
