"""The limits over gRPC: every call is counted before anything is done for it, and told how it stands."""

from collections.abc import Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import grpc

from services.shared.rate_limits import Limiter, Visit

type Context = grpc.aio.ServicerContext[Any, Any]
"""What is known of a call under way."""

PEERS = 10_000
"""How many connections' peers are remembered as read."""

LOGIN = frozenset({"/montane.v1.PlayerService/CreatePlayer", "/montane.v1.PlayerService/CreateToken"})
"""The methods that give a token."""

VISIT: ContextVar[Visit] = ContextVar("visit")
"""The call that is being answered, as it is counted."""

METADATA: ContextVar[Sequence[tuple[str, str | bytes]]] = ContextVar("metadata")
"""What came with it, which the library makes again each time it is asked."""


def visit(limiter: Limiter, context: Context) -> Visit:
    """Return a call that is about to be counted, and is the one that is being answered."""
    token, forwarded = None, []
    metadata = context.invocation_metadata() or ()
    METADATA.set(tuple(metadata))
    for name, value in metadata:
        if name == "authorization":
            scheme, _, rest = str(value).partition(" ")
            token = rest.strip() if scheme.lower() == "bearer" else None
        elif name == "x-forwarded-for":
            forwarded.append(str(value))
    found = limiter.visit(peer_of(context)[0], ",".join(forwarded), token or None)
    VISIT.set(found)
    return found


def standing(visit: Visit) -> tuple[tuple[str, str], ...]:
    """Return how the caller stands, as metadata: of a stream in front, of a unary call after the answer.

    In front they are an operation of their own, which costs the server 100 us of processor time and more.
    """
    if (fields := visit.fields()) is None:
        return ()
    policies, standings = fields
    return ("ratelimit-policy", policies), ("ratelimit", standings)


def peer_of(context: Context) -> tuple[str, int]:
    """Return address and port of a call's connection, port 0 if it has none.

    gRPC writes `ipv4:127.0.0.1:1` and `ipv6:%5B::1%5D:1`.
    """
    return _peer(context.peer() or "")


@lru_cache(PEERS)
def _peer(written: str) -> tuple[str, int]:
    _, _, address = written.partition(":")
    host, _, port = address.rpartition(":")
    return unquote(host).strip("[]"), int(port) if port.isdigit() else 0
