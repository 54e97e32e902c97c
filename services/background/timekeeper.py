"""Say that a seat's time is up when it is, and cancel matches that nobody fills.

Any number of processes do so at once. Each finds the same matches due; the command's key and the version that
it was decided on let it happen once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

from domain.match import Cancel, CancelReason, LobbyCommand, TimeOut
from domain.shared.rejections import Rejected
from services.matches.decisions import Decisions, as_given
from services.shared.errors import Conflict, SetAside
from services.shared.ids import MatchId
from services.shared.time import Clock

POLL = timedelta(seconds=5)
"""The longest between two looks at the deadlines, and how far ahead each of them looks.

There is one earlier when a deadline is set.
"""
NO_TIME = timedelta()
ABANDONED_EVERY = timedelta(minutes=1)
"""How long lies between two looks for matches that nobody fills."""
TOGETHER = 32
"""How many matches are seen to at once."""


class Due(Struct, frozen=True):
    """A match that has to be seen to.

    Attributes:
        match: The match.
        at: Since when, or from when on, UTC.
    """

    match: MatchId
    at: datetime


class Deadlines(Protocol):
    """Which matches wait for a time to pass; it follows the log within moments.

    Both methods return the earliest first, then by match, at most `most` and none but those after `after`.
    """

    async def deadlines(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches in which seats' time is up by then, with each of those seats' deadlines."""

    async def opened(self, up_to: datetime, after: Due | None, most: int) -> Sequence[Due]:
        """Return the matches opened by then that have not begun, each with when it was opened."""


class Timekeeper:
    """Issues the commands that are due because time has passed."""

    def __init__(self, decisions: Decisions, deadlines: Deadlines, clock: Clock, open_for: timedelta) -> None:
        """Take what carries out commands, what waits, the time, and how long a match may wait for players."""
        self._decisions = decisions
        self._deadlines = deadlines
        self._clock = clock
        self._open_for = open_for
        self._abandoned_at: datetime | None = None

    async def step(self) -> timedelta:
        """Handle all that is due, and return how long it is until something may be.

        Raises:
            Exception: What failed first, after everything that did not.
        """
        now = self._clock.now()
        upcoming = await self._see_to(self._deadlines.deadlines, now, now + POLL, self._time_out)
        if self._abandoned_at is None or now >= self._abandoned_at:
            self._abandoned_at = now + ABANDONED_EVERY
            before = now - self._open_for
            await self._see_to(self._deadlines.opened, before, before, self._cancel)
        return POLL if upcoming is None else min(POLL, max(NO_TIME, upcoming - self._clock.now()))

    async def _see_to(
        self,
        find: Callable[[datetime, Due | None, int], Awaitable[Sequence[Due]]],
        now: datetime,
        up_to: datetime,
        act: Callable[[MatchId], Awaitable[None]],
    ) -> datetime | None:
        """Act in every match that is due, and return when the first of the others found is."""
        failed: list[BaseException] = []
        upcoming = None
        async for page in _pages(find, up_to):
            due = [one.match for one in page if one.at <= now]
            ended = await asyncio.gather(*map(act, dict.fromkeys(due)), return_exceptions=True)
            # What is set aside waits for anyone who operates the service; its time does not run out.
            failed += [error for error in ended if error is not None and not isinstance(error, SetAside)]
            if len(due) < len(page):
                upcoming = page[len(due)].at
                break
        if failed:
            raise failed[0]
        return upcoming

    async def _time_out(self, id: MatchId) -> None:
        """Say of each seat of a match whose time is up that it is, once no outage is charged."""
        await self._decisions.settle(id)
        live = await self._decisions.matches.current(id)
        clocks = live.match.clocks
        for seat in () if clocks is None else clocks.late(self._clock.now()):
            # Refused if the seat has moved or another process was faster: then there is nothing left to do.
            with suppress(Rejected, Conflict):
                await self._issue(
                    id, TimeOut(seat), key=f"time_out:{seat}:{live.version}", expected_version=live.version
                )

    async def _cancel(self, id: MatchId) -> None:
        """Call a match off that has waited too long, outages not counted."""
        outages = self._decisions.outages
        await outages.beat()
        opened_at = (await self._decisions.matches.current(id)).opened_at
        away = sum((outage.worth for outage in await outages.since(opened_at)), NO_TIME)
        if self._clock.now() < opened_at + self._open_for + away:
            return
        # Refused if it has begun, or was cancelled.
        with suppress(Rejected):
            await self._issue(id, Cancel(CancelReason.ABANDONED), key="abandoned")

    async def _issue(
        self, id: MatchId, command: LobbyCommand, *, key: str, expected_version: int | None = None
    ) -> None:
        """Carry out a command of the service itself."""
        await self._decisions.carry_out(
            id,
            lambda *_: (None, command),
            by=None,
            key=key,
            asked=as_given(command),
            expected_version=expected_version,
        )


async def _pages(
    find: Callable[[datetime, Due | None, int], Awaitable[Sequence[Due]]], up_to: datetime
) -> AsyncIterator[Sequence[Due]]:
    """Give all that `find` finds, part by part."""
    after = None
    while page := await find(up_to, after, TOGETHER):
        yield page
        after = page[-1]
