"""gRPC on a real socket: whole deals play, and bad input gets the right code, reason and details."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import (  # type: ignore[import-untyped]
    BadRequest,
    ErrorInfo,
    PreconditionFailure,
    RetryInfo,
)
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from msgspec.structs import replace

from adapters.faces.sentences import clause_path
from adapters.grpc.call import CallFailed, call
from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.montanara.v1 import montanara_pb2
from adapters.grpc.generated.montane.v1 import catalogue_pb2 as catalogue
from adapters.grpc.generated.montane.v1 import games_pb2 as games
from adapters.grpc.generated.montane.v1 import match_pb2 as match
from adapters.grpc.generated.montane.v1 import matches_pb2 as matches
from adapters.grpc.generated.montane.v1 import options_pb2 as options
from adapters.grpc.generated.montane.v1 import players_pb2 as players
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceStub
from adapters.grpc.server import SERVICES, GrpcServer
from domain.games import GAMES
from domain.match import OF_THE_GAME, Reason
from domain.match.rules import RULES
from services.shared.errors import Unavailable
from tests.support.stores.use_cases import Stores, memory_stores

Code = grpc.StatusCode
SUBMIT = "/montane.v1.MatchService/SubmitCommand"
NO_CODE = montana_pb2.Card.ValueType(99)


class Face:
    """A server on stores in memory, a client, a player and a match of deal 1."""

    def __init__(self, stores: Stores) -> None:
        """Take the stores."""
        self.stores = stores
        self.ready = True

    async def start(self) -> None:
        """Serve, connect, open an account and a match."""
        self.server = GrpcServer(replace(self.stores.node(), ready=self.readiness), "127.0.0.1:0")
        await self.server.start()
        self.address = f"127.0.0.1:{self.server.port}"
        # The stubs are typed for channels that block, and the channel's own types want what has a default.
        self.channel: Any = grpc.aio.insecure_channel(self.address)
        self.catalogue: Any = CatalogueServiceStub(self.channel)
        self.players: Any = PlayerServiceStub(self.channel)
        self.matches: Any = MatchServiceStub(self.channel)
        self.ann = await self.account("Ann")
        self.match = (await self.open(montana_pb2.Options(deal=1))).id

    async def stop(self) -> None:
        """Hang up and stop serving."""
        await self.channel.close()
        await self.server.stop(1)

    async def readiness(self) -> bool:
        """Return whether the server is to say that it is ready."""
        return self.ready

    async def account(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the metadata with which a new player calls."""
        made = await self.players.CreatePlayer(players.CreatePlayerRequest(display_name=name))
        return (("authorization", f"Bearer {made.token}"),)

    async def open(self, own: montana_pb2.Options, **fields: Any) -> matches.Match:
        """Return a new match in which Ann sits."""
        request = matches.CreateMatchRequest(
            game="montana", options=options.Options(montana=own), seat=0, **fields
        )
        opened: matches.Match = (await self.matches.CreateMatch(request, metadata=self.ann)).match
        return opened

    async def view(self) -> matches.View:
        """Return the match as a spectator sees it."""
        shown: matches.View = (await self.matches.GetView(matches.GetViewRequest(match=self.match))).view
        return shown

    def command(self, own: montana_pb2.Command, **fields: Any) -> matches.SubmitCommandRequest:
        """Return the request for a command of Montana."""
        return matches.SubmitCommandRequest(match=self.match, command=games.Command(montana=own), **fields)

    async def refused(self, method: str, request: Message, **call: Any) -> "Refusal":
        """Return how a call by Ann fails."""
        service = self.matches if hasattr(self.matches, method) else self.players
        service = service if hasattr(service, method) else self.catalogue
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await getattr(service, method)(request, **({"metadata": self.ann} | call))
        return Refusal(raised.value)


class Refusal:
    """A status with its details by their type."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        """Take a status apart."""
        self.code = error.code()
        self.text = error.details() or ""
        status = rpc_status.from_call(error)  # type: ignore[arg-type]
        self.details = {} if status is None else {one.TypeName(): one for one in status.details}
        info = self.detail(ErrorInfo())
        self.reason = info.reason
        self.named = dict(info.metadata)
        if info.reason:
            assert info.domain == "montane"
            assert self.text

    def detail(self, kind: Any) -> Any:
        """Return the detail of a type, empty if there is none."""
        if found := self.details.get(kind.DESCRIPTOR.full_name):
            found.Unpack(kind)
        return kind

    @property
    def field(self) -> str:
        """Return the field that is wrong."""
        (violation,) = self.detail(BadRequest()).field_violations
        assert (violation.reason, violation.description) == (self.reason, self.text)
        return str(violation.field)


@pytest.fixture
async def face() -> AsyncIterator[Face]:
    """A server, whose match must still be as it was when the test is over."""
    face = Face(memory_stores())
    await face.start()
    yield face
    assert (await face.view()).version == 4
    await face.stop()


def move(**fields: Any) -> montana_pb2.Command:
    """Return a command that moves a card."""
    return montana_pb2.Command(move_card=montana_pb2.MoveCard(**fields))


@pytest.mark.parametrize(
    ("own", "reason", "field"),
    [
        (montana_pb2.Command(), "MISSING_FIELD", ""),
        (move(card=NO_CODE), "INVALID_FIELD", ".move_card.card"),
        (move(card=montana_pb2.CARD_UNSPECIFIED), "INVALID_FIELD", ".move_card.card"),
        (move(row=4, column=0), "INVALID_FIELD", ".move_card.row"),
        (move(row=2**32 - 1, column=0), "INVALID_FIELD", ".move_card.row"),
        (move(row=0, column=13), "INVALID_FIELD", ".move_card.column"),
        (montana_pb2.Command.FromString(b"\x0a\x02\x48\x01"), "UNKNOWN_FIELD", ".move_card.9"),
        (montana_pb2.Command.FromString(b"\x12\x02\x08\x01"), "UNKNOWN_FIELD", ".redeal.1"),
    ],
)
async def test_a_malformed_command_names_the_field(
    face: Face, own: montana_pb2.Command, reason: str, field: str
) -> None:
    """A value that is missing, out of range or unknown is INVALID_ARGUMENT, and the field is named."""
    refusal = await face.refused("SubmitCommand", face.command(own))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, reason)
    assert refusal.field == refusal.named["field"] == f"command.montana{field}"


@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"\x0a\x05abc",
        b"\x0a\x02\xff\xff",
        b"\x0b" * 60_000,
        b"\x0b" * 30_000 + b"\x0c" * 30_000,
    ],
)
async def test_what_is_no_message(face: Face, body: bytes) -> None:
    """Bytes that are cut off, no text, or nested without end are INVALID_ARGUMENT, not INTERNAL."""
    method = face.channel.unary_unary(SUBMIT)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await method(body, metadata=face.ann)
    refusal = Refusal(raised.value)
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "MALFORMED_REQUEST")


async def test_a_request_without_its_fields(face: Face) -> None:
    """What is not optional must be given, and a union must be one of its cases."""
    for request, field in (
        (matches.SubmitCommandRequest(command=games.Command(resign=match.Resign())), "match"),
        (matches.SubmitCommandRequest(match=face.match), "command"),
        (matches.SubmitCommandRequest(match=face.match, command=games.Command()), "command"),
    ):
        refusal = await face.refused("SubmitCommand", request)
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "MISSING_FIELD")
        assert refusal.field == field


@pytest.mark.parametrize(
    ("fields", "code", "reason", "field"),
    [
        ({}, Code.INVALID_ARGUMENT, "MISSING_FIELD", "game"),
        ({"game": "chess"}, Code.NOT_FOUND, "NO_SUCH_GAME", None),
        ({"game": "montana", "seats": 2}, Code.FAILED_PRECONDITION, "SEATS_OUT_OF_RANGE", None),
        ({"game": "montana", "seats": 2**32 - 1}, Code.FAILED_PRECONDITION, "SEATS_OUT_OF_RANGE", None),
        ({"game": "montana", "seat": 1}, Code.FAILED_PRECONDITION, "NO_SUCH_SEAT", None),
        (
            {"game": "montana", "options": options.Options()},
            Code.INVALID_ARGUMENT,
            "MISSING_FIELD",
            "options",
        ),
        (
            {"game": "montana", "options": options.Options(montana=montana_pb2.Options(redeals=10))},
            Code.INVALID_ARGUMENT,
            "INVALID_FIELD",
            "options.montana.redeals",
        ),
        (
            {"game": "montana", "options": options.Options(montana=montana_pb2.Options(redeal_policy=0))},  # type: ignore[arg-type]
            Code.INVALID_ARGUMENT,
            "INVALID_FIELD",
            "options.montana.redeal_policy",
        ),
        ({"game": "montana", "visibility": 7}, Code.INVALID_ARGUMENT, "INVALID_FIELD", "visibility"),
        ({"game": "montana", "disclosure": 0}, Code.INVALID_ARGUMENT, "INVALID_FIELD", "disclosure"),
        ({"game": "montana", "memory_aid": 3}, Code.INVALID_ARGUMENT, "INVALID_FIELD", "memory_aid"),
        ({"game": "montana", "entropy": "x" * 257}, Code.INVALID_ARGUMENT, "INVALID_FIELD", "entropy"),
    ],
)
async def test_a_match_that_cannot_be_opened(
    face: Face, fields: dict[str, Any], code: grpc.StatusCode, reason: str, field: str | None
) -> None:
    """Options, seats and games that do not exist are named."""
    refusal = await face.refused("CreateMatch", matches.CreateMatchRequest(**fields))
    assert (refusal.code, refusal.reason, refusal.named.get("field")) == (code, reason, field)


@pytest.mark.parametrize(
    ("call", "asked", "field", "clause"),
    [
        ("SubmitCommand", b"\xc2\x3e\x00", "command.montana.1000", "montana §4"),
        ("SubmitCommand", b"", "command.montana", "montana §4"),
        ("SubmitCommand", montana_pb2.Command(move_card=montana_pb2.MoveCard(row=9)), None, "montana §4"),
        (
            "SubmitCommand",
            montanara_pb2.Command(play_dwarf=montanara_pb2.PlayDwarf()),
            "command",
            "montana §4",
        ),
        ("CreateMatch", {"game": "montana", "options": {"montana": {"redeals": 10}}}, None, "montana §2"),
        ("CreateMatch", {"game": "montana", "options": {"mountains": {}}}, "options", "montana §2"),
        ("CreateMatch", {"game": "montana", "visibility": 7}, "visibility", None),
        ("CreateMatch", {"game": "montana", "seats": 2}, None, "montana §2"),
        ("CreateMatch", {"game": "mountains", "seats": 9}, None, "mountains §2"),
        ("CreateMatch", {"game": "montana", "seat": 1}, None, "common §1"),
    ],
)
async def test_a_clause_is_cited_by_one_rule(
    face: Face, call: str, asked: Any, field: str | None, clause: str | None
) -> None:
    """Within a command the game's §4, within options and for the number of seats its §2 (common §1)."""
    request: Any
    if call == "CreateMatch":
        request = matches.CreateMatchRequest(**asked)
    elif isinstance(asked, montanara_pb2.Command):
        request = matches.SubmitCommandRequest(match=face.match, command=games.Command(montanara=asked))
    else:
        own = asked if isinstance(asked, montana_pb2.Command) else montana_pb2.Command.FromString(asked)
        request = face.command(own)
    refusal = await face.refused(call, request)
    assert refusal.named.get("clause") == clause
    assert refusal.named.get("clause_url") == (clause and clause_path(clause))
    assert field is None or refusal.named["field"] == field


@pytest.mark.parametrize(
    ("own", "reason", "clause"),
    [
        (move(card=montana_pb2.CARD_5D, row=0, column=0), "CELL_OCCUPIED", "montana §4.1"),
        (move(card=montana_pb2.CARD_5D, row=0, column=4), "CARD_DOES_NOT_FIT", "montana §4.2"),
        (move(card=montana_pb2.CARD_AC, row=0, column=4), "ACE_IS_OUT", "montana §3.2"),
        (move(row=2, column=1), "GAP_IS_DEAD", "montana §4.4"),
        (montana_pb2.Command(redeal=montana_pb2.Redeal()), "NOT_STUCK", "montana §4.6"),
    ],
)
async def test_the_rules_refuse(face: Face, own: montana_pb2.Command, reason: str, clause: str) -> None:
    """A refusal is FAILED_PRECONDITION with its reason and the clause that it enforces, also unplayed."""
    for validate_only in (False, True):
        refusal = await face.refused("SubmitCommand", face.command(own, validate_only=validate_only))
        assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, reason)
        assert refusal.named == {"seat": "0", "clause": clause, "clause_url": clause_path(clause)}
        (violation,) = refusal.detail(PreconditionFailure()).violations
        assert (violation.type, violation.subject, violation.description) == (reason, clause, refusal.text)


async def test_who_may_not(face: Face) -> None:
    """No token, an unknown one, or a player without a seat."""
    resign = matches.SubmitCommandRequest(match=face.match, command=games.Command(resign=match.Resign()))
    for metadata in ((), (("authorization", "Basic x"),), (("authorization", "Bearer "),)):
        refusal = await face.refused("SubmitCommand", resign, metadata=metadata)
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "TOKEN_MISSING")
    stranger = (("authorization", f"Bearer montane_{'n' * 43}"),)
    for method, request in (
        ("SubmitCommand", resign),
        ("GetView", matches.GetViewRequest(match=face.match)),
        ("ListMatches", matches.ListMatchesRequest()),
        ("GetMe", players.GetMeRequest()),
    ):
        refusal = await face.refused(method, request, metadata=stranger)
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "TOKEN_UNKNOWN")
    ben = await face.account("Ben")
    refusal = await face.refused("SubmitCommand", resign, metadata=ben)
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_SEATED")
    seat = matches.Viewer(kind=match.VIEWER_KIND_SEAT, seat=0)
    wanted: dict[str, Any] = {"match": face.match, "as": seat}
    refusal = await face.refused("GetView", matches.GetViewRequest(**wanted), metadata=ben)
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_VIEW")


async def test_what_is_not_there(face: Face) -> None:
    """Unknown matches, versions and games, and a private match of others, are NOT_FOUND."""
    private = await face.open(montana_pb2.Options(), visibility=match.VISIBILITY_PRIVATE)
    ben = await face.account("Ben")
    for method, request, reason in (
        ("GetView", matches.GetViewRequest(match=private.id), "NO_SUCH_MATCH"),
        ("TakeSeat", matches.TakeSeatRequest(match=private.id, seat=0), "NO_SUCH_MATCH"),
        ("GetMatch", matches.GetMatchRequest(match="match_01j00000000000000000000000"), "NO_SUCH_MATCH"),
        ("ListEvents", matches.ListEventsRequest(match="none"), "NO_SUCH_MATCH"),
        # So long that to repeat it whole would make the status larger than clients take.
        ("GetView", matches.GetViewRequest(match="x" * 60_000), "NO_SUCH_MATCH"),
        ("GetView", matches.GetViewRequest(match="\u00e9" * 30_000), "NO_SUCH_MATCH"),
        ("GetView", matches.GetViewRequest(match=face.match, version=5), "NO_SUCH_VERSION"),
        ("GetView", matches.GetViewRequest(match=face.match, version=0), "NO_SUCH_VERSION"),
        ("GetRules", catalogue.GetRulesRequest(game="chess"), "NO_SUCH_GAME"),
        ("ListMatches", matches.ListMatchesRequest(game="chess"), "NO_SUCH_GAME"),
    ):
        refusal = await face.refused(method, request, metadata=ben)
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, reason), method
    refusal = await face.refused("TakeSeat", matches.TakeSeatRequest(match=face.match, seat=0), metadata=ben)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "MATCH_STARTED")


@pytest.mark.parametrize(
    ("request_type", "fields", "field"),
    [
        (matches.ListEventsRequest, {"page_size": 0}, "page_size"),
        (matches.ListEventsRequest, {"page_size": 201}, "page_size"),
        (matches.ListEventsRequest, {"page_token": "x"}, "page_token"),
        (matches.ListEventsRequest, {"page_token": "1", "after": 1}, "page_token"),
        (matches.ListEventsRequest, {"as": matches.Viewer()}, "as.kind"),
        (matches.ListEventsRequest, {"as": matches.Viewer(kind=match.VIEWER_KIND_SEAT)}, "as.seat"),
        (matches.ListEventsRequest, {"as": matches.Viewer(kind=match.VIEWER_KIND_ALL, seat=0)}, "as.seat"),
        (matches.GetViewRequest, {"as": matches.Viewer(kind=match.VIEWER_KIND_SEAT, seat=1)}, "as"),
        (matches.ListMatchesRequest, {"state": 0}, "state"),
        (matches.ListMatchesRequest, {"page_token": "match_x"}, "page_token"),
        (matches.ListMatchesRequest, {"page_size": 2**32 - 1}, "page_size"),
    ],
)
async def test_a_wrong_parameter_is_named(
    face: Face, request_type: Any, fields: dict[str, Any], field: str
) -> None:
    """Pages and viewers that do not exist are INVALID_ARGUMENT."""
    given = fields if request_type is matches.ListMatchesRequest else {"match": face.match} | fields
    method = request_type.DESCRIPTOR.name.removesuffix("Request")
    refusal = await face.refused(method, request_type(**given))
    assert (refusal.code, refusal.field) == (Code.INVALID_ARGUMENT, field)


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x00b", "\u202eevil"])
async def test_a_name_that_cannot_be_shown(face: Face, name: str) -> None:
    """Empty, long and unprintable names are INVALID_ARGUMENT."""
    refusal = await face.refused("CreatePlayer", players.CreatePlayerRequest(display_name=name))
    assert (refusal.code, refusal.field) == (Code.INVALID_ARGUMENT, "display_name")


async def test_a_version_conflict_carries_what_was_missed(
    face: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ABORTED with the current version and the events after the expected one, not all if they are many."""
    own = montana_pb2.Command(redeal=montana_pb2.Redeal())
    refusal = await face.refused("SubmitCommand", face.command(own, expected_version=2))
    assert (refusal.code, refusal.reason) == (Code.ABORTED, "VERSION_CONFLICT")
    assert refusal.named == {"version": "4", "expected_version": "2"}
    conflict = refusal.detail(matches.VersionConflict())
    assert (conflict.version, conflict.expected_version, conflict.truncated) == (4, 2, False)
    asked = matches.ListEventsRequest(match=face.match, after=2)
    served = await face.matches.ListEvents(asked, metadata=face.ann)
    assert list(conflict.events) == list(served.items)
    monkeypatch.setattr("services.matches.decisions.MISSED_EVENTS", 1)
    refusal = await face.refused("SubmitCommand", face.command(own, expected_version=2))
    conflict = refusal.detail(matches.VersionConflict())
    assert (list(conflict.events), conflict.truncated) == (list(served.items)[:1], True)


async def test_idempotency_keys(face: Face) -> None:
    """The key is told again; with another request it is refused, and so is one that is no key."""
    metadata = (*face.ann, ("idempotency-key", "k"))
    request = matches.CreateMatchRequest(game="montana")
    calls = [face.matches.CreateMatch(request, metadata=metadata) for _ in range(2)]
    first, again = [await one for one in calls]
    assert first == again
    assert first.idempotency_key == "k"
    assert ("idempotency-key", "k") in tuple(await calls[1].trailing_metadata())
    request.seat = 0
    refusal = await face.refused("CreateMatch", request, metadata=metadata)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "IDEMPOTENCY_KEY_REUSED")
    for name, value in (("idempotency-key", "k"), face.ann[0]):
        twice = (*face.ann, (name, value), ("idempotency-key", "k"))
        refusal = await face.refused("CreateMatch", request, metadata=twice)
        assert (refusal.code, refusal.field) == (Code.INVALID_ARGUMENT, name)
    long = (*face.ann, ("idempotency-key", "x" * 256))
    refusal = await face.refused("CreateMatch", request, metadata=long)
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "INVALID_IDEMPOTENCY_KEY")
    assert refusal.field == "idempotency-key"


async def test_sizes_and_methods(face: Face) -> None:
    """A request above 64 KiB is RESOURCE_EXHAUSTED, a method that does not exist UNIMPLEMENTED."""
    for size, code in ((60_000, Code.NOT_FOUND), (1_000_000, Code.RESOURCE_EXHAUSTED)):
        refusal = await face.refused("GetMatch", matches.GetMatchRequest(match="x" * size))
        assert refusal.code is code
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await face.channel.unary_unary("/montane.v1.MatchService/DeleteMatch")(b"")
    assert Refusal(raised.value).code is Code.UNIMPLEMENTED


async def test_a_store_that_is_away(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    """UNAVAILABLE with a hint when to try again."""

    async def away(*_: object) -> None:
        raise Unavailable

    request = matches.SubmitCommandRequest(match=face.match, command=games.Command(resign=match.Resign()))
    with monkeypatch.context() as patch:
        patch.setattr(face.stores.store, "append", away)
        refusal = await face.refused("SubmitCommand", request)
    assert (refusal.code, refusal.reason) == (Code.UNAVAILABLE, "STORE_UNAVAILABLE")
    assert refusal.detail(RetryInfo()).retry_delay.seconds == 1


async def test_a_fault_tells_nothing(
    face: Face, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """INTERNAL says nothing of the cause, which is logged once."""

    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    request = matches.SubmitCommandRequest(match=face.match, command=games.Command(resign=match.Resign()))
    with monkeypatch.context() as patch:
        patch.setattr(face.stores.store, "append", broken)
        refusal = await face.refused("SubmitCommand", request)
    assert (refusal.code, refusal.details) == (Code.INTERNAL, {})
    assert "secret" not in refusal.text
    assert len([record for record in caplog.records if record.exc_info]) == 1


async def test_health_follows_readiness(face: Face) -> None:
    """Every service is SERVING while the server is ready, and NOT_SERVING while it is not."""
    health: Any = health_pb2_grpc.HealthStub(face.channel)
    for service in ("", *SERVICES):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    watch = health.Watch(health_pb2.HealthCheckRequest(service=SERVICES[0]))
    told = [(await watch.read()).status]
    for face.ready in (False, True):
        told.append((await asyncio.wait_for(watch.read(), 10)).status)
    watch.cancel()
    response = health_pb2.HealthCheckResponse
    assert told == [response.SERVING, response.NOT_SERVING, response.SERVING]


async def test_reflection_describes_everything(face: Face) -> None:
    """A client that has no protos finds the services, and the messages of each game."""
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(face.channel)
    ask = reflection_pb2.ServerReflectionRequest
    asked = [ask(list_services=""), ask(file_containing_symbol="montane.montana.v1.Command")]
    listed, described = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]
    names = {service.name for service in listed.list_services_response.service}
    assert names == {*SERVICES, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    assert described.file_descriptor_response.file_descriptor_proto


async def test_the_catalogue(face: Face) -> None:
    """Games are told with the names of their messages, rules with the clauses that refusals cite."""
    listed = await face.catalogue.ListGames(catalogue.ListGamesRequest())
    assert [game.id for game in listed.items] == list(GAMES)
    game = listed.items[0]
    assert (await face.catalogue.GetGame(catalogue.GetGameRequest(game=game.id))).game == game
    assert game.types.command == montana_pb2.Command.DESCRIPTOR.full_name
    assert game.default_options.montana.redeals == 2
    rules = await face.catalogue.GetRules(catalogue.GetRulesRequest(game=game.id))
    clauses = {clause.id for clause in rules.clauses}
    assert {reason.clause for reason in rules.reasons} <= clauses
    assert [(clause.id, clause.text) for clause in rules.common] == [(own.id, own.text) for own in RULES]
    common = await face.catalogue.GetRules(catalogue.GetRulesRequest(game="common"))
    assert (list(common.clauses), list(common.common)) == (list(rules.common), [])
    assert {reason.reason for reason in common.reasons} == set(Reason) - OF_THE_GAME
    assert [(draw.when, draw.what) for draw in rules.draws] == [
        (draw.when, draw.what) for draw in GAMES[rules.game].draws
    ]


async def test_an_address_that_is_taken(face: Face) -> None:
    """A second server at the same address does not start."""
    second = GrpcServer(replace(face.stores.node(), ready=face.readiness), face.address)
    with pytest.raises(RuntimeError):
        await second.start()


async def test_calls_from_the_command_line(face: Face) -> None:
    """`call` takes and gives JSON, and tells a refusal in one line."""
    made = await asyncio.to_thread(
        call, "MatchService.GetMatch", f'{{"match": "{face.match}"}}', address=face.address
    )
    assert '"state": "PHASE_PLAYING"' in made
    for method, request, told in (
        ("MatchService.GetMatch", '{"match": "none"}', "NOT_FOUND"),
        ("MatchService.GetMatch", '{"game": "none"}', "no field named"),
        ("MatchService.GetMatch", "{", "the request"),
        ("MatchService.DeleteMatch", "{}", "there are CatalogueService.ListGames"),
    ):
        with pytest.raises(CallFailed, match=told):
            await asyncio.to_thread(call, method, request, address=face.address)


async def test_a_whole_deal(face: Face) -> None:
    """A deal plays to its end by legal moves, each accepted; its events are complete, and so is its view."""
    chance = random.Random(1)
    opened = await face.open(montana_pb2.Options(redeals=9))
    view = (await face.matches.GetView(matches.GetViewRequest(match=opened.id), metadata=face.ann)).view
    events = []
    while view.state == match.PHASE_PLAYING:
        listed = await face.matches.ListLegalMoves(
            matches.ListLegalMovesRequest(match=opened.id), metadata=face.ann
        )
        assert list(listed.legal_moves) == list(view.legal_moves)
        request = matches.SubmitCommandRequest(
            match=opened.id, command=chosen(chance, view), expected_version=view.version
        )
        answer = await face.matches.SubmitCommand(request, metadata=face.ann)
        assert answer.version == view.version + len(answer.events) == answer.view.version
        events += answer.events
        view = answer.view
    assert view.outcome.kind in {match.OUTCOME_KIND_WON, match.OUTCOME_KIND_LOST}
    assert view.outcome.reason in {"rows_complete", "stuck"}
    assert list(view.outcome.scores) == [view.table.montana.score]
    assert not view.legal_moves
    served, page = [], matches.ListEventsRequest(match=opened.id, page_size=7)
    while True:
        answer = await face.matches.ListEvents(page, metadata=face.ann)
        served += answer.items
        if not answer.HasField("next_page_token"):
            break
        page.page_token = answer.next_page_token
    assert [event.version for event in served] == list(range(1, view.version + 1))
    assert served[opened.version :] == events
    shown = (await face.matches.GetMatch(matches.GetMatchRequest(match=opened.id))).match
    assert (shown.state, shown.version) == (match.PHASE_FINISHED, view.version)
    (finished,) = (
        await face.matches.ListMatches(matches.ListMatchesRequest(state=match.PHASE_FINISHED))
    ).items
    assert finished == shown

    # All of its events are more than a status can carry.
    request = matches.SubmitCommandRequest(
        match=opened.id, command=games.Command(resign=match.Resign()), expected_version=0
    )
    refusal = await face.refused("SubmitCommand", request)
    conflict = refusal.detail(matches.VersionConflict())
    assert conflict.truncated
    assert list(conflict.events) == served[: len(conflict.events)]
    assert conflict.events


def chosen(chance: random.Random, view: matches.View) -> games.Command:
    """Return a random legal move, but let no two walk within column 0: that could go on for ever."""
    first_column = [row.cells[0] for row in view.table.montana.rows]

    def walks(move: montana_pb2.MoveCard) -> bool:
        return move.HasField("card") and move.column == 0 and move.card in first_column

    return chance.choice([one for one in view.legal_moves if not walks(one.montana.move_card)])
