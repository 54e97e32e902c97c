"""Files over HTTP: sent as they are made, no faster than they are taken, and given up with their readers."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from adapters.rest import downloads
from adapters.rest.downloads import Download
from adapters.rest.server.connections import ABORT
from services.shared.errors import Unavailable


class Line:
    """A connection, and what went over it.

    Attributes:
        made: How many parts were made.
        sent: What was sent.
        aborted: How often it was given up.
        closed: Whether the file was closed.
    """

    def __init__(self) -> None:
        """Begin with a reader who takes everything and stays."""
        self.made = 0
        self.sent: list[dict[str, Any]] = []
        self.aborted = 0
        self.closed = False
        self.gone = asyncio.Event()
        self.taking = asyncio.Event()
        self.taking.set()

    async def parts(self, fails_at: int | None = None) -> AsyncGenerator[Sequence[bytes]]:
        """Make ten parts of two lines, or fail."""
        try:
            for number in range(10):
                if number == fails_at:
                    raise Unavailable
                self.made += 1
                yield [b"%d\n" % number, b"-\n"]
        finally:
            self.closed = True

    async def receive(self) -> dict[str, str]:
        """Return that the reader has gone, once it has."""
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        """Send something, once the reader takes it."""
        await self.taking.wait()
        self.sent.append(message)

    def abort(self) -> None:
        """Give the connection up."""
        self.aborted += 1

    async def carry(self, fails_at: int | None = None) -> None:
        """Send a file."""
        sending: Any = Download(self.parts(fails_at), "text/plain", "file").to_asgi_response()
        await sending({"extensions": {ABORT: self.abort}}, self.receive, self.send)

    @property
    def body(self) -> bytes:
        """What was sent of the file."""
        return b"".join(message.get("body", b"") for message in self.sent)


async def test_a_file_is_sent_part_by_part() -> None:
    """Whole, and with an end."""
    line = Line()
    await line.carry()
    assert line.body.splitlines()[::2] == [b"%d" % number for number in range(10)]
    assert [message.get("more_body") for message in line.sent] == [None, *[True] * 10, False]
    assert (line.aborted, line.closed) == (0, True)


async def test_no_part_is_made_before_the_one_before_is_taken() -> None:
    """A reader who pauses holds up the making, and is waited for."""
    line = Line()
    line.taking.clear()
    carrying = asyncio.create_task(line.carry())
    for _ in range(9):
        await asyncio.sleep(0)
    assert line.made == 0
    line.taking.set()
    await carrying
    assert line.made == 10


async def test_a_reader_who_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, and without an end that looks like one."""
    monkeypatch.setattr(downloads, "SECONDS_TO_SEND", 0.01)
    line = Line()
    sent = line.send

    async def send(message: dict[str, Any]) -> None:
        await sent(message)
        if line.made == 3:
            line.taking.clear()
            await line.taking.wait()

    line.send = send  # type: ignore[method-assign]
    await line.carry()
    assert (line.made, line.aborted, line.closed) == (3, 1, True)
    assert line.sent[-1]["more_body"]


async def test_nothing_more_is_made_for_a_reader_who_has_gone() -> None:
    """The file is closed at once."""
    line = Line()
    sent = line.send

    async def send(message: dict[str, Any]) -> None:
        await sent(message)
        if line.made == 2:
            line.gone.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    line.send = send  # type: ignore[method-assign]
    await line.carry()
    assert line.made <= 3
    assert line.closed


async def test_a_file_that_cannot_be_read_on_has_no_end() -> None:
    """The connection is given up, so that what came is not taken for the whole."""
    line = Line()
    await line.carry(fails_at=4)
    assert (line.made, line.aborted, line.closed) == (4, 1, True)
    assert line.sent[-1]["more_body"]
