"""What can be played."""

from typing import override

from adapters.grpc.generated.montane.v1 import catalogue_pb2 as pb
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceServicer
from adapters.grpc.mapping import COMMAND, OPTIONS, PAYLOAD, TABLE, Mapper, message_of, numbers_of
from adapters.grpc.rate_limits import Context
from domain.shared.catalogues import Clause, Grade
from domain.shared.game import AnyGame
from services.bots.accounts import BOTS
from services.matches.catalogue import Catalogue as Games

GRADES = numbers_of(pb.Grade.DESCRIPTOR, Grade)


class Catalogue(CatalogueServiceServicer):
    """The service `CatalogueService`."""

    def __init__(self, games: Games, mapper: Mapper) -> None:
        """Take where the games are, and how their options are written."""
        self._games = games
        self._mapper = mapper

    @override
    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """Return all games."""
        return pb.ListGamesResponse(items=[self._game(game) for game in self._games.games.values()])

    @override
    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """Return one game."""
        return pb.GetGameResponse(game=self._game(self._games.game(request.game)))

    @override
    async def GetRules(self, request: pb.GetRulesRequest, context: Context) -> pb.GetRulesResponse:
        """Return a game's rules and data."""
        found = self._games.rules(request.game, request.ruleset if request.HasField("ruleset") else None)
        return pb.GetRulesResponse(
            game=found.game,
            ruleset=found.ruleset,
            clauses=map(_clause, found.clauses),
            common=map(_clause, found.common),
            reasons=[
                pb.RefusalReason(reason=reason, clause=clause) for reason, clause in found.reasons.items()
            ],
            data=[
                pb.DataTable(
                    name=table.name,
                    grade=pb.Grade.ValueType(GRADES[table.grade]),
                    source=table.source,
                    rows=table.rows,
                )
                for table in found.data
            ],
            draws=[pb.DrawRule(when=draw.when, what=draw.what) for draw in found.draws],
        )

    @override
    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """Return the server's bots."""
        bots = (pb.Bot(name=bot.name, description=bot.description) for bot in BOTS.values())
        return pb.ListBotsResponse(items=bots)

    def _game(self, game: AnyGame) -> pb.Game:
        own = {
            union.name: message_of(union.fields_by_name[game.id]).full_name
            for union in (OPTIONS, COMMAND, PAYLOAD, TABLE)
        }
        return pb.Game(
            id=game.id,
            title=game.title,
            ruleset=game.ruleset,
            summary=game.summary,
            min_seats=game.min_seats,
            max_seats=game.max_seats,
            max_commands=self._games.max_commands,
            default_options=self._mapper.options(game.options()),
            types=pb.GameTypes(
                options=own[OPTIONS.name],
                command=own[COMMAND.name],
                event=own[PAYLOAD.name],
                table=own[TABLE.name],
            ),
        )


def _clause(clause: Clause) -> pb.Clause:
    return pb.Clause(id=clause.id, text=clause.text)
