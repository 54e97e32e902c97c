"""What concerns a player, over all matches: turns, invitations, beginnings, ends, talk.

It comes from two sources, each with an order of its own: the log of matches, of which a read model numbers
for each player what concerns it, and the talk that is for it. A place in the feed is a place in each, so that
anyone who goes on after it misses nothing and gets nothing twice.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from heapq import merge
from typing import NamedTuple, Protocol, override

from msgspec import Struct

from domain.match import (
    PlayerId,
)
from domain.match.concerns import Concern, ConcernKind
from domain.shared.seats import Seat
from services.chat.log import ChatLog, ChatMessage, MessageId, StoredMessage
from services.chat.stream import Show
from services.players.block_list import BlockList
from services.shared.errors import FailureReason, Malformed
from services.shared.ids import MatchId
from services.shared.pages import Page, page_token, position_of
from services.shared.time import Clock, Time
from services.streams.channels import Channel, Channels, Encoded, Reading, StreamItem

PAGE = 200
"""The most items that a stream reads at once."""

_WRITTEN = re.compile(r"(0|[1-9][0-9]{0,17})(?:\.(message_[0-9a-z]{26}))?", re.ASCII)


class PlayerEventKind(StrEnum):
    """What has happened that concerns a player."""

    YOUR_TURN = "your_turn"
    INVITED = "invited"
    SEAT_TAKEN = "seat_taken"
    SEAT_LEFT = "seat_left"
    KICKED = "kicked"
    STARTED = "started"
    TIMED_OUT = "timed_out"
    ENDED = "ended"
    CANCELLED = "cancelled"
    CHAT = "chat"
    WEBHOOK_PAUSED = "webhook_paused"


class FeedEntry(Struct, frozen=True, kw_only=True):
    """What concerns a player, as the read model keeps it.

    Attributes:
        number: Its place among all that concerns the player but talk, from 1.
        kind: What has happened.
        match: The match; None if it is of none, as the following two.
        game: Its game.
        version: Number of the match's event.
        webhook: The webhook that it is about; None if none.
        seat: The seat that it is about; None if none.
        at: When, UTC.
        inviter: Who invites, of an invitation; None for all else.
    """

    number: int
    kind: PlayerEventKind
    match: MatchId | None
    game: str | None
    version: int | None
    seat: Seat | None
    webhook: str | None
    at: datetime
    inviter: PlayerId | None = None


class PlayerEvent(Struct, frozen=True, kw_only=True):
    """Something that concerns a player.

    Attributes:
        position: Its place in the player's feed; what follows is behind it.
        kind: What has happened.
        match: The match; None if it is of none.
        game: Its game; None for talk, and if it is of no match.
        version: Number of the match's event; None for talk, and if it is of no match.
        seat: The seat that it is about: the player's own for a turn, a beginning, an end and a time that was
            up, otherwise the one that was taken or left; None if it is about none.
        message: What was said; None for anything but talk.
        webhook: The player's webhook that was paused, `webhook_...`; None for anything else.
        at: When, UTC.
    """

    position: str
    kind: PlayerEventKind
    match: MatchId | None
    game: str | None
    version: int | None
    seat: Seat | None
    message: ChatMessage | None
    webhook: str | None
    at: Time


class PlayerEventItem(StreamItem, frozen=True, tag="event"):
    """Something has happened that concerns the player.

    Attributes:
        event: What.
    """

    event: PlayerEvent

    @property
    @override
    def place(self) -> str:
        """The position after which a new stream goes on."""
        return self.event.position


class PlayerTruncated(StreamItem, frozen=True, tag="truncated"):
    """What concerned the player after the place that was asked for is forgotten, up to a later one.

    Attributes:
        oldest: The place after which all is kept; the stream goes on after it.
    """

    oldest: str


class PlayerCaughtUp(StreamItem, frozen=True, tag="caught_up"):
    """All that concerns the player was sent; what follows is live.

    Attributes:
        position: The place that is reached, after which a new stream may go on.
    """

    position: str

    @property
    @override
    def place(self) -> str:
        """The position after which a new stream goes on."""
        return self.position


class PlayerHeartbeat(StreamItem, frozen=True, tag="heartbeat"):
    """The stream is alive, though nothing happens.

    Attributes:
        position: The place that is reached.
        at: The server's time, UTC.
    """

    position: str
    at: Time


class PlayerEndReason(StrEnum):
    """Why a stream of what concerns a player ends."""

    SERVER_STOPPING = "SERVER_STOPPING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    TOKEN_ENDED = "TOKEN_ENDED"  # noqa: S105 - no token


class PlayerEnd(StreamItem, frozen=True, tag="end"):
    """Nothing more comes; a new stream may go on after the position.

    Attributes:
        position: The place that is reached.
        reason: Why the stream ends.
    """

    position: str
    reason: PlayerEndReason


type PlayerItem = PlayerEventItem | PlayerTruncated | PlayerCaughtUp | PlayerHeartbeat | PlayerEnd


class PlayerLog(Protocol):
    """What concerns players in the log of matches; it follows the log within moments."""

    async def entries(self, player: PlayerId, *, after: int, limit: int) -> list[FeedEntry]:
        """Return what concerns a player after a number, in order."""

    async def latest(self, player: PlayerId) -> int:
        """Return the number of what concerned the player last, 0 if nothing ever did."""

    async def start(self, player: PlayerId) -> "Place":
        """Return the place up to which a player's feed is forgotten, with what was said; mostly the first."""


class Place(NamedTuple):
    """A place in a player's feed.

    Attributes:
        number: The last entry of the log.
        said: Position of the last message.
        message: The last message; None before the first.
    """

    number: int
    said: int = 0
    message: MessageId | None = None

    def __str__(self) -> str:
        """Return the place as it is written."""
        return str(self.number) if self.message is None else f"{self.number}.{self.message}"

    def after(self, other: "Place") -> "Place":
        """Return the first place that is not before this one nor before another."""
        said = max(self, other, key=lambda place: place.said)
        return Place(max(self.number, other.number), said.said, said.message)


def feed_seat(concern: Concern) -> Seat | None:
    """Return the seat that a feed tells of what concerns a player; a match that is cancelled tells none."""
    return None if concern.kind is ConcernKind.CANCELLED else concern.seat


class PlayerPage(Page[PlayerEvent], frozen=True):
    """A part of a player's feed.

    Attributes:
        items: What has happened, in order.
        next: Where the following part begins; None after the last one.
        oldest: The place after which all is kept.
    """

    oldest: str


class PlayerFeed:
    """The use cases around what concerns a player.

    Attributes:
        channels: The feeds that are watched.
    """

    def __init__(
        self, log: PlayerLog, chat: ChatLog, block_list: BlockList, show: Show, clock: Clock
    ) -> None:
        """Take both sources, whom players block, how messages are shown, and the time."""
        self.channels = PlayerChannels(clock)
        self._block_list = block_list
        self._log = log
        self._chat = chat
        self._show = show

    async def page(self, player: PlayerId, *, after: str | None, token: str | None, size: int) -> PlayerPage:
        """Return what concerns a player after a place, in order; from the oldest on if none is named.

        Raises:
            Malformed: `after` is no place in the player's feed, or no page of it gave the token.
        """
        if token is not None:
            if after is not None:
                raise Malformed(
                    FailureReason.INVALID_FIELD, field="page_token", expected="given without after"
                )
            after = position_of(token, str, "player feed", player)
        start = await self._log.start(player)
        begin = Place(0) if after is None else await self._place(player, after, start)
        events, reached, whole = await self.page_after(player, begin.after(start), size)
        token = None if whole else page_token(str(reached), "player feed", player)
        return PlayerPage(tuple(events), token, str(start))

    async def watch(self, player: PlayerId, *, after: str | None) -> "PlayerReading":
        """Return a stream of what concerns a player; anyone who takes it must `leave` it.

        It goes on after a place, or begins with what happens from now on. If something after the place is
        forgotten, it says so first.

        Raises:
            Malformed: `after` is no place in the player's feed.
        """
        start = await self._log.start(player)
        wanted = await self._now(player) if after is None else await self._place(player, after, start)
        begin = wanted.after(start)
        forgotten = start if after is not None and begin != wanted else None
        return PlayerReading(self, self.channels.join(player), begin, forgotten)

    async def page_after(
        self, player: PlayerId, place: Place, limit: int
    ) -> tuple[list[PlayerEvent], Place, bool]:
        """Return what concerns a player after a place, the place that it leads to, and whether it is all."""
        entries = await self._log.entries(player, after=place.number, limit=limit)
        messages = await self._chat.for_player(player, after=place.said, limit=limit)
        shown = dict(zip(messages, await self._show(messages), strict=True)) if messages else {}
        heard = messages or any(entry.kind is PlayerEventKind.INVITED for entry in entries)
        blocked = await self._block_list.blocked_by(player) if heard else ()
        sources: tuple[Sequence[FeedEntry | StoredMessage], ...] = entries, messages
        both = list(merge(*sources, key=_time))
        events = []
        for one in both[:limit]:
            if isinstance(one, FeedEntry):
                place = place._replace(number=one.number)
                if one.inviter not in blocked:
                    events.append(_entered(one, str(place)))
            else:
                place = place._replace(said=one.position, message=one.id)
                if one.author not in blocked:
                    events.append(_said(one, shown[one], str(place)))
        return events, place, len(both) <= limit and limit not in (len(entries), len(messages))

    async def _now(self, player: PlayerId) -> Place:
        number = await self._log.latest(player)
        last = await self._chat.latest_for(player)
        return Place(number) if last is None else Place(number, last.position, last.id)

    async def _place(self, player: PlayerId, written: str, start: Place) -> Place:
        """Return the place that a text names.

        Raises:
            Malformed: It names none in this player's feed.
        """
        wrong = Malformed(
            FailureReason.INVALID_FIELD, field="after", expected="a position of this player's feed"
        )
        if (parts := _WRITTEN.fullmatch(written)) is None:
            raise wrong
        number, id = int(parts[1]), parts[2]
        if number > await self._log.latest(player):
            raise wrong
        if id is None:
            return Place(number)
        if (message := await self._chat.message_for(player, MessageId(id), start.said)) is None:
            raise wrong
        return Place(number, message.position, message.id)


class PlayerChannel(Channel[PlayerId]):
    """A player whose feed is watched.

    Attributes:
        id: The player.
        readers: Those who watch.
        news: How often there was something new.
    """

    def __init__(self, id: PlayerId) -> None:
        """Begin without news."""
        super().__init__(id)
        self.news = 0

    def hear(self) -> None:
        """Learn that there is something new."""
        self.news += 1
        self.wake()


class PlayerChannels(Channels[PlayerId, PlayerChannel]):
    """All feeds of players that are watched in the process."""

    @override
    def made(self, id: PlayerId) -> PlayerChannel:
        """Return a new channel of what concerns a player."""
        return PlayerChannel(id)

    def hear(self, player: PlayerId, position: int) -> None:
        """Learn that something concerns a player, whatever its position in its source."""
        if channel := self.channel(player):
            channel.hear()


class PlayerReading(Reading[PlayerChannel]):
    """One reader of what concerns a player."""

    def __init__(
        self, feed: PlayerFeed, channel: PlayerChannel, place: Place, forgotten: Place | None
    ) -> None:
        """Begin after a place, up to which something is forgotten that was asked for, or not."""
        super().__init__(feed.channels, channel)
        self._feed = feed
        self._place = place
        self._looked = -1
        if forgotten is not None:
            self._first = Encoded(PlayerTruncated(str(forgotten)))

    @override
    def has_news(self) -> bool:
        """Return whether there may be something after its place."""
        return self._looked < self._channel.news

    @override
    async def news(self) -> Sequence[Encoded]:
        """Return what concerns the player after its place."""
        looked = self._channel.news
        events, self._place, whole = await self._feed.page_after(self._channel.id, self._place, PAGE)
        if whole:
            self._looked = looked
        return [Encoded(PlayerEventItem(event)) for event in events]

    @override
    def caught_up(self) -> Sequence[Encoded]:
        """Return what says that all was sent, and what follows is live."""
        return [Encoded(PlayerCaughtUp(str(self._place)))]

    @override
    def heartbeat(self, at: Time) -> Encoded:
        """Return the sign of life of a time."""
        return Encoded(PlayerHeartbeat(str(self._place), at))

    @override
    def ended(self, reason: StrEnum) -> PlayerEnd:
        """Return the item that ends the stream."""
        return PlayerEnd(str(self._place), PlayerEndReason(reason))


def _time(one: FeedEntry | StoredMessage) -> datetime:
    return one.at if isinstance(one, FeedEntry) else one.sent_at


def _entered(entry: FeedEntry, position: str) -> PlayerEvent:
    return PlayerEvent(
        position=position,
        kind=entry.kind,
        match=entry.match,
        game=entry.game,
        version=entry.version,
        seat=entry.seat,
        message=None,
        webhook=entry.webhook,
        at=entry.at,
    )


def _said(message: StoredMessage, shown: ChatMessage, position: str) -> PlayerEvent:
    return PlayerEvent(
        position=position,
        kind=PlayerEventKind.CHAT,
        match=message.match,
        game=None,
        version=None,
        seat=None,
        message=shown,
        webhook=None,
        at=message.sent_at,
    )
