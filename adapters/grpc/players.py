"""Accounts."""

from typing import override

from adapters.grpc.calls import Context, caller
from adapters.grpc.generated.montane.v1 import players_pb2 as pb
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceServicer
from adapters.grpc.mapping import timestamp_of
from services.players import Players
from services.ports import Player, Scope


class PlayerCalls(PlayerServiceServicer):
    """The service `PlayerService`."""

    def __init__(self, players: Players) -> None:
        """Take the use cases."""
        self._players = players

    @override
    async def CreatePlayer(
        self, request: pb.CreatePlayerRequest, context: Context
    ) -> pb.CreatePlayerResponse:
        """Open a guest account."""
        player, token = await self._players.open_guest(request.display_name)
        return pb.CreatePlayerResponse(player=_player(player), token=token)

    @override
    async def GetMe(self, request: pb.GetMeRequest, context: Context) -> pb.GetMeResponse:
        """Return the caller's own account."""
        player = await caller(self._players, context, Scope.READ)
        return pb.GetMeResponse(player=_player(await self._players.player(player.id)))


def _player(player: Player) -> pb.Player:
    return pb.Player(
        id=player.id, display_name=player.display_name, created_at=timestamp_of(player.created_at)
    )
