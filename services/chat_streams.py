"""What is said in a match, sent to those who listen, without a gap.

A match that is listened to has one channel in the process. Those who listen hold no queue, only the position
that they have reached; what comes behind it is read from the log, once for all who stand at the same place.
Messages are read before the match is: whoever has just sat down is not given what onlookers wrote since.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from domain.match import PlayerId
from domain.shared.rejections import Rejected
from services.chat_log import ChatLog, ChatMessage, ChatRoom, Message, MessageId
from services.chat_rooms import reader_of
from services.errors import Failure, Unavailable
from services.feeds import TICK, TICKS_A_HEARTBEAT, TICKS_TO_SEND, Told
from services.ids import MatchId
from services.live import Live
from services.ports import Clock, Time

PAGE = 200
"""The most messages that are read at once."""
HEARTBEAT = TICK * TICKS_A_HEARTBEAT
"""Seconds without a message after which there is a sign of life."""
TO_SEND = TICK * TICKS_TO_SEND
"""Seconds that what a listener was given may take to be sent; then its reader is cut off."""

type Current = Callable[[MatchId], Awaitable[Live]]
"""Gives a match as the store has it now."""
type Show = Callable[[Sequence[Message]], Awaitable[Sequence[ChatMessage]]]
"""Gives messages as they are shown."""


class ChatMessageItem(Struct, frozen=True, tag_field="type", tag="message"):
    """Somebody has said something.

    Attributes:
        message: The message.
    """

    message: ChatMessage


class ChatCaughtUp(Struct, frozen=True, tag_field="type", tag="caught_up"):
    """All that has been said was sent; what follows is live.

    Attributes:
        last: The last message that was sent; None if there was none.
    """

    last: MessageId | None


class ChatHeartbeat(Struct, frozen=True, tag_field="type", tag="heartbeat"):
    """The stream is alive, though nobody says anything.

    Attributes:
        at: The server's time, UTC.
    """

    at: Time


class ChatEndReason(StrEnum):
    """Why a stream of a chat ends."""

    SERVER_STOPPING = "SERVER_STOPPING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    NOT_YOURS_ANY_MORE = "NOT_YOURS_ANY_MORE"


class ChatEnd(Struct, frozen=True, tag_field="type", tag="end"):
    """Nothing more comes.

    Attributes:
        last: The last message that was sent; None if there was none.
        reason: Why the stream ends.
        resumable: Whether a new stream may go on behind `last`.
    """

    last: MessageId | None
    reason: ChatEndReason
    resumable: bool


type ChatItem = ChatMessageItem | ChatCaughtUp | ChatHeartbeat | ChatEnd


class Batch(Struct, frozen=True):
    """Messages behind a position, for all who stand there.

    Attributes:
        after: The position.
        heard: How far the channel had heard when they were read.
        live: The match, read after them.
        messages: They, in order, each with what is told of it.
    """

    after: int
    heard: int
    live: Live
    messages: Sequence[tuple[Message, Told]]

    @property
    def whole(self) -> bool:
        """Whether there was no more."""
        return len(self.messages) < PAGE

    @property
    def reached(self) -> int:
        """The position that whoever takes it has reached."""
        last = self.messages[-1][0].position if self.messages else self.after
        return max(last, self.heard) if self.whole else last


class ChatChannel:
    """What is known of the chat of a match that is listened to.

    Attributes:
        id: The match.
        heard: The highest position that is known to exist.
        listeners: Those who listen.
    """

    def __init__(self, id: MatchId, log: ChatLog, current: Current, show: Show) -> None:
        """Begin before anything is known."""
        self.id = id
        self.heard = 0
        self.listeners: set[Listener] = set()
        self._log = log
        self._current = current
        self._show = show
        self._reading = asyncio.Lock()
        self._batch: Batch | None = None

    def hear(self, position: int) -> None:
        """Learn that there is a message at a position."""
        if position > self.heard:
            self.heard = position
            self.wake()

    def wake(self) -> None:
        """Let all listeners look at what is new."""
        for listener in self.listeners:
            listener.wake()

    async def behind(self, position: int, version: int) -> Batch:
        """Return the next messages behind a position.

        Args:
            position: The position.
            version: How far the match was, at least, when they are read.

        Raises:
            Unavailable: The store is away.
        """
        async with self._reading:
            batch = self._batch
            stands = batch is not None and (batch.after, batch.heard) == (position, self.heard)
            if batch is None or not stands or batch.live.version < version:
                batch = self._batch = await self._read(position)
            return batch

    async def _read(self, position: int) -> Batch:
        heard = self.heard
        messages = await self._log.read(self.id, after=position, limit=PAGE)
        live = await self._current(self.id)
        told = [Told(ChatMessageItem(shown)) for shown in await self._show(messages)]
        return Batch(position, heard, live, tuple(zip(messages, told, strict=True)))


class Listener:
    """One reader of a chat's stream.

    Attributes:
        over: Whether it was given its last item.
        cut_off: Called, once, when what it was given is not sent in time.
    """

    def __init__(
        self,
        streams: "ChatStreams",
        channel: ChatChannel,
        version: int,
        player: PlayerId | None,
        room: ChatRoom | None,
        behind: Message | None,
        *,
        invited: bool,
    ) -> None:
        """Begin behind a message, or at the first one, of a match that has come to a version."""
        self.over = False
        self.cut_off: Callable[[], None] = _nothing
        self._streams = streams
        self._channel = channel
        self._version = version
        self._player = player
        self._room = room
        self._invited = invited
        self._position = 0 if behind is None else behind.position
        self._last = None if behind is None else behind.id
        self._whole = False
        self._live = False
        self._nudged = False
        self._woken = asyncio.Event()
        self._sending: asyncio.TimerHandle | None = None

    async def next(self) -> Sequence[Told]:
        """Return the next items, as soon as there are some; none if `nudge` was called or all is over."""
        self._sent()
        told = await self._next()
        self._sending = asyncio.get_running_loop().call_later(TO_SEND, lambda: self.cut_off())
        return told

    def nudge(self) -> None:
        """Let `next` return at once, with what there is."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """Look at what is new."""
        self._woken.set()

    def leave(self) -> None:
        """Stop listening; may be called again."""
        self._sent()
        self._streams.part(self._channel, self)

    def _sent(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    async def _next(self) -> Sequence[Told]:
        while not self.over:
            self._woken.clear()
            if self._streams.closed:
                return self._end(ChatEndReason.SERVER_STOPPING)
            if not self._whole or self._position < self._channel.heard:
                if told := await self._news():
                    return told
                continue
            if self._nudged:
                break
            if not self._live:
                self._live = True
                return [Told(ChatCaughtUp(self._last))]
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await self._woken.wait()
            except TimeoutError:
                return [Told(ChatHeartbeat(self._streams.clock.now()))]
        self._nudged = False
        return []

    async def _news(self) -> Sequence[Told]:
        """Return what the reader may read of the next messages; none may be left of them."""
        try:
            batch = await self._channel.behind(self._position, self._version)
            reader = reader_of(batch.live, self._player, self._room, invited=self._invited)
        except Unavailable:
            return self._end(ChatEndReason.STORE_UNAVAILABLE)
        except (Failure, Rejected):
            return self._end(ChatEndReason.NOT_YOURS_ANY_MORE)
        self._position, self._whole = batch.reached, batch.whole
        readable = [(message, told) for message, told in batch.messages if reader.may_read(message)]
        if readable:
            self._last = readable[-1][0].id
        return [told for _, told in readable]

    def _end(self, reason: ChatEndReason) -> Sequence[Told]:
        self.over = True
        return [Told(ChatEnd(self._last, reason, reason is not ChatEndReason.NOT_YOURS_ANY_MORE))]


class ChatStreams:
    """All chats of the process that are listened to.

    Attributes:
        closed: Whether the process is about to stop.
        clock: The time.
    """

    def __init__(self, log: ChatLog, current: Current, show: Show, clock: Clock) -> None:
        """Take the log, how a match is read and messages are shown, and the time."""
        self.closed = False
        self.clock = clock
        self._log = log
        self._current = current
        self._show = show
        self._channels: dict[MatchId, ChatChannel] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    def hear(self, match: MatchId, position: int) -> None:
        """Learn that a message of a match is at a position, written in whatever process."""
        if channel := self._channels.get(match):
            channel.hear(position)

    def listen(
        self,
        live: Live,
        player: PlayerId | None,
        room: ChatRoom | None,
        behind: Message | None,
        *,
        invited: bool,
    ) -> Listener:
        """Return a new listener to a match; whoever takes it must `leave` it."""
        if (channel := self._channels.get(live.id)) is None:
            channel = self._channels[live.id] = ChatChannel(live.id, self._log, self._current, self._show)
            self._empty.clear()
        listener = Listener(self, channel, live.version, player, room, behind, invited=invited)
        channel.listeners.add(listener)
        return listener

    def part(self, channel: ChatChannel, listener: Listener) -> None:
        """Give a listener up; with the last of them the channel ends."""
        channel.listeners.discard(listener)
        if not channel.listeners and self._channels.get(channel.id) is channel:
            del self._channels[channel.id]
            if not self._channels:
                self._empty.set()

    async def close(self, seconds: float) -> None:
        """End all streams, and wait until their readers were told; at most so long."""
        self.closed = True
        for channel in self._channels.values():
            channel.wake()
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            for channel in tuple(self._channels.values()):
                for listener in tuple(channel.listeners):
                    listener.cut_off()


def _nothing() -> None:
    """Do nothing: nobody is there to be cut off."""
