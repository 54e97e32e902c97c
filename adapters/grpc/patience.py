"""How long calls wait for their clients, which the library does for ever.

A client may begin a call and never send its request, or never take the answer: HTTP/2 lets it say that it has
no room. All calls that wait are looked at once a second: one timer for all costs less than one for each.
"""

import asyncio
from collections.abc import Callable
from time import thread_time
from typing import Any

from adapters.grpc.connections import GrpcConnections
from adapters.grpc.rate_limits import Context, peer_of
from services.shared.ticks import until

LOOK = 1.0
"""Seconds between two looks at all calls that wait."""
SHARE = 200
"""How many times the processor time of a look passes until the next, at least."""
REQUEST_SECONDS = 10.0
"""How long a call's request may take to come."""
ANSWER_SECONDS = 20.0
"""How long the answer to a call may take to be taken."""


class TooSlow(Exception):  # noqa: N818 - what a client is told
    """A call's request did not come in time."""


class Patience:
    """The calls that wait for their clients."""

    def __init__(self) -> None:
        """Begin with none."""
        self._asked: dict[asyncio.Task[Any], float] = {}
        self._answered: dict[asyncio.Task[Any], tuple[float, Context]] = {}

    async def request(self, context: Context) -> Any:
        """Return a call's request, `EOF` if its client sends none.

        Raises:
            TooSlow: It did not come in time.
        """
        task = _current()
        self._asked[task] = asyncio.get_running_loop().time()
        try:
            return await context.read()
        except asyncio.CancelledError:
            if task in self._asked:
                raise
            raise TooSlow from None
        finally:
            self._asked.pop(task, None)

    def answered(self, context: Context) -> None:
        """Watch how long the running call's answer takes to be taken."""
        task = _current()
        self._answered[task] = asyncio.get_running_loop().time(), context
        task.add_done_callback(self._taken)

    def _taken(self, task: asyncio.Task[Any]) -> None:
        self._answered.pop(task, None)

    def look(self, now: float, shut: Callable[[Any], None]) -> None:
        """Give up the calls that have waited too long; `shut` gives up the connections of peers."""
        for task, since in tuple(self._asked.items()):
            if now - since > REQUEST_SECONDS:
                del self._asked[task]
                task.cancel()
        slow = set()
        for task, (since, context) in tuple(self._answered.items()):
            if now - since > ANSWER_SECONDS:
                del self._answered[task]
                slow.add(peer_of(context))
        if slow:
            shut(slow)


async def look_after(connections: GrpcConnections, patience: Patience) -> None:
    """Look at all connections and calls again and again, until cancelled."""
    loop = asyncio.get_running_loop()
    pause = 0.0
    while True:
        await asyncio.sleep(max(until(LOOK), pause))
        began = thread_time()
        connections.look()
        patience.look(loop.time(), connections.shut)
        pause = SHARE * (thread_time() - began)


def _current() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a call runs in a task")
    return task
