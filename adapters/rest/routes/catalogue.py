"""What can be played."""

from typing import Annotated

from litestar import Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import structs

from adapters.rest.bodies.matches import (
    GameBody,
    GameSummary,
    Items,
    RefusalReason,
    Rules,
    Schemas,
    game_summary,
)
from adapters.rest.documentation.openapi import component, describes
from adapters.rest.documentation.prepared import document
from adapters.rest.requests import Call, link, services

SCHEMAS = "/openapi.json#/components/schemas/"


@get("/games", opt=describes(answers="GamePage", conditional=True))
async def list_games(request: Call) -> Response[bytes]:
    """List the games.

    In the order in which they came to the server.
    """
    catalogue = services(request).catalogue

    def items() -> Items[GameSummary]:
        return Items(
            tuple(game_summary(game, catalogue.max_commands) for game in catalogue.games.values()), None
        )

    return document(request, "games", items)


@get("/games/{game:str}", opt=describes(answers="Game", conditional=True, fails=(404,)))
async def get_game(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Tell all that a client needs to offer a game.

    Its seats, its options and its types.
    """
    catalogue = services(request).catalogue
    found = catalogue.game(game)
    kinds = ("Options", "Command", "Event", "View")
    schemas = Schemas(*(link(request, SCHEMAS + component(found, kind)) for kind in kinds))
    return document(
        request,
        ("game", found.id),
        lambda: GameBody(
            **structs.asdict(game_summary(found, catalogue.max_commands)),
            default_options=found.options(),
            schemas=schemas,
        ),
    )


@get("/games/{game:str}/rules", opt=describes(answers="Rules", conditional=True, fails=(400, 404)))
async def get_rules(
    request: Call,
    game: FromPath[str],
    ruleset: Annotated[
        str | None,
        QueryParameter(description="The edition, as a match names it; the newest if left out."),
    ] = None,
) -> Response[bytes]:
    """Tell a game's clauses, the reasons that cite them, its data with their grade, and its draws.

    Matches go on under the ruleset that they were opened with. The rules that all games have in common are
    those of `common`; a game's own come with them too. `clause_url` of a problem points to a clause in here.
    """
    found = services(request).catalogue.rules(game, ruleset)

    def rules() -> Rules:
        reasons = tuple(RefusalReason(reason, clause) for reason, clause in found.reasons.items())
        return Rules(found.game, found.ruleset, found.clauses, found.common, reasons, found.data, found.draws)

    return document(request, ("rules", found.game, found.ruleset), rules)


ROUTES = (list_games, get_game, get_rules)
