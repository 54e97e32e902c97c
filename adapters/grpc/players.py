"""Accounts and their tokens."""

from typing import override

from msgspec import UNSET

from adapters.grpc.calls import caller, onlooker
from adapters.grpc.generated.montane.v1 import matches_pb2
from adapters.grpc.generated.montane.v1 import players_pb2 as pb
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceServicer
from adapters.grpc.mapping import members_of, numbers_of, timestamp_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import page_size, time_in
from domain.match import PlayerId
from services.players.blocks import Block
from services.players.profiles import ProfileChange
from services.players.store import Player, Scope, Token
from services.shared.ids import TokenId
from services.shared.rate_limits import ERASURE
from services.use_cases import Services

SCOPES = numbers_of(pb.Scope.DESCRIPTOR, Scope)


class PlayerCalls(PlayerServiceServicer):
    """The service `PlayerService`."""

    def __init__(self, services: Services) -> None:
        """Take the use cases."""
        self._players = services.players
        self._blocks = services.blocks
        self._departures = services.departures

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
        me = await caller(self._players, Scope.READ)
        return pb.GetMeResponse(player=_player(await self._players.own(me)))

    @override
    async def UpdateMe(self, request: pb.UpdateMeRequest, context: Context) -> pb.UpdateMeResponse:
        """Change what the caller's account says of it."""
        me = await caller(self._players, Scope.PLAY)
        change = ProfileChange(
            display_name=request.display_name if request.HasField("display_name") else UNSET,
            avatar_seed=(request.avatar_seed or None) if request.HasField("avatar_seed") else UNSET,
            locale=(request.locale or None) if request.HasField("locale") else UNSET,
        )
        return pb.UpdateMeResponse(player=_player(await self._players.change(me, change)))

    @override
    async def DeleteMe(self, request: pb.DeleteMeRequest, context: Context) -> pb.DeleteMeResponse:
        """Erase the caller's account."""
        me = await caller(self._players, Scope.PLAY)
        VISIT.get().weigh(ERASURE - 1)
        await self._departures.erase(me)
        return pb.DeleteMeResponse()

    @override
    async def GetPlayer(self, request: pb.GetPlayerRequest, context: Context) -> pb.GetPlayerResponse:
        """Return what everybody may know of a player."""
        await self._blocks.check_shown(PlayerId(request.player), await onlooker(self._players))
        player = await self._players.public(PlayerId(request.player))
        return pb.GetPlayerResponse(
            player=pb.PublicPlayer(
                id=player.id,
                display_name=player.display_name,
                avatar_seed=player.avatar_seed,
                created_at=timestamp_of(player.created_at),
            )
        )

    @override
    async def BlockPlayer(self, request: pb.BlockPlayerRequest, context: Context) -> pb.BlockPlayerResponse:
        """Block a player."""
        me = await caller(self._players, Scope.PLAY)
        return pb.BlockPlayerResponse(block=_block(await self._blocks.block(me.id, PlayerId(request.player))))

    @override
    async def UnblockPlayer(
        self, request: pb.UnblockPlayerRequest, context: Context
    ) -> pb.UnblockPlayerResponse:
        """Block a player no longer."""
        me = await caller(self._players, Scope.PLAY)
        await self._blocks.unblock(me.id, PlayerId(request.player))
        return pb.UnblockPlayerResponse()

    @override
    async def GetBlock(self, request: pb.GetBlockRequest, context: Context) -> pb.GetBlockResponse:
        """Return since when a player is blocked."""
        me = await caller(self._players, Scope.READ)
        return pb.GetBlockResponse(block=_block(await self._blocks.read(me.id, PlayerId(request.player))))

    @override
    async def ListBlocks(self, request: pb.ListBlocksRequest, context: Context) -> pb.ListBlocksResponse:
        """Return a page of whom the caller has blocked."""
        me = await caller(self._players, Scope.READ)
        after = request.page_token if request.HasField("page_token") else None
        page = await self._blocks.page(me.id, after=after, size=page_size(request))
        return pb.ListBlocksResponse(items=map(_block, page.items), next_page_token=page.next)

    @override
    async def ListTokens(self, request: pb.ListTokensRequest, context: Context) -> pb.ListTokensResponse:
        """Return a page of the caller's tokens."""
        me = await caller(self._players, Scope.PLAY)
        after = request.page_token if request.HasField("page_token") else None
        page = await self._players.tokens(me, after=after, size=page_size(request))
        return pb.ListTokensResponse(items=map(_token, page.items), next_page_token=page.next)

    @override
    async def CreateToken(self, request: pb.CreateTokenRequest, context: Context) -> pb.CreateTokenResponse:
        """Make a further token of the caller."""
        me = await caller(self._players, Scope.PLAY)
        scopes = members_of(Scope, pb.Scope.DESCRIPTOR, request.scopes, "scopes")
        expires_at = time_in(request.expires_at, "expires_at") if request.HasField("expires_at") else None
        details, token = await self._players.make_token(me, scopes, expires_at)
        return pb.CreateTokenResponse(details=_token(details), token=token)

    @override
    async def DeleteToken(self, request: pb.DeleteTokenRequest, context: Context) -> pb.DeleteTokenResponse:
        """Revoke one of the caller's tokens."""
        me = await caller(self._players, Scope.PLAY)
        await self._players.revoke(me, TokenId(request.token))
        return pb.DeleteTokenResponse()


def _player(player: Player) -> pb.Player:
    return pb.Player(
        id=player.id,
        display_name=player.display_name,
        created_at=timestamp_of(player.created_at),
        avatar_seed=player.avatar_seed,
        locale=player.locale,
    )


def _block(block: Block) -> pb.Block:
    return pb.Block(
        player=matches_pb2.SeatedPlayer(id=block.player.id, display_name=block.player.display_name),
        created_at=timestamp_of(block.created_at),
    )


def _token(token: Token) -> pb.Token:
    return pb.Token(
        id=token.id,
        player=token.player,
        scopes=[pb.Scope.ValueType(SCOPES[scope]) for scope in token.scopes],
        created_at=timestamp_of(token.created_at),
        expires_at=None if token.expires_at is None else timestamp_of(token.expires_at),
    )
