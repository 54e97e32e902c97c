"""Talk in a match: write, read, listen, report, remove."""

from collections.abc import Sequence
from datetime import timedelta
from math import ceil

from msgspec.structs import replace

from domain.match import PlayerId
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from services.chat.log import (
    ChatLog,
    ChatMessage,
    ChatReport,
    ChatRoom,
    MessageId,
    Pace,
    Posted,
    Report,
    ReportId,
    ReportReason,
    StoredMessage,
    TooFast,
)
from services.chat.rooms import ChatReason, check_writer, checked_text, reader_of, readers
from services.chat.stream import ChatChannels, Listener
from services.matches.decisions import Decisions, checked_key, digest_of
from services.matches.store import Secrets
from services.players.accounts import Players
from services.players.block_list import BlockList
from services.players.names import ERASED_NAME, SeatedPlayer
from services.shared.errors import Failure, FailureReason, KeyReused, Malformed, NotFound, RateLimited
from services.shared.ids import MatchId, new_uuid, written
from services.shared.pages import Page, cut, ended_at
from services.shared.time import Clock

PACE = Pace(10, timedelta(seconds=30))
"""How fast a player may write in a match: ten messages at once, but in the long run one in three seconds."""


class Chat:
    """The use cases around the chats of matches.

    A chat is no part of its match: it holds what people wrote, which can be taken away.

    Attributes:
        channels: What is said in the matches that are listened to.
    """

    def __init__(
        self, decisions: Decisions, players: Players, block_list: BlockList, log: ChatLog, clock: Clock
    ) -> None:
        """Take the matches, the names of players, whom they block, where messages are kept, and the time."""
        self._current = decisions.matches.current
        self._secrets = decisions.secrets
        self.channels = ChatChannels(log, block_list, self._current, self.shown, clock)
        self._players = players
        self._block_list = block_list
        self._log = log
        self._clock = clock

    async def post(
        self,
        player: PlayerId,
        match: MatchId,
        *,
        room: ChatRoom,
        to_seat: int | None,
        text: str,
        key: str | None,
    ) -> tuple[str, ChatMessage]:
        """Write a message.

        Args:
            player: Who writes.
            match: The match.
            room: Who is to read it.
            to_seat: The seat that a whisper goes to; None for any other message.
            text: What it says.
            key: The idempotency key.

        Returns:
            The key and the message: a key used before gives the same message again, as it stands now.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Malformed: The text cannot be shown, or a seat is named without need, or not at all.
            Rejected: The match has no chat, or there is nobody to whisper to.
            Forbidden: The player may not write in the room.
            KeyReused: The key came with another message before.
            RateLimited: The player writes too fast.
        """
        key = checked_key(key)
        text = checked_text(text)
        digest = digest_of([match, room, to_seat, text])
        try:
            live = await self._current(match)
            seat, addressee = check_writer(live, player, room, to_seat)
        except (Failure, Rejected):
            # Who may not write any more still gets the answer to what was written before.
            if (earlier := await self._log.posted(player, key)) is None:
                raise
            return key, await self._once(earlier, digest)
        now = self._clock.now()
        message = StoredMessage(
            id=MessageId(written("message", new_uuid(now))),
            position=0,
            match=match,
            room=room,
            author=player,
            seat=seat,
            addressee=addressee,
            to_seat=None if to_seat is None else Seat(to_seat),
            text=text,
            removed=False,
            sent_at=now,
        )
        recipients = readers(live.match, player, room, addressee)
        # To whom the message is not told who has blocked its author; that it is not, nothing says.
        blockers = (await self._block_list.blockers([player])).get(player, ())
        recipients = [recipient for recipient in recipients if recipient not in blockers]
        try:
            posted = await self._log.post(message, key=key, digest=digest, recipients=recipients, pace=PACE)
        except TooFast as fast:
            seconds = max(1, ceil((fast.free_at - now).total_seconds()))
            raise RateLimited("chat", seconds, FailureReason.CHAT_TOO_FAST) from fast
        self.channels.hear(match, posted.message.position)
        return key, await self._once(posted, digest)

    async def page(
        self,
        match: MatchId,
        player: PlayerId | None,
        *,
        room: ChatRoom | None,
        after: str | None,
        token: str | None,
        size: int,
        invitation: str | None = None,
    ) -> Page[ChatMessage]:
        """Return messages that the player may read, in order.

        Args:
            match: The match.
            player: Who reads; None without an account.
            room: Only messages of this room; None for all.
            after: The message after which to begin; None begins with the first.
            token: Where the page before ended, instead of `after`.
            size: The most messages.
            invitation: The invitation to the match, if it is shown.

        Raises:
            NotFound: There is no such match or message, or none that the player may know of.
            Malformed: The token is none, or comes together with `after`.
            Rejected: The match has no chat.
            Forbidden: The player may not read the room.
        """
        live = await self._current(match)
        secrets = None if invitation is None else await self._secrets(match)
        blocked = frozenset(() if player is None else await self._block_list.blocked_by(player))
        reader = replace(reader_of(live, player, room, secrets, invitation), blocked=blocked)
        if token is not None and after is not None:
            raise Malformed(FailureReason.INVALID_FIELD, field="page_token", expected="given without after")
        while True:
            position = await self._position(match, player, after, token, secrets, invitation)
            found = await self._log.read(match, after=position, limit=size + 1, reader=reader)
            # Read before the match is: anyone who has just sat down is not shown what onlookers wrote since.
            now = reader_of(await self._current(match), player, room, secrets, invitation)
            now = replace(now, blocked=blocked)
            if now == reader:
                page = cut(found, size, lambda last: last.id)
                return page.of(await self.shown(page.items))
            reader = now

    async def listen(
        self,
        match: MatchId,
        player: PlayerId | None,
        *,
        room: ChatRoom | None,
        after: str | None,
        invitation: str | None = None,
    ) -> Listener:
        """Return a stream of what the player may read; anyone who takes it must `leave` it.

        Raises:
            NotFound: There is no such match or message, or none that the player may know of.
            Rejected: The match has no chat.
            Forbidden: The player may not read the room.
        """
        live = await self._current(match)
        secrets = None if invitation is None else await self._secrets(match)
        reader_of(live, player, room, secrets, invitation)
        behind = None if after is None else await self._readable(match, player, after, secrets, invitation)
        return self.channels.listen(live, player, room, behind, secrets, invitation)

    async def report(
        self, player: PlayerId, match: MatchId, id: str, reason: ReportReason, text: str
    ) -> ChatReport:
        """Report a message to those who look after the deployment.

        The same report again gives the same answer.

        Raises:
            NotFound: There is no such match or message, or none that the player may read.
            Malformed: The text cannot be shown.
            Rejected: The match has no chat, or the player has reported the message before, otherwise.
        """
        text = checked_text(text, fewest=0)
        message = await self._readable(match, player, id)
        now = self._clock.now()
        wanted = Report(
            id=ReportId(written("report", new_uuid(now))),
            message=message,
            reporter=player,
            reason=reason,
            text=text,
            reported_at=now,
        )
        stored = await self._log.report(wanted)
        if (stored.reason, stored.text) != (reason, text):
            raise Rejected(ChatReason.ALREADY_REPORTED)
        return (await self._told([stored]))[0]

    async def reports(self, *, after: str | None, size: int) -> Page[ChatReport]:
        """Return what was reported, newest first; for those who look after the deployment.

        Raises:
            Malformed: `after` is not where a page ended.
        """
        before = ended_at("report", after, ReportId)
        found = await self._log.reports(before=before, limit=size + 1)
        page = cut(found, size, lambda last: last.id)
        return page.of(await self._told(page.items))

    async def remove(self, match: MatchId, id: str) -> ChatMessage:
        """Take a message's text away; its place stays. For those who look after the deployment.

        Raises:
            NotFound: There is no such message.
        """
        removed = await self._log.remove(match, MessageId(id))
        if removed is None:
            raise NotFound(FailureReason.NO_SUCH_MESSAGE, message=id)
        (shown,) = await self.shown([removed])
        return shown

    async def _position(
        self,
        match: MatchId,
        player: PlayerId | None,
        after: str | None,
        token: str | None,
        secrets: Secrets | None,
        invitation: str | None,
    ) -> int:
        """Return the position after which a page begins."""
        id = after if token is None else token
        if id is None:
            return 0
        try:
            return (await self._readable(match, player, id, secrets, invitation)).position
        except NotFound as unknown:
            if token is None:
                raise
            expected = "a token that a page gave"
            raise Malformed(FailureReason.INVALID_FIELD, field="page_token", expected=expected) from unknown

    async def _readable(
        self,
        match: MatchId,
        player: PlayerId | None,
        id: str,
        secrets: Secrets | None = None,
        invitation: str | None = None,
    ) -> StoredMessage:
        """Return a message that a player may read; to others there is none."""
        message = await self._log.message(match, MessageId(id))
        reader = reader_of(await self._current(match), player, None, secrets, invitation)
        if message is None or not reader.may_read(message):
            raise NotFound(FailureReason.NO_SUCH_MESSAGE, message=id)
        return message

    async def _once(self, posted: Posted, digest: str) -> ChatMessage:
        """Return what was posted, if the same was asked."""
        if posted.digest != digest:
            raise KeyReused
        (shown,) = await self.shown([posted.message])
        return shown

    async def shown(self, messages: Sequence[StoredMessage]) -> Sequence[ChatMessage]:
        """Return messages with the names of who wrote them."""
        names = await self._names([message.author for message in messages])
        return [_shown(message, names) for message in messages]

    async def _told(self, reports: Sequence[Report]) -> Sequence[ChatReport]:
        """Return reports with the names of who is concerned."""
        names = await self._names(
            [player for report in reports for player in (report.reporter, report.message.author)]
        )
        return [
            ChatReport(
                id=report.id,
                message=_shown(report.message, names),
                reporter=_named(report.reporter, names),
                reason=report.reason,
                text=report.text,
                reported_at=report.reported_at,
            )
            for report in reports
        ]

    async def _names(self, players: Sequence[PlayerId | None]) -> dict[PlayerId, str]:
        known = await self._players.named(sorted({player for player in players if player is not None}))
        return {id: player.display_name for id, player in known.items()}


def _shown(message: StoredMessage, names: dict[PlayerId, str]) -> ChatMessage:
    return ChatMessage(
        id=message.id,
        match=message.match,
        room=message.room,
        player=_named(message.author, names),
        seat=message.seat,
        to_seat=message.to_seat,
        text=message.text,
        removed=message.removed,
        sent_at=message.sent_at,
    )


def _named(player: PlayerId | None, names: dict[PlayerId, str]) -> SeatedPlayer | None:
    return None if player is None else SeatedPlayer(player, names.get(player, ERASED_NAME))
