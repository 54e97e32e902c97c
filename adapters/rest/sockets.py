"""A match over a WebSocket: the stream's items out, commands in, answers between the items."""

from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from msgspec import Raw

from adapters.duplex import Reply, conversation
from adapters.rest.bodies import SocketCommand, SocketProblem, SocketResult, command_type
from adapters.rest.connections import abort_of
from adapters.rest.problems import bug, problem_of
from adapters.rest.requests import decoded, services, token, version_in
from adapters.rest.streams import encoded
from domain.shared.rejections import Rejected
from services.errors import Failure, Malformed, Unauthenticated
from services.feeds import Item
from services.ids import MatchId
from services.matches import Answer, Matches
from services.players import Caller
from services.ports import Scope

Socket = WebSocket[Any, Any, Any]

PROTOCOL = "montane.v1"
BEARER = "montane.bearer."
"""How the subprotocol begins that carries a token: a browser cannot give a WebSocket any other header."""

REFUSED = 4_000
"""What is added to the status of a problem to make the code that the WebSocket is closed with."""


type Message = SocketResult[Any, Any, Any] | SocketProblem


async def converse_over(socket: Socket, match: MatchId) -> None:
    """Play a match over a WebSocket, until the match or the connection ends."""
    offered = socket.scope["subprotocols"]
    await socket.accept(subprotocols=PROTOCOL if PROTOCOL in offered else None)
    matches = services(socket).matches
    try:
        player = await _player(socket)
        after, looking_as = _asked(socket)
        watch = await matches.watch(
            match, None if player is None else player.id, after=after, looking_as=looking_as
        )
    except (Failure, Rejected) as failed:
        found = problem_of(failed)
        await _send(socket, SocketProblem("", found))
        await socket.close(REFUSED + found.status, found.reason)
        return
    watch.cut_off = abort_of(socket.scope)

    reply = partial(_reply, matches, match, player)
    with suppress(WebSocketDisconnect):
        async with aclosing(conversation(watch, _messages(socket), reply)) as parts:
            async for told, messages in parts:
                for one in told:
                    await socket.send_data(one.encoded(text), mode="text")
                for message in messages:
                    await _send(socket, message)
        await socket.close()


def text(item: Item) -> str:
    """Return an item as JSON, as a WebSocket sends it."""
    return encoded(item).decode()


async def _reply(matches: Matches, match: MatchId, player: Caller | None, message: bytes) -> Reply[Message]:
    """Return the reply to a message, whatever it is."""
    id = ""
    try:
        asked = decoded(message, SocketCommand[Raw])
        id = asked.id
        given = await _answer(matches, match, player, asked)
    except (Failure, Rejected) as failed:
        return Reply(SocketProblem(id, problem_of(failed)))
    except Exception as error:
        return Reply(SocketProblem(id, bug("a command over a WebSocket", error)))
    shown = None if asked.without_view else given.view
    return Reply(SocketResult(id, given.key, given.version, given.events, shown), given)


async def _answer(
    matches: Matches, match: MatchId, player: Caller | None, asked: SocketCommand[Raw]
) -> Answer:
    """Return what a command led to."""
    if player is None:
        raise Unauthenticated("TOKEN_MISSING")
    player.demand(Scope.PLAY)
    game = await matches.game_of(match, player.id)
    return await matches.submit(
        player.id,
        match,
        decoded(bytes(asked.command), command_type(game.id, game.commands), "command"),
        key=asked.key,
        expected_version=asked.expected_version,
        validate_only=asked.validate_only,
    )


async def _player(socket: Socket) -> Caller | None:
    """Return who calls, by header or subprotocol, or None without a token."""
    offered = [name.removeprefix(BEARER) for name in socket.scope["subprotocols"] if name.startswith(BEARER)]
    if not offered and "authorization" not in socket.headers:
        return None
    return await services(socket).players.authenticate(offered[0] if offered else token(socket), Scope.READ)


def _asked(socket: Socket) -> tuple[int | None, str | None]:
    """Return behind which version the stream begins and from where it looks.

    Raises:
        Malformed: A parameter is unknown, or no version.
    """
    asked = dict(socket.query_params)
    after, looking_as = asked.pop("after", None), asked.pop("as", None)
    if asked:
        raise Malformed("UNKNOWN_FIELD", field=next(iter(asked)))
    return None if after is None else version_in(after, "after", "a version"), looking_as


async def _messages(socket: Socket) -> AsyncIterator[bytes]:
    """Give what the client sends, until it goes."""
    while (event := await socket.receive())["type"] == "websocket.receive":
        yield (event.get("text") or "").encode() or event.get("bytes") or b""


async def _send(socket: Socket, message: Message) -> None:
    await socket.send_data(msgspec.json.encode(message).decode(), mode="text")
