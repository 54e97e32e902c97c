"""What is said in matches, in PostgreSQL or in memory."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from eventsourcing.persistence import IntegrityError
from psycopg import sql

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.tail import Source
from domain.match import PlayerId
from domain.shared.seats import Seat
from services.chat.log import (
    ChatRoom,
    MessageId,
    Pace,
    Posted,
    Reader,
    Report,
    ReportId,
    ReportReason,
    StoredMessage,
    TooFast,
)
from services.shared.errors import FailureReason, Unauthenticated
from services.shared.ids import MatchId, match_id, parsed, written

MESSAGES = Source(
    "chat_messages",
    sql.SQL("SELECT coalesce(max(position), 0) FROM chat_messages"),
    sql.SQL(
        "SELECT match_id, max(position), max(position), count(*) FROM"
        " (SELECT * FROM chat_messages WHERE position > %s ORDER BY position LIMIT %s) AS page"
        " GROUP BY match_id"
    ),
)
"""How it is learned, in whatever process, how far the chats have come."""


REPORTS = (
    "SELECT chat_messages.*, report_id, reporter, reason, chat_reports.text AS said, reported_at"
    " FROM chat_reports JOIN chat_messages USING (message_id)"
)


class PostgresChatLog:
    """The port `ChatLog`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def post(
        self, message: StoredMessage, *, key: str, digest: str, recipients: Sequence[PlayerId], pace: Pace
    ) -> Posted:
        """Store a message at the next position; return the earlier one if the author used the key before."""
        author, match = _player(message.author), parsed("match", message.match)
        try:
            rows = await self._datastore.execute(
                "SELECT * FROM post_chat_message("
                "%s, %s, %s, %s, %s::smallint, %s, %s::smallint, %s, %s, %s, %s, %s::uuid[], %s, %s)",
                (
                    parsed("message", message.id),
                    match,
                    message.room,
                    author,
                    message.seat,
                    _player(message.addressee),
                    message.to_seat,
                    message.text,
                    message.sent_at,
                    key,
                    digest,
                    [_player(recipient) for recipient in recipients],
                    pace.messages,
                    pace.within,
                ),
            )
        except IntegrityError as error:
            # The account of anyone who writes is all that a row may lack.
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN) from error
        if rows:
            return _posted(rows[0])
        earliest = await self._datastore.execute(
            "SELECT sent_at FROM chat_messages WHERE author = %s AND match_id = %s"
            " ORDER BY position DESC OFFSET %s LIMIT 1",
            (author, match, pace.messages - 1),
        )
        # Gone meanwhile, with the account: then it is free at once.
        raise TooFast(earliest[0]["sent_at"] + pace.within if earliest else message.sent_at)

    async def posted(self, author: PlayerId, key: str) -> Posted | None:
        """Return what an author posted with a key."""
        rows = await self._datastore.execute(
            "SELECT * FROM chat_messages WHERE author = %s AND key = %s", (_player(author), key)
        )
        return _posted(rows[0]) if rows else None

    async def read(
        self, match: MatchId, *, after: int, limit: int, reader: Reader | None = None
    ) -> list[StoredMessage]:
        """Return a match's messages after a position, in order; all of them, or what a reader may read."""
        readable = sql.SQL("true")
        given: tuple[object, ...] = ()
        if reader is not None:
            readable = sql.SQL(
                "room = ANY(%s) AND (room <> %s OR author = %s OR addressee = %s)"
                " AND (author IS NULL OR author <> ALL(%s::uuid[]))"
            )
            player, blocked = _player(reader.player), [_player(one) for one in reader.blocked]
            given = (list(reader.rooms), ChatRoom.SEAT, player, player, blocked)
        query = sql.SQL(
            "SELECT * FROM chat_messages WHERE match_id = %s AND position > %s AND {}"
            " ORDER BY position LIMIT %s"
        ).format(readable)
        rows = await self._datastore.execute(query, (parsed("match", match), after, *given, limit))
        return [_message(row) for row in rows]

    async def message(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Return a message of a match."""
        rows = await self._datastore.execute(
            "SELECT * FROM chat_messages WHERE match_id = %s AND message_id = %s",
            (parsed("match", match), parsed("message", id)),
        )
        return _message(rows[0]) if rows else None

    async def for_player(self, player: PlayerId, *, after: int, limit: int) -> list[StoredMessage]:
        """Return the messages of all matches that are for a player, after a position, in order."""
        rows = await self._datastore.execute(
            "SELECT chat_messages.* FROM chat_recipients JOIN chat_messages USING (position)"
            " WHERE player_id = %s AND position > %s ORDER BY position LIMIT %s",
            (_player(player), after, limit),
        )
        return [_message(row) for row in rows]

    async def message_for(self, player: PlayerId, id: MessageId, forgotten: int = 0) -> StoredMessage | None:
        """Return a message that is for a player, or one up to a position where nobody knows any more."""
        rows = await self._datastore.execute(
            "SELECT * FROM chat_messages WHERE message_id = %s AND (position <= %s OR EXISTS"
            " (SELECT FROM chat_recipients WHERE player_id = %s AND position = chat_messages.position))",
            (parsed("message", id), forgotten, _player(player)),
        )
        return _message(rows[0]) if rows else None

    async def latest_for(self, player: PlayerId) -> StoredMessage | None:
        """Return the last message of all matches that is for a player; None if there is none."""
        rows = await self._datastore.execute(
            "SELECT chat_messages.* FROM chat_recipients JOIN chat_messages USING (position)"
            " WHERE player_id = %s ORDER BY position DESC LIMIT 1",
            (_player(player),),
        )
        return _message(rows[0]) if rows else None

    async def remove(self, match: MatchId, id: MessageId) -> StoredMessage | None:
        """Take a message's text away, and return what is left of it; None if there is no such message."""
        rows = await self._datastore.execute(
            "UPDATE chat_messages SET text = '', removed = true WHERE match_id = %s AND message_id = %s"
            " RETURNING *",
            (parsed("match", match), parsed("message", id)),
        )
        return _message(rows[0]) if rows else None

    async def report(self, report: Report) -> Report:
        """Store a report; return the earlier one if the reporter has reported the message before."""
        message, reporter = parsed("message", report.message.id), _player(report.reporter)
        try:
            await self._datastore.execute(
                "INSERT INTO chat_reports (report_id, message_id, reporter, reason, text, reported_at)"
                " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (message_id, reporter) DO NOTHING",
                (
                    parsed("report", report.id),
                    message,
                    reporter,
                    report.reason,
                    report.text,
                    report.reported_at,
                ),
            )
        except IntegrityError as error:
            # The account of anyone who writes is all that a row may lack.
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN) from error
        rows = await self._datastore.execute(
            f"{REPORTS} WHERE message_id = %s AND reporter = %s", (message, reporter)
        )
        if not rows:
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN)
        return _report(rows[0])

    async def reports(self, *, before: ReportId | None, limit: int) -> list[Report]:
        """Return reports, newest first, older than `before`."""
        number = None if before is None else parsed("report", before)
        rows = await self._datastore.execute(
            f"{REPORTS} WHERE %s::uuid IS NULL OR report_id < %s ORDER BY report_id DESC LIMIT %s",
            (number, number, limit),
        )
        return [_report(row) for row in rows]


def _player(player: PlayerId | None) -> UUID | None:
    return None if player is None else parsed("player", player)


def _posted(row: Mapping[str, Any]) -> Posted:
    return Posted(_message(row), row["digest"])


def _message(row: Mapping[str, Any]) -> StoredMessage:
    return StoredMessage(
        id=MessageId(written("message", row["message_id"])),
        position=row["position"],
        match=match_id(row["match_id"]),
        room=ChatRoom(row["room"]),
        author=_player_id(row["author"]),
        seat=None if row["seat"] is None else Seat(row["seat"]),
        addressee=_player_id(row["addressee"]),
        to_seat=None if row["to_seat"] is None else Seat(row["to_seat"]),
        text=row["text"],
        removed=row["removed"],
        sent_at=row["sent_at"],
    )


def _report(row: Mapping[str, Any]) -> Report:
    return Report(
        id=ReportId(written("report", row["report_id"])),
        message=_message(row),
        reporter=_player_id(row["reporter"]),
        reason=ReportReason(row["reason"]),
        text=row["said"],
        reported_at=row["reported_at"],
    )


def _player_id(number: UUID | None) -> PlayerId | None:
    return None if number is None else PlayerId(written("player", number))
