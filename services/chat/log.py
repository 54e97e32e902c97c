"""What is said in matches: as it is kept, as it is shown, and where it is kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType, Protocol

from msgspec import Struct

from domain.match import PlayerId
from domain.shared.seats import Seat
from services.players.names import SeatedPlayer
from services.shared.ids import MatchId
from services.shared.time import Time

MessageId = NewType("MessageId", str)
ReportId = NewType("ReportId", str)


class ChatRoom(StrEnum):
    """Who reads a message.

    `players` all seats, and nobody else, also not after the end; `seat` two of them, a whisper, and nobody
    else ever; `spectators` those who look on, and from the end of the match on the seats too.
    """

    PLAYERS = "players"
    SEAT = "seat"
    SPECTATORS = "spectators"


class ReportReason(StrEnum):
    """Why a message is reported."""

    SPAM = "spam"
    HARASSMENT = "harassment"
    HATE = "hate"
    CHEATING = "cheating"
    OTHER = "other"


class StoredMessage(Struct, frozen=True, kw_only=True):
    """A message as it is kept.

    Attributes:
        id: `message_...`.
        position: Its place among all messages of all matches, in the order of commits. Never shown: it counts
            what the reader may not know of.
        match: The match.
        room: Who reads it.
        author: Who wrote it; None once the account is gone.
        seat: The seat that the author held then.
        addressee: To whom a whisper goes; None once the account is gone.
        to_seat: The seat that the addressee held then.
        text: What it says; empty once it is removed.
        removed: Whether the text was taken away, by an admin or with its author's account.
        sent_at: When it was accepted, UTC.
    """

    id: MessageId
    position: int
    match: MatchId
    room: ChatRoom
    author: PlayerId | None
    seat: Seat | None
    addressee: PlayerId | None
    to_seat: Seat | None
    text: str
    removed: bool
    sent_at: datetime


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A message of a match's chat. Lists and streams have the order in which they were accepted.

    Attributes:
        id: `message_...`.
        match: The match.
        room: Who reads it.
        player: Who wrote it; None once the account is gone.
        seat: The seat that the writer held then; None for one who looked on.
        to_seat: The seat that a whisper goes to; None for any other message.
        text: What it says; empty once it is removed.
        removed: Whether the text was taken away, by an admin or with its writer's account.
        sent_at: When it was accepted, UTC.
    """

    id: MessageId
    match: MatchId
    room: ChatRoom
    player: SeatedPlayer | None
    seat: Seat | None
    to_seat: Seat | None
    text: str
    removed: bool
    sent_at: Time


class Posted(Struct, frozen=True):
    """A message with what its idempotency key stands for.

    Attributes:
        message: The message.
        digest: SHA-256 of what was asked with the key, in hexadecimal.
    """

    message: StoredMessage
    digest: str


class Report(Struct, frozen=True, kw_only=True):
    """A report of a message as it is kept.

    Attributes:
        id: `report_...`.
        message: The message as it stands now.
        reporter: Who reported it; None once the account is gone.
        reason: Why.
        text: What the reporter says to it; empty if nothing, or once the reporter's account is gone.
        reported_at: When, UTC.
    """

    id: ReportId
    message: StoredMessage
    reporter: PlayerId | None
    reason: ReportReason
    text: str
    reported_at: datetime


class ChatReport(Struct, frozen=True, kw_only=True):
    """A report of a message.

    Attributes:
        id: `report_...`.
        message: The message as it stands now.
        reporter: Who reported it; None once the account is gone.
        reason: Why.
        text: What the reporter says to it; empty if nothing.
        reported_at: When, UTC.
    """

    id: ReportId
    message: ChatMessage
    reporter: SeatedPlayer | None
    reason: ReportReason
    text: str
    reported_at: Time


class Reader(Struct, frozen=True):
    """What somebody may read of a match's chat.

    Attributes:
        player: Who; None without an account.
        rooms: The rooms; of whispers only those that the player wrote or got.
        blocked: Of whom it reads nothing.
    """

    player: PlayerId | None
    rooms: tuple[ChatRoom, ...]
    blocked: frozenset[PlayerId] = frozenset()

    def may_read(self, message: StoredMessage) -> bool:
        """Return whether a message of the match is among it."""
        if message.author in self.blocked:
            return False
        if message.room is ChatRoom.SEAT:
            return message.room in self.rooms and self.player in (message.author, message.addressee)
        return message.room in self.rooms


class Pace(Struct, frozen=True):
    """How fast one player may write in one match.

    Attributes:
        messages: The most messages.
        within: In how much time.
    """

    messages: int
    within: timedelta


class TooFast(Exception):  # noqa: N818 - an answer of the log
    """The player has written too much in the match of late.

    Attributes:
        free_at: When the next message is accepted, UTC.
    """

    def __init__(self, free_at: datetime) -> None:
        """Take when to come again."""
        super().__init__(free_at)
        self.free_at = free_at


class ChatLog(Protocol):
    """All messages, and what was reported. Every method raises `Unavailable` while the store is away."""

    async def post(
        self, message: StoredMessage, *, key: str, digest: str, recipients: Sequence[PlayerId], pace: Pace
    ) -> Posted:
        """Store a message at the next position; return the earlier one if the author used the key before.

        Args:
            message: The message; its position is not looked at.
            key: The author's idempotency key.
            digest: SHA-256 of what was asked, in hexadecimal.
            recipients: The players that it is for, who are notified of it.
            pace: How fast the author may write in the match.

        Raises:
            TooFast: The author is faster; nothing was stored.
            Unauthenticated: The author's account is gone.
        """

    async def posted(self, author: PlayerId, key: str) -> Posted | None:
        """Return what an author posted with a key."""

    async def read(
        self, match: MatchId, *, after: int, limit: int, reader: Reader | None = None
    ) -> list[StoredMessage]:
        """Return a match's messages after a position, in order; all of them, or what a reader may read."""

    async def message(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Return a message of a match."""

    async def for_player(self, player: PlayerId, *, after: int, limit: int) -> list[StoredMessage]:
        """Return the messages of all matches that are for a player, after a position, in order."""

    async def message_for(self, player: PlayerId, id: MessageId, forgotten: int = 0) -> StoredMessage | None:
        """Return a message that is for a player."""

    async def latest_for(self, player: PlayerId) -> StoredMessage | None:
        """Return the last message of all matches that is for a player; None if there is none."""

    async def remove(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Take a message's text away, and return what is left of it; None if there is no such message."""

    async def report(self, report: Report) -> Report:
        """Store a report; return the earlier one if the reporter has reported the message before.

        Raises:
            Unauthenticated: The reporter's account is gone.
        """

    async def reports(self, *, before: ReportId | None, limit: int) -> list[Report]:
        """Return reports, newest first, older than `before`."""
