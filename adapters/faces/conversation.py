"""A stream that takes commands while it sends what happens.

Every event comes once: as an item of the stream, or, of a command that came over the same stream, with the
command's answer, which then stands in the items' place. A stream that looks from elsewhere than the seat that
gave the command, as in a branch, has the items too.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from domain.match import Finished
from services.matches.commands import Answer
from services.matches.views import SeenEvent
from services.streams.channels import Encoded
from services.streams.match_stream import Watch

WAITING = 16
"""How many answers may wait to be sent; then no further request is read."""


class Reply[Message](Struct):
    """What is sent for a request.

    Attributes:
        message: What is sent.
        answer: What a command led to that was accepted.
    """

    message: Message
    answer: Answer | None = None


async def conversation[Request, Message](
    watch: Watch, requests: AsyncIterator[Request], reply: Callable[[Request], Awaitable[Reply[Message]]]
) -> AsyncGenerator[tuple[Sequence[Encoded], Sequence[Message]]]:
    """Give what is to be sent, items before messages, until the stream is over or no request comes any more.

    Args:
        watch: What is told; it is left at the end.
        requests: What is asked, answered one by one in order.
        reply: Answers a request, of whatever kind; never raises for what a client did.
    """
    waiting: deque[Reply[Message]] = deque()
    room = asyncio.Semaphore(WAITING)

    async def read() -> None:
        async for request in requests:
            await room.acquire()
            given = await reply(request)
            waiting.append(given)
            _hold_for(watch, waiting[0])
            watch.nudge()

    reading = asyncio.create_task(read())
    reading.add_done_callback(lambda _: watch.nudge())
    try:
        done = False
        while not watch.over and (waiting or not done):
            told = await watch.next()
            done = reading.done()
            messages = []
            while waiting and _in_turn(watch, waiting[0]):
                messages.append(waiting.popleft().message)
                room.release()
            if waiting:
                _hold_for(watch, waiting[0])
            yield told, messages
    finally:
        watch.leave()
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading


def _hold_for(watch: Watch, given: Reply[Any]) -> None:
    """Let the items stop before the events of a reply, which come with it."""
    if events := _in_place_of_items(watch, given):
        watch.hold(events[0].version - 1)


def _in_place_of_items(watch: Watch, given: Reply[Any]) -> Sequence[SeenEvent[Any]]:
    """Return the events of a reply that are no items of the watch: those seen from where it looks."""
    answer = given.answer
    return answer.events if answer is not None and answer.viewer == watch.viewer else ()


def _in_turn(watch: Watch, given: Reply[Any]) -> bool:
    """Return whether a reply follows what was sent, and if so count its events as sent."""
    events = _in_place_of_items(watch, given)
    if not events:
        return True
    first, last = events[0], events[-1]
    if first.version > watch.version + 1:
        return False
    watch.passed(last.version, finished=isinstance(last.payload, Finished))
    return True
