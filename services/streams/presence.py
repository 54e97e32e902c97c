"""Who is there: the seats whose players have a stream of a match open, on any node, and how many look on.

A process knows its own streams. How many it has open of a match is stored for the others, under a lease that
ends with the process: what was stored by one that died counts no more a few seconds later. Nothing is stored
while nobody comes or goes, but the lease as long as streams are open.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

from domain.shared.seats import Seat
from services.shared.errors import Unavailable
from services.shared.ids import MatchId
from services.shared.time import Clock, Time
from services.streams.channels import StreamItem

RENEW = 5.0
"""Seconds between two renewals of the lease, each with a look at what other processes have stored."""
LEASE = timedelta(seconds=15)
"""How long what a process has stored counts after it was heard of last."""
LEAVE = 1.0
"""Seconds that a process which stops tries to tell so; else its lease ends by itself."""
PACE = 0.5
"""Seconds between two times that the store is told or asked because somebody came or went."""

log = logging.getLogger(__name__)


class SeatPresence(Struct, frozen=True):
    """Whether the player of a seat is there.

    Attributes:
        seat: The seat.
        present: Whether its player has a stream of the match open, on any server; a bot of our own has none.
        away_since: When the last of its streams was closed, UTC; None while it is there, or if it never was.
    """

    seat: Seat
    present: bool
    away_since: Time | None


class PresenceItem(StreamItem, frozen=True, tag="presence"):
    """Who is there: before `caught_up`, and when it changes, at most once a second.

    Attributes:
        seats: The seats of the match, rising.
        onlookers: How many streams are open of those who hold no seat.
    """

    seats: tuple[SeatPresence, ...]
    onlookers: int


class Count(Struct, frozen=True):
    """How many streams of a match a process has open.

    Attributes:
        match: The match.
        seat: Of the player of which seat; None for those who look on.
        streams: How many.
        at: Since when, UTC.
    """

    match: MatchId
    seat: Seat | None
    streams: int
    at: datetime


class PresenceLog(Protocol):
    """What processes tell one another of their streams; each process has its own place in it."""

    async def note(self, counts: Sequence[Count]) -> None:
        """Store how many streams this process has open, renew its lease, and let the others know."""

    async def renew(self) -> bool:
        """Renew the lease, and return whether what this process has stored is still there."""

    async def others(self, matches: Collection[MatchId]) -> Sequence[Count]:
        """Return what is stored of matches, but not what this process has open."""

    async def leave(self) -> None:
        """End the lease: this process stops."""


class Attendance:
    """Who is at a match, as far as a process knows."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self.loaded = False
        self._own: Counter[Seat | None] = Counter()
        self._left: dict[Seat, datetime] = {}
        self._others: Sequence[Count] = ()

    @property
    def own(self) -> Mapping[Seat | None, int]:
        """How many streams this process has open, by seat; None are those who look on."""
        return self._own

    def come(self, seat: Seat | None) -> None:
        """Take in that a stream of this process was opened."""
        self._own[seat] += 1

    def go(self, seat: Seat | None, at: datetime) -> None:
        """Take in that a stream of this process was closed."""
        self._own[seat] -= 1
        if seat is not None and not self._own[seat]:
            self._left[seat] = at

    def hear(self, others: Sequence[Count]) -> bool:
        """Take in what other processes have open, and return whether that is new."""
        new = self._others != others
        self.loaded, self._others = True, others
        return new

    def streams(self, seat: Seat | None) -> int:
        """Return how many streams are open at a seat, or of those who look on."""
        return self._own[seat] + sum(other.streams for other in self._others if other.seat == seat)

    def item(self, seats: int) -> PresenceItem:
        """Return who is there, of so many seats."""
        there = (self._seat(Seat(number)) for number in range(seats))
        return PresenceItem(tuple(there), self.streams(None))

    def _seat(self, seat: Seat) -> SeatPresence:
        if self.streams(seat):
            return SeatPresence(seat, present=True, away_since=None)
        left = [other.at for other in self._others if other.seat == seat]
        if seat in self._left:
            left.append(self._left[seat])
        return SeatPresence(seat, present=False, away_since=max(left, default=None))


class Watched(Protocol):
    """A match that is watched in this process.

    Attributes:
        attendance: Who is there.
    """

    attendance: Attendance

    def stir(self) -> None:
        """Show who is there, if that has changed."""


class Presences:
    """Tells other processes of the streams of this one, and hears of theirs."""

    def __init__(self, store: PresenceLog, clock: Clock, watched: Mapping[MatchId, Watched]) -> None:
        """Take what is shared with the others, the time, and the matches that are watched here."""
        self._store = store
        self._clock = clock
        self._watched = watched
        self._changed: dict[tuple[MatchId, Seat | None], Count] = {}
        self._noted: dict[tuple[MatchId, Seat | None], int] = {}
        self._unread: set[MatchId] = set()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._away = False

    async def load(self, match: MatchId, watched: Watched) -> None:
        """Read who is at a match elsewhere, unless it is known."""
        if not watched.attendance.loaded:
            with suppress(Unavailable):
                watched.attendance.hear(await self._store.others([match]))

    def come(self, match: MatchId, watched: Watched, seats: Iterable[Seat | None]) -> None:
        """Take in that a stream was opened, of the player of these seats, or of somebody who looks on."""
        self.move(match, watched, (), seats)

    def go(self, match: MatchId, watched: Watched, seats: Iterable[Seat | None]) -> None:
        """Take in that a stream was closed."""
        self.move(match, watched, seats, ())

    def move(
        self, match: MatchId, watched: Watched, left: Iterable[Seat | None], taken: Iterable[Seat | None]
    ) -> None:
        """Take in that a stream is no longer at some seats, and is at others: a single change."""
        now = self._clock.now()
        for seat in left:
            watched.attendance.go(seat, now)
            self._change(match, watched, seat)
        for seat in taken:
            watched.attendance.come(seat)
            self._change(match, watched, seat)
        watched.stir()

    def hear(self, matches: Collection[MatchId] | None) -> None:
        """Learn that somebody came or went elsewhere; None if it is not known where."""
        unread = self._watched.keys() if matches is None else self._watched.keys() & matches
        if unread:
            self._unread |= unread
            self._woken.set()

    async def close(self) -> None:
        """Tell the others that this process stops."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            with suppress(Unavailable, TimeoutError):
                async with asyncio.timeout(LEAVE):
                    await self._store.leave()

    def _change(self, match: MatchId, watched: Watched, seat: Seat | None) -> None:
        streams = watched.attendance.own[seat]
        self._changed[match, seat] = Count(match, seat, streams, self._clock.now())
        self._woken.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        """Keep in touch with the others as long as any match is watched here."""
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while self._watched or self._changed:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW):
                    await self._woken.wait()
            self._woken.clear()
            try:
                await self._note()
                if clock() - renewed >= RENEW:
                    renewed = clock()
                    await self._renew()
                await self._read()
                self._away = False
            except Unavailable:
                self._woken.set()
                if not self._away:
                    log.info("who is there is not known elsewhere, as the store is away")
                self._away = True
            except Exception:
                # Tried again, not given up: nobody would be there any more.
                log.exception("who is there cannot be shared")
            await asyncio.sleep(PACE)

    async def _note(self) -> None:
        changed, self._changed = self._changed, {}
        news = {key: count for key, count in changed.items() if count.streams != self._noted.get(key, 0)}
        try:
            if news:
                await self._store.note(tuple(news.values()))
        except BaseException:
            self._changed = news | self._changed
            raise
        for key, count in news.items():
            self._noted[key] = count.streams
            if not count.streams:
                del self._noted[key]

    async def _renew(self) -> None:
        """Stay known to the others, and look at what may have changed though nobody said so."""
        if self._noted and not await self._store.renew():
            now = self._clock.now()
            again = {key: Count(*key, streams, now) for key, streams in self._noted.items()}
            self._noted, self._changed = {}, again | self._changed
            await self._note()
        self._unread |= self._watched.keys()

    async def _read(self) -> None:
        unread, self._unread = self._unread, set()
        matches = unread & self._watched.keys()
        if not matches:
            return
        found: dict[MatchId, list[Count]] = {match: [] for match in matches}
        try:
            for count in await self._store.others(matches):
                found[count.match].append(count)
        except BaseException:
            self._unread |= unread
            raise
        for match, counts in found.items():
            if (watched := self._watched.get(match)) is not None and watched.attendance.hear(counts):
                watched.stir()
