"""Messages kept in memory."""

from collections.abc import Sequence

from msgspec.structs import replace

from adapters.memory.signal import Signal
from domain.match import PlayerId
from services.chat.log import MessageId, Pace, Posted, Reader, Report, ReportId, StoredMessage, TooFast
from services.shared.ids import MatchId


class MemoryChatLog:
    """The port `ChatLog`, gone with the process.

    Attributes:
        said: A message of a match was stored at a position, for some players.
    """

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.said = Signal[MatchId, int, Sequence[PlayerId]]()
        self._messages: list[StoredMessage] = []
        self._posted: dict[tuple[PlayerId | None, str], Posted] = {}
        self._recipients: list[Sequence[PlayerId]] = []
        self._reports: dict[tuple[MessageId, PlayerId | None], Report] = {}

    async def post(
        self, message: StoredMessage, *, key: str, digest: str, recipients: Sequence[PlayerId], pace: Pace
    ) -> Posted:
        """Store a message at the next position; return the earlier one if the author used the key before."""
        if (earlier := self._posted.get((message.author, key))) is not None:
            return Posted(self._messages[earlier.message.position - 1], earlier.digest)
        times = [
            known.sent_at
            for known in self._messages
            if (known.author, known.match) == (message.author, message.match)
        ]
        if len(times) >= pace.messages and times[-pace.messages] > message.sent_at - pace.within:
            raise TooFast(times[-pace.messages] + pace.within)
        stored = replace(message, position=len(self._messages) + 1)
        self._messages.append(stored)
        self._recipients.append(recipients)
        posted = self._posted[message.author, key] = Posted(stored, digest)
        self.said(stored.match, stored.position, recipients)
        return posted

    async def posted(self, author: PlayerId, key: str) -> Posted | None:
        """Return what an author posted with a key."""
        if (posted := self._posted.get((author, key))) is None:
            return None
        return Posted(self._messages[posted.message.position - 1], posted.digest)

    async def read(
        self, match: MatchId, *, after: int, limit: int, reader: Reader | None = None
    ) -> list[StoredMessage]:
        """Return a match's messages after a position, in order; all of them, or what a reader may read."""
        found = [
            message
            for message in self._messages[after:]
            if message.match == match and (reader is None or reader.may_read(message))
        ]
        return found[:limit]

    async def message(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Return a message of a match."""
        return next((one for one in self._messages if (one.match, one.id) == (match, id)), None)

    async def for_player(self, player: PlayerId, *, after: int, limit: int) -> list[StoredMessage]:
        """Return the messages of all matches that are for a player, after a position, in order."""
        return [message for message in self._for(player) if message.position > after][:limit]

    async def message_for(self, player: PlayerId, id: MessageId, forgotten: int = 0) -> StoredMessage | None:
        """Return a message that is for a player, or one up to a position where nobody knows any more."""
        known = [*self._for(player), *self._messages[:forgotten]]
        return next((one for one in known if one.id == id), None)

    async def latest_for(self, player: PlayerId) -> StoredMessage | None:
        """Return the last message of all matches that is for a player; None if there is none."""
        return next(reversed(self._for(player)), None)

    async def remove(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Take a message's text away, and return what is left of it; None if there is no such message."""
        if (message := await self.message(match, id)) is None:
            return None
        removed = self._messages[message.position - 1] = replace(message, text="", removed=True)
        return removed

    async def report(self, report: Report) -> Report:
        """Store a report; return the earlier one if the reporter has reported the message before."""
        return self._reports.setdefault((report.message.id, report.reporter), report)

    async def reports(self, *, before: ReportId | None, limit: int) -> list[Report]:
        """Return reports, newest first, older than `before`."""
        ordered = sorted(self._reports.values(), key=lambda report: report.id, reverse=True)
        found = [report for report in ordered if before is None or report.id < before]
        return [
            replace(report, message=self._messages[report.message.position - 1]) for report in found[:limit]
        ]

    def _for(self, player: PlayerId) -> list[StoredMessage]:
        told = zip(self._messages, self._recipients, strict=True)
        return [message for message, players in told if player in players]
