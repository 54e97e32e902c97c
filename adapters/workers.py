"""What the service does by itself, in the background: every worker is started, watched and stopped here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Protocol

from adapters.postgres.work import PostgresWork
from adapters.settings import Settings
from services.background.timekeeper import Timekeeper
from services.bots.accounts import POLICIES
from services.bots.turns import BotPlayers
from services.proof.head_signer import HeadSigner
from services.shared.errors import Unavailable
from services.shared.ticks import until
from services.use_cases import Ports, Services

NO_TIME = timedelta()
CLOCKS_LEAST, SIGNATURES_LEAST = timedelta(seconds=0.5), timedelta(seconds=1)
"""How long is waited at least between two looks at the deadlines, and at the matches to be signed."""
REPORT = timedelta(seconds=10)
"""How long lies between two reports of how the workers get on."""
PAUSES = (0.5, 1.0, 2.0, 5.0)
"""Seconds that a worker waits after steps that fail one after the other; the last one from then on."""

log = logging.getLogger("montane.workers")


class Worker(Protocol):
    """Something that is done in the background, in any number of processes at once."""

    def start(self) -> None:
        """Begin."""

    async def stop(self, grace: float) -> None:
        """End: begin nothing more, and give up what is under way after `grace` seconds."""

    @property
    def late(self) -> Mapping[str, timedelta]:
        """By how much each of its steps is late."""


class Steps:
    """A worker that takes one step after the other, whatever fails.

    A pause of whole seconds is a period: it ends at the same moment as those of others.
    """

    def __init__(
        self, name: str, step: Callable[[], Awaitable[timedelta]], least: timedelta = NO_TIME
    ) -> None:
        """Take what it is called in the log, and its steps.

        Args:
            name: What it is called.
            step: Takes a step, and returns how long to wait after it.
            least: How long is waited after a step, at least, though `wake` is called.
        """
        self._name = name
        self._step = step
        self._least = least.total_seconds()
        self._stopping = asyncio.Event()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._troubles: set[type[Exception]] = set()
        self._failed = 0
        self._due_at = monotonic()

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Take the next step soon: something has happened."""
        self._woken.set()

    async def stop(self, grace: float) -> None:
        """Begin no more steps, and give up the one under way after `grace` seconds."""
        self._stopping.set()
        self._woken.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=grace)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            least = self._least
            try:
                pause = (await self._step()).total_seconds()
                self._due_at = monotonic() + pause
                self._well()
            except Exception as error:  # noqa: BLE001
                # Tried again, not given up: a worker that stands still would go unnoticed.
                pause = least = PAUSES[min(self._failed, len(PAUSES) - 1)]
                self._troubled(error)
            ended, least = monotonic(), min(least, pause)
            if pause >= 1 and pause.is_integer() and not self._failed:
                pause = until(pause)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), pause)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), ended + least - monotonic())

    @property
    def late(self) -> dict[str, timedelta]:
        """By how much the next step is late."""
        return {self._name: timedelta(seconds=max(0.0, monotonic() - self._due_at))}

    def _troubled(self, error: Exception) -> None:
        """Log what is in the way, once for each kind until all is well."""
        self._failed += 1
        if type(error) in self._troubles:
            return
        self._troubles.add(type(error))
        if isinstance(error, Unavailable):
            log.warning("%s: waiting for the database", self._name)
        else:
            log.error("%s: a step failed", self._name, exc_info=error)

    def _well(self) -> None:
        if self._failed:
            log.info("%s: going on", self._name)
        self._failed = 0
        self._troubles.clear()


class Workers:
    """All workers of a process.

    Attributes:
        hints: What is to be called at a NOTIFY of which channel, and when some may have been missed.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        hints: Sequence[tuple[str, Callable[[], None]]] = (),
        work: PostgresWork | None = None,
    ) -> None:
        """Take the workers.

        Args:
            workers: The workers.
            hints: What is to be called at a NOTIFY of which channel.
            work: Where it is recorded how they get on.
        """
        self._workers = workers
        self.hints = hints
        self._work = work
        self._reporters = () if work is None else (Steps("reports", lambda: self._report(work)),)

    def start(self) -> None:
        """Begin with all."""
        for worker in (*self._workers, *self._reporters):
            worker.start()

    async def stop(self, grace: float) -> None:
        """End all, together."""
        await asyncio.gather(*(worker.stop(grace) for worker in (*self._workers, *self._reporters)))
        if self._work is not None:
            with suppress(Unavailable):
                await self._work.leave()

    async def _report(self, work: PostgresWork) -> timedelta:
        steps: dict[str, timedelta] = {}
        for worker in self._workers:
            steps |= worker.late
        await work.report(steps)
        return REPORT


def on_matches(settings: Settings, ports: Ports, services: Services) -> tuple[Steps, ...]:
    """Return what works on matches as time passes: clocks, bots and signatures.

    Each looks by itself now and then; wake all when something has happened.

    Args:
        settings: How long matches stay open, and how fast bots are.
        ports: Where it is found what is due, and what heads are signed with.
        services: The use cases, by which bots play.
    """
    open_for = timedelta(hours=settings.open_match_hours)
    timekeeper = Timekeeper(services.decisions, ports.agenda, ports.clock, open_for)
    bot_pause = timedelta(milliseconds=settings.bot_pause)
    players = BotPlayers(services.commands, services.queries, ports.agenda, POLICIES, bot_pause)
    signer = HeadSigner(ports.heads, ports.keys, ports.clock)
    return (
        Steps("clocks", timekeeper.step, CLOCKS_LEAST),
        Steps("bots", players.step, bot_pause),
        Steps("signatures", signer.step, SIGNATURES_LEAST),
    )
