"""Everything put together: the only place where the adapters meet."""

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from msgspec import Struct

from adapters import logs
from adapters.backing import Backing
from adapters.backing.memory import MemoryBacking
from adapters.backing.postgres import PostgresBacking
from adapters.clock import SystemClock
from adapters.collector import Collector
from adapters.databases import StartError, database, migrated, shared_database
from adapters.faces.base_path import Place
from adapters.grpc.server import GrpcServer
from adapters.postgres.connection.access import Access
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.own_server.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adapters.rest.app import build as build_rest
from adapters.rest.requests import MAX_BODY
from adapters.rest.server.bounds import HttpConnections
from adapters.rest.server.connections import HttpConnection
from adapters.rest.server.socket_connections import SocketConnection
from adapters.setting_values import Address
from adapters.settings import Settings, refuse_those_of_a_database, variable
from adapters.workers import Steps
from services.players.store import Issuer
from services.shared.rate_limits import Limiter
from services.shared.ticks import until
from services.use_cases import Services

if TYPE_CHECKING:
    from adapters.keys.openid import OpenIdIssuer

GRACE = 3
"""Seconds that requests under way have when the service stops."""
STREAMS_GRACE = 1
"""Seconds that the readers of streams have, before, to take in that they end."""
SEND_BUFFER = 128 * 1024
"""Bytes that the kernel keeps of what a client has not taken yet; left to itself it keeps megabytes."""
ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Why a name's address may be passed over that this machine does not have."""
KEPT_FILES = 160
"""Files that are not left to connections: for the database beside its pool, webhooks, issuers, logs, code."""
FEWEST_CONNECTIONS = 32
"""How many connections a face may have open though the system allows hardly any files."""
TICK = 1.0
"""Seconds between two ticks of the HTTP server."""
WATCH = 0.5
"""Seconds between two looks whether our own PostgreSQL still runs, where the system does not tell."""

NOTHING_KEPT = "nothing is kept: all data are in memory, and gone when this process ends"
"""What is said of a service in memory."""

type Stop = Callable[[], Awaitable[None]]

log = logging.getLogger("montane")


class Duties(Struct, frozen=True, kw_only=True):
    """What a process does.

    Attributes:
        rest: Whether it serves REST.
        grpc: Whether it serves gRPC.
        workers: Whether it does what is done in the background.
    """

    rest: bool = False
    grpc: bool = False
    workers: bool = False


def serve(settings: Settings, duties: Duties) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises:
        StartError: The database cannot be reached, or an address is taken.
    """
    _prepare(settings)
    with database(settings) as (access, embedded):
        migrated(access)
        _on_database(settings, access, embedded, duties)


def work(settings: Settings) -> None:
    """Do what is done in the background, and nothing else, until SIGINT or SIGTERM.

    Raises:
        StartError: The database cannot be reached.
    """
    _prepare(settings)
    with shared_database(settings) as access:
        _on_database(settings, access, None, Duties(workers=True))


def serve_in_memory(settings: Settings, duties: Duties) -> None:
    """Serve until SIGINT or SIGTERM, and keep nothing.

    Raises:
        StartError: An address is taken.
        SettingError: A setting is made that says something of a database.
    """
    refuse_those_of_a_database(settings)
    _prepare(settings)
    log.warning("%s", NOTHING_KEPT)
    _run(_serve(settings, duties, partial(MemoryBacking, settings), where=NOTHING_KEPT))


def _prepare(settings: Settings) -> None:
    logs.begin(settings.log_level)
    for quiet in ("psycopg.pool", "uvicorn.error"):
        logging.getLogger(quiet).setLevel(logging.ERROR)
    _allow_connections()


def _on_database(
    settings: Settings, access: Access, embedded: EmbeddedPostgres | None, duties: Duties
) -> None:
    datastore = Datastore(access.conninfo, settings.pool_size, access.direct)
    serves = duties.rest or duties.grpc

    def backing(issuer: Issuer | None) -> Backing:
        return PostgresBacking(settings, issuer, access, datastore, serves=serves, works=duties.workers)

    try:
        where = str(settings.data_dir.absolute()) if embedded else None
        _run(_serve(settings, duties, backing, embedded, where))
    finally:
        # Whatever has failed: its threads would keep the process alive.
        datastore.close()


def _run(serving: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serving)


def openid_issuer(settings: Settings) -> "OpenIdIssuer | None":
    """Return the OpenID Connect issuer that is trusted, if one is."""
    if settings.oidc_issuer is None or settings.oidc_audience is None:
        return None
    # Imported only where there is one: it takes a fifth of a start.
    from adapters.keys.openid import OpenIdIssuer

    return OpenIdIssuer(
        settings.oidc_issuer,
        audience=settings.oidc_audience,
        jwks_url=settings.oidc_jwks_url,
        clock_skew=settings.oidc_clock_skew,
        clock=SystemClock(),
    )


async def _serve(
    settings: Settings,
    duties: Duties,
    backing_for: Callable[[Issuer | None], Backing],
    embedded: EmbeddedPostgres | None = None,
    where: str | None = None,
) -> None:
    """Serve on a backing until the process is to end; `where` says in the greeting where data are."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    issuer = openid_issuer(settings)
    backing = backing_for(issuer)
    services = backing.services
    limiter = Limiter(settings.limits)
    closing: list[Stop] = [partial(backing.stop, GRACE)]
    try:
        await backing.follow()
        http_addr = grpc_addr = None
        room = _room_for_connections(settings.pool_size, faces=duties.rest + duties.grpc)
        single = None if settings.limits.trusted_proxies else settings.limits.connections
        if duties.rest:
            bounds = HttpConnections(room, single)
            http_addr, stop = await start_rest(settings.http_addr, services, limiter, bounds, settings.place)
            closing.append(stop)
        if duties.grpc:
            grpc_addr, stop = await _start_grpc(settings, services, limiter, room)
            closing.append(stop)
        backing.work()
        watcher = loop.create_task(_watch(embedded)) if embedded else None
        collector = Collector()
        collector.begin()
        collecting = Steps("collections", collector.step)
        collecting.start()
        closing.append(lambda: collecting.stop(0))
        _greet(http_addr, grpc_addr, where, working=duties.workers)
        await stopped.wait()
        log.info("stopping")
        if watcher:
            watcher.cancel()
    finally:
        streams = (
            services.match_streams.channels,
            services.chat.channels,
            services.player_feed.channels,
        )
        await asyncio.gather(*(one.close(STREAMS_GRACE) for one in streams))
        await asyncio.gather(*(close() for close in closing))
        if issuer is not None:
            await issuer.close()
        await services.drain()


async def start_rest(
    address: Address,
    services: Services,
    limiter: Limiter | None = None,
    connections: HttpConnections | None = None,
    place: Place | None = None,
) -> tuple[Address, Stop]:
    """Start REST and return where it listens and what stops it.

    Args:
        address: Where to listen.
        services: The use cases.
        limiter: The budgets; None sets none.
        connections: The bounds of connections; None sets none.
        place: Where clients find it; None for the root of what they see.

    Raises:
        StartError: The address cannot be listened on.
    """
    if connections is None:
        connections = HttpConnections()
    listeners = _listeners("http_addr", address)
    config = uvicorn.Config(
        build_rest(services, installed_version("montane"), limiter, place),
        interface="asgi3",
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        # Who calls is told by a proxy only if a setting says that one stands in front.
        proxy_headers=False,
        http=cast(Any, partial(HttpConnection, connections, place.base if place else "")),
        ws=cast(Any, partial(SocketConnection, connections)),
        ws_max_size=MAX_BODY,
        # Compression takes more memory a connection than all else together.
        ws_per_message_deflate=False,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=listeners))
    await server.listening.wait()

    async def stop() -> None:
        server.stop()
        await task

    return Address(address.host, listeners[0].getsockname()[1]), stop


async def _start_grpc(
    settings: Settings, services: Services, limiter: Limiter, most_connections: int | None
) -> tuple[Address, Stop]:
    """Start gRPC and return where it listens and what stops it."""
    address = settings.grpc_addr
    server = GrpcServer(services, str(address), limiter, most_connections, settings.base_path)
    try:
        await server.start()
    except RuntimeError as error:
        # The library does not say why.
        for listener in _listeners("grpc_addr", address):
            listener.close()
        raise StartError(_cannot_listen("grpc_addr", address, str(error))) from error
    return Address(address.host, server.port), lambda: server.stop(GRACE)


class _Server(uvicorn.Server):
    """The HTTP server, with signals left to the service."""

    def __init__(self, config: uvicorn.Config) -> None:
        """Take what to serve."""
        super().__init__(config)
        self.listening = asyncio.Event()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Begin to stop."""
        self.should_exit = True
        self._stopping.set()

    async def main_loop(self) -> None:
        """Tick once a second, which is what the header `Date` needs, until it is to stop."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(until(TICK)):
                    await self._stopping.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none: the service stops all its servers together."""
        yield


def _listeners(setting: str, address: Address) -> list[socket.socket]:
    """Return what listens at an address of a setting: for a name, at each of its addresses.

    Raises:
        StartError: None of them can be listened on, or one is taken.
    """
    found: list[socket.socket] = []
    port, failed = address.port, "it has no address"
    try:
        named = socket.getaddrinfo(address.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise StartError(
            _cannot_listen(setting, address, getattr(error, "strerror", None) or "no such name")
        ) from error
    for family, _, _, _, place in named:
        wanted = (place[0], port, *place[2:])
        both = place[0] == "::" and socket.has_dualstack_ipv6()
        try:
            listener = socket.create_server(wanted, family=family, backlog=2048, dualstack_ipv6=both)
        except OSError as error:
            failed = error.strerror or str(error)
            if error.errno not in ABSENT:
                break
            continue
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        port = listener.getsockname()[1]
        found.append(listener)
    else:
        if found:
            return found
    for listener in found:
        listener.close()
    raise StartError(_cannot_listen(setting, address, failed))


def _cannot_listen(setting: str, address: Address, why: str) -> str:
    return f"{variable(setting)}: cannot listen on {address}: {why}"


async def _watch(embedded: EmbeddedPostgres) -> None:
    """Start our own PostgreSQL again if it dies; meanwhile the service says that the store is away."""
    while True:
        await _ending(embedded)
        if not embedded.alive():
            log.error("our own PostgreSQL ended, see %s; starting it again", embedded.log_file)
            try:
                # Not in a thread: on Linux the server ends with the thread that started it.
                embedded.restart()
            except (EmbeddedPostgresError, OSError) as error:
                log.error("%s", error)


async def _ending(embedded: EmbeddedPostgres) -> None:
    """Return as soon as our own PostgreSQL has ended, or after a while where the system does not tell."""
    if sys.platform != "linux" or not embedded.alive():
        await asyncio.sleep(WATCH)
        return
    try:
        process = os.pidfd_open(embedded.pid)
    except OSError:
        await asyncio.sleep(WATCH)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(process, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(process)
        os.close(process)


def _allow_connections() -> None:
    """Let the process have as many connections open as the system allows it: each stream takes one."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _room_for_connections(pool_size: int, *, faces: int) -> int | None:
    """Return how many connections each face may have open: all but what else may need files.

    Args:
        pool_size: The most connections to the database.
        faces: How many faces share the room.
    """
    if sys.platform == "win32":
        return None
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY or not faces:
        return None
    return max(FEWEST_CONNECTIONS, (files - KEPT_FILES - pool_size) // faces)


def _greet(http_addr: Address | None, grpc_addr: Address | None, where: str | None, *, working: bool) -> None:
    lines = ["", "Montane is running."]
    if http_addr:
        lines.append(f"  REST  http://{http_addr}   docs: http://{http_addr}/docs")
    if grpc_addr:
        lines.append(f"  gRPC  {grpc_addr}   (reflection and health are on)")
    if working:
        lines.append("  work  lists, clocks, bots, webhooks and signatures are seen to here")
    else:
        lines.append(
            "  work  not here: lists, clocks, bots, webhooks and signatures stand still unless"
            " `montane work` runs too"
        )
    if where:
        lines.append(f"  data  {where}")
    if http_addr:
        body = """'{"display_name": "Ann"}'"""
        lines.append(
            f"Try:  curl -s -H 'Content-Type: application/json' -d {body} http://{http_addr}/v1/players"
        )
    elif grpc_addr:
        lines.append(f"Try:  montane call CatalogueService.ListGames --grpc-addr {grpc_addr}")
    lines.append("Ctrl-C stops it.")
    print("\n".join(lines), flush=True)  # noqa: T201 - what the person who started it reads


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
