"""What concerns the caller, over all matches."""

from collections.abc import AsyncGenerator
from typing import assert_never, override

from adapters.grpc.calls import CUT_OFF, caller
from adapters.grpc.chat import message_of
from adapters.grpc.generated.montane.v1 import player_feed_pb2 as pb
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceServicer
from adapters.grpc.mapping import numbers_of, timestamp_of
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import page_size
from services.notify.player_feed import (
    PlayerCaughtUp,
    PlayerEnd,
    PlayerEndReason,
    PlayerEvent,
    PlayerEventItem,
    PlayerEventKind,
    PlayerFeed,
    PlayerHeartbeat,
    PlayerItem,
    PlayerTruncated,
)
from services.players.accounts import Players
from services.players.store import Scope

KINDS = numbers_of(pb.PlayerEventKind.DESCRIPTOR, PlayerEventKind)
END_REASONS = numbers_of(pb.PlayerEndReason.DESCRIPTOR, PlayerEndReason)


class PlayerFeedCalls(PlayerFeedServiceServicer):
    """The service `PlayerFeedService`."""

    def __init__(self, feed: PlayerFeed, players: Players) -> None:
        """Take the use cases."""
        self._feed = feed
        self._players = players

    @override
    async def ListPlayerEvents(
        self, request: pb.ListPlayerEventsRequest, context: Context
    ) -> pb.ListPlayerEventsResponse:
        """Return a page of what concerns the caller."""
        player = await caller(self._players, context, Scope.READ)
        page = await self._feed.page(
            player.id,
            after=request.after if request.HasField("after") else None,
            token=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        return pb.ListPlayerEventsResponse(
            items=map(_event, page.items), next_page_token=page.next, oldest=page.oldest
        )

    @override
    async def WatchPlayer(
        self, request: pb.WatchPlayerRequest, context: Context
    ) -> AsyncGenerator[pb.WatchPlayerResponse]:
        """Send what concerns the caller."""
        player = await caller(self._players, context, Scope.READ)
        reading = await self._feed.watch(
            player.id, after=request.after if request.HasField("after") else None
        )
        self._players.sessions.hold(player.credential, reading)
        reading.cut_off = CUT_OFF.get()
        reading.charge = VISIT.get().charge
        try:
            while not reading.over:
                for told in await reading.next():
                    yield told.encoded(sent)
        finally:
            reading.leave()


def sent(item: PlayerItem) -> pb.WatchPlayerResponse:
    """Return an item of a stream as a stream sends it."""
    return pb.WatchPlayerResponse(item=_item(item))


def _item(item: PlayerItem) -> pb.PlayerItem:
    match item:
        case PlayerEventItem(event=event):
            return pb.PlayerItem(event=pb.PlayerEventItem(event=_event(event)))
        case PlayerTruncated(oldest=oldest):
            return pb.PlayerItem(truncated=pb.PlayerTruncated(oldest=oldest))
        case PlayerCaughtUp(position=position):
            return pb.PlayerItem(caught_up=pb.PlayerCaughtUp(position=position))
        case PlayerHeartbeat(position=position, at=at):
            return pb.PlayerItem(heartbeat=pb.PlayerHeartbeat(position=position, at=timestamp_of(at)))
        case PlayerEnd(position=position, reason=reason):
            number = pb.PlayerEndReason.ValueType(END_REASONS[reason])
            return pb.PlayerItem(end=pb.PlayerEnd(position=position, reason=number))
        case _:
            assert_never(item)


def _event(event: PlayerEvent) -> pb.PlayerEvent:
    return pb.PlayerEvent(
        position=event.position,
        kind=pb.PlayerEventKind.ValueType(KINDS[event.kind]),
        match=event.match,
        game=event.game,
        version=event.version,
        seat=event.seat,
        message=None if event.message is None else message_of(event.message),
        webhook=event.webhook,
        at=timestamp_of(event.at),
    )
