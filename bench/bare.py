"""The least that a durable command over a network can be: `python -m bench.bare CONNINFO`.

Handlers of the same frameworks on the same servers decode a small body, append one event by the same group
commit, and answer with a few bytes. They know no rules, players, matches, keys, views or streams.
"""

import socket
import sys
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import grpc
import msgspec
import uvicorn
import uvloop
from eventsourcing.persistence import StoredEvent
from litestar import Litestar, Request, Response, post
from msgspec import Struct

from adapters.postgres.log.group_commit import GroupCommit

STATE = b"x" * 400
ANSWER = b"x" * 340
"""About what a `SubmitCommandResponse` takes."""


class Command(Struct):
    """What is asked for."""

    match: UUID
    version: int


_decoder = msgspec.json.Decoder(Command)


class Methods(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    """The methods `Append` and `Appends`, one command or a stream of them, without messages."""

    def __init__(self, commits: GroupCommit) -> None:
        """Take what is appended to."""
        self._commits = commits

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a method."""
        if handler_call_details.method.endswith("/Append"):
            return grpc.unary_unary_rpc_method_handler(self._append)
        return grpc.stream_stream_rpc_method_handler(self._appends)

    async def _append(self, request: bytes, context: Any) -> bytes:
        await _store(self._commits, request)
        return ANSWER

    async def _appends(self, requests: AsyncIterator[bytes], context: Any) -> None:
        async for request in requests:
            await _store(self._commits, request)
            await context.write(ANSWER)


async def _store(commits: GroupCommit, request: bytes) -> int:
    asked = _decoder.decode(request)
    await commits.append([StoredEvent(asked.match, asked.version, "bench", STATE)])
    return asked.version


async def main(conninfo: str) -> None:
    """Serve until terminated."""
    commits = GroupCommit(conninfo, 10_000)

    @post("/commands", status_code=200)
    async def command(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Store one event."""
        version = await _store(commits, await request.body())
        return Response(msgspec.json.encode(version), media_type="application/json")

    await commits.append([StoredEvent(uuid4(), 1, "bench", STATE)])
    calls = grpc.aio.server()
    calls.add_generic_rpc_handlers((Methods(commits),))
    port = calls.add_insecure_port("127.0.0.1:0")
    await calls.start()
    app = Litestar([command], openapi_config=None, logging_config=None)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(
        f"http://127.0.0.1:{listener.getsockname()[1]}\n  gRPC  127.0.0.1:{port}\nCtrl-C stops it.",
        flush=True,
    )
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_keep_alive=60)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
