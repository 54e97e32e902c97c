"""Matches: open, join, play and read them."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, assert_never, override

from google.protobuf.descriptor import EnumDescriptor

from adapters.duplex import Reply, conversation
from adapters.grpc.calls import (
    CUT_OFF,
    Context,
    caller,
    caller_if_any,
    idempotency_key,
    onlooker,
    tell_key,
)
from adapters.grpc.generated.montane.v1 import match_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceServicer
from adapters.grpc.limits import VISIT
from adapters.grpc.mapping import Mapper, member_of
from adapters.grpc.requests import check, page_size, time_in
from adapters.grpc.status import bug_refusal, refusal_of
from domain.match import (
    ChatMode,
    Disclosure,
    HolderKind,
    MemoryAid,
    OnTimeOut,
    Phase,
    PlayerId,
    StartMode,
    TimeControl,
    Visibility,
)
from domain.shared.game import Game
from domain.shared.rejections import Rejected
from domain.shared.viewers import ViewerKind
from services.errors import Failure, Malformed, Unauthenticated
from services.feeds import Watch
from services.ids import MatchId
from services.lobby import Lobby
from services.matches import Answer, Matches, Proposal
from services.players import Caller, Players
from services.ports import Listed, MatchFilter, Scope
from services.summaries import summaries

log = logging.getLogger(__name__)

TERMS: Mapping[str, tuple[type[StrEnum], EnumDescriptor]] = {
    "visibility": (Visibility, match_pb2.Visibility.DESCRIPTOR),
    "disclosure": (Disclosure, match_pb2.Disclosure.DESCRIPTOR),
    "memory_aid": (MemoryAid, match_pb2.MemoryAid.DESCRIPTOR),
    "start": (StartMode, match_pb2.StartMode.DESCRIPTOR),
    "on_time_out": (OnTimeOut, match_pb2.OnTimeOut.DESCRIPTOR),
    "chat": (ChatMode, match_pb2.ChatMode.DESCRIPTOR),
}
"""The terms of a match that are one of a few words, by field."""


class MatchCalls(MatchServiceServicer):
    """The service `MatchService`."""

    def __init__(self, matches: Matches, lobby: Lobby, players: Players, mapper: Mapper) -> None:
        """Take the use cases, and how what games have of their own is written and read."""
        self._matches = matches
        self._lobby = lobby
        self._players = players
        self._mapper = mapper

    @override
    async def CreateMatch(self, request: pb.CreateMatchRequest, context: Context) -> pb.CreateMatchResponse:
        """Open a match."""
        player = await caller(self._players, context, Scope.PLAY)
        proposal = self._proposal(request, player.holder_kind)
        key, listed = await self._matches.open(player.id, proposal, idempotency_key(context))
        tell_key(context, key)
        return pb.CreateMatchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match without its table."""
        player = await onlooker(self._players, context)
        listed = await self._matches.read(MatchId(request.match), player)
        return pb.GetMatchResponse(match=await self._match(listed))

    @override
    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Return a page of matches, newest first."""
        player = await onlooker(self._players, context)
        phase = (
            member_of(Phase, match_pb2.Phase.DESCRIPTOR, request.state) if request.HasField("state") else None
        )
        wanted = MatchFilter(
            game=request.game if request.HasField("game") else None,
            phase=phase,
            open_seats=request.open_seats,
            player=PlayerId(request.player) if request.HasField("player") else None,
            my_turn=request.my_turn,
            created_after=_time(request, "created_after"),
            created_before=_time(request, "created_before"),
        )
        page = await self._matches.page(
            player,
            wanted,
            after=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        return pb.ListMatchesResponse(items=await self._many(page.items), next_page_token=page.next)

    @override
    async def TakeSeat(self, request: pb.TakeSeatRequest, context: Context) -> pb.TakeSeatResponse:
        """Seat the caller."""
        player = await caller(self._players, context, Scope.PLAY)
        key, listed = await self._lobby.take_seat(
            player.id,
            MatchId(request.match),
            request.seat,
            request.entropy,
            idempotency_key(context),
            kind=player.holder_kind,
        )
        tell_key(context, key)
        return pb.TakeSeatResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def SubmitCommand(
        self, request: pb.SubmitCommandRequest, context: Context
    ) -> pb.SubmitCommandResponse:
        """Carry out a command of the caller's seat."""
        player = await caller(self._players, context, Scope.PLAY)
        answer = await self._matches.submit(
            player.id,
            MatchId(request.match),
            self._mapper.from_message(request.command, "command"),
            key=idempotency_key(context),
            expected_version=request.expected_version if request.HasField("expected_version") else None,
            validate_only=request.validate_only,
        )
        tell_key(context, answer.key)
        return pb.SubmitCommandResponse(
            version=answer.version,
            events=map(self._mapper.event, answer.events),
            view=self._mapper.view(answer.view),
            idempotency_key=answer.key,
        )

    @override
    async def ListLegalMoves(
        self, request: pb.ListLegalMovesRequest, context: Context
    ) -> pb.ListLegalMovesResponse:
        """Return the legal moves of the caller's seat."""
        player = await caller(self._players, context, Scope.READ)
        view = self._mapper.view(await self._matches.legal_moves(MatchId(request.match), player.id))
        return pb.ListLegalMovesResponse(match=view.match, version=view.version, legal_moves=view.legal_moves)

    @override
    async def GetView(self, request: pb.GetViewRequest, context: Context) -> pb.GetViewResponse:
        """Return a match as a viewer may see it."""
        player = await onlooker(self._players, context)
        view = await self._matches.view(
            MatchId(request.match),
            player,
            version=request.version if request.HasField("version") else None,
            looking_as=_looking_as(request),
        )
        return pb.GetViewResponse(view=self._mapper.view(view))

    @override
    async def ListEvents(self, request: pb.ListEventsRequest, context: Context) -> pb.ListEventsResponse:
        """Return a page of events as a viewer may see them."""
        player = await onlooker(self._players, context)
        page = await self._matches.events(
            MatchId(request.match),
            player,
            after=_after(request),
            size=page_size(request),
            looking_as=_looking_as(request),
        )
        return pb.ListEventsResponse(items=map(self._mapper.event, page.items), next_page_token=page.next)

    @override
    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncGenerator[pb.WatchMatchResponse]:
        """Send what happens in a match."""
        watch = await self._watch(request, await onlooker(self._players, context))
        watch.cut_off = CUT_OFF.get()
        try:
            while not watch.over:
                for told in await watch.next():
                    yield told.encoded(self._mapper.watched)
        finally:
            watch.leave()

    @override
    async def Play(
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context
    ) -> AsyncGenerator[pb.PlayResponse]:
        """Send what happens in a match, and carry out commands of the caller's seat."""
        player = await caller_if_any(self._players, context)
        first = await anext(request_iterator, None)
        if first is None or first.WhichOneof("request") != "watch":
            raise Malformed("MISSING_FIELD", field="watch", expected="in the first request")
        check(first)
        watch = await self._watch(first.watch, None if player is None else player.id)
        watch.cut_off = CUT_OFF.get()
        reply = partial(self._reply, MatchId(first.watch.match), player)
        async with aclosing(conversation(watch, request_iterator, reply)) as parts:
            async for told, messages in parts:
                for one in told:
                    yield one.encoded(self._mapper.played)
                for message in messages:
                    yield message

    async def _watch(self, request: pb.WatchMatchRequest, player: PlayerId | None) -> Watch:
        return await self._matches.watch(
            MatchId(request.match),
            player,
            after=request.after if request.HasField("after") else None,
            looking_as=_looking_as(request),
        )

    async def _reply(
        self, match: MatchId, player: Caller | None, request: pb.PlayRequest | None
    ) -> Reply[pb.PlayResponse]:
        """Return the reply to a request, whatever it is; None is one that cannot be read."""
        id = "" if request is None else request.command.id
        try:
            given = await self._answer(match, player, request)
        except (Failure, Rejected) as failed:
            return Reply(pb.PlayResponse(refusal=refusal_of(id, failed, self._mapper.event)))
        except Exception:
            log.exception("a command within a stream failed")
            return Reply(pb.PlayResponse(refusal=bug_refusal(id)))
        result = pb.PlayResult(
            id=id,
            version=given.version,
            events=map(self._mapper.event, given.events),
            view=None if request is None or request.command.without_view else self._mapper.view(given.view),
            idempotency_key=given.key,
        )
        return Reply(pb.PlayResponse(result=result), given)

    async def _answer(self, match: MatchId, player: Caller | None, request: pb.PlayRequest | None) -> Answer:
        """Return what a command led to."""
        VISIT.get().request()
        if request is None:
            raise Malformed("MALFORMED_REQUEST")
        check(request)
        if request.WhichOneof("request") != "command":
            raise Malformed("INVALID_FIELD", field="watch", expected="in the first request only")
        if player is None:
            raise Unauthenticated("TOKEN_MISSING")
        player.demand(Scope.PLAY)
        asked = request.command
        return await self._matches.submit(
            player.id,
            match,
            self._mapper.from_message(asked.command, "command"),
            key=asked.idempotency_key if asked.HasField("idempotency_key") else None,
            expected_version=asked.expected_version if asked.HasField("expected_version") else None,
            validate_only=asked.validate_only,
        )

    def _proposal(self, request: pb.CreateMatchRequest, kind: HolderKind) -> Proposal:
        game = self._matches.game(request.game)
        chosen: dict[str, Any] = {
            name: member_of(members, enum, getattr(request, name))
            for name, (members, enum) in TERMS.items()
            if request.HasField(name)  # type: ignore[arg-type]
        }
        if request.HasField("time_control"):
            chosen["time_control"] = self._mapper.read(TimeControl, request.time_control, "time_control")
        if request.HasField("rated"):
            chosen["rated"] = request.rated
        return Proposal(
            game=game.id,
            options=self._options(request, game),
            seats=request.seats if request.HasField("seats") else None,
            seat=request.seat if request.HasField("seat") else None,
            entropy=request.entropy,
            kind=kind,
            **chosen,
        )

    def _options(self, request: pb.CreateMatchRequest, game: Game[Any, Any, Any, Any]) -> Any:
        if not request.HasField("options"):
            return game.options()
        options = self._mapper.from_message(request.options, "options")
        if not isinstance(options, game.options):
            raise Malformed("INVALID_FIELD", field="options", expected=f"options of {game.id}")
        return options

    async def _match(self, listed: Listed) -> pb.Match:
        (match,) = await self._many((listed,))
        return match

    async def _many(self, listed: Sequence[Listed]) -> list[pb.Match]:
        """Return matches with the names of who sits in them."""
        return [self._mapper.summary(one) for one in await summaries(listed, self._players)]


def _time(request: Any, field: str) -> datetime | None:
    """Return the time in a field of a request, or None if it is absent."""
    return time_in(getattr(request, field), field) if request.HasField(field) else None


def _after(request: pb.ListEventsRequest) -> int:
    """Return the version behind which a page of events begins."""
    if not request.HasField("page_token"):
        return request.after
    token = request.page_token
    if request.HasField("after") or not (token.isascii() and token.isdigit() and len(token) < 10):
        expected = "a token that a page gave, without after"
        raise Malformed("INVALID_FIELD", field="page_token", expected=expected)
    return int(token)


def _looking_as(request: pb.GetViewRequest | pb.ListEventsRequest | pb.WatchMatchRequest) -> str | None:
    """Return from where the caller wants to look, as the use cases take it."""
    if not request.HasField("as"):
        return None
    # `as` is a word of the language, so the generated classes give it no attribute that can be written out.
    viewer: pb.Viewer = getattr(request, "as")
    kind = member_of(ViewerKind, pb.ViewerKind.DESCRIPTOR, viewer.kind)
    if viewer.HasField("seat") is not (kind is ViewerKind.SEAT):
        raise Malformed("INVALID_FIELD", field="as.seat", expected="given for a seat, and for nothing else")
    match kind:
        case ViewerKind.SEAT:
            return str(viewer.seat)
        case ViewerKind.SPECTATOR | ViewerKind.ALL:
            return kind
        case _:
            assert_never(kind)
