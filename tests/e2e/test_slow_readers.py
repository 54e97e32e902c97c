"""Readers that do not read are cut off, at nobody else's cost; in one process, and with shorter times."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import grpc
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.server import GrpcServer
from adapters.main import start_rest
from adapters.setting_values import Address
from domain.games import GAMES
from domain.match import PlayerId
from services.matches.decisions import as_given
from services.shared.ids import MatchId
from services.streams import channels, match_stream
from services.use_cases import Services
from tests.support.faces.grpc_client import refusal_of
from tests.support.games.montana import ENDLESS, WALK
from tests.support.stores.use_cases import memory_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")
MOVES = 6_000
"""Each is an event of some 300 bytes: more than all buffers between the server and a reader hold."""
LAST = 4 + MOVES
"""Version of the match after them."""
TICK = 0.05


@asynccontextmanager
async def serving(services: Services) -> AsyncIterator[tuple[Address, int]]:
    """Give where REST and gRPC are served."""
    address, stop = await start_rest(Address("127.0.0.1", 0), services)
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    try:
        yield address, server.port
    finally:
        await services.match_streams.channels.close(1)
        await stop()
        await server.stop(0)


async def endless(matches: Services) -> MatchId:
    """Return a match that can be played for ever."""
    _, listed = await matches.openings.open(
        ANN, proposal(options=GAMES["montana"].options(deal=ENDLESS)), None
    )
    return listed.id


async def play(matches: Services, match: MatchId) -> int:
    """Make many moves, and return the version that they lead to."""
    for _ in range(MOVES):
        given = await matches.commands.submit(
            ANN, match, as_given(WALK), key=None, expected_version=None, validate_only=False
        )
        await asyncio.sleep(0)
    return given.version


type GivenUp = Callable[[], Awaitable[bool]]
"""Reads what there is, and tells whether the server had cut the reader off before the last event."""


async def stuck_http(address: Address, grpc_port: int, match: MatchId) -> GivenUp:
    """Open a stream of HTTP and read none of it."""
    loop = asyncio.get_running_loop()
    client = await _connected(address)
    request = f"GET /v1/matches/{match}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    await loop.sock_sendall(client, request.encode())

    async def given_up() -> bool:
        taken = b""
        with client, suppress(ConnectionResetError):
            while more := await loop.sock_recv(client, 65_536):
                taken += more
        return b"id: %d\n" % LAST not in taken

    return given_up


async def stuck_socket(address: Address, grpc_port: int, match: MatchId) -> GivenUp:
    """Open a WebSocket and read none of it."""
    client = await _connected(address)
    url = f"ws://{address}/v1/matches/{match}/socket"
    opening = connect(url, sock=client, max_queue=1, ping_interval=None)
    socket = await opening.__aenter__()

    async def given_up() -> bool:
        last = ""
        with suppress(ConnectionClosedError):
            async for message in socket:
                last = str(message) if '"event":' in str(message) else last
        await opening.__aexit__(None, None, None)
        return f'"version":{LAST}' not in last

    return given_up


async def stuck_call(address: Address, grpc_port: int, match: MatchId) -> GivenUp:
    """Open a stream of gRPC and read none of it."""
    small = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16_384)]
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{grpc_port}", options=small)
    call = MatchServiceStub(channel).WatchMatch(pb.WatchMatchRequest(match=match))
    await call.wait_for_connection()

    async def given_up() -> bool:
        last, refused = 0, None
        try:
            async for sent in call:
                last = sent.item.event.event.version or last
        except grpc.aio.AioRpcError as error:
            refused = refusal_of(error)[:2]
        await channel.close(None)
        assert refused in {None, ("UNAVAILABLE", "TOO_SLOW")}
        return last < LAST

    return given_up


async def _connected(address: Address) -> socket.socket:
    """Return a connection whose reader's own buffer is small."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, tuple(address))
    return client


@pytest.mark.parametrize("stuck", [stuck_http, stuck_socket, stuck_call])
async def test_a_reader_that_does_not_read_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, stuck: Callable[[Address, int, MatchId], Awaitable[GivenUp]]
) -> None:
    """It holds up neither play nor another reader, who gets every event; then its connection is given up."""
    monkeypatch.setattr(channels, "TICK", TICK)
    stores = memory_stores()
    matches = stores.node()
    match = await endless(matches)
    async with serving(matches) as (address, grpc_port):
        given_up = await stuck(address, grpc_port, match)
        fine = await matches.match_streams.watch(match, None, after=4, looking_as=None)
        reading = asyncio.create_task(_read(fine, LAST))
        assert await play(matches, match) == LAST
        async with asyncio.timeout(20):
            assert await reading == list(range(5, 5 + MOVES))
            fine.leave()
            await matches.match_streams.channels.idle()
            assert await given_up()


async def _read(watch: match_stream.Watch, last: int) -> list[int]:
    """Return the versions of the events up to the last one."""
    versions: list[int] = []
    while watch.version < last:
        told = [one.item for one in await watch.next()]
        versions += [item.event.version for item in told if isinstance(item, match_stream.EventItem)]
    return versions
