"""The gRPC server."""

import asyncio
import logging
from contextlib import suppress

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio  # type: ignore[attr-defined]
from grpc_reflection.v1alpha import reflection

from adapters.grpc.calls import Calls
from adapters.grpc.catalogue import Catalogue
from adapters.grpc.chat import ChatCalls
from adapters.grpc.connections import GrpcConnections
from adapters.grpc.generated.montane.v1 import (
    catalogue_pb2,
    chat_pb2,
    matches_pb2,
    player_feed_pb2,
    players_pb2,
    proofs_pb2,
    statistics_pb2,
    webhooks_pb2,
)
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import add_CatalogueServiceServicer_to_server
from adapters.grpc.generated.montane.v1.chat_pb2_grpc import add_ChatServiceServicer_to_server
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import add_MatchServiceServicer_to_server
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import add_PlayerFeedServiceServicer_to_server
from adapters.grpc.generated.montane.v1.players_pb2_grpc import add_PlayerServiceServicer_to_server
from adapters.grpc.generated.montane.v1.proofs_pb2_grpc import add_ProofServiceServicer_to_server
from adapters.grpc.generated.montane.v1.statistics_pb2_grpc import add_StatisticsServiceServicer_to_server
from adapters.grpc.generated.montane.v1.webhooks_pb2_grpc import add_WebhookServiceServicer_to_server
from adapters.grpc.mapping import Mapper
from adapters.grpc.matches import MatchCalls
from adapters.grpc.patience import Patience, look_after
from adapters.grpc.player_feed import PlayerFeedCalls
from adapters.grpc.players import PlayerCalls
from adapters.grpc.proofs import ProofCalls
from adapters.grpc.statistics import StatisticsCalls
from adapters.grpc.webhooks import WebhookCalls
from services.shared.rate_limits import Limiter
from services.shared.ticks import until
from services.use_cases import Services

LARGEST_REQUEST = 64 * 1024
"""Bytes of the largest request; a larger one is RESOURCE_EXHAUSTED."""
LARGEST_METADATA = 16 * 1024
"""Bytes of the largest metadata that every call is served with; twice as much none is."""
MOST_CALLS = 16_384
"""The most calls under way; beyond, calls are RESOURCE_EXHAUSTED."""
OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_REQUEST),
    ("grpc.max_metadata_size", LARGEST_METADATA),
    ("grpc.absolute_max_metadata_size", 2 * LARGEST_METADATA),
    # One more than the streams that one address may have by default: who has too many is told so.
    ("grpc.max_concurrent_streams", 1_024),
    # A client may ping twenty times a second, in bursts of twenty, with calls or without; then comes GOAWAY.
    ("grpc.http2.min_ping_interval_without_data_ms", 50),
    ("grpc.http2.max_ping_strikes", 20),
    ("grpc.keepalive_permit_without_calls", 1),
    # Who connects and says nothing is cut off, and so are clients that are gone without a word.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # A connection without calls is closed. An old one takes no new calls, so that clients find new nodes, and
    # those that it has go on.
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.max_connection_age_ms", 3_600_000),
    # Without this a second server at the same address takes half of the calls instead of failing.
    ("grpc.so_reuseport", 0),
)
"""Settings of the library (`grpc/impl/channel_arg_names.h`)."""
POLL = 2.0
"""Seconds between two looks at whether the server is ready, which the health service then tells."""

SERVICES = tuple(
    service.full_name
    for module in (
        catalogue_pb2,
        players_pb2,
        matches_pb2,
        chat_pb2,
        player_feed_pb2,
        proofs_pb2,
        statistics_pb2,
        webhooks_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
)


log = logging.getLogger(__name__)


class GrpcServer:
    """Serves the use cases over gRPC, with health and reflection.

    Attributes:
        port: The port that it listens on, 0 before it is started.
    """

    def __init__(
        self,
        services: Services,
        address: str,
        limiter: Limiter | None = None,
        most_connections: int | None = None,
        base_path: str = "",
    ) -> None:
        """Take what is served and where.

        Args:
            services: The use cases.
            address: `host:port`; port 0 takes any free one.
            limiter: The budgets; without, anybody may ask for anything.
            most_connections: How many connections there may be in all; None for any number.
            base_path: The path that clients of REST see in front of all others.
        """
        self._services = services
        self._base_path = base_path
        self._address = address
        self._limiter = limiter or Limiter()
        self._health = health_aio.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self._most_connections = most_connections
        self._watches: list[asyncio.Task[None]] = []
        self._told: int | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen; calls are served when it returns.

        Raises:
            RuntimeError: The address cannot be listened on.
        """
        catalogue, players = self._services.catalogue, self._services.players
        mapper = Mapper(catalogue.games)
        patience = Patience()
        options: list[tuple[str, int]] = [*OPTIONS]
        if self._most_connections is not None:
            options.append(("grpc.max_allowed_incoming_connections", self._most_connections))
        server = grpc.aio.server(
            interceptors=[Calls(mapper, self._limiter, patience, self._base_path)],
            options=options,
            maximum_concurrent_rpcs=MOST_CALLS,
        )
        add_CatalogueServiceServicer_to_server(Catalogue(catalogue, mapper), server)
        add_PlayerServiceServicer_to_server(PlayerCalls(self._services), server)
        add_MatchServiceServicer_to_server(MatchCalls(self._services, mapper, self._base_path), server)
        player_feed_calls = PlayerFeedCalls(self._services.player_feed, players, mapper)
        add_PlayerFeedServiceServicer_to_server(player_feed_calls, server)
        add_StatisticsServiceServicer_to_server(StatisticsCalls(self._services), server)
        add_ChatServiceServicer_to_server(ChatCalls(self._services.chat, players, mapper), server)
        add_ProofServiceServicer_to_server(ProofCalls(self._services.proofs, players), server)
        add_WebhookServiceServicer_to_server(WebhookCalls(self._services.webhooks, players), server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        health = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
        reflection.enable_server_reflection((*SERVICES, health, reflection.SERVICE_NAME), server)
        self.port = server.add_insecure_port(self._address)
        await self._tell_health()
        await server.start()
        self._server = server
        limits = self._limiter.limits
        connections = GrpcConnections(
            self.port, self._most_connections, None if limits.trusted_proxies else limits.connections
        )
        self._watches = [
            asyncio.create_task(self._watch_health()),
            asyncio.create_task(look_after(connections, patience)),
        ]

    async def stop(self, grace: float | None) -> None:
        """Take no more calls, and cut off those that still run after `grace` seconds; None waits for none."""
        for watch in self._watches:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        if self._server is not None:
            await self._health.enter_graceful_shutdown()
            await self._server.stop(grace)

    async def _watch_health(self) -> None:
        while True:
            await asyncio.sleep(until(POLL))
            await self._tell_health()

    async def _tell_health(self) -> None:
        statuses = health_pb2.HealthCheckResponse
        ready = statuses.SERVING if await self._ready() else statuses.NOT_SERVING
        if ready != self._told:
            for service in ("", *SERVICES):
                await self._health.set(service, ready)
            self._told = ready

    async def _ready(self) -> bool:
        try:
            return await self._services.ready()
        except Exception as error:  # noqa: BLE001
            log.warning("not ready: %s", error)
            return False
