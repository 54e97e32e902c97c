"""How much memory a server gains in an hour of play, once it holds all that it is to hold.

Players open matches of Montana, each of which is watched by server-sent events from its beginning to its
end, make some moves and resign, again and again. Memory is read every second; the slope is that of the
straight line that fits best, after the time in which caches of a fixed size fill.
"""

import asyncio
from contextlib import AsyncExitStack
from itertools import count
from statistics import linear_regression
from time import monotonic
from typing import cast

import msgspec
import uvloop

from bench.load import Connection, account, command, connected, opened
from bench.serving import Serving, database, serving

PLAYERS = 16
MOVES = 40
"""How many moves a match lasts."""
REMEMBERED = 200
WARM = 600.0
"""The seconds at the beginning of which the slope is not taken; of a run shorter than twice that, half."""
LAST = 200
"""How many bytes of a stream are kept: enough for what it ends with."""
RESIGN = msgspec.json.encode({"command": {"type": "resign"}})


class Watcher(asyncio.Protocol):
    """One who watches a match, and sees its end.

    Attributes:
        ended: Done when the stream has ended.
    """

    def __init__(self, path: str) -> None:
        """Take what is watched."""
        self.ended = asyncio.get_running_loop().create_future()
        self._path = path
        self._last = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        head = f"GET {self._path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        head += "Accept: text/event-stream\r\n\r\n"
        # The event loop's own kind of transport is none of asyncio's by name.
        cast(asyncio.WriteTransport, transport).write(head.encode())

    def data_received(self, data: bytes) -> None:
        """Keep the last of it."""
        self._last = (self._last + data)[-LAST:]

    def connection_lost(self, error: Exception | None) -> None:
        """Tell that it is over, and whether that was with the match."""
        if self.ended.done():
            return
        if b'"reason":"MATCH_OVER"' in self._last:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(RuntimeError(f"the stream ended with {self._last!r}"))


def measure(minutes: float) -> None:
    """Print commands a second, memory at the beginning and at the end, and what an hour adds."""
    with database() as conninfo, serving(conninfo, flags=("--remembered-matches", str(REMEMBERED))) as server:
        uvloop.run(_played(server, minutes * 60))


async def _played(server: Serving, seconds: float) -> None:
    ends = monotonic() + seconds
    commands = count()
    samples: list[tuple[float, float]] = []
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(connected(server.http)) for _ in range(PLAYERS)]
        playing = [asyncio.create_task(_play(server, player, ends, commands)) for player in players]
        while monotonic() < ends:
            await asyncio.sleep(1)
            samples.append((monotonic() - ends + seconds, server.memory() / 1e6))
        await asyncio.gather(*playing)
    settled = [sample for sample in samples if sample[0] >= min(WARM, seconds / 2)]
    slope, _ = linear_regression(*zip(*settled, strict=True))
    print(f"\nmemory in {seconds / 60:.1f} minutes of play, {REMEMBERED} matches remembered\n")
    print(f"{'commands/s':>11}{'MB first':>10}{'MB settled':>12}{'MB last':>9}{'MB an hour':>12}")
    print(
        f"{next(commands) / seconds:>11.0f}{samples[0][1]:>10.1f}{settled[0][1]:>12.1f}"
        f"{samples[-1][1]:>9.1f}{slope * 3600:>12.2f}"
    )


async def _play(server: Serving, connection: Connection, ends: float, commands: "count[int]") -> None:
    """Play match after match until the time is up."""
    headers = f"Authorization: Bearer {await account(connection)}\r\n"
    while monotonic() < ends:
        match = await opened(connection, headers)
        loop = asyncio.get_running_loop()
        _, watcher = await loop.create_connection(
            lambda match=match: Watcher(f"/v1/matches/{match}/events"),  # type: ignore[misc]
            *server.http,
        )
        for number in range(MOVES):
            body = msgspec.json.encode({"command": command(number)})
            await connection.request("POST", f"/v1/matches/{match}/commands", body, headers)
            next(commands)
        await connection.request("POST", f"/v1/matches/{match}/commands", RESIGN, headers)
        next(commands)
        await watcher.ended
