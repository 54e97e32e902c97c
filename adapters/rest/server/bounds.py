"""How many connections the HTTP server has open, and how long each of them may take.

All are looked at once a second: one timer for all costs less than one for each.
"""

import asyncio
import logging
from typing import Any, Protocol

from adapters.notices import Notice
from services.shared.rate_limits import Gauge, network

LOOK = 1.0
"""Seconds between two looks at all connections."""
HEAD_SECONDS = 10.0
"""How long the head of a request may take to come, the first since its connection was made."""
BODY_RATE = 1_000
"""Bytes of a body that must come in a second, after the first `HEAD_SECONDS`."""
IDLE_SECONDS = 75.0
"""How long a connection may be idle between two requests; proxies in front commonly allow 60."""
SEND_SECONDS = 20.0
"""How long a reader may take nothing of what waits to be sent to it."""
LINGER_SECONDS = 2.0
"""How long a client is listened to after its last answer, so that it comes to read it."""

log = logging.getLogger(__name__)


class CountedConnection(Protocol):
    """A connection that is counted."""

    def look(self, now: float) -> None:
        """Give the connection up if its client is too slow."""


class HttpConnections:
    """The open connections of the HTTP server."""

    def __init__(self, most: int | None = None, per_address: int | None = None) -> None:
        """Take how many there may be, in all and from one address; None sets no bound."""
        self._most = most
        self._of_address = None if per_address is None else Gauge("connections", per_address)
        self._open: dict[CountedConnection, str] = {}
        self._met_all, self._met_address = Notice(log), Notice(log)
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """Return how many are open."""
        return len(self._open)

    def admit(self, connection: CountedConnection, address: str) -> bool:
        """Return whether one more may be open, and if so count it until `leave`."""
        key = network(address)
        if self._most is not None and len(self._open) >= self._most:
            self._met_all.warn(
                "%d connections are open, as many as there is room for: more are refused", self._most
            )
            return False
        if self._of_address is not None and self._of_address.take(key).left < 0:
            self._met_address.warn(
                "%s has as many connections open as one address may have: more are refused", key
            )
            return False
        self._open[connection] = key
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK, self._look)
        return True

    def pass_on(self, connection: CountedConnection, heir: CountedConnection) -> None:
        """Count another in the place of a connection."""
        self._open[heir] = self._open.pop(connection)

    def leave(self, connection: CountedConnection) -> None:
        """Count a connection no more; one that was not admitted changes nothing."""
        key = self._open.pop(connection, None)
        if key is not None and self._of_address is not None:
            self._of_address.give_back(key)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in tuple(self._open):
            connection.look(now)
        self._timer = loop.call_later(LOOK, self._look) if self._open else None


class Unsent:
    """What waits to be sent to a client, as it was seen last."""

    __slots__ = ("_size", "_taken_at")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._size = 0
        self._taken_at = 0.0

    def taken(self) -> None:
        """Note that the client has taken something."""
        self._size = 0

    def stuck(self, transport: Any, now: float) -> bool:
        """Return whether the client has taken nothing for too long."""
        before, self._size = self._size, transport.get_write_buffer_size()
        if not before or self._size < before:
            self._taken_at = now
        return now - self._taken_at > SEND_SECONDS
