"""What is said in a match, sent to those who listen, without a gap.

What comes after the position that a listener has reached is read from the log, once for all who stand at the
same place. Messages are read before the match is: a player who has just sat down is not given what onlookers
wrote since.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import override

from msgspec import Struct

from domain.match import PlayerId, Visibility
from domain.shared.rejections import Rejected
from services.chat.log import ChatLog, ChatMessage, ChatRoom, MessageId, StoredMessage
from services.chat.rooms import reader_of
from services.matches.loaded import LoadedMatch
from services.matches.store import Secrets
from services.players.block_list import BlockList
from services.shared.errors import Failure, Unavailable
from services.shared.ids import MatchId
from services.shared.time import Clock, Time
from services.streams.channels import Channel, Channels, Encoded, Reading, StreamItem

PAGE = 200
"""The most messages that are read at once."""

type Current = Callable[[MatchId], Awaitable[LoadedMatch]]
"""Gives a match as the store has it now."""
type Show = Callable[[Sequence[StoredMessage]], Awaitable[Sequence[ChatMessage]]]
"""Gives messages as they are shown."""


class ChatMessageItem(StreamItem, frozen=True, tag="message"):
    """Somebody has said something.

    Attributes:
        message: The message.
    """

    message: ChatMessage

    @property
    @override
    def place(self) -> str:
        """The message after which a new stream goes on."""
        return self.message.id


class ChatCaughtUp(StreamItem, frozen=True, tag="caught_up"):
    """All that has been said was sent; what follows is live.

    Attributes:
        last: The last message that was sent; None if there was none.
    """

    last: MessageId | None


class ChatHeartbeat(StreamItem, frozen=True, tag="heartbeat"):
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
    TOKEN_ENDED = "TOKEN_ENDED"  # noqa: S105 - no token


class ChatEnd(StreamItem, frozen=True, tag="end"):
    """Nothing more comes.

    Attributes:
        last: The last message that was sent; None if there was none.
        reason: Why the stream ends.
        resumable: Whether a new stream may go on after `last`.
    """

    last: MessageId | None
    reason: ChatEndReason
    resumable: bool


type ChatItem = ChatMessageItem | ChatCaughtUp | ChatHeartbeat | ChatEnd


class Batch(Struct, frozen=True):
    """Messages after a position, for all who stand there.

    Attributes:
        after: The position.
        heard: How far the channel had heard when they were read.
        live: The match, read after them.
        messages: They, in order, each with what is notified of it.
        blockers: Who has blocked whom of those who wrote them.
    """

    after: int
    heard: int
    live: LoadedMatch
    messages: Sequence[tuple[StoredMessage, Encoded]]
    blockers: Mapping[PlayerId, Collection[PlayerId]]

    @property
    def whole(self) -> bool:
        """Whether there was no more."""
        return len(self.messages) < PAGE

    @property
    def reached(self) -> int:
        """The position that anyone who takes it has reached."""
        last = self.messages[-1][0].position if self.messages else self.after
        return max(last, self.heard) if self.whole else last


class ChatChannel(Channel[MatchId]):
    """What is known of the chat of a match that is listened to.

    Attributes:
        id: The match.
        readers: Those who listen.
        heard: The highest position that is known to exist.
        version: How far the match has come, if it is private.
        is_private: Whether the match is private.
    """

    def __init__(
        self, id: MatchId, log: ChatLog, block_list: BlockList, current: Current, show: Show
    ) -> None:
        """Begin before anything is known."""
        super().__init__(id)
        self.heard = 0
        self.version = 0
        self.is_private = False
        self._log = log
        self._block_list = block_list
        self._current = current
        self._show = show
        self._reading = asyncio.Lock()
        self._batch: Batch | None = None

    def hear(self, position: int) -> None:
        """Learn that there is a message at a position."""
        if position > self.heard:
            self.heard = position
            self.wake()

    def moved(self, version: int) -> None:
        """Learn that the match has come to a version."""
        if version > self.version:
            self.version = version
            self.wake()

    async def messages_after(self, position: int, version: int) -> Batch:
        """Return the next messages after a position.

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
        told = [Encoded(ChatMessageItem(shown)) for shown in await self._show(messages)]
        authors = {message.author for message in messages if message.author is not None}
        blockers = await self._block_list.blockers(authors) if authors else {}
        return Batch(position, heard, live, tuple(zip(messages, told, strict=True)), blockers)


class Listener(Reading[ChatChannel]):
    """One reader of a chat's stream."""

    def __init__(
        self,
        channels: "ChatChannels",
        channel: ChatChannel,
        version: int,
        player: PlayerId | None,
        room: ChatRoom | None,
        behind: StoredMessage | None,
        secrets: Secrets | None,
        invitation: str | None,
    ) -> None:
        """Begin after a message, or at the first one, of a match that has come to a version."""
        super().__init__(channels, channel)
        self._version = version
        self._player = player
        self._room = room
        self._secrets = secrets
        self._invitation = invitation
        self._position = 0 if behind is None else behind.position
        self._last = None if behind is None else behind.id
        self._whole = False

    @override
    def has_news(self) -> bool:
        """Return whether there may be a message after its place, or the match may be its to know no more."""
        channel = self._channel
        return not self._whole or self._position < channel.heard or self._version < channel.version

    @override
    async def news(self) -> Sequence[Encoded]:
        """Return what the reader may read of the next messages; none may be left of them."""
        try:
            version = max(self._version, self._channel.version)
            batch = await self._channel.messages_after(self._position, version)
            reader = reader_of(batch.live, self._player, self._room, self._secrets, self._invitation)
        except Unavailable:
            raise
        except (Failure, Rejected):
            return self.end(ChatEndReason.NOT_YOURS_ANY_MORE)
        self._position, self._whole, self._version = batch.reached, batch.whole, batch.live.version
        readable = [
            (message, told)
            for message, told in batch.messages
            if reader.may_read(message)
            and (message.author is None or self._player not in batch.blockers.get(message.author, ()))
        ]
        if readable:
            self._last = readable[-1][0].id
        return [told for _, told in readable]

    @override
    def caught_up(self) -> Sequence[Encoded]:
        """Return what says that all was sent, and what follows is live."""
        return [Encoded(ChatCaughtUp(self._last))]

    @override
    def heartbeat(self, at: Time) -> Encoded:
        """Return the sign of life of a time."""
        return Encoded(ChatHeartbeat(at))

    @override
    def ended(self, reason: StrEnum) -> ChatEnd:
        """Return the item that ends the stream."""
        why = ChatEndReason(reason)
        return ChatEnd(self._last, why, why is not ChatEndReason.NOT_YOURS_ANY_MORE)


class ChatChannels(Channels[MatchId, ChatChannel]):
    """All chats of the process that are listened to."""

    def __init__(
        self, log: ChatLog, block_list: BlockList, current: Current, show: Show, clock: Clock
    ) -> None:
        """Take the log, who has blocked whom, how a match is read and messages are shown, and the time."""
        super().__init__(clock)
        self._log = log
        self._block_list = block_list
        self._current = current
        self._show = show

    @override
    def made(self, id: MatchId) -> ChatChannel:
        """Return a new channel of the chat of a match."""
        return ChatChannel(id, self._log, self._block_list, self._current, self._show)

    def hear(self, match: MatchId, position: int) -> None:
        """Learn that a message of a match is at a position, written in whatever process."""
        if channel := self.channel(match):
            channel.hear(position)

    def moved(self, match: MatchId, version: int) -> None:
        """Learn that a match has come to a version: a private one may be no more for those who listen."""
        if (channel := self.channel(match)) and channel.is_private:
            channel.moved(version)

    def listen(
        self,
        live: LoadedMatch,
        player: PlayerId | None,
        room: ChatRoom | None,
        behind: StoredMessage | None,
        secrets: Secrets | None,
        invitation: str | None,
    ) -> Listener:
        """Return a new listener to a match; anyone who takes it must `leave` it."""
        channel = self.join(live.id)
        channel.is_private = live.match.terms.visibility is Visibility.PRIVATE
        return Listener(self, channel, live.version, player, room, behind, secrets, invitation)
