"""The limits over gRPC: every call is counted before anything is done for it, and told how it stands."""

from contextvars import ContextVar
from typing import Any
from urllib.parse import unquote

import grpc

from services.limits import Limiter, Visit

LOGIN = frozenset({"/montane.v1.PlayerService/CreatePlayer", "/montane.v1.PlayerService/CreateToken"})
"""The methods that give a token."""

VISIT: ContextVar[Visit] = ContextVar("visit")
"""The call that is being answered, as it is counted."""

type Context = grpc.aio.ServicerContext[Any, Any]


def visit(limiter: Limiter, context: Context) -> Visit:
    """Return a call that is about to be counted, and is the one that is being answered."""
    token, forwarded = None, []
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            scheme, _, rest = str(value).partition(" ")
            token = rest.strip() if scheme.lower() == "bearer" else None
        elif name == "x-forwarded-for":
            forwarded.append(str(value))
    found = limiter.visit(_peer(context), ",".join(forwarded), token or None)
    VISIT.set(found)
    return found


def standing(visit: Visit) -> tuple[tuple[str, str], ...]:
    """Return how the caller stands, as metadata: of a stream in front, of a unary call behind the answer.

    In front they are an operation of their own, which costs the server 100 us of processor time and more.
    """
    if (fields := visit.fields()) is None:
        return ()
    policies, standings = fields
    return ("ratelimit-policy", policies), ("ratelimit", standings)


def _peer(context: Context) -> str:
    """Return the address of a call's connection: gRPC writes `ipv4:127.0.0.1:1` and `ipv6:%5B::1%5D:1`."""
    kind, _, address = (context.peer() or "").partition(":")
    return address.rpartition(":")[0] if kind == "ipv4" else unquote(address)
