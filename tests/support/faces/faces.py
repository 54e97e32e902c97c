"""A client of a match over REST or gRPC, the same to its user, which keeps all that it was told, as bytes."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import grpc
import httpx
import msgspec
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from adapters.grpc.generated.montane.v1 import match_pb2, players_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.mapping import COMMAND, Mapper
from adapters.rest.bodies.matches import CommandResult, Items, command_type
from domain.games import GAMES
from services.matches.commands import Answer
from services.matches.views import SeenEvent, View
from tests.support.faces.grpc_client import GrpcClient
from tests.support.faces.server import Server

PAGE = 200
PHASES = {
    match_pb2.PHASE_OPEN: "open",
    match_pb2.PHASE_PLAYING: "playing",
    match_pb2.PHASE_FINISHED: "finished",
}
LAST = {"caught_up", "end"}
"""The item of a stream after which nothing comes for now."""
COMING_AND_GOING = "presence"
"""The item of a stream that tells who is there, which is nothing of the match."""
UNTOLD = {"date", "content-length", "content-type"}
"""Headers that say nothing of the match beyond its body."""


class Said(NamedTuple):
    """An answer, good or bad.

    Attributes:
        code: The status.
        head: What came beside the body, sorted.
        body: The body as it came.
        content: The body, read.
    """

    code: str
    head: tuple[tuple[str, str], ...]
    body: bytes
    content: Any

    @property
    def good(self) -> bool:
        """Return whether it is what was asked for."""
        return self.code in {"200", "201", "OK"}


class Face:
    """A player, or nobody in particular, who talks to a server.

    Attributes:
        heard: All answers, in order.
    """

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self.heard: list[Said] = []

    def open(self, game: str, options: Any, seats: int, seat: int) -> str:
        """Open a match, take a seat, and return the match's id."""
        raise NotImplementedError

    def sit(self, match: str, seat: int) -> None:
        """Take a seat."""
        raise NotImplementedError

    def match(self, match: str) -> Said:
        """Ask for a match without its table."""
        raise NotImplementedError

    def view(self, match: str, version: int | None = None) -> Said:
        """Ask for the view, now or at a version."""
        raise NotImplementedError

    def moves(self, match: str) -> Said:
        """Ask for the legal moves."""
        raise NotImplementedError

    def events(self, match: str, after: int) -> Said:
        """Ask for the events after a version, at most a page of them."""
        raise NotImplementedError

    def stream(self, match: str, after: int | None = None) -> Said:
        """Read a stream until it has caught up: from a version on, or from how the match stands."""
        raise NotImplementedError

    def command(
        self,
        match: str,
        command: Any,
        *,
        key: str,
        expected_version: int | None = None,
        validate_only: bool = False,
    ) -> Said:
        """Give a command, or ask whether it would be accepted."""
        raise NotImplementedError

    def moves_in(self, game: str, said: Said) -> list[Any]:
        """Return the legal moves that the view of an answer lists, as the domain has them."""
        raise NotImplementedError

    def view_in(self, said: Said) -> tuple[int, str, list[int]]:
        """Return version, state and the seats that are to act, of the view of an answer."""
        raise NotImplementedError

    def written_view(self, view: View[Any, Any]) -> bytes:
        """Return the body that shows a view."""
        raise NotImplementedError

    def written_page(self, events: Sequence[SeenEvent[Any]], next_page: str | None) -> bytes:
        """Return the body that lists events."""
        raise NotImplementedError

    def written_answer(self, answer: Answer) -> bytes:
        """Return the body that answers a command."""
        raise NotImplementedError

    def written_event(self, event: SeenEvent[Any]) -> bytes:
        """Return how an event is written within a body, up to its proof."""
        raise NotImplementedError

    def reconnect(self) -> None:
        """Connect again, if that does not happen by itself."""

    def close(self) -> None:
        """Hang up."""
        raise NotImplementedError

    def _said(self, said: Said) -> Said:
        self.heard.append(said)
        return said


class Rest(Face):
    """Talks REST."""

    def __init__(self, server: Server, token: str | None = None, *, name: str | None = None) -> None:
        """Be who a token says, or a new guest of this name, or nobody."""
        super().__init__()
        self._http = httpx.Client(base_url=server.url, timeout=30)
        if name is not None:
            token = self._ask("POST", "/v1/players", json={"display_name": name}).content["token"]
        if token is not None:
            self._http.headers["Authorization"] = f"Bearer {token}"

    def open(self, game: str, options: Any, seats: int, seat: int) -> str:
        """Open a match, take a seat, and return the match's id."""
        body = {"game": game, "options": msgspec.to_builtins(options), "seats": seats, "seat": seat}
        said = self._ask("POST", "/v1/matches", json=body)
        assert said.good, said
        return str(said.content["id"])

    def sit(self, match: str, seat: int) -> None:
        """Take a seat."""
        assert self._ask("PUT", f"/v1/matches/{match}/seats/{seat}", json={}).good

    def match(self, match: str) -> Said:
        """Ask for a match without its table."""
        return self._ask("GET", f"/v1/matches/{match}")

    def view(self, match: str, version: int | None = None) -> Said:
        """Ask for the view, now or at a version."""
        params = {} if version is None else {"version": version}
        return self._ask("GET", f"/v1/matches/{match}/view", params=params)

    def moves(self, match: str) -> Said:
        """Ask for the legal moves."""
        return self._ask("GET", f"/v1/matches/{match}/legal-moves")

    def events(self, match: str, after: int) -> Said:
        """Ask for the events after a version, at most a page of them."""
        return self._ask("GET", f"/v1/matches/{match}/events", params={"after": after, "page_size": PAGE})

    def stream(self, match: str, after: int | None = None) -> Said:
        """Read a stream until it has caught up: from a version on, or from how the match stands."""
        params = {} if after is None else {"after": after}
        request = ("GET", f"/v1/matches/{match}/events")
        lines = []
        with self._http.stream(*request, params=params, headers={"Accept": "application/x-ndjson"}) as answer:
            for line in answer.iter_lines():
                kind = msgspec.json.decode(line)["type"]
                if kind != COMING_AND_GOING:
                    lines.append(line)
                if kind in LAST:
                    break
        return self._said(Said(str(answer.status_code), (), "\n".join(lines).encode(), None))

    def command(
        self,
        match: str,
        command: Any,
        *,
        key: str,
        expected_version: int | None = None,
        validate_only: bool = False,
    ) -> Said:
        """Give a command, or ask whether it would be accepted."""
        body = {"command": msgspec.to_builtins(command), "validate_only": validate_only}
        if expected_version is not None:
            body["expected_version"] = expected_version
        headers = {"Idempotency-Key": key}
        return self._ask("POST", f"/v1/matches/{match}/commands", json=body, headers=headers)

    def moves_in(self, game: str, said: Said) -> list[Any]:
        """Return the legal moves that the view of an answer lists, as the domain has them."""
        kind = command_type(game, GAMES[game].commands)
        view = said.content.get("view", said.content)
        return [msgspec.convert(move, kind) for move in view["legal_moves"]]

    def view_in(self, said: Said) -> tuple[int, str, list[int]]:
        """Return version, state and the seats that are to act, of the view of an answer."""
        view = said.content.get("view", said.content)
        return view["version"], view["state"], view["to_act"]

    def written_view(self, view: View[Any, Any]) -> bytes:
        """Return the body that shows a view."""
        return msgspec.json.encode(view)

    def written_page(self, events: Sequence[SeenEvent[Any]], next_page: str | None) -> bytes:
        """Return the body that lists events."""
        return msgspec.json.encode(Items(tuple(events), next_page))

    def written_answer(self, answer: Answer) -> bytes:
        """Return the body that answers a command."""
        return msgspec.json.encode(CommandResult(answer.version, answer.events, answer.view))

    def written_event(self, event: SeenEvent[Any]) -> bytes:
        """Return how an event is written within a body, up to its proof."""
        proof = b',"proof":' + msgspec.json.encode(event.proof) + b"}"
        return msgspec.json.encode(event).removesuffix(proof)

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def _ask(self, method: str, path: str, **request: Any) -> Said:
        answer = self._http.request(method, path, **request)
        head = sorted((name, value) for name, value in answer.headers.items() if name not in UNTOLD)
        return self._said(Said(str(answer.status_code), tuple(head), answer.content, answer.json()))


class Grpc(Face):
    """Talks gRPC."""

    def __init__(self, server: Server, token: str | None = None, *, name: str | None = None) -> None:
        """Be who a token says, or a new guest of this name, or nobody."""
        super().__init__()
        self._client = GrpcClient(server.grpc_target, None)
        if name is not None:
            request = players_pb2.CreatePlayerRequest(display_name=name)
            token = self._ask(self._client.players.CreatePlayer, request).content.token
        if token is not None:
            self._client.metadata = (("authorization", f"Bearer {token}"),)

    def open(self, game: str, options: Any, seats: int, seat: int) -> str:
        """Open a match, take a seat, and return the match's id."""
        request = pb.CreateMatchRequest(game=game, options=mapper().options(options), seats=seats, seat=seat)
        said = self._ask(self._client.matches.CreateMatch, request)
        assert said.good, said
        return str(said.content.match.id)

    def sit(self, match: str, seat: int) -> None:
        """Take a seat."""
        assert self._ask(self._client.matches.TakeSeat, pb.TakeSeatRequest(match=match, seat=seat)).good

    def match(self, match: str) -> Said:
        """Ask for a match without its table."""
        return self._ask(self._client.matches.GetMatch, pb.GetMatchRequest(match=match))

    def view(self, match: str, version: int | None = None) -> Said:
        """Ask for the view, now or at a version."""
        return self._ask(self._client.matches.GetView, pb.GetViewRequest(match=match, version=version))

    def moves(self, match: str) -> Said:
        """Ask for the legal moves."""
        return self._ask(self._client.matches.ListLegalMoves, pb.ListLegalMovesRequest(match=match))

    def events(self, match: str, after: int) -> Said:
        """Ask for the events after a version, at most a page of them."""
        request = pb.ListEventsRequest(match=match, after=after, page_size=PAGE)
        return self._ask(self._client.matches.ListEvents, request)

    def stream(self, match: str, after: int | None = None) -> Said:
        """Read a stream until it has caught up: from a version on, or from how the match stands."""
        request = pb.WatchMatchRequest(match=match, after=after)
        call: Any = self._client.matches.WatchMatch(request, metadata=self._client.metadata, timeout=30)
        parts = []
        for part in call:
            kind = part.item.WhichOneof("item")
            if kind != COMING_AND_GOING:
                parts.append(part)
            if kind in LAST:
                call.cancel()
                break
        return self._said(Said("OK", (), b"".join(map(_bytes, parts)), tuple(parts)))

    def command(
        self,
        match: str,
        command: Any,
        *,
        key: str,
        expected_version: int | None = None,
        validate_only: bool = False,
    ) -> Said:
        """Give a command, or ask whether it would be accepted."""
        message: Any = mapper().to_message(COMMAND, command)
        request = pb.SubmitCommandRequest(
            match=match, command=message, expected_version=expected_version, validate_only=validate_only
        )
        return self._ask(self._client.matches.SubmitCommand, request, ("idempotency-key", key))

    def moves_in(self, game: str, said: Said) -> list[Any]:
        """Return the legal moves that the view of an answer lists, as the domain has them."""
        return [mapper().from_message(move, "legal_moves") for move in said.content.view.legal_moves]

    def view_in(self, said: Said) -> tuple[int, str, list[int]]:
        """Return version, state and the seats that are to act, of the view of an answer."""
        view = said.content.view
        return view.version, PHASES[view.state], list(view.to_act)

    def written_view(self, view: View[Any, Any]) -> bytes:
        """Return the body that shows a view."""
        return _bytes(pb.GetViewResponse(view=mapper().view(view)))

    def written_page(self, events: Sequence[SeenEvent[Any]], next_page: str | None) -> bytes:
        """Return the body that lists events."""
        return _bytes(pb.ListEventsResponse(items=map(mapper().event, events), next_page_token=next_page))

    def written_answer(self, answer: Answer) -> bytes:
        """Return the body that answers a command."""
        return _bytes(
            pb.SubmitCommandResponse(
                version=answer.version,
                events=map(mapper().event, answer.events),
                view=mapper().view(answer.view),
                idempotency_key=answer.key,
            )
        )

    def written_event(self, event: SeenEvent[Any]) -> bytes:
        """Return how an event is written within a body, up to its proof."""
        message = mapper().event(event)
        message.ClearField("proof")
        return _bytes(message)

    def reconnect(self) -> None:
        """Connect again, if that does not happen by itself."""
        self._client.close()
        self._client.reconnect()

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def _ask(self, method: Any, request: Any, *metadata: tuple[str, str]) -> Said:
        try:
            answer, call = method.with_call(request, metadata=(*self._client.metadata, *metadata), timeout=30)
            return self._said(Said("OK", _head(call.trailing_metadata()), _bytes(answer), answer))
        except grpc.RpcError as error:
            refused: Any = error
            head = dict(refused.trailing_metadata() or ())
            status = Status()
            status.ParseFromString(head.pop("grpc-status-details-bin", b""))
            for detail in status.details:
                _sort_map(detail)
            return self._said(Said(refused.code().name, _head(head.items()), _bytes(status), status))


@cache
def mapper() -> Mapper:
    """Return how values of the registered games are messages."""
    return Mapper(dict(GAMES))


def _sort_map(detail: Any) -> None:
    """Write the named values of a failure in order: a message has a map in any order."""
    info = ErrorInfo()
    if detail.Unpack(info):
        detail.value = _bytes(info)


def _head(metadata: Any) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in metadata or ()))


def _bytes(message: Message) -> bytes:
    return bytes(message.SerializeToString(deterministic=True))
