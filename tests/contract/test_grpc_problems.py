"""Bad input over gRPC: each gets the code and reason that REST gives too, and changes nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.v1 import catalogue_pb2, games_pb2, matches_pb2, options_pb2, players_pb2
from adapters.grpc.server import SERVICES, GrpcServer
from services.errors import Unavailable
from tests.support.grpc_client import TIMEOUT, GrpcClient
from tests.support.use_cases import Stores, memory_stores


class Grpc:
    """A server on stores in memory, with a player and a match of deal 1."""

    def __init__(self, stores: Stores) -> None:
        """Build it."""
        self.stores = stores
        self.ready = True
        self.server = GrpcServer(stores.node(), stores.players(), self.readiness, "127.0.0.1:0")

    async def readiness(self) -> bool:
        """Return whether the server is to say that it is ready."""
        return self.ready

    async def prepare(self) -> None:
        """Start it, and open an account and a match."""
        await self.server.start()
        self.target = f"127.0.0.1:{self.server.port}"
        self.ann = await asyncio.to_thread(GrpcClient, self.target)
        deal = options_pb2.Options(montana=montana_pb2.Options(deal=1))
        request = matches_pb2.CreateMatchRequest(game="montana", options=deal, seat=0)
        self.match = (await self.call("CreateMatch", request)).match.id

    async def call(self, method: str, request: Any, **given: Any) -> Any:
        """Return the answer to Ann's call."""
        return await asyncio.to_thread(self.ann.call, getattr(self.ann.matches, method), request, **given)

    async def refusal(
        self, method: str, request: Any, *, player: GrpcClient | None = None, **given: Any
    ) -> tuple[str, str, dict[str, str]]:
        """Return with what code, reason and values a call fails."""
        who = player or self.ann
        return await asyncio.to_thread(who.refusal, getattr(who.matches, method), request, **given)

    async def command(self, **fields: Any) -> tuple[str, str, dict[str, str]]:
        """Return how the move of a card is refused."""
        return await self.refusal("SubmitCommand", self.submit(move(**fields)))

    def submit(self, command: games_pb2.Command | None, **fields: Any) -> matches_pb2.SubmitCommandRequest:
        """Return the request that gives a command."""
        return matches_pb2.SubmitCommandRequest(match=self.match, command=command, **fields)


@pytest.fixture
async def server() -> AsyncIterator[Grpc]:
    """A prepared server, whose match must still be as it was when the test is over."""
    server = Grpc(memory_stores())
    await server.prepare()
    yield server
    view = await server.call("GetView", matches_pb2.GetViewRequest(match=server.match))
    assert view.view.version == 4
    server.ann.close()
    await server.server.stop(0)


def move(**fields: Any) -> games_pb2.Command:
    """Return a command that moves a card."""
    return games_pb2.Command(montana=montana_pb2.Command(move_card=montana_pb2.MoveCard(**fields)))


NINE = move(card=montana_pb2.CARD_9H)


def raw(player: GrpcClient, method: str) -> Any:
    """Return a method that takes and gives bytes as they are."""
    channel: Any = player.channel
    return channel.unary_unary(f"/montane.v1.MatchService/{method}")


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"row": 4, "column": 0}, "INVALID_FIELD", "command.montana.move_card.row"),
        ({"row": 0, "column": 13}, "INVALID_FIELD", "command.montana.move_card.column"),
        ({"card": 0}, "INVALID_FIELD", "command.montana.move_card.card"),
        ({"card": 99}, "INVALID_FIELD", "command.montana.move_card.card"),
    ],
)
async def test_a_wrong_value_names_its_field(
    server: Grpc, fields: dict[str, Any], reason: str, field: str
) -> None:
    """Numbers out of range and cards that do not exist are INVALID_ARGUMENT."""
    code, found, details = await server.command(**fields)
    assert (code, found, details["field"]) == ("INVALID_ARGUMENT", reason, field)


async def test_what_is_missing_is_named(server: Grpc) -> None:
    """A request without what it must have is INVALID_ARGUMENT."""
    for request, field in (
        (server.submit(None), "command"),
        (server.submit(games_pb2.Command()), "command"),
        (server.submit(games_pb2.Command(montana=montana_pb2.Command())), "command.montana"),
    ):
        code, reason, details = await server.refusal("SubmitCommand", request)
        assert (code, reason, details["field"]) == ("INVALID_ARGUMENT", "MISSING_FIELD", field)
    code, reason, _ = await server.refusal("CreateMatch", matches_pb2.CreateMatchRequest())
    assert (code, reason) == ("INVALID_ARGUMENT", "MISSING_FIELD")


@pytest.mark.parametrize(
    ("fields", "reason", "clause"),
    [
        ({"card": montana_pb2.CARD_5D, "row": 0, "column": 0}, "CELL_OCCUPIED", "montana §4.1"),
        ({"card": montana_pb2.CARD_5D, "row": 0, "column": 4}, "CARD_DOES_NOT_FIT", "montana §4.2"),
        ({"card": montana_pb2.CARD_AC, "row": 0, "column": 4}, "ACE_IS_OUT", "montana §3.2"),
        ({"row": 2, "column": 1}, "GAP_IS_DEAD", "montana §4.4"),
    ],
)
async def test_the_rules_refuse(server: Grpc, fields: dict[str, Any], reason: str, clause: str) -> None:
    """A refusal is FAILED_PRECONDITION with the reason and the clause that it enforces."""
    code, found, details = await server.command(**fields)
    assert (code, found, details["clause"]) == ("FAILED_PRECONDITION", reason, clause)


async def test_who_may_not(server: Grpc) -> None:
    """No token, an unknown one, or a player without a seat."""
    nobody = GrpcClient(server.target, name=None)
    found = await server.refusal("SubmitCommand", server.submit(NINE), player=nobody)
    assert found[:2] == ("UNAUTHENTICATED", "TOKEN_MISSING")
    nobody.metadata = (("authorization", "Bearer montane_none"),)
    found = await server.refusal("GetView", matches_pb2.GetViewRequest(match=server.match), player=nobody)
    assert found[:2] == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")
    ben = await asyncio.to_thread(GrpcClient, server.target, "Ben")
    found = await server.refusal("SubmitCommand", server.submit(NINE), player=ben)
    assert found[:2] == ("PERMISSION_DENIED", "NOT_SEATED")
    nobody.close()
    ben.close()


async def test_what_is_not_there(server: Grpc) -> None:
    """Unknown matches, versions and games are NOT_FOUND; an unknown method is UNIMPLEMENTED."""
    for method, request, reason in (
        ("GetView", matches_pb2.GetViewRequest(match="none"), "NO_SUCH_MATCH"),
        ("GetView", matches_pb2.GetViewRequest(match=server.match, version=5), "NO_SUCH_VERSION"),
        ("CreateMatch", matches_pb2.CreateMatchRequest(game="chess"), "NO_SUCH_GAME"),
        ("ListMatches", matches_pb2.ListMatchesRequest(game="chess"), "NO_SUCH_GAME"),
    ):
        assert (await server.refusal(method, request))[:2] == ("NOT_FOUND", reason)
    unknown = raw(server.ann, "Nothing")
    with pytest.raises(grpc.RpcError) as failed:
        await asyncio.to_thread(unknown, b"", timeout=TIMEOUT)
    assert failed.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_bytes_that_are_no_request(server: Grpc) -> None:
    """Rubbish and unknown fields are INVALID_ARGUMENT, a megabyte is RESOURCE_EXHAUSTED."""
    for body, code in (
        (b"\xff" * 20, "INVALID_ARGUMENT"),
        (b"\xd2\x0f\x01x", "INVALID_ARGUMENT"),
        (b"\n" * 100_000, "RESOURCE_EXHAUSTED"),
        (b"x" * 1_000_000, "RESOURCE_EXHAUSTED"),
    ):
        with pytest.raises(grpc.RpcError) as failed:
            await asyncio.to_thread(
                raw(server.ann, "GetMatch"), body, metadata=server.ann.metadata, timeout=TIMEOUT
            )
        assert failed.value.code().name == code, body[:10]


async def test_a_version_conflict_carries_what_was_missed(server: Grpc) -> None:
    """ABORTED with the current version and the events behind the expected one, typed."""
    with pytest.raises(grpc.RpcError) as failed:
        await server.call("SubmitCommand", server.submit(NINE, expected_version=2))
    status = rpc_status.from_call(failed.value)  # type: ignore[arg-type]
    assert failed.value.code() is grpc.StatusCode.ABORTED
    conflict = matches_pb2.VersionConflict()
    assert any(detail.Unpack(conflict) for detail in status.details)
    assert (conflict.version, [event.version for event in conflict.events]) == (4, [3, 4])


async def test_a_key_used_for_something_else(server: Grpc) -> None:
    """The same key gives the same match; with another request it is FAILED_PRECONDITION."""
    request = matches_pb2.CreateMatchRequest(game="montana", seat=0)
    first = await server.call("CreateMatch", request, key="k")
    assert (first.idempotency_key, first) == ("k", await server.call("CreateMatch", request, key="k"))
    other = matches_pb2.CreateMatchRequest(game="montana")
    found = await server.refusal("CreateMatch", other, key="k")
    assert found[:2] == ("FAILED_PRECONDITION", "IDEMPOTENCY_KEY_REUSED")
    found = await server.refusal("CreateMatch", other, key="x" * 256)
    assert found[:2] == ("INVALID_ARGUMENT", "INVALID_IDEMPOTENCY_KEY")


async def test_a_store_that_is_away(server: Grpc, monkeypatch: pytest.MonkeyPatch) -> None:
    """UNAVAILABLE with a hint when to try again."""

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(server.stores.store, "append", away)
        with pytest.raises(grpc.RpcError) as failed:
            await server.call("SubmitCommand", server.submit(NINE))
    status = rpc_status.from_call(failed.value)  # type: ignore[arg-type]
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
    assert any(detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR) for detail in status.details)


async def test_a_fault_tells_nothing(
    server: Grpc, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """INTERNAL says nothing of the cause, which is logged once."""

    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(server.stores.store, "append", broken)
        with pytest.raises(grpc.RpcError) as failed:
            await server.call("SubmitCommand", server.submit(NINE))
    assert failed.value.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(failed.value)
    assert len([record for record in caplog.records if record.exc_info]) == 1


async def test_health_follows_readiness(server: Grpc) -> None:
    """Every service is SERVING while the store answers, and NOT_SERVING while it does not."""
    health = health_pb2_grpc.HealthStub(server.ann.channel)

    async def statuses() -> set[int]:
        requests = [health_pb2.HealthCheckRequest(service=service) for service in ("", *SERVICES)]
        return {(await asyncio.to_thread(health.Check, one, timeout=TIMEOUT)).status for one in requests}

    assert await statuses() == {health_pb2.HealthCheckResponse.SERVING}
    server.ready = False
    for _ in range(100):
        if await statuses() == {health_pb2.HealthCheckResponse.NOT_SERVING}:
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError("still serving")


async def test_reflection_tells_every_service(server: Grpc) -> None:
    """A client that knows nothing finds the services and their messages."""
    database = ProtoReflectionDescriptorDatabase(server.ann.channel)
    names = await asyncio.to_thread(database.get_services)
    assert set(SERVICES) < set(names)
    pool = DescriptorPool(database)
    service = await asyncio.to_thread(pool.FindServiceByName, "montane.v1.MatchService")
    assert "SubmitCommand" in service.methods_by_name
    assert pool.FindMessageTypeByName("montane.montana.v1.MoveCard").fields_by_name["card"]


async def test_the_catalogue_and_accounts(server: Grpc) -> None:
    """Games, their data and clauses are open to all; an account knows itself."""
    catalogue, players = server.ann.catalogue, server.ann.players
    games = await asyncio.to_thread(server.ann.call, catalogue.ListGames, catalogue_pb2.ListGamesRequest())
    assert "montana" in str(games)
    rules = await asyncio.to_thread(
        server.ann.call, catalogue.GetRules, catalogue_pb2.GetRulesRequest(game="montana")
    )
    assert "§4.4" in str(rules) or "\\302\\2474.4" in str(rules)
    me = await asyncio.to_thread(server.ann.call, players.GetMe, players_pb2.GetMeRequest())
    assert me.player.display_name == "Ann"
    refused = await asyncio.to_thread(
        server.ann.refusal, players.CreatePlayer, players_pb2.CreatePlayerRequest(display_name="a\nb")
    )
    assert (refused[0], refused[2]["field"]) == ("INVALID_ARGUMENT", "display_name")
