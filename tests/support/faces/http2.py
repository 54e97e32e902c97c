"""A client of HTTP/2 that sends what it is told to, frame by frame, as no library does."""

import asyncio
from collections.abc import Callable
from enum import IntEnum, IntFlag
from typing import NamedTuple, Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
CALL = b"\x00\x00\x00\x00\x00"
"""A message of gRPC that is empty: not compressed, of no bytes."""


class Kind(IntEnum):
    """What a frame is (RFC 9113, 6)."""

    DATA = 0
    HEADERS = 1
    RST_STREAM = 3
    SETTINGS = 4
    PING = 6
    GOAWAY = 7


class Flag(IntFlag):
    """What is said of a frame."""

    NONE = 0
    END_STREAM = 1
    END_HEADERS = 4


class Frame(NamedTuple):
    """A frame."""

    kind: int
    flags: int
    stream: int
    payload: bytes


def frame(kind: Kind, payload: bytes = b"", stream: int = 0, flags: Flag = Flag.NONE) -> bytes:
    """Return a frame as it is sent."""
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def headers(method: str, stream: int, *, host: str = "x") -> bytes:
    """Return the frame that begins a call of gRPC, its fields written out one by one (RFC 7541, 6.2.2)."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": host,
        "te": "trailers",
        "content-type": "application/grpc",
    }
    block = b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields.items())
    return frame(Kind.HEADERS, block, stream, Flag.END_HEADERS)


class Http2:
    """A connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take both of its sides."""
        self._reader = reader
        self.writer = writer

    @classmethod
    async def connected(cls, port: int, settings: bytes = b"") -> Self:
        """Return a connection to a port of this machine that has begun."""
        one = cls(*await asyncio.open_connection("127.0.0.1", port))
        one.writer.write(PREFACE + frame(Kind.SETTINGS, settings))
        return one

    async def frames(
        self, seconds: float, enough: Callable[[list[Frame]], bool] | None = None
    ) -> list[Frame]:
        """Return what comes until it is enough, the connection ends or for so long."""
        given: list[Frame] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    head = await self._reader.readexactly(9)
                    payload = await self._reader.readexactly(int.from_bytes(head[:3]))
                    given.append(Frame(head[3], head[4], int.from_bytes(head[5:9]), payload))
                    if enough is not None and enough(given):
                        return given
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            return given

    async def closed(self, seconds: float) -> bool:
        """Return whether the server closes the connection within so long."""
        await self.frames(seconds)
        return self._reader.at_eof() or self._reader.exception() is not None


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()
