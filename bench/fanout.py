"""One match, many who watch it by server-sent events: how soon they are told, and what each of them costs.

The limit beside it, in the same run, is a bare loop that writes the same bytes to as many sockets.
"""

import asyncio
import resource
from contextlib import AsyncExitStack
from functools import partial
from time import perf_counter
from typing import Any

import uvloop

from bench.commands import rest
from bench.load import FIRST
from bench.serving import Serving, database, serving

WATCHERS = (1, 100, 5_000)
MOVES = 30
CONNECTING = 200
"""How many connect at once."""
EVENT = b"event: event\n"
SETTLED = b"event: caught_up\n"


class Audience:
    """All who watch.

    Attributes:
        delays: Seconds from a move's sending to each receipt of its event.
    """

    def __init__(self, size: int) -> None:
        """Take how many there are."""
        self.delays: list[float] = []
        self._size = size
        self._waiting = 0
        self._began = 0.0
        self._all = asyncio.Event()

    def expect(self) -> None:
        """Begin to wait until every one of them has received something."""
        self._waiting, self._began = self._size, perf_counter()
        self._all.clear()

    def received(self, count: int) -> None:
        """Take in that one of them has received so many."""
        self.delays += [perf_counter() - self._began] * count
        self._waiting -= count
        if self._waiting <= 0:
            self._all.set()

    async def complete(self) -> None:
        """Return when all have received it."""
        async with asyncio.timeout(60):
            await self._all.wait()


class Watcher(asyncio.Protocol):
    """One who watches."""

    def __init__(self, audience: Audience, request: bytes, sought: bytes = SETTLED) -> None:
        """Take whom it tells, what it asks for, and what it looks out for first; later, for events."""
        self._audience = audience
        self._request = request
        self._sought = sought

    def connection_made(self, transport: Any) -> None:
        """Ask for the stream."""
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Count what has come."""
        if count := data.count(self._sought):
            self._sought = EVENT
            self._audience.received(count)


def compare() -> None:
    """Print delays and rates by the number of watchers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"\n{'watchers':>9}{'events/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'kB each':>9}{'CPU us':>8}", end="")
    print(f"{'bare ev/s':>11}{'ratio':>7}")
    with database() as conninfo:
        for watchers in WATCHERS:
            with serving(conninfo) as server:
                uvloop.run(_watched(server, watchers))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def _watched(server: Serving, watchers: int) -> None:
    """Print what a match costs that is watched by so many."""
    async with rest(server, 2) as (warm, mover), AsyncExitStack() as open_ones:
        await warm.send(0)
        request = (
            f"GET /v1/matches/{mover.match}/events?after={FIRST} HTTP/1.1\r\n"
            "Host: bench\r\nAccept: text/event-stream\r\n\r\n"
        ).encode()
        before = server.memory()
        audience = Audience(watchers)
        audience.expect()
        await _connect(server.http, [Watcher(audience, request) for _ in range(watchers)], open_ones)
        await audience.complete()
        memory = (server.memory() - before) / watchers / 1000
        audience.delays.clear()
        cpu, busy = server.cpu(), 0.0
        for number in range(MOVES):
            audience.expect()
            begun = perf_counter()
            await asyncio.gather(mover.send(number), audience.complete())
            busy += perf_counter() - begun
            await asyncio.sleep(0.02)
        cpu = (server.cpu() - cpu) / len(audience.delays)
        bare = await _bare(watchers)
        delays, rate = sorted(audience.delays), len(audience.delays) / busy
        print(
            f"{watchers:>9,}{rate:>11,.0f}{delays[len(delays) // 2] * 1000:>9.1f}"
            f"{delays[len(delays) * 99 // 100] * 1000:>9.1f}{memory:>9.1f}{cpu * 1e6:>8.1f}"
            f"{bare:>11,.0f}{rate / bare:>7.2f}"
        )


async def _connect(address: tuple[str, int], protocols: list[Any], open_ones: AsyncExitStack) -> None:
    loop = asyncio.get_running_loop()
    for first in range(0, len(protocols), CONNECTING):
        some = protocols[first : first + CONNECTING]
        made = await asyncio.gather(*(loop.create_connection(partial(_same, one), *address) for one in some))
        for transport, _ in made:
            open_ones.callback(transport.close)


def _same[Protocol: asyncio.Protocol](protocol: Protocol) -> Protocol:
    return protocol


async def _bare(watchers: int) -> float:
    """Return the messages a second of a loop that writes to so many sockets and reads them."""
    message = EVENT + b"x" * 350
    audience = Audience(watchers)
    writers: list[Any] = []
    everybody = asyncio.Event()

    class Taking(asyncio.Protocol):
        def connection_made(self, transport: Any) -> None:
            writers.append(transport)
            if len(writers) == watchers:
                everybody.set()

    loop = asyncio.get_running_loop()
    taking = await loop.create_server(Taking, "127.0.0.1", 0, backlog=2048)
    async with AsyncExitStack() as open_ones:
        readers = [Watcher(audience, b"x", EVENT) for _ in range(watchers)]
        await _connect(taking.sockets[0].getsockname()[:2], readers, open_ones)
        await everybody.wait()
        begun = perf_counter()
        for _ in range(MOVES):
            audience.expect()
            for writer in writers:
                writer.write(message)
            await audience.complete()
        busy = perf_counter() - begun
    taking.close()
    return watchers * MOVES / busy
