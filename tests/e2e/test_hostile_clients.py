"""One client must not stop the others: attacks on a running service, with a bystander at both faces."""

import asyncio
import contextlib
import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from websockets.frames import Frame, Opcode
from websockets.sync.client import connect

from adapters.grpc.generated.montane.v1 import matches_pb2
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from tests.support.faces.bystander import Bystander
from tests.support.faces.grpc_client import GrpcClient
from tests.support.faces.http2 import Http2, Kind, frame, headers
from tests.support.faces.server import Client, Server, eventually

LONGEST_WAIT = 1.0
"""Seconds that a bystander may wait: the attacks that are known took 1.3 to 16."""
TRIES = 3
"""How often an attack is tried, as a busy machine makes wait too."""
FILES = 1_500
MONTANE = str(Path(sys.executable).with_name("montane"))
FEW_FILES = ("sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", MONTANE)
"""How the service is started with few files."""
SILENT = 1_600
SOON = 20.0

GET = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
CHUNKED = (
    b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n17\r\n" + b'{"display_name": "Ann"}' + b"\r\n0\r\n"
)
HANDSHAKE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)
MUCH = 20 << 20
"""Bytes that a client tries to send who sends without end."""


@pytest.fixture(scope="module")
def server(databases: Any) -> Iterator[Server]:
    """A server without limits: what it withstands, it withstands by itself."""
    with databases.fresh() as database, Server("--database-url", database) as running:
        yield running
        said = running.stop()
        assert "ERROR" not in said
        assert "Traceback" not in said


@pytest.fixture(scope="module")
def bystander(server: Server) -> Iterator[Bystander]:
    """Somebody who asks beside the attacks."""
    with Bystander(server.url, server.grpc_target) as running:
        yield running


@pytest.fixture(scope="module")
def match(server: Server) -> str:
    """A match that anybody may look at."""
    return str(Client(server.url).post("/v1/matches", {"game": "montana", "seat": 0})["id"])


async def rest(server: Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a connection to REST."""
    return await asyncio.open_connection("127.0.0.1", server.http_port)


async def pour(writer: asyncio.StreamWriter, what: bytes) -> int:
    """Send something over and over until the server has enough, and return how many bytes it took."""
    block, sent = what * (1 + (1 << 16) // len(what)), 0
    with contextlib.suppress(ConnectionError):
        while sent < MUCH:
            writer.write(block)
            await writer.drain()
            sent += len(block)
    writer.transport.abort()
    return sent


def endless(head: bytes, more: bytes) -> Callable[[Server, str], Awaitable[None]]:
    """Return an attack that never ends what it has begun."""

    async def attack(server: Server, match: str) -> None:
        async def one() -> int:
            _, writer = await rest(server)
            writer.write(head)
            return await pour(writer, more)

        taken = await asyncio.gather(*(one() for _ in range(4)))
        assert max(taken) < MUCH

    return attack


async def pipelined(server: Server, match: str) -> None:
    """Ask thirty thousand times at once, and read no answer."""
    _, writer = await rest(server)
    writer.write((GET + b"\r\n") * 30_000)
    await asyncio.sleep(1)
    writer.transport.abort()


async def never_read(server: Server, match: str) -> None:
    """Ask for large answers and streams on many connections, and read nothing."""
    writers = []
    for path in ("/openapi.json", f"/v1/matches/{match}/events", f"/v1/matches/{match}/events"):
        for _ in range(30):
            _, writer = await rest(server)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            line = f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept: */*, text/event-stream\r\n\r\n"
            writer.write(line.encode() * 5)
            writers.append(writer)
    await asyncio.sleep(1)
    for writer in writers:
        writer.transport.abort()


def frames(what: bytes) -> Callable[[Server, str], Awaitable[None]]:
    """Return an attack that sends these frames over WebSockets."""

    async def attack(server: Server, match: str) -> None:
        async def one() -> None:
            reader, writer = await rest(server)
            writer.write(f"GET /v1/matches/{match}/socket HTTP/1.1\r\nHost: x\r\n".encode())
            writer.write(HANDSHAKE + b"\r\n")
            await reader.readuntil(b"\r\n\r\n")
            writer.write(what)
            with contextlib.suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(1.5):
                    while await reader.read(1 << 16):
                        pass
            writer.transport.abort()

        await asyncio.gather(*(one() for _ in range(2)))

    return attack


def sent(opcode: Opcode, data: bytes = b"", fin: bool = True) -> bytes:
    """Return a frame of a WebSocket as a client sends it."""
    return Frame(opcode, data, fin).serialize(mask=True)


def over_http2(what: Callable[[int], bytes], count: int) -> Callable[[Server, str], Awaitable[None]]:
    """Return an attack that sends so many frames of HTTP/2, each made from its number."""

    async def attack(server: Server, match: str) -> None:
        said = b"".join(what(number) for number in range(count))

        async def one() -> None:
            client = await Http2.connected(server.grpc_port)
            with contextlib.suppress(ConnectionError):
                client.writer.write(said)
                await client.frames(1.5)
            client.writer.transport.abort()

        await asyncio.gather(*(one() for _ in range(2)))

    return attack


async def bombs(server: Server, match: str) -> None:
    """Send messages of gRPC that are small as long as nobody unpacks them."""
    options = [("grpc.max_send_message_length", -1)]
    async with grpc.aio.insecure_channel(
        server.grpc_target, options=options, compression=grpc.Compression.Gzip
    ) as channel:
        call: Any = channel.unary_unary("/montane.v1.MatchService/GetView", bytes, bytes)
        calls = [call(bytes(8 << 20)) for _ in range(8)]
        given = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(one, grpc.aio.AioRpcError) for one in given)


LIST = "/montane.v1.CatalogueService/ListGames"

ATTACKS: dict[str, Callable[[Server, str], Awaitable[None]]] = {
    "header": endless(GET + b"X-A: ", b"a"),
    "headers": endless(GET, b"a: b\r\n"),
    "target": endless(b"GET /", b"a"),
    "handshake": endless(b"GET /v1/matches/x/socket HTTP/1.1\r\nHost: x\r\n" + HANDSHAKE + b"X-A: ", b"a"),
    "trailer": endless(CHUNKED + b"X-A: ", b"a"),
    "trailers": endless(CHUNKED, b"a: b\r\n"),
    "extension": endless(CHUNKED[: -len(b"0\r\n")] + b"1;", b"a"),
    "pipelined": pipelined,
    "never read": never_read,
    "pings": frames(sent(Opcode.PING) * 30_000),
    "pongs": frames(sent(Opcode.PONG) * 30_000),
    "fragments": frames(sent(Opcode.TEXT, b"{", False) + sent(Opcode.CONT, b"", False) * 30_000),
    "messages": frames(sent(Opcode.TEXT, b"{}") * 30_000),
    "gRPC pings": over_http2(lambda _: frame(Kind.PING, bytes(8)), 30_000),
    "gRPC settings": over_http2(lambda _: frame(Kind.SETTINGS), 30_000),
    "gRPC calls begun": over_http2(lambda number: headers(LIST, 2 * number + 1), 1_000),
    "gRPC calls dropped": over_http2(
        lambda number: headers(LIST, 2 * number + 1) + frame(Kind.RST_STREAM, bytes(4), 2 * number + 1), 2_000
    ),
    "gRPC empty data": over_http2(
        lambda number: frame(Kind.DATA, b"", 1) if number else headers(LIST, 1), 30_000
    ),
    "gRPC bombs": bombs,
}


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_bystander_hardly_notices(
    server: Server, bystander: Bystander, match: str, name: str
) -> None:
    """What one client sends without end, or in one go, makes nobody else wait."""
    waits: list[float] = []
    for _ in range(TRIES):
        await asyncio.to_thread(bystander.worst)
        await ATTACKS[name](server, match)
        waits.append(await asyncio.to_thread(bystander.worst))
        if waits[-1] < LONGEST_WAIT:
            break
    assert min(waits) < LONGEST_WAIT, waits


async def test_clients_that_go_away_are_no_errors(server: Server) -> None:
    """In the midst of every kind of stream, on both faces; the log, read at the end, says nothing of it."""
    ann = Client(server.url)
    opened = str(ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"])
    bearer = str(ann.http.headers["Authorization"])
    paths = (f"/v1/matches/{opened}/events", f"/v1/matches/{opened}/chat", "/v1/players/me/events")
    for path in paths:
        for accepted in ("text/event-stream", "application/x-ndjson"):
            reader, writer = await rest(server)
            line = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer}\r\nAccept: {accepted}\r\n\r\n"
            writer.write(line.encode())
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.transport.abort()
    command = json.dumps({"id": "a", "command": {"type": "redeal"}}).encode()
    for cut in (b"", sent(Opcode.TEXT, command), sent(Opcode.TEXT, command) * 20, sent(Opcode.PING) * 5):
        reader, writer = await rest(server)
        line = f"GET /v1/matches/{opened}/socket HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer}\r\n"
        writer.write(line.encode() + HANDSHAKE + b"\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(cut)
        await asyncio.sleep(0.01)
        writer.transport.abort()
    metadata = (("authorization", bearer),)
    watch = matches_pb2.WatchMatchRequest(match=opened)
    played = matches_pb2.PlayRequest(watch=watch)
    for pause in (0, 0.003, 0.03):
        async with grpc.aio.insecure_channel(
            server.grpc_target, options=[("grpc.use_local_subchannel_pool", 1)]
        ) as channel:
            stub: Any = MatchServiceStub(channel)
            calls = [stub.WatchMatch(watch, metadata=metadata) for _ in range(5)]
            calls += [stub.Play(iter([played] * 3), metadata=metadata) for _ in range(5)]
            calls += [stub.ListEvents(matches_pb2.ListEventsRequest(match=opened)) for _ in range(5)]
            await asyncio.gather(*(call.read() for call in calls[:10:5]))
            await asyncio.sleep(pause)
            for call in calls[::2]:
                call.cancel()
    assert ann.get(f"/v1/matches/{opened}")["id"] == opened


def test_players_go_on_though_all_files_are_taken(databases: Any, tmp_path: Path) -> None:
    """1,600 sockets that say nothing, at either face, with 1,500 files: who is connected plays on."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < 2 * SILENT:
        pytest.skip(f"this process may open {most} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with databases.fresh() as database, Server("--database-url", database, program=FEW_FILES) as server:
        client = Client(server.url)
        over_grpc = GrpcClient(server.grpc_target)
        opened = client.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"]
        watched = over_grpc.call(over_grpc.matches.WatchMatch, matches_pb2.WatchMatchRequest(match=opened))
        with connect(f"ws://127.0.0.1:{server.http_port}/v1/matches/{opened}/socket") as socket_:
            for port in (server.http_port, server.grpc_port):
                crowd = []
                for _ in range(SILENT):
                    one = socket.socket()
                    one.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        one.connect(("127.0.0.1", port))
                    crowd.append(one)
                time.sleep(1)
                before, began = cpu_seconds(server.process.pid), time.monotonic()
                for _ in range(10):
                    command = {"command": {"type": "redeal"}, "validate_only": True}
                    client.http.post(f"/v1/matches/{opened}/commands", json=command)
                    assert client.get(f"/v1/matches/{opened}")["id"] == opened
                    time.sleep(0.1)
                assert cpu_seconds(server.process.pid) - before < 0.5 * (time.monotonic() - began)
                for one in crowd:
                    one.close()
            move = {"command": {"type": "move_card", "card": "9H", "row": 3, "column": 8}}
            client.post(f"/v1/matches/{opened}/commands", move)
            assert any("card_moved" in str(socket_.recv(timeout=SOON)) for _ in range(10))
            assert any(
                one.item.WhichOneof("item") == "event" for one, _ in zip(watched, range(10), strict=False)
            )
        watched.cancel()
        over_grpc.close()
        assert eventually(lambda: reached(server), SOON)
        said = server.stop()
    assert said.count("connections are open, as many as there is room for") <= 2
    assert "connections are open" in said
    assert "Traceback" not in said


def reached(server: Server) -> bool:
    """Return whether somebody new is served at both faces."""
    try:
        fresh = GrpcClient(server.grpc_target)
        fresh.close()
        return httpx.get(f"{server.url}/health/ready").status_code == 200
    except (grpc.RpcError, httpx.HTTPError):
        return False


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    listed = subprocess.run(
        ["ps", "-o", "cputimes=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return float(listed.stdout)


def test_one_address_has_so_many_connections_at_most(databases: Any) -> None:
    """By default 256 at each face: what is more is refused, and one line is logged at each."""
    environment = {"MONTANE_RATE_LIMIT": "on"}
    with databases.fresh() as database, Server("--database-url", database, environment=environment) as server:
        for port in (server.http_port, server.grpc_port):
            crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
            time.sleep(3)
            closed = 0
            for one in crowd:
                one.setblocking(False)
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    while one.recv(4_096):
                        pass
                    closed += 1
                one.close()
            assert 40 <= closed <= 300 - 250
        said = server.stop()
    assert said.count("as one address may have: more are refused") == 2
