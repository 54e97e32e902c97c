"""A receiver of webhooks: a real HTTP server that behaves as well or as badly as a test wants."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from standardwebhooks import Webhook

type Behave = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Answers a request that was read."""


class Got(NamedTuple):
    """A request that came.

    Attributes:
        line: Its first line.
        headers: Its headers, names in lower case.
        body: Its body.
    """

    line: str
    headers: dict[str, str]
    body: bytes

    def verified(self, secret: str) -> None:
        """Check the signature as a receiver does.

        Raises:
            WebhookVerificationError: It does not fit.
        """
        Webhook(secret).verify(self.body, self.headers, json_parse=False)


class Receiver:
    """Takes requests, notes them, and answers.

    Attributes:
        port: Where it listens.
        got: What came, in order.
        behave: How it answers.
        proves: Whether it echoes challenges whatever it does else.
        challenges: Those that it has echoed.
    """

    def __init__(self, behave: Behave, *, proves: bool) -> None:
        """Take how it answers."""
        self.behave = behave
        self.proves = proves
        self.challenges: list[Got] = []
        self.port = 0
        self.got: list[Got] = []
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request and answer it."""
        self._open.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            line, *fields = head.strip().split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)
            }
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            if self.proves and (challenge := challenge_in(body)) is not None:
                self.challenges.append(Got(line, headers, body))
                answer = json.dumps({"challenge": challenge}).encode()
                await answers(200, body=answer)(reader, writer)
            else:
                self.got.append(Got(line, headers, body))
                await self.behave(reader, writer)
            await writer.drain()
        self._open.discard(writer)
        writer.close()

    def hang_up(self) -> None:
        """End what is still open."""
        for writer in self._open:
            writer.transport.abort()


@asynccontextmanager
async def receiver(
    behave: Behave, tls: ssl.SSLContext | None = None, *, proves: bool = False
) -> AsyncIterator[Receiver]:
    """Give a receiver at 127.0.0.1."""
    made = Receiver(behave, proves=proves)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        made.hang_up()
        server.close()


def challenge_in(body: bytes) -> str | None:
    """Return the challenge that a message is, if it is one."""
    if b"webhook.challenge" not in body:
        return None
    challenge: str = json.loads(body)["data"]["challenge"]
    return challenge


def answers(status: int, *headers: str, body: bytes = b"") -> Behave:
    """Return a behaviour: an answer at once."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fields = "".join(f"{header}\r\n" for header in headers)
        writer.write(f"HTTP/1.1 {status} X\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    return behave


async def hangs(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take the request and say nothing until the other side goes."""
    await reader.read()


async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begin an answer and never come to its end."""
    writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    await writer.drain()
    await reader.read()


async def floods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with a body that never ends."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
        await writer.drain()
