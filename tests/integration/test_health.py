"""What does not go well is told with readiness, and asked for by operators."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, cast

import grpc
import httpx
import psycopg
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from msgspec.structs import replace

from adapters.grpc.server import SERVICES, GrpcServer
from adapters.postgres.outages import PostgresOutages
from adapters.postgres.work import PostgresWork, late_here
from adapters.rest.app import build
from services.matches.outages import Heart
from services.shared.errors import Unavailable
from services.shared.health import AWAY_SECONDS, Vitals
from tests.integration.test_connections import set_read_only
from tests.support.stores.database import end_sessions
from tests.support.stores.use_cases import PostgresStores, postgres_stores


@pytest.fixture
async def stores(database: str) -> AsyncIterator[PostgresStores]:
    """Stores in PostgreSQL."""
    async with postgres_stores(database) as stores:
        yield stores


@asynccontextmanager
async def served(stores: PostgresStores, vitals: Vitals) -> AsyncIterator[tuple[httpx.AsyncClient, Any]]:
    """Give a client of REST, and what asks gRPC for health."""
    services = replace(stores.node(), vitals=vitals, ready=vitals.ready)
    app = cast(Any, build(services, "0"))
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    async with (
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://montane") as http,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        yield http, health_pb2_grpc.HealthStub(channel)
    await server.stop(0)


async def test_ready_stays_200_with_what_is_degraded(stores: PostgresStores, database: str) -> None:
    """Matches that are set aside and work that is late are told, by a process that serves all the same."""
    work = PostgresWork(stores.datastore)
    seconds = [1_000.0]
    vitals = Vitals(work.degraded, lambda: seconds[0])
    async with served(stores, vitals) as (http, health):

        async def reasons() -> list[str]:
            seconds[0] += 6
            vitals.answered()
            answer = await http.get("/health/ready")
            assert answer.status_code == 200
            return [one["reason"] for one in answer.json().get("degraded", [])]

        assert await reasons() == ["NO_WORK"]
        await work.report({"clocks": timedelta(), "lists": timedelta()})
        assert await reasons() == []
        await work.report({"clocks": timedelta(), "lists": timedelta(minutes=2)})
        await stores.datastore.execute(
            "INSERT INTO matches_set_aside (match_id, version, why) VALUES (gen_random_uuid(), 1, 'x')"
        )
        assert await reasons() == ["MATCHES_SET_ASIDE", "WORK_LATE"]
        with psycopg.connect(database) as connection:
            (late,) = late_here(connection)
        assert late.startswith("lists: 12")
        for service in ("", *SERVICES):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        await work.leave()
        assert await reasons() == ["MATCHES_SET_ASIDE", "NO_WORK"]


async def test_a_server_that_only_reads_counts_as_away(stores: PostgresStores, database: str) -> None:
    """Nothing can be played on it, so after 15 seconds the process serves no more, over both faces."""
    seconds = [1_000.0]
    vitals = Vitals(PostgresWork(stores.datastore).degraded, lambda: seconds[0])
    heart = Heart(PostgresOutages(stores.datastore), vitals)
    await heart.step()
    set_read_only(database, "on")
    end_sessions(database)
    async with served(stores, vitals) as (http, health):
        for _ in range(5):
            with pytest.raises(Unavailable):
                await heart.step()
        seconds[0] += AWAY_SECONDS + 1
        answer = await http.get("/health/ready")
        assert (answer.status_code, answer.json()["reason"]) == (503, "STORE_UNAVAILABLE")
        assert (await http.get("/health/live")).json() == {"status": "live"}
        async for update in health.Watch(health_pb2.HealthCheckRequest()):
            if update.status == health_pb2.HealthCheckResponse.NOT_SERVING:
                break
