"""Clients that cost little: they share the processors with what they measure."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

ENDLESS = 43
"""A deal of Montana in which the 2 of clubs may walk between rows 1 and 3 for ever."""
FIRST = 4
"""Version of a match of Montana that has just begun."""


class Player(Struct, frozen=True):
    """Who plays a match.

    Attributes:
        match: The match.
        send: Makes its n-th move, from 0, and returns when that is acknowledged.
    """

    match: str
    send: Callable[[int], Awaitable[None]]


class Load(Struct, frozen=True):
    """What a load led to.

    Attributes:
        commands: How many were acknowledged.
        seconds: How long it took.
        waits: How long each took, in seconds, sorted.
    """

    commands: int
    seconds: float
    waits: list[float]

    @property
    def rate(self) -> float:
        """Commands a second."""
        return self.commands / self.seconds

    def quantile(self, share: float) -> float:
        """Return the wait in milliseconds that this share of the commands did not exceed."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * share))] * 1000


class Connection(asyncio.Protocol):
    """A connection of HTTP that answers one request at a time."""

    def __init__(self) -> None:
        """Begin unconnected."""
        self._transport: Any = None
        self._buffer = b""
        self._missing = -1
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: Any) -> None:
        """Keep what is written to."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer."""
        self._buffer += data
        if self._missing < 0:
            head = self._buffer.find(b"\r\n\r\n")
            if head < 0:
                return
            at = self._buffer.find(b"content-length: ") + 16
            self._missing = head + 4 + int(self._buffer[at : self._buffer.find(b"\r", at)])
        if len(self._buffer) >= self._missing and self._answer is not None:
            answer, self._buffer, self._missing = self._buffer, b"", -1
            self._answer.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        """Fail what is waited for."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionResetError())

    async def request(self, method: str, path: str, body: bytes, headers: str = "") -> bytes:
        """Return the body of the answer, which must be a good one."""
        self._transport.write(
            f"{method} {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            f"{headers}Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        self._answer = asyncio.get_running_loop().create_future()
        answer = await self._answer
        if not answer.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(answer.decode(errors="replace"))
        return answer[answer.find(b"\r\n\r\n") + 4 :]

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


@asynccontextmanager
async def connected(address: tuple[str, int]) -> AsyncIterator[Connection]:
    """Give a connection to a server."""
    _, connection = await asyncio.get_running_loop().create_connection(Connection, *address)
    try:
        yield connection
    finally:
        connection.close()


async def opened(connection: Connection, headers: str) -> str:
    """Return a match that can be played for ever."""
    body = msgspec.json.encode({"game": "montana", "options": {"deal": ENDLESS}, "seat": 0})
    match: str = msgspec.json.decode(await connection.request("POST", "/v1/matches", body, headers))["id"]
    return match


async def account(connection: Connection) -> str:
    """Return the token of a new player."""
    body = b'{"display_name": "Ann"}'
    token: str = msgspec.json.decode(await connection.request("POST", "/v1/players", body))["token"]
    return token


def command(number: int) -> dict[str, Any]:
    """Return the n-th move of a match, from 0."""
    return {"type": "move_card", "card": "2C", "row": 1 if number % 2 == 0 else 3, "column": 0}


async def played(players: list[Player], first: int, moves: int) -> Load:
    """Return what it takes to make so many moves of every match, from move `first` on, all at once."""
    waits: list[float] = []

    async def play(player: Player) -> None:
        for number in range(first, first + moves):
            begun = perf_counter()
            await player.send(number)
            waits.append(perf_counter() - begun)

    return await _measured(map(play, players), waits)


async def played_for(players: list[Player], first: int, seconds: float) -> Load:
    """Return what comes of playing all matches at once for a time, from move `first` on."""
    end = perf_counter() + seconds
    waits: list[float] = []

    async def play(player: Player) -> None:
        number = first
        while (begun := perf_counter()) < end:
            await player.send(number)
            number += 1
            waits.append(perf_counter() - begun)

    return await _measured(map(play, players), waits)


async def _measured(playing: Iterable[Awaitable[None]], waits: list[float]) -> Load:
    begun = perf_counter()
    await asyncio.gather(*playing)
    return Load(len(waits), perf_counter() - begun, sorted(waits))
