"""What concerns a player though no match tells it, recorded in its feed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Cursor

from adapters.postgres.connection.connections import NOTIFY
from adapters.postgres.connection.datastore import hold
from adapters.postgres.read_models.catch_up import LOCK
from services.notify.player_feed import PlayerEventKind

PUT = """
INSERT INTO player_notices (player_id, number, position, kind, webhook_id, at)
SELECT player, 1 + greatest(
    (SELECT max(number) FROM player_feed WHERE player_id = player),
    (SELECT max(number) FROM player_notices WHERE player_id = player),
    (SELECT number FROM player_feed_starts WHERE player_id = player),
    0
), nextval(pg_get_serial_sequence('chat_messages', 'position')), %s, %s, %s
FROM (SELECT %s::uuid AS player) AS told
"""


def notify(cursor: Cursor[Any], kind: PlayerEventKind, told: Sequence[tuple[UUID, UUID, datetime]]) -> None:
    """Tell players something, in the cursor's transaction: whom, of which webhook, and since when."""
    if not told:
        return
    # Nobody else numbers what concerns players meanwhile, and positions are in the order of commits.
    hold(cursor, LOCK)
    hold(cursor, "chat_messages")
    for player, webhook, at in told:
        cursor.execute(PUT, (kind, webhook, at, player))
    cursor.execute(NOTIFY, {"name": "chat_messages"})
