"""Where the logs end, which several ask for at the same moment."""

from threading import Lock
from time import monotonic
from typing import NamedTuple

from psycopg import sql

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import EVENTS

READ = sql.SQL(
    "SELECT coalesce((SELECT max(notification_id) FROM {}), 0) AS events,"
    " coalesce((SELECT max(position) FROM chat_messages), 0) AS messages"
).format(sql.Identifier(EVENTS))
FRESH = 0.1
"""Seconds for which what was read is given again."""


class Ends(NamedTuple):
    """Where the logs end.

    Attributes:
        events: The position of the last event of the matches, 0 while there is none.
        messages: That of the last message of the chats.
    """

    events: int
    messages: int


class LogEnds:
    """Reads where the logs end, once for all threads that ask at the same moment."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        self._lock = Lock()
        self._ends = Ends(0, 0)
        self._fresh_until = 0.0

    def read(self) -> Ends:
        """Return where they end, or did a moment ago."""
        with self._lock:
            if monotonic() > self._fresh_until:
                with self._datastore.get_connection() as connection:
                    row = connection.execute(READ, prepare=True).fetchone()
                if row is not None:
                    self._ends = Ends(**row)
                self._fresh_until = monotonic() + FRESH
            return self._ends
