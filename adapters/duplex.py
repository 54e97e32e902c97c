"""A stream that takes commands while it sends what happens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

from services.feeds import Told, Watch

WAITING = 16
"""How many answers may wait to be sent; then no further request is read."""


async def conversation[Request, Answer](
    watch: Watch, requests: AsyncIterator[Request], answer: Callable[[Request], Awaitable[Answer]]
) -> AsyncGenerator[tuple[Sequence[Told], Sequence[Answer]]]:
    """Give what is to be sent, items and answers, until the stream is over or no request comes any more.

    Args:
        watch: What is told; it is left at the end.
        requests: What is asked, answered one by one in order.
        answer: Gives the answer to a request, of whatever kind; never raises for what a client did.
    """
    answers: asyncio.Queue[Answer] = asyncio.Queue(WAITING)

    async def read() -> None:
        async for request in requests:
            await answers.put(await answer(request))
            watch.nudge()

    reading = asyncio.create_task(read())
    reading.add_done_callback(lambda _: watch.nudge())
    try:
        done = False
        while not (watch.over or done):
            told = await watch.next()
            done = reading.done()
            yield told, [answers.get_nowait() for _ in range(answers.qsize())]
    finally:
        watch.leave()
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
