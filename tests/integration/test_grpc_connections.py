"""What the gRPC server takes from a connection: within bounds of number and time, on real sockets."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from adapters.grpc import connections, patience, server
from adapters.grpc.generated.montane.v1 import catalogue_pb2, matches_pb2
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.server import GrpcServer
from services.shared.rate_limits import UNLIMITED, Limiter, Limits
from tests.support.faces.grpc_client import refusal_of
from tests.support.faces.http2 import CALL, PREFACE, Flag, Http2, Kind, frame, headers
from tests.support.stores.use_cases import memory_stores

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIST = "/montane.v1.CatalogueService/ListGames"
WATCH = "/montane.v1.MatchService/WatchMatch"
PLAY = "/montane.v1.MatchService/Play"
SOON = 10.0
"""Seconds within which what is to happen at once must happen on a busy machine."""


@asynccontextmanager
async def serving(limits: Limits = UNLIMITED, most: int | None = None) -> AsyncIterator[GrpcServer]:
    """Give gRPC on stores in memory."""
    services = memory_stores().node()
    running = GrpcServer(services, "127.0.0.1:0", Limiter(limits), most_connections=most)
    await running.start()
    try:
        yield running
    finally:
        await running.stop(0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def face() -> AsyncIterator[GrpcServer]:
    """A gRPC server without limits."""
    async with serving() as running:
        yield running


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that waits for a client waits a fraction of a second."""
    monkeypatch.setattr(patience, "LOOK", 0.05)
    monkeypatch.setattr(patience, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(patience, "ANSWER_SECONDS", 0.3)


async def games(channel: grpc.aio.Channel) -> int:
    """Return how many games are listed over a channel."""
    stub: Any = CatalogueServiceStub(channel)
    answer = await stub.ListGames(catalogue_pb2.ListGamesRequest(), timeout=SOON)
    return len(answer.items)


def channel_to(face: GrpcServer) -> grpc.aio.Channel:
    """Return a channel with a connection of its own."""
    return grpc.aio.insecure_channel(
        f"127.0.0.1:{face.port}", options=[("grpc.use_local_subchannel_pool", 1)]
    )


async def closed_of(crowd: list[Http2], expected: int) -> int:
    """Return how many of these connections the server has closed, half a second after so many are."""
    waiting = [asyncio.create_task(one.closed(SOON)) for one in crowd]
    for _ in range(int(SOON / 0.05)):
        if sum(task.done() for task in waiting) >= expected:
            break
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    closed = sum(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return closed


async def test_pings_are_bounded(face: GrpcServer) -> None:
    """Twenty a second are answered for as long as they come, many more at once end in GOAWAY."""
    patient, hurried = await Http2.connected(face.port), await Http2.connected(face.port)
    for _ in range(30):
        patient.writer.write(frame(Kind.PING, bytes(8)))
        await asyncio.sleep(0.06)
    answered = await patient.frames(0.5)
    assert [one.kind for one in answered].count(Kind.PING) == 30
    assert Kind.GOAWAY not in [one.kind for one in answered]
    hurried.writer.write(frame(Kind.PING, bytes(8)) * 1_000)
    (gone,) = [one for one in await hurried.frames(SOON) if one.kind == Kind.GOAWAY]
    assert gone.payload.endswith(b"too_many_pings")
    patient.writer.close()
    hurried.writer.close()


async def test_a_client_may_keep_its_connection_alive(face: GrpcServer) -> None:
    """Pings as ordinary clients are told to send them, with calls and without, end nothing."""
    options = [
        ("grpc.keepalive_time_ms", 100),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{face.port}", options=options) as channel:
        for _ in range(2):
            assert await games(channel) > 0
            assert channel.get_state() is grpc.ChannelConnectivity.READY
            await asyncio.sleep(1)
        assert channel.get_state() is grpc.ChannelConnectivity.READY


async def test_who_does_not_begin_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that says nothing, or no more than that it will speak HTTP/2, is closed after a while."""
    hasty = [
        (name, 300) if name == "grpc.server_handshake_timeout_ms" else (name, value)
        for name, value in server.OPTIONS
    ]
    assert dict(server.OPTIONS)["grpc.server_handshake_timeout_ms"] == 10_000
    monkeypatch.setattr(server, "OPTIONS", tuple(hasty))
    async with serving() as face:
        for said in (b"", PREFACE, PREFACE[:9], b"GET / HTTP/1.1\r\n\r\n"):
            one = Http2(*await asyncio.open_connection("127.0.0.1", face.port))
            one.writer.write(said)
            assert await one.closed(SOON)
            one.writer.close()


@pytest.mark.usefixtures("hasty")
async def test_a_call_whose_request_does_not_come_is_ended(face: GrpcServer) -> None:
    """Of each kind of call: it is ended with a status, and the connection's other calls go on."""
    one = await Http2.connected(face.port)
    for number, method in enumerate((LIST, WATCH, PLAY)):
        one.writer.write(headers(method, 2 * number + 1))
        one.writer.write(frame(Kind.DATA, CALL[:3], 2 * number + 1))
    ended = await one.frames(
        SOON, lambda given: {1, 3, 5} <= {it.stream for it in given if it.flags & Flag.END_STREAM}
    )
    ended = [given for given in ended if given.kind in (Kind.HEADERS, Kind.RST_STREAM)]
    one.writer.write(headers(LIST, 7) + frame(Kind.DATA, CALL, 7, Flag.END_STREAM))
    answered = [
        given.kind
        for given in await one.frames(SOON, lambda given: any(it.kind == Kind.DATA for it in given))
        if given.stream == 7
    ]
    one.writer.close()
    assert {given.stream for given in ended} == {1, 3, 5}
    told = [given.payload for given in ended if given.kind == Kind.HEADERS and given.flags & Flag.END_STREAM]
    assert [b"within 10 seconds" in payload for payload in told] == [True] * 3
    assert Kind.DATA in answered


@pytest.mark.usefixtures("hasty")
async def test_a_client_that_takes_no_answers_is_cut_off(face: GrpcServer) -> None:
    """It has said that it has no room: its connection is given up, and what waits for it is forgotten."""
    no_room = b"\x00\x04" + (0).to_bytes(4)
    one = await Http2.connected(face.port, no_room)
    for number in range(20):
        one.writer.write(
            headers(LIST, 2 * number + 1) + frame(Kind.DATA, CALL, 2 * number + 1, Flag.END_STREAM)
        )
    assert await one.closed(SOON)
    one.writer.close()
    async with channel_to(face) as channel:
        assert await games(channel) > 0


async def test_a_call_without_a_request_is_refused(face: GrpcServer) -> None:
    """A call that ends before its message is answered: the library alone would let it hang."""
    one = await Http2.connected(face.port)
    one.writer.write(headers(LIST, 1) + frame(Kind.DATA, b"", 1, Flag.END_STREAM))
    given = await one.frames(
        SOON, lambda given: any(it.stream and it.flags & Flag.END_STREAM for it in given)
    )
    given = [one for one in given if one.stream == 1 and one.kind == Kind.HEADERS]
    one.writer.close()
    assert b"cannot be read" in given[-1].payload


async def test_there_are_only_so_many_connections_of_one_address(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Those that come last are closed, anyone who was connected goes on, and one line is logged."""
    monkeypatch.setattr(patience, "LOOK", 0.05)
    async with serving(Limits(connections=8)) as face, channel_to(face) as channel:
        assert await games(channel) > 0
        await asyncio.sleep(0.3)
        crowd = [await Http2.connected(face.port) for _ in range(40)]
        assert await closed_of(crowd, 33) == 33
        assert await games(channel) > 0
        assert channel.get_state() is grpc.ChannelConnectivity.READY
        for one in crowd:
            one.writer.close()
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 1
    assert "one address" in lines[0]
    async with serving(Limits(connections=8, trusted_proxies=1)) as face:
        crowd = [await Http2.connected(face.port) for _ in range(40)]
        assert not any(await asyncio.gather(*(one.closed(0.5) for one in crowd)))
        for one in crowd:
            one.writer.close()


async def test_who_was_connected_goes_on_though_nobody_had_looked() -> None:
    """Nothing is looked at while few files are open: then a crowd comes at once, and it is what is closed."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=200))
        address = listener.getsockname()
        spare = [socket.socket() for _ in range(60)]
        for one in spare:
            one.bind(("127.0.0.1", 0))
        ports = sorted(one.getsockname()[1] for one in spare)
        for one in spare:
            one.close()
        accepted = []
        # Who is there first has the highest ports.
        for port in [*ports[-5:], *ports[:-5]]:
            source = ("127.0.0.1", port)
            stack.enter_context(socket.create_connection(address, source_address=source))
            accepted.append(stack.enter_context(listener.accept()[0]))
            accepted[-1].setblocking(False)
        connections.GrpcConnections(address[1], None, 20).look()

        def is_open(one: socket.socket) -> bool:
            try:
                return one.recv(1) != b""
            except BlockingIOError:
                return True

        assert [is_open(one) for one in accepted] == [True] * 20 + [False] * 40


async def test_there_are_only_so_many_connections_in_all() -> None:
    """The library closes what is more, and those who are connected go on."""
    async with serving(most=8) as face, channel_to(face) as channel:
        assert await games(channel) > 0
        crowd = [await Http2.connected(face.port) for _ in range(40)]
        assert await closed_of(crowd, 33) == 33
        assert await games(channel) > 0
        for one in crowd:
            one.writer.close()


async def test_metadata_and_messages_are_bounded(face: GrpcServer) -> None:
    """Metadata of 7 kB is taken and of 60 kB refused; so is a message that is large once it is unpacked."""
    async with grpc.aio.insecure_channel(
        f"127.0.0.1:{face.port}", compression=grpc.Compression.Gzip
    ) as channel:
        stub: Any = CatalogueServiceStub(channel)
        asked = catalogue_pb2.ListGamesRequest()
        assert (await stub.ListGames(asked, metadata=[("a", "a" * 7_000)])).items
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.ListGames(asked, metadata=[("a", "a" * 60_000)])
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        matches: Any = MatchServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await matches.GetView(matches_pb2.GetViewRequest(match="a" * 20_000_000))
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_streams_of_health_and_reflection_are_counted_too() -> None:
    """They stay open for as long as their client likes, and so count among the open streams."""
    async with serving(Limits(open_streams=2)) as face, channel_to(face) as channel:
        health: Any = HealthStub(channel)
        reflection: Any = ServerReflectionStub(channel)
        watches = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
        for watch in watches:
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
        for more in (
            health.Watch(health_pb2.HealthCheckRequest()),
            reflection.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")])),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await more.read()
            assert refusal_of(refused.value)[1] == "RATE_LIMITED"
        for watch in watches:
            watch.cancel()
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])

        async def listed() -> bool:
            try:
                return bool(
                    (await reflection.ServerReflectionInfo(asked).read()).list_services_response.service
                )
            except grpc.aio.AioRpcError:
                return False

        async with asyncio.timeout(SOON):
            while not await listed():
                asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        assert (await health.Check(health_pb2.HealthCheckRequest())).status


async def test_a_server_that_stops_says_so_first() -> None:
    """It sends GOAWAY, and the calls under way have their time."""
    async with serving() as face:
        one = await Http2.connected(face.port)
        await one.frames(0.2)
        stopping = asyncio.create_task(face.stop(1))
        kinds = [given.kind for given in await one.frames(SOON)]
        await stopping
        one.writer.close()
    assert Kind.GOAWAY in kinds


async def test_a_client_that_goes_away_is_no_error(
    face: GrpcServer, caplog: pytest.LogCaptureFixture
) -> None:
    """In the midst of a head, a message, an answer or a stream: nothing is logged."""
    begun = [headers(method, 1) for method in (LIST, WATCH, PLAY)]
    whole = [one + frame(Kind.DATA, CALL, 1, Flag.END_STREAM) for one in begun]
    for said in (PREFACE[:9], begun[0][:12], *begun, *(one[:-2] for one in whole), *whole):
        for reset in (False, True):
            for pause in (0, 0.02):
                one = await Http2.connected(face.port)
                one.writer.write(said)
                await asyncio.sleep(pause)
                if reset:
                    one.writer.transport.abort()
                one.writer.close()
    for said in whole:
        one = await Http2.connected(face.port)
        one.writer.write(said + frame(Kind.RST_STREAM, (8).to_bytes(4), 1))
        one.writer.close()
    async with channel_to(face) as channel:
        for _ in range(50):
            assert await games(channel) > 0
    await until(lambda: not running_calls())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO] == []


def running_calls() -> list[str]:
    """Return the calls that the library still runs."""
    return [task.get_name() for task in asyncio.all_tasks() if "HandleExceptions" in task.get_name()]


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)
