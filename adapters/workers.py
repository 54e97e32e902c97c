"""What the service does by itself, in the background: every worker is started, watched and stopped here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Protocol

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.log.ends import LogEnds
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.log.set_aside import PostgresSetAside
from adapters.postgres.read_models.agenda import PostgresAgenda
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.read_models.player_feed import FEEDS
from adapters.postgres.read_models.registry import read_models
from adapters.postgres.retention import PostgresArchive
from adapters.postgres.work import PostgresWork
from adapters.settings import Settings
from adapters.webhooks.worker import WebhookWorker
from domain.games import GAMES
from services.background.retention import Retention
from services.background.timekeeper import Timekeeper
from services.bots.accounts import POLICIES
from services.bots.turns import BotPlayers
from services.matches.outages import Settlement
from services.matches.readmission import Readmission
from services.proof.head_signer import HeadSigner
from services.proof.heads import Keys
from services.shared.errors import Unavailable
from services.shared.ticks import until
from services.shared.time import Clock
from services.use_cases import Services

NO_TIME = timedelta()
CLOCKS_LEAST, SIGNATURES_LEAST = timedelta(seconds=0.5), timedelta(seconds=1)
"""How long is waited at least between two looks at the deadlines, and at the matches to be signed."""
REPORT = timedelta(seconds=10)
"""How long lies between two reports of how the workers get on."""
PAUSES = (0.5, 1.0, 2.0, 5.0)
"""Seconds that a worker waits behind steps that fail one after the other; the last one from then on."""

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
            step: Takes a step, and returns how long to wait behind it.
            least: How long is waited behind a step, at least, though `wake` is called.
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


class Following:
    """The worker that keeps the read models up, in a thread of its own."""

    def __init__(self, follower: Follower) -> None:
        """Take the thread."""
        self._follower = follower

    def start(self) -> None:
        """Begin."""
        self._follower.start()

    async def stop(self, grace: float) -> None:
        """End behind the batch under way."""
        await asyncio.to_thread(self._follower.stop)

    @property
    def late(self) -> Mapping[str, timedelta]:
        """By how much the read models are late."""
        return {"lists": self._follower.late}


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
            work: Where it is put down how they get on.
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


def workers(
    settings: Settings,
    datastore: Datastore,
    services: Services,
    keys: Keys,
    clock: Clock,
    poll: Callable[[], float],
) -> Workers:
    """Return all that the service does by itself; they are made in the event loop that they work in.

    Args:
        settings: How long matches stay open, how fast bots are, and where webhooks may point.
        datastore: The connections.
        services: The use cases, by which bots play.
        keys: What heads are signed with.
        clock: The time.
        poll: Gives the seconds after which the log is looked at though no NOTIFY has come.
    """
    agenda = PostgresAgenda(datastore)
    open_for = timedelta(hours=settings.open_match_hours)
    decisions = services.decisions
    timekeeper = Timekeeper(decisions, agenda, clock, open_for)
    bot_pause = timedelta(milliseconds=settings.bot_pause)
    players = BotPlayers(services.commands, services.queries, agenda, POLICIES, bot_pause)
    archive = PostgresArchive(datastore, feed=timedelta(days=settings.feed_days), open_for=open_for)
    signer = HeadSigner(PostgresHeads(datastore), keys, clock)
    settlement = Settlement(decisions.outages, agenda.timed, decisions.settle, clock.now)
    readmission = Readmission(PostgresSetAside(datastore), decisions.matches)
    clocks = Steps("clocks", timekeeper.step, CLOCKS_LEAST)
    bots = Steps("bots", players.step, bot_pause)
    signatures = Steps("signatures", signer.step, SIGNATURES_LEAST)
    loop = asyncio.get_running_loop()

    def look() -> None:
        for waiting in (clocks, bots, signatures):
            waiting.wake()

    models = ReadModels(
        dict(GAMES), datastore, read_models(), changed=lambda: loop.call_soon_threadsafe(look)
    )
    ends = LogEnds(datastore)
    follower = Follower(
        models.catch_up, forget=models.forget, poll=poll, grown=lambda: models.grown(ends.read().events)
    )
    webhooks = WebhookWorker(settings, datastore, dict(GAMES), clock, poll, ends)
    return Workers(
        [
            Following(follower),
            clocks,
            bots,
            signatures,
            Steps("outages", settlement.step),
            Steps("retention", Retention(archive, clock).step),
            Steps("matches set aside", readmission.step),
            webhooks,
        ],
        # A turn that another process has noted is told by the feed of the player whose turn it is.
        hints=[(EVENTS, follower.wake), (FEEDS.channel, look), *webhooks.hints],
        work=PostgresWork(datastore),
    )
