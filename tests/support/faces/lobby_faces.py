"""What brings players together, over REST and over gRPC, asked for in the same words."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast

import grpc
import httpx
from google.protobuf.json_format import MessageToDict, ParseDict

from adapters.grpc.generated.montane.v1 import catalogue_pb2, matches_pb2, players_pb2
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceStub
from adapters.grpc.server import GrpcServer
from adapters.rest.app import build
from domain.match import PlayerId
from services.players.store import Scope
from tests.support.faces.grpc_client import refusal_of
from tests.support.stores.use_cases import Stores

CALLS: Mapping[str, tuple[str, str]] = {
    "CreateMatch": ("POST", "/v1/matches"),
    "GetMatch": ("GET", "/v1/matches/{match}"),
    "TakeSeat": ("PUT", "/v1/matches/{match}/seats/{seat}"),
    "LeaveSeat": ("DELETE", "/v1/matches/{match}/seats/{seat}"),
    "StartMatch": ("POST", "/v1/matches/{match}/start"),
    "CancelMatch": ("POST", "/v1/matches/{match}/cancel"),
    "InvitePlayer": ("POST", "/v1/matches/{match}/invitations"),
    "GetInvitation": ("GET", "/v1/matches/{match}/invitation"),
    "RenewInvitation": ("POST", "/v1/matches/{match}/invitation"),
    "Rematch": ("POST", "/v1/matches/{match}/rematch"),
    "QuickMatch": ("POST", "/v1/quick-match"),
    "BranchMatch": ("POST", "/v1/matches/{match}/branches"),
    "SubmitCommand": ("POST", "/v1/matches/{match}/commands"),
    "GetView": ("GET", "/v1/matches/{match}/view"),
    "ListEvents": ("GET", "/v1/matches/{match}/events"),
    "ListLegalMoves": ("GET", "/v1/matches/{match}/legal-moves"),
}
"""The methods of gRPC with what they are over REST."""

QUERIES = {"invitation"}
"""The fields that REST has in the query."""
WITHOUT_BODY = {"StartMatch", "CancelMatch", "LeaveSeat", "RenewInvitation"}


class Told(NamedTuple):
    """An answer, the same over both faces.

    Attributes:
        code: The status; empty if it is a good one.
        reason: Why it is not.
        content: What was answered, as JSON has it.
    """

    code: str
    reason: str
    content: dict[str, Any]

    @property
    def id(self) -> str:
        """The match's id."""
        return str(self.content["id"])

    @property
    def seated(self) -> list[str | None]:
        """Who holds each seat, by display name."""
        players = (seat.get("player") for seat in self.content["seats"])
        return [None if player is None else player["display_name"] for player in players]


class Rest:
    """Asks over REST."""

    def __init__(self, stores: Stores) -> None:
        """Build the application."""
        app = cast(Any, build(stores.node(), "0"))
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://montane")

    async def account(self, name: str) -> tuple[str, str]:
        """Return the id and token of a new player."""
        made = (await self._http.post("/v1/players", json={"display_name": name})).json()
        return made["player"]["id"], made["token"]

    async def games(self) -> list[dict[str, Any]]:
        """Return the games, as they are listed and each for itself."""
        listed: list[dict[str, Any]] = (await self._http.get("/v1/games")).json()["items"]
        return listed + [(await self._http.get(f"/v1/games/{game['id']}")).json() for game in listed]

    async def bots(self) -> list[dict[str, str]]:
        """Return the server's bots."""
        listed: list[dict[str, str]] = (await self._http.get("/v1/bots")).json()["items"]
        return listed

    async def ask(self, token: str | None, call: str, *, key: str | None = None, **fields: Any) -> Told:
        """Return the answer to a call."""
        method, path = CALLS[call]
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        headers |= {} if key is None else {"Idempotency-Key": key}
        request: dict[str, Any] = {"params": {name: fields.pop(name) for name in QUERIES & fields.keys()}}
        own = {name: fields.pop(name) for name in ("match", "seat") if f"{{{name}}}" in path}
        if method in {"POST", "PUT"} and call not in WITHOUT_BODY:
            request["json"] = fields
        elif method == "GET":
            request["params"] |= fields
        answer = await self._http.request(method, path.format(**own), headers=headers, **request)
        content: dict[str, Any] = answer.json()
        if answer.is_success:
            return Told("", "", content)
        return Told(str(answer.status_code), content["reason"], content)

    async def close(self) -> None:
        """Hang up."""
        await self._http.aclose()


class Grpc:
    """Asks over gRPC."""

    def __init__(self, target: str) -> None:
        """Connect."""
        self._channel: Any = grpc.aio.insecure_channel(target)
        self._matches: Any = MatchServiceStub(self._channel)
        self._players: Any = PlayerServiceStub(self._channel)
        self._catalogue: Any = CatalogueServiceStub(self._channel)

    async def account(self, name: str) -> tuple[str, str]:
        """Return the id and token of a new player."""
        made = await self._players.CreatePlayer(players_pb2.CreatePlayerRequest(display_name=name))
        return made.player.id, made.token

    async def games(self) -> list[dict[str, Any]]:
        """Return the games, as they are listed and each for itself."""
        listed = (await self._catalogue.ListGames(catalogue_pb2.ListGamesRequest())).items
        asked = [catalogue_pb2.GetGameRequest(game=game.id) for game in listed]
        found = [*listed, *[(await self._catalogue.GetGame(request)).game for request in asked]]
        return [MessageToDict(game, preserving_proto_field_name=True) for game in found]

    async def bots(self) -> list[dict[str, str]]:
        """Return the server's bots."""
        listed = await self._catalogue.ListBots(catalogue_pb2.ListBotsRequest())
        return [{"name": bot.name, "description": bot.description} for bot in listed.items]

    async def ask(self, token: str | None, call: str, *, key: str | None = None, **fields: Any) -> Told:
        """Return the answer to a call."""
        given = {"authorization": None if token is None else f"Bearer {token}", "idempotency-key": key}
        metadata = tuple((name, value) for name, value in given.items() if value is not None)
        request = ParseDict(_enumerated(fields), getattr(matches_pb2, f"{call}Request")())
        try:
            answer = await getattr(self._matches, call)(request, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            code, reason, details = refusal_of(error)
            return Told(code, reason, dict(details))
        content: dict[str, Any] = MessageToDict(
            answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        match = content.get("match")
        return Told("", "", _plain(match) if isinstance(match, dict) else content)

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()


CODES = {
    "INVALID_ARGUMENT": "400",
    "UNAUTHENTICATED": "401",
    "PERMISSION_DENIED": "403",
    "NOT_FOUND": "404",
    "FAILED_PRECONDITION": "422",
}
"""The statuses of REST by the codes of gRPC."""


class Table:
    """Three players at either face, each with a way to ask."""

    def __init__(self, face: Rest | Grpc, stores: Stores) -> None:
        """Take the face, and what it stands on."""
        self.face = face
        self._players = stores.players()
        self.ids: dict[str, str] = {}
        self._tokens: dict[str | None, str | None] = {None: None}

    async def gather(self) -> None:
        """Open the players' accounts."""
        for name in ("Ann", "Ben", "Cam"):
            self.ids[name], self._tokens[name] = await self.face.account(name)

    async def limit(self, who: str, scope: Scope) -> None:
        """Let a player call from now on with a token of this scope alone."""
        _, self._tokens[who] = await self._players.issue_token(PlayerId(self.ids[who]), [scope], None)

    async def ask(self, who: str | None, call: str, **fields: Any) -> Told:
        """Return the answer to a call."""
        return await self.face.ask(self._tokens[who], call, **fields)

    async def done(self, who: str | None, call: str, **fields: Any) -> Told:
        """Return the answer to a call, which must be a good one."""
        told = await self.ask(who, call, **fields)
        assert not told.code, told
        return told

    async def refused(self, who: str | None, call: str, **fields: Any) -> tuple[str, str]:
        """Return with which status of REST a call is refused, and why."""
        told = await self.ask(who, call, **fields)
        assert told.code, told
        return CODES.get(told.code, told.code), told.reason

    async def opened(self, **fields: Any) -> str:
        """Return a match of Mountains for two that Ann opened and sits in."""
        return (await self.done("Ann", "CreateMatch", game="mountains", seats=2, seat=0, **fields)).id

    async def begun(self) -> str:
        """Return a match that Ann and Ben play."""
        id = await self.opened()
        await self.done("Ben", "TakeSeat", match=id, seat=1)
        return id


ENUMS = {
    "visibility": "VISIBILITY",
    "start": "START_MODE",
    "disclosure": "DISCLOSURE",
    "memory_aid": "MEMORY_AID",
    "on_time_out": "ON_TIME_OUT",
    "chat": "CHAT_MODE",
    "state": "PHASE",
}
"""The fields of a match that are one of a few words, with how these begin in a message."""


def _enumerated(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with their words as messages have them."""
    given = dict(fields)
    for name in ENUMS.keys() & fields.keys():
        given[name] = f"{ENUMS[name]}_{str(fields[name]).upper()}"
    if kind := given.get("time_control", {}).get("kind"):
        given["time_control"] = given["time_control"] | {"kind": f"TIME_CONTROL_KIND_{kind.upper()}"}
    if (viewer := given.get("as")) is not None:
        words = viewer in ("spectator", "all")
        kind = f"VIEWER_KIND_{viewer.upper()}" if words else "VIEWER_KIND_SEAT"
        given["as"] = {"kind": kind} | ({} if words else {"seat": int(viewer)})
    if "options" in given:
        given["options"] = {given["game"]: given["options"]}
    return given


def _plain(match: dict[str, Any]) -> dict[str, Any]:
    """Return a match with its words as JSON has them, and what it does not have as null."""
    words = {name: match[name].removeprefix(f"{prefix}_").lower() for name, prefix in ENUMS.items()}
    control = dict(match["time_control"])
    control["kind"] = control["kind"].removeprefix("TIME_CONTROL_KIND_").lower()
    plain = {"rematch_of": None, "branch_of": None} | match | words | {"time_control": control}
    if branch_of := plain["branch_of"]:
        viewer = branch_of["viewer"].removeprefix("VIEWER_KIND_").lower()
        plain["branch_of"] = {"seat": None} | branch_of | {"viewer": viewer}
    return plain


@asynccontextmanager
async def rest(stores: Stores) -> AsyncIterator[Rest]:
    """Give who asks over REST."""
    face = Rest(stores)
    yield face
    await face.close()


@asynccontextmanager
async def over_grpc(stores: Stores) -> AsyncIterator[Grpc]:
    """Give who asks over gRPC, on a real socket."""
    services = stores.node()
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    face = Grpc(f"127.0.0.1:{server.port}")
    yield face
    await face.close()
    await server.stop(0)
