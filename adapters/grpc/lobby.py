"""Around a match: open it, take and leave seats, start, cancel, invite, play again, find others."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, cast, get_args, override

from google.protobuf.descriptor import EnumDescriptor
from msgspec.structs import fields

from adapters.grpc.calls import caller, idempotency_key, tell_key
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceServicer
from adapters.grpc.mapping import Mapper, member_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import invitation_in
from domain.match import (
    Conditions,
    HolderKind,
    PlayerId,
    TimeControl,
)
from domain.shared.catalogues import clause_about
from domain.shared.game import AnyGame
from services.matches.opening import Proposal
from services.matches.store import MatchWithoutState
from services.matches.summaries import summaries
from services.players.store import Scope
from services.shared.errors import FailureReason, Malformed
from services.shared.ids import MatchId
from services.shared.rate_limits import BOT
from services.use_cases import Services

CHOICES: Mapping[str, tuple[type[Any], EnumDescriptor]] = {
    field.name: (
        kind,
        cast(EnumDescriptor, pb.CreateMatchRequest.DESCRIPTOR.fields_by_name[field.name].enum_type),
    )
    for field in fields(Conditions)
    if issubclass(kind := get_args(field.type)[0], StrEnum)
}
"""The conditions of a match that are one of a few words, by field."""


class LobbyCalls(MatchServiceServicer):
    """The calls of `MatchService` that bring players together."""

    def __init__(self, services: Services, mapper: Mapper, base_path: str = "") -> None:
        """Take the use cases.

        Args:
            services: The use cases.
            mapper: How what games have of their own is written and read.
            base_path: The path that clients of REST see in front of all others.
        """
        self._services = services
        self._base_path = base_path
        self._mapper = mapper

    @override
    async def CreateMatch(self, request: pb.CreateMatchRequest, context: Context) -> pb.CreateMatchResponse:
        """Open a match."""
        player = await caller(self._services.players, Scope.PLAY)
        seat = request.seat if request.HasField("seat") else None
        proposal = self._proposal(request, seat, player.holder_kind)
        key, listed = await self._services.openings.open(player.id, proposal, idempotency_key())
        tell_key(context, key)
        return pb.CreateMatchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def TakeSeat(self, request: pb.TakeSeatRequest, context: Context) -> pb.TakeSeatResponse:
        """Seat the caller, or a bot."""
        player = await caller(self._services.players, Scope.PLAY)
        lobby, id, key = self._services.lobby, MatchId(request.match), idempotency_key()
        seat, entropy = request.seat, request.entropy
        if request.HasField("bot"):
            VISIT.get().weigh(BOT - 1)
            key, listed = await lobby.seat_bot(player.id, id, seat, request.bot, entropy, key)
        else:
            key, listed = await lobby.take_seat(
                player.id,
                id,
                seat,
                entropy,
                key,
                kind=player.holder_kind,
                invitation=invitation_in(request),
            )
        tell_key(context, key)
        return pb.TakeSeatResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def LeaveSeat(self, request: pb.LeaveSeatRequest, context: Context) -> pb.LeaveSeatResponse:
        """Free a seat, or give up."""
        player = await caller(self._services.players, Scope.PLAY)
        key, listed = await self._services.lobby.leave_seat(
            player.id, MatchId(request.match), request.seat, idempotency_key()
        )
        tell_key(context, key)
        return pb.LeaveSeatResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def StartMatch(self, request: pb.StartMatchRequest, context: Context) -> pb.StartMatchResponse:
        """Start a match that waits for a word."""
        player = await caller(self._services.players, Scope.PLAY)
        key, listed = await self._services.lobby.start(player.id, MatchId(request.match), idempotency_key())
        tell_key(context, key)
        return pb.StartMatchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def CancelMatch(self, request: pb.CancelMatchRequest, context: Context) -> pb.CancelMatchResponse:
        """Call a match off."""
        player = await caller(self._services.players, Scope.PLAY)
        key, listed = await self._services.lobby.cancel(player.id, MatchId(request.match), idempotency_key())
        tell_key(context, key)
        return pb.CancelMatchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def InvitePlayer(
        self, request: pb.InvitePlayerRequest, context: Context
    ) -> pb.InvitePlayerResponse:
        """Invite a player by name."""
        player = await caller(self._services.players, Scope.PLAY)
        key, listed = await self._services.invitations.invite(
            player.id, MatchId(request.match), PlayerId(request.player), idempotency_key()
        )
        tell_key(context, key)
        return pb.InvitePlayerResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def GetInvitation(
        self, request: pb.GetInvitationRequest, context: Context
    ) -> pb.GetInvitationResponse:
        """Return the link of a match."""
        player = await caller(self._services.players, Scope.PLAY)
        link = await self._services.invitations.link(player.id, MatchId(request.match))
        return pb.GetInvitationResponse(
            match=link.match, invitation=link.invitation, path=self._base_path + link.path
        )

    @override
    async def RenewInvitation(
        self, request: pb.RenewInvitationRequest, context: Context
    ) -> pb.RenewInvitationResponse:
        """Give a match another link."""
        player = await caller(self._services.players, Scope.PLAY)
        key, link = await self._services.invitations.renew(
            player.id, MatchId(request.match), idempotency_key()
        )
        tell_key(context, key)
        return pb.RenewInvitationResponse(
            match=link.match,
            invitation=link.invitation,
            path=self._base_path + link.path,
            idempotency_key=key,
        )

    @override
    async def Rematch(self, request: pb.RematchRequest, context: Context) -> pb.RematchResponse:
        """Play a match again that is over."""
        player = await caller(self._services.players, Scope.PLAY)
        key, listed = await self._services.rematches.rematch(
            player.id,
            MatchId(request.match),
            request.entropy,
            idempotency_key(),
            kind=player.holder_kind,
        )
        tell_key(context, key)
        return pb.RematchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def QuickMatch(self, request: pb.QuickMatchRequest, context: Context) -> pb.QuickMatchResponse:
        """Join a match that waits for players, or open one."""
        player = await caller(self._services.players, Scope.PLAY)
        proposal = self._proposal(request, 0, player.holder_kind)
        key, listed = await self._services.quick_match.join(player.id, proposal, idempotency_key())
        tell_key(context, key)
        return pb.QuickMatchResponse(match=await self._match(listed), idempotency_key=key)

    def _proposal(
        self, request: pb.CreateMatchRequest | pb.QuickMatchRequest, seat: int | None, kind: HolderKind
    ) -> Proposal:
        game = self._services.catalogue.game(request.game)
        chosen: dict[str, Any] = {
            name: member_of(members, enum, getattr(request, name))
            for name, (members, enum) in CHOICES.items()
            if name in request.DESCRIPTOR.fields_by_name and request.HasField(name)  # type: ignore[arg-type]
        }
        if request.HasField("time_control"):
            chosen["time_control"] = self._mapper.read(TimeControl, request.time_control, "time_control")
        if request.HasField("rated"):
            chosen["rated"] = request.rated
        return Proposal(
            game=game.id,
            options=self._options(request, game),
            seats=request.seats if request.HasField("seats") else None,
            seat=seat,
            entropy=request.entropy,
            kind=kind,
            **chosen,
        )

    def _options(self, request: pb.CreateMatchRequest | pb.QuickMatchRequest, game: AnyGame) -> Any:
        if not request.HasField("options"):
            return game.options()
        options = self._mapper.from_message(request.options, "options")
        if not isinstance(options, game.options):
            raise Malformed(
                FailureReason.INVALID_FIELD,
                field="options",
                expected=f"options of {game.id}",
                clause=clause_about("options", game.id),
            )
        return options

    async def _match(self, listed: MatchWithoutState) -> pb.Match:
        (match,) = await self._many((listed,))
        return match

    async def _many(self, listed: Sequence[MatchWithoutState]) -> list[pb.Match]:
        """Return matches with the names of who sits in them."""
        return [self._mapper.summary(one) for one in await summaries(listed, self._services.players)]
