"""Talk in matches."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import override

from adapters.grpc.calls import caller, caller_if_any, idempotency_key, onlooker, sent, tell_key
from adapters.grpc.generated.montane.v1 import chat_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceServicer
from adapters.grpc.mapping import Mapper, member_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import invitation_in, page_size
from services.chat.chat import Chat
from services.chat.log import ChatRoom, ReportReason
from services.players.accounts import Players
from services.players.store import Scope
from services.shared.ids import MatchId


class ChatCalls(ChatServiceServicer):
    """The service `ChatService`."""

    def __init__(self, chat: Chat, players: Players, mapper: Mapper) -> None:
        """Take the use cases, and what their answers are written with."""
        self._chat = chat
        self._players = players
        self._mapper = mapper

    @override
    async def PostMessage(self, request: pb.PostMessageRequest, context: Context) -> pb.PostMessageResponse:
        """Write a message."""
        player = await caller(self._players, Scope.PLAY)
        key, message = await self._chat.post(
            player.id,
            MatchId(request.match),
            room=member_of(ChatRoom, pb.ChatRoom.DESCRIPTOR, request.room),
            to_seat=request.to_seat if request.HasField("to_seat") else None,
            text=request.text,
            key=idempotency_key(),
        )
        tell_key(context, key)
        return pb.PostMessageResponse(
            message=self._mapper.write(message, pb.ChatMessage), idempotency_key=key
        )

    @override
    async def ListMessages(
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        """Return a page of what was said."""
        player = await onlooker(self._players)
        page = await self._chat.page(
            MatchId(request.match),
            player,
            room=_room(request),
            after=request.after if request.HasField("after") else None,
            token=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
            invitation=invitation_in(request),
        )
        items = (self._mapper.write(message, pb.ChatMessage) for message in page.items)
        return pb.ListMessagesResponse(items=items, next_page_token=page.next)

    @override
    async def WatchMessages(
        self, request: pb.WatchMessagesRequest, context: Context
    ) -> AsyncGenerator[pb.WatchMessagesResponse]:
        """Send what is said."""
        player = await caller_if_any(self._players)
        after = request.after if request.HasField("after") else None
        listener = await self._chat.listen(
            MatchId(request.match),
            None if player is None else player.id,
            room=_room(request),
            after=after,
            invitation=invitation_in(request),
        )
        if player is not None:
            self._players.sessions.hold(player.credential, listener)
        listener.charge = VISIT.get().charge
        async with aclosing(sent(listener, self._mapper.listened)) as items:
            async for item in items:
                yield item

    @override
    async def ReportMessage(
        self, request: pb.ReportMessageRequest, context: Context
    ) -> pb.ReportMessageResponse:
        """Report a message."""
        player = await caller(self._players, Scope.PLAY)
        reason = member_of(ReportReason, pb.ReportReason.DESCRIPTOR, request.reason)
        report = await self._chat.report(
            player.id, MatchId(request.match), request.message, reason, request.text
        )
        return pb.ReportMessageResponse(report=self._mapper.write(report, pb.ChatReport))

    @override
    async def ListReports(self, request: pb.ListReportsRequest, context: Context) -> pb.ListReportsResponse:
        """Return a page of what was reported."""
        await caller(self._players, Scope.ADMIN)
        after = request.page_token if request.HasField("page_token") else None
        page = await self._chat.reports(after=after, size=page_size(request))
        items = (self._mapper.write(report, pb.ChatReport) for report in page.items)
        return pb.ListReportsResponse(items=items, next_page_token=page.next)

    @override
    async def RemoveMessage(
        self, request: pb.RemoveMessageRequest, context: Context
    ) -> pb.RemoveMessageResponse:
        """Take a message's text away."""
        await caller(self._players, Scope.ADMIN)
        removed = await self._chat.remove(MatchId(request.match), request.message)
        return pb.RemoveMessageResponse(message=self._mapper.write(removed, pb.ChatMessage))


def _room(request: pb.ListMessagesRequest | pb.WatchMessagesRequest) -> ChatRoom | None:
    if not request.HasField("room"):
        return None
    return member_of(ChatRoom, pb.ChatRoom.DESCRIPTOR, request.room)
