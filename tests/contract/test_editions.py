"""A match goes on under the ruleset that it was opened with, on both faces, whatever came after it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol, cast

import grpc
import httpx
import msgspec
import pytest
from msgspec.structs import replace

from adapters.grpc.generated.montane.v1 import catalogue_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.mapping import COMMAND
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from adapters.rest.bodies.matches import command_type
from domain.games import GAMES
from domain.match import Resign
from domain.shared.game import AnyGame
from domain.shared.seats import Seat
from services.use_cases import Services
from tests.support.faces.faces import mapper
from tests.support.faces.grpc_client import refusal_of
from tests.support.stores.use_cases import Stores, memory_stores

BONUS = 1_000
"""The points that every seat has more in the later edition."""


class Standing(NamedTuple):
    """What a view says of a match.

    Attributes:
        version: How many events it has.
        moves: The legal moves of the seat.
        scores: The points at the end, none before.
    """

    version: int
    moves: list[Any]
    scores: list[int]


class Client(Protocol):
    """Anyone who plays over a face, with one player a seat."""

    async def open(self, game: AnyGame) -> tuple[str, str]:
        """Open a match with as few seats as may be, seat players, and return its id and ruleset."""

    async def view(self, match: str, seat: int, version: int | None = None) -> Standing:
        """Return how a match stands, or stood."""

    async def command(self, match: str, seat: int, command: Any) -> Standing:
        """Give a command."""

    async def ruleset(self, game: str, ruleset: str | None) -> str:
        """Return the ruleset whose rules are told."""

    async def refusal(self, match: str) -> tuple[str, str]:
        """Return how looking at a match fails: code and reason."""

    async def no_rules(self, game: str, ruleset: str) -> tuple[str, str]:
        """Return how asking for rules fails: code and reason."""


class Rest:
    """Speaks REST."""

    def __init__(self, services: Services, tokens: list[str]) -> None:
        """Take the server, and the players' tokens."""
        transport = httpx.ASGITransport(app=cast(Any, build(services, "0")))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://test/v1")
        self.tokens = tokens

    async def ask(self, method: str, path: str, seat: int = 0, **request: Any) -> Any:
        """Return the answer to a request of a seat's player."""
        headers = {"Authorization": f"Bearer {self.tokens[seat]}"}
        return await self.http.request(method, path, headers=headers, **request)

    async def open(self, game: AnyGame) -> tuple[str, str]:
        """Open a match with as few seats as may be, seat players, and return its id and ruleset."""
        opened = (await self.ask("POST", "/matches", json={"game": game.id, "seat": 0})).json()
        for seat in range(1, game.min_seats):
            await self.ask("PUT", f"/matches/{opened['id']}/seats/{seat}", seat, json={})
        return opened["id"], opened["ruleset"]

    async def view(self, match: str, seat: int, version: int | None = None) -> Standing:
        """Return how a match stands, or stood."""
        params = {} if version is None else {"version": version}
        return self.standing((await self.ask("GET", f"/matches/{match}/view", seat, params=params)).json())

    async def command(self, match: str, seat: int, command: Any) -> Standing:
        """Give a command."""
        body = {"command": msgspec.to_builtins(command)}
        answer = await self.ask("POST", f"/matches/{match}/commands", seat, json=body)
        return self.standing(answer.json()["view"])

    def standing(self, view: Any) -> Standing:
        """Return what a view says."""
        kind = command_type(view["game"], GAMES[view["game"]].commands)
        moves = [msgspec.convert(move, kind) for move in view["legal_moves"]]
        return Standing(view["version"], moves, view["outcome"]["scores"] if view["outcome"] else [])

    async def ruleset(self, game: str, ruleset: str | None) -> str:
        """Return the ruleset whose rules are told."""
        params = {} if ruleset is None else {"ruleset": ruleset}
        return str((await self.ask("GET", f"/games/{game}/rules", params=params)).json()["ruleset"])

    async def refusal(self, match: str) -> tuple[str, str]:
        """Return how looking at a match fails: code and reason."""
        answer = await self.ask("GET", f"/matches/{match}/view")
        return str(answer.status_code), answer.json()["reason"]

    async def no_rules(self, game: str, ruleset: str) -> tuple[str, str]:
        """Return how asking for rules fails: code and reason."""
        answer = await self.ask("GET", f"/games/{game}/rules", params={"ruleset": ruleset})
        return str(answer.status_code), answer.json()["reason"]


class Grpc:
    """Speaks gRPC."""

    def __init__(self, channel: Any, tokens: list[str]) -> None:
        """Take the connection, and the players' tokens."""
        self.matches: Any = MatchServiceStub(channel)
        self.catalogue: Any = CatalogueServiceStub(channel)
        self.tokens = tokens

    def of(self, seat: int) -> dict[str, Any]:
        """Return with what a seat's player calls."""
        return {"metadata": (("authorization", f"Bearer {self.tokens[seat]}"),)}

    async def open(self, game: AnyGame) -> tuple[str, str]:
        """Open a match with as few seats as may be, seat players, and return its id and ruleset."""
        request = pb.CreateMatchRequest(game=game.id, seat=0)
        opened = (await self.matches.CreateMatch(request, **self.of(0))).match
        for seat in range(1, game.min_seats):
            await self.matches.TakeSeat(pb.TakeSeatRequest(match=opened.id, seat=seat), **self.of(seat))
        return opened.id, opened.ruleset

    async def view(self, match: str, seat: int, version: int | None = None) -> Standing:
        """Return how a match stands, or stood."""
        request = pb.GetViewRequest(match=match, version=version)
        return self.standing((await self.matches.GetView(request, **self.of(seat))).view)

    async def command(self, match: str, seat: int, command: Any) -> Standing:
        """Give a command."""
        request = pb.SubmitCommandRequest(
            match=match, command=cast(Any, mapper().to_message(COMMAND, command))
        )
        return self.standing((await self.matches.SubmitCommand(request, **self.of(seat))).view)

    def standing(self, view: pb.View) -> Standing:
        """Return what a view says."""
        moves = [mapper().from_message(move, "legal_moves") for move in view.legal_moves]
        return Standing(view.version, moves, list(view.outcome.scores))

    async def ruleset(self, game: str, ruleset: str | None) -> str:
        """Return the ruleset whose rules are told."""
        request = catalogue_pb2.GetRulesRequest(game=game, ruleset=ruleset)
        return str((await self.catalogue.GetRules(request)).ruleset)

    async def refusal(self, match: str) -> tuple[str, str]:
        """Return how looking at a match fails: code and reason."""
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.matches.GetView(pb.GetViewRequest(match=match), **self.of(0))
        return refusal_of(raised.value)[:2]

    async def no_rules(self, game: str, ruleset: str) -> tuple[str, str]:
        """Return how asking for rules fails: code and reason."""
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.catalogue.GetRules(catalogue_pb2.GetRulesRequest(game=game, ruleset=ruleset))
        return refusal_of(raised.value)[:2]


@asynccontextmanager
async def rest(stores: Stores, node: Services, tokens: list[str]) -> AsyncIterator[Client]:
    """Give a client of a process that serves REST."""
    client = Rest(node, tokens)
    yield client
    await client.http.aclose()


@asynccontextmanager
async def over_grpc(stores: Stores, node: Services, tokens: list[str]) -> AsyncIterator[Client]:
    """Give a client of a process that serves gRPC."""
    server = GrpcServer(node, "127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        yield Grpc(channel, tokens)
    await server.stop(1)


FACES: dict[str, Any] = {"rest": (rest, "503", "404"), "grpc": (over_grpc, "UNAVAILABLE", "NOT_FOUND")}
"""How each face is served, and how it says that something is away, or not there."""


def corrected(game: AnyGame) -> AnyGame:
    """Return a later edition of a game: moves are listed the other way round, and points are more."""

    def legal_moves(state: Any, seat: Seat) -> Any:
        return tuple(game.legal_moves(state, seat))[::-1]

    def scores(state: Any) -> tuple[int, ...]:
        return tuple(score + BONUS for score in game.scores(state))

    ruleset = f"{game.ruleset}-corrected"
    return replace(game, ruleset=ruleset, legal_moves=legal_moves, scores=scores, earlier=(game,))


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
async def test_old_matches_go_on_under_their_own_rules(game: AnyGame, face: str) -> None:
    """With a later edition in place new matches have its rules; older ones are played and shown as before.

    They are loaded from events and from snapshots. A process that does not have the later edition says so.
    """
    serve, away, missing = FACES[face]
    stores, later = memory_stores(), corrected(game)
    accounts = stores.players()
    tokens = [(await accounts.open_guest(f"Player {seat}"))[1] for seat in range(game.min_seats)]
    before = stores.node(snapshot_every=2)
    async with serve(stores, before, tokens) as client:
        old, ruleset = await client.open(game)
        assert ruleset == game.ruleset == await client.ruleset(game.id, None)
        unplayed, _ = await client.open(game)
        shown = [await client.view(old, seat) for seat in range(game.min_seats)]
    await before.drain()
    after = stores.node(snapshot_every=2, games={**GAMES, game.id: later})
    async with serve(stores, after, tokens) as client:
        assert [await client.view(old, seat) for seat in range(game.min_seats)] == shown
        assert shown == [await client.view(old, seat, shown[0].version) for seat in range(game.min_seats)]
        seat = next(seat for seat, standing in enumerate(shown) if standing.moves)
        await client.command(old, seat, shown[seat].moves[0])
        new, ruleset = await client.open(game)
        assert ruleset == later.ruleset == await client.ruleset(game.id, None)
        assert game.ruleset == await client.ruleset(game.id, game.ruleset)
        assert await client.no_rules(game.id, "none/0") == (missing, "NO_SUCH_RULESET")
        for match, bonus in ((old, 0), (unplayed, 0), (new, BONUS)):
            ended = await client.command(match, 0, Resign())
            match_now = (await after.queries.read(cast(Any, match), None)).match
            assert ended.scores == [score + bonus for score in game.scores(match_now.state)]
        first = [await client.view(new, seat, shown[0].version) for seat in range(game.min_seats)]
        table = (await after.decisions.matches.at_version(cast(Any, new), first[0].version)).match.state
        for seat in game.to_act(table):
            assert first[seat].moves == list(game.legal_moves(table, seat))[::-1]
    await after.drain()
    async with serve(stores, stores.node(), tokens) as client:
        assert await client.refusal(new) == (away, "RULESET_UNKNOWN")
        assert (await client.view(old, 0)).version > shown[0].version
