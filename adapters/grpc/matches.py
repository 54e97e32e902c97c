"""Matches: play and read them."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import datetime
from functools import partial
from typing import Any, assert_never, override

from adapters.faces.conversation import Reply, conversation
from adapters.grpc.calls import CUT_OFF, caller, caller_if_any, idempotency_key, onlooker, sent, tell_key
from adapters.grpc.generated.montane.v1 import match_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.proofs_pb2 import ExportMatchRequest
from adapters.grpc.lobby import LobbyCalls
from adapters.grpc.mapping import Mapper, member_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import check, invitation_in, page_size, time_in
from adapters.grpc.status import bug_refusal, refusal_of
from domain.match import MatchStatus, PlayerId
from domain.shared.rejections import Rejected
from domain.shared.viewers import ViewerKind
from services.lobby.match_list import MatchFilter
from services.matches.commands import Answer
from services.matches.decisions import as_given
from services.players.accounts import Caller
from services.players.store import Scope
from services.shared.errors import Failure, FailureReason, Malformed, RateLimited, Unauthenticated
from services.shared.ids import MatchId
from services.shared.rate_limits import BRANCH, EVENTS, MOST_EVENTS, missed
from services.streams.match_stream import Watch
from services.use_cases import Services

log = logging.getLogger(__name__)


class MatchCalls(LobbyCalls):
    """The service `MatchService`."""

    def __init__(self, services: Services, mapper: Mapper, base_path: str = "") -> None:
        """Take the use cases, and what their answers are written with."""
        super().__init__(services, mapper, base_path)
        self._players = services.players

    @override
    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match without its table."""
        player = await onlooker(self._players)
        listed = await self._services.queries.read(MatchId(request.match), player, invitation_in(request))
        return pb.GetMatchResponse(match=await self._match(listed))

    @override
    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Return a page of matches, newest first."""
        player = await onlooker(self._players)
        phase = (
            member_of(MatchStatus, match_pb2.Phase.DESCRIPTOR, request.state)
            if request.HasField("state")
            else None
        )
        wanted = MatchFilter(
            game=request.game if request.HasField("game") else None,
            status=phase,
            open_seats=request.open_seats,
            player=PlayerId(request.player) if request.HasField("player") else None,
            my_turn=request.my_turn,
            created_after=_time(request, "created_after"),
            created_before=_time(request, "created_before"),
        )
        page = await self._services.match_list.page(
            player,
            wanted,
            after=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        return pb.ListMatchesResponse(items=await self._many(page.items), next_page_token=page.next)

    @override
    async def BranchMatch(self, request: pb.BranchMatchRequest, context: Context) -> pb.BranchMatchResponse:
        """Play a match on from a past version."""
        player = await caller(self._players, Scope.PLAY)
        VISIT.get().weigh(BRANCH - 1)
        key, listed = await self._services.branches.branch(
            player.id,
            MatchId(request.match),
            request.version,
            looking_as(request),
            idempotency_key(),
            kind=player.holder_kind,
            invitation=invitation_in(request),
        )
        tell_key(context, key)
        return pb.BranchMatchResponse(match=await self._match(listed), idempotency_key=key)

    @override
    async def SubmitCommand(
        self, request: pb.SubmitCommandRequest, context: Context
    ) -> pb.SubmitCommandResponse:
        """Carry out a command of the caller's seat."""
        player = await caller(self._players, Scope.PLAY)
        answer = await self._services.commands.submit(
            player.id,
            MatchId(request.match),
            as_given(self._mapper.from_message(request.command, "command")),
            key=idempotency_key(),
            expected_version=request.expected_version if request.HasField("expected_version") else None,
            validate_only=request.validate_only,
            seat=request.seat if request.HasField("seat") else None,
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
        player = await caller(self._players, Scope.READ)
        view = self._mapper.view(
            await self._services.queries.legal_moves(
                MatchId(request.match), player.id, invitation_in(request)
            )
        )
        return pb.ListLegalMovesResponse(match=view.match, version=view.version, legal_moves=view.legal_moves)

    @override
    async def GetView(self, request: pb.GetViewRequest, context: Context) -> pb.GetViewResponse:
        """Return a match as a viewer may see it."""
        player = await onlooker(self._players)
        if request.HasField("version"):
            VISIT.get().weigh(min(request.version, MOST_EVENTS) // EVENTS)
        view = await self._services.queries.view(
            MatchId(request.match),
            player,
            version=request.version if request.HasField("version") else None,
            looking_as=looking_as(request),
            invitation=invitation_in(request),
        )
        return pb.GetViewResponse(view=self._mapper.view(view))

    @override
    async def ListEvents(self, request: pb.ListEventsRequest, context: Context) -> pb.ListEventsResponse:
        """Return a page of events as a viewer may see them."""
        player = await onlooker(self._players)
        page = await self._services.queries.events(
            MatchId(request.match),
            player,
            after=_after(request),
            size=page_size(request),
            looking_as=looking_as(request),
            invitation=invitation_in(request),
        )
        return pb.ListEventsResponse(items=map(self._mapper.event, page.items), next_page_token=page.next)

    @override
    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncGenerator[pb.WatchMatchResponse]:
        """Send what happens in a match."""
        watch = await self._watch(request, await caller_if_any(self._players))
        async with aclosing(sent(watch, self._mapper.watched)) as items:
            async for item in items:
                yield item

    @override
    async def Play(
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context
    ) -> AsyncGenerator[pb.PlayResponse]:
        """Send what happens in a match, and carry out commands of the caller's seat."""
        player = await caller_if_any(self._players)
        # Closed, as the generator and what it belongs to hold one another.
        async with aclosing(aiter(request_iterator)) as requests:  # type: ignore[type-var]
            first = await anext(requests, None)
            if first is None or first.WhichOneof("request") != "watch":
                raise Malformed(FailureReason.MISSING_FIELD, field="watch", expected="in the first request")
            check(first)
            watch = await self._watch(first.watch, player)
            watch.cut_off = CUT_OFF.get()
            reply = partial(self._reply, MatchId(first.watch.match), player)
            async with aclosing(conversation(watch, requests, reply)) as parts:
                async for told, messages in parts:
                    for one in told:
                        yield one.encoded(self._mapper.played)
                    for message in messages:
                        yield message

    async def _watch(self, request: pb.WatchMatchRequest, player: Caller | None) -> Watch:
        watch = await self._services.match_streams.watch(
            MatchId(request.match),
            None if player is None else player.id,
            after=request.after if request.HasField("after") else None,
            looking_as=looking_as(request),
            invitation=invitation_in(request),
        )
        try:
            VISIT.get().weigh(watch.backlog // EVENTS)
        except RateLimited:
            watch.leave()
            raise
        if player is not None:
            self._players.sessions.hold(player.credential, watch)
        return watch

    async def _reply(
        self, match: MatchId, player: Caller | None, request: pb.PlayRequest | None
    ) -> Reply[pb.PlayResponse]:
        """Return the reply to a request, whatever it is; None is one that cannot be read."""
        id = "" if request is None else request.command.id
        try:
            given = await self._answer(match, player, request)
        except (Failure, Rejected) as failed:
            VISIT.get().charge(missed(failed))
            return Reply(pb.PlayResponse(refusal=refusal_of(id, failed, self._mapper.event, self._base_path)))
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
            raise Malformed(FailureReason.MALFORMED_REQUEST)
        check(request)
        if request.WhichOneof("request") != "command":
            raise Malformed(FailureReason.INVALID_FIELD, field="watch", expected="in the first request only")
        if player is None:
            raise Unauthenticated(FailureReason.TOKEN_MISSING)
        player.demand(Scope.PLAY)
        asked = request.command
        return await self._services.commands.submit(
            player.id,
            match,
            as_given(self._mapper.from_message(asked.command, "command")),
            key=asked.idempotency_key if asked.HasField("idempotency_key") else None,
            expected_version=asked.expected_version if asked.HasField("expected_version") else None,
            validate_only=asked.validate_only,
            seat=asked.seat if asked.HasField("seat") else None,
        )


def _time(request: Any, field: str) -> datetime | None:
    """Return the time in a field of a request, or None if it is absent."""
    return time_in(getattr(request, field), field) if request.HasField(field) else None


def _after(request: pb.ListEventsRequest) -> int:
    """Return the version after which a page of events begins."""
    if not request.HasField("page_token"):
        return request.after
    token = request.page_token
    if request.HasField("after") or not (token.isascii() and token.isdigit() and len(token) < 10):
        expected = "a token that a page gave, without after"
        raise Malformed(FailureReason.INVALID_FIELD, field="page_token", expected=expected)
    return int(token)


def looking_as(
    request: pb.GetViewRequest
    | pb.ListEventsRequest
    | pb.WatchMatchRequest
    | pb.BranchMatchRequest
    | ExportMatchRequest,
) -> str | None:
    """Return from where the caller wants to look, as the use cases take it."""
    if not request.HasField("as"):
        return None
    # `as` is a word of the language, so the generated classes give it no attribute that can be written out.
    viewer: pb.Viewer = getattr(request, "as")
    kind = member_of(ViewerKind, match_pb2.ViewerKind.DESCRIPTOR, viewer.kind)
    if viewer.HasField("seat") is not (kind is ViewerKind.SEAT):
        raise Malformed(
            FailureReason.INVALID_FIELD, field="as.seat", expected="given for a seat, and for nothing else"
        )
    match kind:
        case ViewerKind.SEAT:
            return str(viewer.seat)
        case ViewerKind.SPECTATOR | ViewerKind.ALL:
            return kind
        case _:
            assert_never(kind)
