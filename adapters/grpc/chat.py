"""Talk in matches."""

from collections.abc import AsyncGenerator
from typing import assert_never, override

from adapters.grpc.calls import CUT_OFF, caller, caller_if_any, idempotency_key, onlooker, tell_key
from adapters.grpc.generated.montane.v1 import chat_pb2 as pb
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import ChatServiceServicer
from adapters.grpc.generated.montane.v1.matches_pb2 import SeatedPlayer as SeatedPlayerMessage
from adapters.grpc.mapping import member_of, numbers_of, timestamp_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import invitation_in, page_size
from services.chat.chat import Chat
from services.chat.log import ChatMessage, ChatReport, ChatRoom, ReportReason
from services.chat.stream import (
    ChatCaughtUp,
    ChatEnd,
    ChatEndReason,
    ChatHeartbeat,
    ChatItem,
    ChatMessageItem,
)
from services.players.accounts import Players
from services.players.names import SeatedPlayer
from services.players.store import Scope
from services.shared.ids import MatchId

ROOMS = numbers_of(pb.ChatRoom.DESCRIPTOR, ChatRoom)
REASONS = numbers_of(pb.ReportReason.DESCRIPTOR, ReportReason)
END_REASONS = numbers_of(pb.ChatEndReason.DESCRIPTOR, ChatEndReason)


class ChatCalls(ChatServiceServicer):
    """The service `ChatService`."""

    def __init__(self, chat: Chat, players: Players) -> None:
        """Take the use cases."""
        self._chat = chat
        self._players = players

    @override
    async def PostMessage(self, request: pb.PostMessageRequest, context: Context) -> pb.PostMessageResponse:
        """Write a message."""
        player = await caller(self._players, context, Scope.PLAY)
        key, message = await self._chat.post(
            player.id,
            MatchId(request.match),
            room=member_of(ChatRoom, pb.ChatRoom.DESCRIPTOR, request.room),
            to_seat=request.to_seat if request.HasField("to_seat") else None,
            text=request.text,
            key=idempotency_key(context),
        )
        tell_key(context, key)
        return pb.PostMessageResponse(message=message_of(message), idempotency_key=key)

    @override
    async def ListMessages(
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        """Return a page of what was said."""
        player = await onlooker(self._players, context)
        page = await self._chat.page(
            MatchId(request.match),
            player,
            room=_room(request),
            after=request.after if request.HasField("after") else None,
            token=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
            invitation=invitation_in(request),
        )
        return pb.ListMessagesResponse(items=map(message_of, page.items), next_page_token=page.next)

    @override
    async def WatchMessages(
        self, request: pb.WatchMessagesRequest, context: Context
    ) -> AsyncGenerator[pb.WatchMessagesResponse]:
        """Send what is said."""
        player = await caller_if_any(self._players, context)
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
        listener.cut_off = CUT_OFF.get()
        listener.charge = VISIT.get().charge
        try:
            while not listener.over:
                for told in await listener.next():
                    yield told.encoded(sent)
        finally:
            listener.leave()

    @override
    async def ReportMessage(
        self, request: pb.ReportMessageRequest, context: Context
    ) -> pb.ReportMessageResponse:
        """Report a message."""
        player = await caller(self._players, context, Scope.PLAY)
        reason = member_of(ReportReason, pb.ReportReason.DESCRIPTOR, request.reason)
        report = await self._chat.report(
            player.id, MatchId(request.match), request.message, reason, request.text
        )
        return pb.ReportMessageResponse(report=_report(report))

    @override
    async def ListReports(self, request: pb.ListReportsRequest, context: Context) -> pb.ListReportsResponse:
        """Return a page of what was reported."""
        await caller(self._players, context, Scope.ADMIN)
        after = request.page_token if request.HasField("page_token") else None
        page = await self._chat.reports(after=after, size=page_size(request))
        return pb.ListReportsResponse(items=map(_report, page.items), next_page_token=page.next)

    @override
    async def RemoveMessage(
        self, request: pb.RemoveMessageRequest, context: Context
    ) -> pb.RemoveMessageResponse:
        """Take a message's text away."""
        await caller(self._players, context, Scope.ADMIN)
        removed = await self._chat.remove(MatchId(request.match), request.message)
        return pb.RemoveMessageResponse(message=message_of(removed))


def sent(item: ChatItem) -> pb.WatchMessagesResponse:
    """Return an item of a stream as a stream sends it."""
    return pb.WatchMessagesResponse(item=_item(item))


def message_of(message: ChatMessage) -> pb.ChatMessage:
    """Return a message of a chat as a message."""
    return pb.ChatMessage(
        id=message.id,
        match=message.match,
        room=pb.ChatRoom.ValueType(ROOMS[message.room]),
        player=_player(message.player),
        seat=message.seat,
        to_seat=message.to_seat,
        text=message.text,
        removed=message.removed,
        sent_at=timestamp_of(message.sent_at),
    )


def _report(report: ChatReport) -> pb.ChatReport:
    return pb.ChatReport(
        id=report.id,
        message=message_of(report.message),
        reporter=_player(report.reporter),
        reason=pb.ReportReason.ValueType(REASONS[report.reason]),
        text=report.text,
        reported_at=timestamp_of(report.reported_at),
    )


def _item(item: ChatItem) -> pb.ChatItem:
    match item:
        case ChatMessageItem(message=message):
            return pb.ChatItem(message=pb.ChatMessageItem(message=message_of(message)))
        case ChatCaughtUp(last=last):
            return pb.ChatItem(caught_up=pb.ChatCaughtUp(last=last))
        case ChatHeartbeat(at=at):
            return pb.ChatItem(heartbeat=pb.ChatHeartbeat(at=timestamp_of(at)))
        case ChatEnd(last=last, reason=reason, resumable=resumable):
            number = pb.ChatEndReason.ValueType(END_REASONS[reason])
            return pb.ChatItem(end=pb.ChatEnd(last=last, reason=number, resumable=resumable))
        case _:
            assert_never(item)


def _player(player: SeatedPlayer | None) -> SeatedPlayerMessage | None:
    return None if player is None else SeatedPlayerMessage(id=player.id, display_name=player.display_name)


def _room(request: pb.ListMessagesRequest | pb.WatchMessagesRequest) -> ChatRoom | None:
    if not request.HasField("room"):
        return None
    return member_of(ChatRoom, pb.ChatRoom.DESCRIPTOR, request.room)
