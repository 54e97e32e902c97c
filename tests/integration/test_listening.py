"""Where the servers listen: at any address that an operator writes down, on both faces alike."""

import asyncio
import socket
from contextlib import suppress

import grpc
import pytest

from adapters.databases import StartError
from adapters.grpc.server import GrpcServer
from adapters.main import start_rest
from adapters.setting_values import Address
from adapters.settings import load
from tests.support.stores.use_cases import memory_stores

ASK = b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def has_ipv6() -> bool:
    """Return whether this machine speaks IPv6."""
    with suppress(OSError), socket.socket(socket.AF_INET6) as one:
        one.bind(("::1", 0))
        return True
    return False


IPV6 = ("::1",) if has_ipv6() else ()
V4 = ("127.0.0.1",)


@pytest.mark.parametrize(
    ("text", "reached", "unreached"),
    [
        ("127.0.0.1:0", V4, IPV6),
        ("localhost:0", V4, ()),
        ("[::1]:0", IPV6, V4),
        ("[::]:0", (*IPV6, *V4), ()),
        (":0", (*IPV6, *V4), ()),
        ("0.0.0.0:0", V4, ()),
    ],
)
async def test_both_faces_listen_where_they_are_told(
    text: str, reached: tuple[str, ...], unreached: tuple[str, ...]
) -> None:
    """A name means all its addresses, and the empty address of IPv6 both kinds."""
    if "[" in text and not IPV6:
        pytest.skip("this machine has no IPv6")
    services = memory_stores().node()
    asked = load({"http_addr": text, "grpc_addr": text}, {})
    address, stop = await start_rest(asked.http_addr, services)
    server = GrpcServer(services, str(asked.grpc_addr))
    await server.start()
    try:
        for host in reached:
            reader, writer = await asyncio.open_connection(host, address.port)
            writer.write(ASK)
            assert (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.close()
            async with grpc.aio.insecure_channel(str(Address(host, server.port))) as channel:
                await asyncio.wait_for(channel.channel_ready(), 5)
        for host in unreached:
            for port in (address.port, server.port):
                with pytest.raises(OSError, match="Connect call failed"):
                    await asyncio.open_connection(host, port)
    finally:
        await server.stop(0)
        await stop()


@pytest.mark.parametrize(
    ("host", "why"),
    [("192.0.2.1", "assign"), ("no.such.host.invalid", ""), ("ab..cd", ""), ("fe80::1%nowhere", "")],
)
async def test_where_nothing_can_listen(host: str, why: str) -> None:
    """One line names setting, address and reason."""
    services = memory_stores().node()
    with pytest.raises(StartError, match=r"MONTANE_HTTP_ADDR: cannot listen on .*" + why) as refused:
        await start_rest(Address(host, 0), services)
    assert "\n" not in str(refused.value)
    with pytest.raises(RuntimeError):
        await GrpcServer(services, str(Address(host, 0))).start()


async def test_a_port_that_is_taken_is_told() -> None:
    """Also if only one of the name's addresses is."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StartError, match="in use"):
        await start_rest(Address("localhost", taken.getsockname()[1]), memory_stores().node())
