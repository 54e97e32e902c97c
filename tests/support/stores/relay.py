"""A network between us and the database that can be cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Wires:
    """What passes through the relay.

    Attributes:
        questions: Set while bytes pass to the server.
        answers: Set while bytes pass back.
    """

    def __init__(self) -> None:
        """Let everything pass."""
        self.questions, self.answers = asyncio.Event(), asyncio.Event()
        self.heal()
        self.tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    def join(
        self,
        near: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        far: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Pass bytes between two ends."""
        self._writers += [near[1], far[1]]
        for reader, writer, open_ in ((near[0], far[1], self.questions), (far[0], near[1], self.answers)):
            self.tasks.add(asyncio.create_task(self._pass(reader, writer, open_)))

    def cut(self) -> None:
        """Let nothing pass, without a word to either end."""
        self.questions.clear()
        self.answers.clear()

    def heal(self) -> None:
        """Let everything pass again, what was held back first."""
        self.questions.set()
        self.answers.set()

    def drop(self) -> None:
        """End all connections, whatever is under way on them."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, open_: asyncio.Event) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                await open_.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def relay(conninfo: str) -> AsyncIterator[tuple[str, Wires]]:
    """Give the connection string of the same database through a relay, and its wires."""
    target = conninfo_to_dict(conninfo)
    host, port = str(target.get("host") or "127.0.0.1"), int(target.get("port") or 5432)
    wires = Wires()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if host.startswith("/"):
            far = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        else:
            far = await asyncio.open_connection(host, port)
        wires.join((reader, writer), far)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    near = server.sockets[0].getsockname()[1]
    try:
        yield make_conninfo(conninfo, host="127.0.0.1", port=near), wires
    finally:
        server.close()
        wires.drop()
        for task in wires.tasks:
            task.cancel()
        await asyncio.gather(*wires.tasks, return_exceptions=True)
