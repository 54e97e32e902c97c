"""Record for webhooks what is said to their players, each message of a chat once."""

from collections.abc import Callable

from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder

from adapters.postgres.connection.datastore import Datastore, try_to_hold
from adapters.postgres.webhooks.outbox import OutboxRow, put_down
from domain.match import PlayerId
from services.chat.log import ChatRoom, MessageId
from services.notify.subscriptions import MessageType, new_delivery_id
from services.notify.webhook_messages import chat_body
from services.shared.ids import match_id, parsed, written

NAME = "webhooks of chats"
BATCH = 500

NEXT = """
SELECT max(position) AS reached, count(*) AS said FROM (
    SELECT position FROM chat_messages WHERE position > %s ORDER BY position LIMIT %s
) AS next
"""

ASKING = """
SELECT position, message_id, match_id, room, sent_at, player_id, webhook_id, target
FROM chat_messages JOIN chat_recipients USING (position) JOIN webhooks USING (player_id)
WHERE position > %s AND position <= %s AND position > chat_since
AND enabled AND proved AND 'chat' = ANY(events)
ORDER BY webhook_id, position FOR NO KEY UPDATE OF webhooks
"""


class ChatOutboxRecorder(PostgresTrackingRecorder):
    """The messages to webhooks and the position among those of chats up to which they are recorded."""

    def __init__(self, datastore: Datastore, wake: Callable[[], object]) -> None:
        """Take the connections, and what to call when messages were recorded."""
        super().__init__(datastore, tracking_table_name="match_tracking")
        self._wake = wake
        self._end: int | None = None

    def catch_up(self) -> bool:
        """Record what was said next, and return whether there may be more.

        One process does so at a time; what another is doing is left to it.
        """
        with self.datastore.transaction() as cursor:
            if not try_to_hold(cursor, NAME):
                self._end = None
                return False
            start = self._max_tracking_id(NAME, cursor) or 0
            cursor.execute(NEXT, (start, BATCH))
            row = cursor.fetchone()
            if row is None or row["reached"] is None:
                return False
            reached: int = row["reached"]
            more: bool = row["said"] == BATCH
            rows: list[OutboxRow] = []
            for asking in cursor.execute(ASKING, (start, reached)):
                body = chat_body(
                    match_id(asking["match_id"]),
                    PlayerId(written("player", asking["player_id"])),
                    MessageId(written("message", asking["message_id"])),
                    ChatRoom(asking["room"]),
                    asking["sent_at"],
                )
                rows.append(
                    (
                        parsed("delivery", new_delivery_id(asking["sent_at"])),
                        asking["webhook_id"],
                        asking["position"],
                        0,
                        MessageType.CHAT,
                        asking["match_id"],
                        asking["target"],
                        body,
                        asking["sent_at"],
                    )
                )
            put = put_down(cursor, rows)
            self._insert_tracking(cursor, Tracking(NAME, reached))
        if put:
            self._wake()
        return more

    def grown(self, end: int) -> bool:
        """Return whether the last message is another than when last asked, or was not recorded."""
        before, self._end = self._end, end
        return end != before

    def forget(self) -> None:
        """Forget how far was looked: of a failover that may be lost."""
        self._end = None
