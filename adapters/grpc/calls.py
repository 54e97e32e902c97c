"""What is the same in every call: its request is read and checked, its caller known, its failure told."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from inspect import isasyncgen
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message

from adapters.grpc.mapping import Mapper
from adapters.grpc.patience import Patience, TooSlow
from adapters.grpc.rate_limits import LOGIN, METADATA, Context, standing, visit
from adapters.grpc.requests import check
from adapters.grpc.status import KEY, bug, request_too_slow, status_of, too_slow
from domain.match import PlayerId
from domain.shared.rejections import Rejected
from services.players.accounts import Caller, Players
from services.players.store import Scope
from services.shared.errors import Failure, FailureReason, Malformed, Unauthenticated
from services.shared.rate_limits import ROWS, Limiter, Visit, missed
from services.streams.channels import Reading

OWN = "/montane."
"""How the methods of our own services begin."""

EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined] # missing in the stubs
"""What is read when a client sends nothing more."""


log = logging.getLogger(__name__)


class Calls(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]
    """Wraps each of our methods: the request is checked before, failures become statuses after."""

    def __init__(self, mapper: Mapper, limiter: Limiter, patience: Patience, base_path: str = "") -> None:
        """Take how failures write the events they carry, the budgets, who waits, and the path of REST."""
        self._mapper = mapper
        self._limiter = limiter
        self._patience = patience
        self._base_path = base_path
        self._wrapped: dict[str, Any] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a method, wrapped if it is ours."""
        method = handler_call_details.method
        if (known := self._wrapped.get(method)) is not None:
            return known
        handler = await continuation(handler_call_details)
        if handler is None or not (method.startswith(OWN) or handler.response_streaming):
            return handler
        wrap = self._wrap if method.startswith(OWN) else self._wrap_foreign
        wrapped = self._wrapped[method] = wrap(handler, method)
        return wrapped

    def _wrap(self, handler: Any, name: str) -> Any:
        """Return a handler that reads the request itself: the library would wait for it without end."""
        if handler.request_streaming:
            make, method = grpc.stream_stream_rpc_method_handler, self._streaming(handler.stream_stream, _all)
        elif handler.response_streaming:
            make, method = (
                grpc.stream_stream_rpc_method_handler,
                self._streaming(_checked(handler.unary_stream), _only),
            )
        else:
            make, method = (
                grpc.stream_unary_rpc_method_handler,
                self._answering(handler.unary_unary, name in LOGIN),
            )
        return make(
            method,
            request_deserializer=_forgiving(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )

    def _answering(self, method: Callable[[Any, Context], Awaitable[Any]], is_login: bool) -> Any:
        async def answer(_: Any, context: Context) -> Any:
            counted = visit(self._limiter, context)
            try:
                counted.request()
                if is_login:
                    counted.login()
                request = _only(await self._patience.request(context), context)
                _check(request)
                response = await method(request, context)
                counted.charge(len(getattr(response, "items", ())) // ROWS)
            except Exception as error:  # noqa: BLE001
                self._fail(context, error, counted)
                return None
            _add_trailing(context, *standing(counted))
            self._patience.answered(context)
            return response

        return answer

    def _streaming(
        self,
        method: Callable[[Any, Context], AsyncGenerator[Any]],
        taken: Callable[[Any, Context], Any],
    ) -> Any:
        async def stream(_: Any, context: Context) -> None:
            cut_off = CutOff()
            CUT_OFF.set(cut_off)
            counted = visit(self._limiter, context)
            try:
                counted.request()
                counted.stream()
                request = taken(await self._patience.request(context), context)
                if told := standing(counted):
                    await context.send_initial_metadata(told)
                async with aclosing(method(request, context)) as responses:
                    async for response in responses:
                        await context.write(response)
            except asyncio.CancelledError:
                if not cut_off.done:
                    raise
                _fail(context, too_slow())
            except Exception as error:  # noqa: BLE001
                self._fail(context, error, counted)
            finally:
                cut_off.end()
                counted.leave()

        return stream

    def _wrap_foreign(self, handler: Any, _: str) -> Any:
        """Return a stream of health or reflection as it is, but counted."""
        method = handler.stream_stream or handler.unary_stream

        async def stream(request: Any, context: Context) -> None:
            counted = visit(self._limiter, context)
            try:
                counted.stream()
                responses = method(request, context)
                if not isasyncgen(responses):
                    await responses
                    return
                async with aclosing(responses):
                    async for response in responses:
                        await context.write(response)
            except Failure as failed:
                self._fail(context, failed, counted)
            finally:
                counted.leave()

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(
            stream,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    def _fail(self, context: Context, error: Exception, counted: Visit) -> None:
        """Set the status of what went wrong, with which the call ends."""
        counted.charge(missed(error))
        error = counted.told(error)
        if isinstance(error, TooSlow):
            status = request_too_slow()
        elif isinstance(error, Failure | Rejected):
            status = status_of(error, self._mapper.event, self._base_path)
        else:
            log.error("a call failed", exc_info=error)
            status = bug()
        _fail(context, status, standing(counted))


def _fail(context: Context, status: grpc.Status, further: Sequence[tuple[str, str]] = ()) -> None:
    """Set the status with which a call ends, and more metadata.

    `context.abort` would raise an error that its call keeps, and with it all frames that it passed.
    """
    context.set_code(status.code)
    context.set_details(status.details)
    context.set_trailing_metadata((*(status.trailing_metadata or ()), *further))


def _only(request: Any, _: Context) -> Message | None:
    """Return the one request of a call, None if it cannot be read or was never sent."""
    return None if request is EOF else request


async def _all(first: Any, context: Context) -> AsyncGenerator[Message | None]:
    """Give the requests of a call, of which the first was read already."""
    request = first
    while request is not EOF:
        yield request
        request = await context.read()


def _check(request: Message | None) -> None:
    if request is None:
        raise Malformed(FailureReason.MALFORMED_REQUEST)
    check(request)


def _checked(method: Callable[[Any, Context], AsyncGenerator[Any]]) -> Any:
    """Return a method that checks its request before it begins."""

    def stream(request: Message | None, context: Context) -> AsyncGenerator[Any]:
        _check(request)
        return method(request, context)

    return stream


class CutOff:
    """Ends the stream that the running task sends, though its client takes nothing.

    Attributes:
        done: Whether it was ended so.
    """

    def __init__(self) -> None:
        """Take the running task."""
        self.done = False
        self._task = asyncio.current_task()

    def end(self) -> None:
        """Let go of the task, whose context holds this: the stream is sent."""
        self._task = None

    def __call__(self) -> None:
        """End the stream."""
        if self._task is not None:
            self.done = True
            self._task.cancel()


CUT_OFF: ContextVar[CutOff] = ContextVar("cut_off")
"""What ends the stream that is being sent."""


async def sent[Response](reading: Reading[Any], write: Callable[[Any], Response]) -> AsyncGenerator[Response]:
    """Give what a stream sends, each item written as a response, until it is over or its client gone."""
    reading.cut_off = CUT_OFF.get()
    try:
        while not reading.over:
            for told in await reading.next():
                yield told.encoded(write)
    finally:
        reading.leave()


def _forgiving(deserialize: Callable[[bytes], Message]) -> Callable[[bytes], Message | None]:
    """Return a deserializer that gives None for what it cannot read, which then fails like anything else."""

    def read(body: bytes) -> Message | None:
        try:
            return deserialize(body)
        except DecodeError:
            return None

    return read


async def caller(players: Players, scope: Scope) -> Caller:
    """Return who calls, with a token that allows what is asked.

    Raises:
        Unauthenticated: There is no valid token.
        Forbidden: It does not have the scope.
    """
    return await players.authenticate(_token(), scope)


async def caller_if_any(players: Players) -> Caller | None:
    """Return who reads, or None without a token; a bad token is refused all the same."""
    if _metadata("authorization") is None:
        return None
    return await caller(players, Scope.READ)


async def onlooker(players: Players) -> PlayerId | None:
    """Return the player who reads, or None without a token; a bad token is refused all the same."""
    found = await caller_if_any(players)
    return None if found is None else found.id


def idempotency_key() -> str | None:
    """Return the key that the caller gave, if any.

    Raises:
        Malformed: It gave two.
    """
    return _metadata(KEY)


def tell_key(context: Context, key: str) -> None:
    """Put a call's idempotency key into the metadata after its answer."""
    _add_trailing(context, (KEY, key))


def _add_trailing(context: Context, *metadata: tuple[str, str]) -> None:
    """Put more into the metadata after a call's answer."""
    context.set_trailing_metadata((*(context.trailing_metadata() or ()), *metadata))


def _token() -> str | None:
    scheme, _, token = (_metadata("authorization") or "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthenticated(FailureReason.TOKEN_MISSING)
    return token.strip() or None


def _metadata(name: str) -> str | None:
    values = [value for key, value in METADATA.get() if key == name]
    if len(values) > 1:
        raise Malformed(FailureReason.INVALID_FIELD, field=name, expected="given only once")
    return next(
        (value if isinstance(value, str) else value.decode(errors="replace") for value in values), None
    )
