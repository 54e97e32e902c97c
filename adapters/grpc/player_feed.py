"""What concerns the caller, over all matches."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import override

from adapters.grpc.calls import caller, sent
from adapters.grpc.generated.montane.v1 import player_feed_pb2 as pb
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceServicer
from adapters.grpc.mapping import Mapper
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import page_size
from services.notify.player_feed import PlayerFeed
from services.players.accounts import Players
from services.players.store import Scope


class PlayerFeedCalls(PlayerFeedServiceServicer):
    """The service `PlayerFeedService`."""

    def __init__(self, feed: PlayerFeed, players: Players, mapper: Mapper) -> None:
        """Take the use cases, and what their answers are written with."""
        self._feed = feed
        self._players = players
        self._mapper = mapper

    @override
    async def ListPlayerEvents(
        self, request: pb.ListPlayerEventsRequest, context: Context
    ) -> pb.ListPlayerEventsResponse:
        """Return a page of what concerns the caller."""
        player = await caller(self._players, Scope.READ)
        page = await self._feed.page(
            player.id,
            after=request.after if request.HasField("after") else None,
            token=request.page_token if request.HasField("page_token") else None,
            size=page_size(request),
        )
        items = (self._mapper.write(event, pb.PlayerEvent) for event in page.items)
        return pb.ListPlayerEventsResponse(items=items, next_page_token=page.next, oldest=page.oldest)

    @override
    async def WatchPlayer(
        self, request: pb.WatchPlayerRequest, context: Context
    ) -> AsyncGenerator[pb.WatchPlayerResponse]:
        """Send what concerns the caller."""
        player = await caller(self._players, Scope.READ)
        reading = await self._feed.watch(
            player.id, after=request.after if request.HasField("after") else None
        )
        self._players.sessions.hold(player.credential, reading)
        reading.charge = VISIT.get().charge
        async with aclosing(sent(reading, self._mapper.concerning)) as items:
            async for item in items:
                yield item
