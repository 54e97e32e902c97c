"""A match over a WebSocket: the stream's items out, commands in, answers between the items."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, TypedDict
from weakref import proxy

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from litestar.types import Receive, Send
from msgspec import Raw

from adapters.faces.conversation import Reply, conversation
from adapters.rest.bodies.matches import SocketCommand, SocketProblem, SocketResult
from adapters.rest.documentation.of_games import command_in
from adapters.rest.parameters import given_twice, number_in, once
from adapters.rest.problems import bug, problem_of
from adapters.rest.requests import base_of, decoded, services, token, visit
from adapters.rest.server.connections import abort_of
from adapters.rest.streams import encoded, weighed
from domain.shared.rejections import Rejected
from services.matches.commands import Answer
from services.players.accounts import Caller
from services.players.store import Scope
from services.shared.errors import Failure, FailureReason, Unauthenticated
from services.shared.ids import MatchId
from services.shared.rate_limits import Visit, missed
from services.streams.match_stream import Item
from services.use_cases import Services


class Socket(WebSocket[Any, Any, Any]):
    """A WebSocket that is gone with its last use: the framework's own holds functions that hold it."""

    def receive_wrapper(self, receive: Receive) -> Receive:
        """Return what receives and notes how far the conversation is."""
        return WebSocket.receive_wrapper(proxy(self), receive)

    def send_wrapper(self, send: Send) -> Send:
        """Return what sends unless the client is gone."""
        return WebSocket.send_wrapper(proxy(self), send)


PROTOCOL = "montane.v1"
BEARER = "montane.bearer."
"""How the subprotocol begins that carries a token: a browser cannot give a WebSocket any other header."""

SOCKET_QUERY = frozenset({"after", "as", "invitation"})
"""The parameters of a socket's address."""

REFUSED = 4_000
"""What is added to the status of a problem to make the code that the WebSocket is closed with."""


class Asked(TypedDict):
    """What the address of a socket asks for, as the use case takes it."""

    after: int | None
    looking_as: str | None
    invitation: str | None


type Message = SocketResult[Any, Any, Any] | SocketProblem


async def converse_over(socket: Socket, match: MatchId) -> None:
    """Play a match over a WebSocket, until the match or the connection ends."""
    await accept(socket)
    known = services(socket)
    try:
        player = await _player(socket)
        watch = await known.match_streams.watch(
            match, None if player is None else player.id, **_asked(socket)
        )
        weighed(watch, visit(socket))
    except (Failure, Rejected) as failed:
        await refuse(socket, visit(socket).told(failed))
        return
    watch.cut_off = abort_of(socket.scope)
    if player is not None:
        services(socket).players.sessions.hold(player.credential, watch)

    reply = partial(_reply, visit(socket), base_of(socket.scope), known, match, player)
    with suppress(WebSocketDisconnect):
        async with aclosing(conversation(watch, _messages(socket), reply)) as parts:
            async for told, messages in parts:
                for one in told:
                    await socket.send_data(one.encoded(text), mode="text")
                for message in messages:
                    await _send(socket, message)
        await socket.close()


async def accept(socket: Socket) -> None:
    """Let a conversation begin, if only to tell why it cannot go on."""
    await socket.accept(subprotocols=PROTOCOL if PROTOCOL in socket.scope["subprotocols"] else None)


async def refuse(socket: Socket, failed: Failure | Rejected) -> None:
    """Tell a client why its WebSocket is closed, and close it."""
    found = problem_of(base_of(socket.scope), failed)
    await _send(socket, SocketProblem("", found))
    await socket.close(REFUSED + found.status, found.reason)


def token_offered(subprotocols: Sequence[str]) -> str | None:
    """Return the token that a client in a browser names, or None if it names none."""
    return next((name.removeprefix(BEARER) for name in subprotocols if name.startswith(BEARER)), None)


def text(item: Item) -> str:
    """Return an item as JSON, as a WebSocket sends it."""
    return encoded(item).decode()


async def _reply(
    visit: Visit, base: str, known: Services, match: MatchId, player: Caller | None, message: bytes
) -> Reply[Message]:
    """Return the reply to a message, whatever it is."""
    id = ""
    try:
        try:
            asked = decoded(message, SocketCommand[Raw])
            id = asked.id
        finally:
            visit.request()
        given = await _answer(known, match, player, asked)
    except (Failure, Rejected) as failed:
        visit.charge(missed(failed))
        return Reply(SocketProblem(id, problem_of(base, failed)))
    except Exception as error:  # noqa: BLE001
        return Reply(SocketProblem(id, bug(base, "a command over a WebSocket", error)))
    shown = None if asked.without_view else given.view
    return Reply(SocketResult(id, given.key, given.version, given.events, shown), given)


async def _answer(
    known: Services, match: MatchId, player: Caller | None, asked: SocketCommand[Raw]
) -> Answer:
    """Return what a command led to."""
    if player is None:
        raise Unauthenticated(FailureReason.TOKEN_MISSING)
    player.demand(Scope.PLAY)
    return await known.commands.submit(
        player.id,
        match,
        partial(command_in, asked.command),
        key=asked.key,
        expected_version=asked.expected_version,
        validate_only=asked.validate_only,
        seat=asked.seat,
    )


async def _player(socket: Socket) -> Caller | None:
    """Return who calls, by header or subprotocol, or None without a token.

    Raises:
        Malformed: There are two headers or subprotocols that say so.
        Unauthenticated: The token is not good.
    """
    said = socket.headers.getall("authorization", ())
    offered = token_offered(subprotocols := socket.scope["subprotocols"])
    if len(said) > 1:
        raise given_twice("Authorization")
    if sum(name.startswith(BEARER) for name in subprotocols) > 1:
        raise given_twice("Sec-WebSocket-Protocol")
    if offered is None and not said:
        return None
    shown = token(socket) if offered is None else offered
    return await services(socket).players.authenticate(shown, Scope.READ)


def _asked(socket: Socket) -> Asked:
    """Return what the address of a socket asks for.

    Raises:
        Malformed: A parameter is unknown, given twice, or no version.
    """
    asked = once(socket.query_params.multi_items(), SOCKET_QUERY)
    after, looking_as, shown = (asked.get(name) for name in ("after", "as", "invitation"))
    behind = None if after is None else number_in(after, "after", "a version")
    return Asked(after=behind, looking_as=looking_as, invitation=shown)


async def _messages(socket: Socket) -> AsyncIterator[bytes]:
    """Give what the client sends, until it goes or says that it sends nothing more."""
    while (event := await socket.receive())["type"] == "websocket.receive":
        text, data = event.get("text"), event.get("bytes")
        if text is None and data is None:
            return
        yield data or b"" if text is None else text.encode()


async def _send(socket: Socket, message: Message) -> None:
    await socket.send_data(msgspec.json.encode(message).decode(), mode="text")
