"""The least that a durable command over HTTP can be: `python -m bench.bare CONNINFO`.

A handler of the same framework on the same server decodes a small body, appends one event by the same group
commit, and answers with a few bytes. It knows no rules, players, matches, keys, views or streams.
"""

import socket
import sys
from typing import Any
from uuid import UUID, uuid4

import msgspec
import uvicorn
import uvloop
from eventsourcing.persistence import StoredEvent
from litestar import Litestar, Request, Response, post
from msgspec import Struct

from adapters.postgres.group_commit import GroupCommit

STATE = b"x" * 400


class Command(Struct):
    """What is asked for."""

    match: UUID
    version: int


async def main(conninfo: str) -> None:
    """Serve until terminated."""
    commits = GroupCommit(conninfo, 10_000)

    @post("/commands", status_code=200)
    async def command(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Store one event."""
        asked = msgspec.json.decode(await request.body(), type=Command)
        await commits.append([StoredEvent(asked.match, asked.version, "bench", STATE)])
        return Response(msgspec.json.encode(asked.version), media_type="application/json")

    await commits.append([StoredEvent(uuid4(), 1, "bench", STATE)])
    app = Litestar([command], openapi_config=None, logging_config=None)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}\nCtrl-C stops it.", flush=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_keep_alive=60)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
