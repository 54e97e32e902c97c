"""What players have achieved."""

from typing import override

from adapters.grpc.calls import onlooker
from adapters.grpc.generated.montane.v1 import matches_pb2
from adapters.grpc.generated.montane.v1 import statistics_pb2 as pb
from adapters.grpc.generated.montane.v1.statistics_pb2_grpc import StatisticsServiceServicer
from adapters.grpc.rate_limits import Context
from adapters.grpc.requests import page_size
from domain.match import PlayerId
from services.players.names import SeatedPlayer
from services.players.records import Rating
from services.players.statistics import PlayerStatistics
from services.use_cases import Services


class StatisticsCalls(StatisticsServiceServicer):
    """The service `StatisticsService`."""

    def __init__(self, services: Services) -> None:
        """Take the use cases."""
        self._blocks = services.blocks
        self._achievements = services.achievements
        self._players = services.players

    @override
    async def GetStatistics(
        self, request: pb.GetStatisticsRequest, context: Context
    ) -> pb.GetStatisticsResponse:
        """Return what a player has achieved."""
        await self._blocks.check_shown(PlayerId(request.player), await onlooker(self._players))
        found = await self._achievements.of_player(PlayerId(request.player))
        return pb.GetStatisticsResponse(player=_player(found.player), games=map(_statistics, found.games))

    @override
    async def GetLeaderboard(
        self, request: pb.GetLeaderboardRequest, context: Context
    ) -> pb.GetLeaderboardResponse:
        """Return a page of a leaderboard."""
        await onlooker(self._players)
        page = await self._achievements.leaderboard(
            request.game,
            after=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        places = [
            pb.RankedPlayer(player=_player(place.player), rating=_rating(place.rating))
            for place in page.items
        ]
        return pb.GetLeaderboardResponse(items=places, next_page_token=page.next)


def _player(player: SeatedPlayer) -> matches_pb2.SeatedPlayer:
    return matches_pb2.SeatedPlayer(id=player.id, display_name=player.display_name)


def _statistics(one: PlayerStatistics) -> pb.PlayerStatistics:
    return pb.PlayerStatistics(
        game=one.game,
        played=one.played,
        won=one.won,
        lost=one.lost,
        drawn=one.drawn,
        shared=one.shared,
        resigned=one.resigned,
        timed_out=one.timed_out,
        best_score=one.best_score,
        rating=None if one.rating is None else _rating(one.rating),
    )


def _rating(rating: Rating) -> pb.Rating:
    return pb.Rating(estimate=rating.estimate, mu=rating.mu, sigma=rating.sigma, matches=rating.matches)
