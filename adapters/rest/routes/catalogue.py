"""What can be played."""

from litestar import Response, get
from litestar.params import FromPath

from adapters.rest.bodies import GameBody, GameSummary, Items, Rules, Schemas, answer
from adapters.rest.openapi import component, describes
from adapters.rest.requests import Call, services

SCHEMAS = "/openapi.json#/components/schemas/"


@get("/games", opt=describes(answers="GamePage"))
async def list_games(request: Call) -> Response[bytes]:
    """List the games.

    In the order in which they came to the server.
    """
    games = tuple(
        GameSummary(
            id=game.id,
            title=game.title,
            ruleset=game.ruleset,
            summary=game.summary,
            min_seats=game.min_seats,
            max_seats=game.max_seats,
        )
        for game in services(request).matches.games.values()
    )
    return answer(Items(games, None))


@get("/games/{game:str}", opt=describes(answers="Game", fails=(404,)))
async def get_game(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Tell all that a client needs to offer a game.

    Its seats, options, types and data tables with their grade.
    """
    found = services(request).matches.game(game)
    return answer(
        GameBody(
            id=found.id,
            title=found.title,
            ruleset=found.ruleset,
            summary=found.summary,
            min_seats=found.min_seats,
            max_seats=found.max_seats,
            default_options=found.options(),
            schemas=Schemas(
                *(SCHEMAS + component(found, kind) for kind in ("Options", "Command", "Event", "View"))
            ),
            data=found.data,
        )
    )


@get("/games/{game:str}/rules", opt=describes(answers="Rules", fails=(404,)))
async def get_rules(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Tell the clauses that refusals cite."""
    found = services(request).matches.game(game)
    return answer(Rules(found.id, found.ruleset, found.rules))


ROUTES = (list_games, get_game, get_rules)
