"""A process on PostgreSQL, beside any number of others."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta

from adapters.backing import measures
from adapters.clock import SystemClock
from adapters.databases import signing_keys
from adapters.event_store.store import Store
from adapters.postgres.chat import MESSAGES
from adapters.postgres.connection.access import Access
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.ends import LogEnds
from adapters.postgres.log.recorders import EVENTS, postgres_store
from adapters.postgres.log.set_aside import PostgresSetAside
from adapters.postgres.log.tail import IDLE_POLL, POLL, Followed, Tail
from adapters.postgres.ports import postgres_ports
from adapters.postgres.presence import CHANNEL, matches_in
from adapters.postgres.read_models.agenda import PostgresAgenda
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.read_models.player_feed import FEEDS, TALK
from adapters.postgres.read_models.registry import read_models
from adapters.postgres.retention import PostgresArchive
from adapters.postgres.work import PostgresWork
from adapters.settings import Settings
from adapters.webhooks.worker import WebhookWorker, deliveries
from adapters.workers import Steps, Workers, on_matches
from domain.games import GAMES
from services.background.retention import Retention
from services.matches.outages import Heart, Settlement
from services.matches.readmission import Readmission
from services.players.store import Issuer
from services.proof.heads import Keys
from services.shared.health import Vitals
from services.use_cases import Ports, Services, build


class PostgresBacking:
    """The backing of a process on PostgreSQL.

    Attributes:
        services: The use cases.
    """

    def __init__(
        self,
        settings: Settings,
        issuer: Issuer | None,
        access: Access,
        datastore: Datastore,
        *,
        serves: bool,
        works: bool,
    ) -> None:
        """Take where the database is, and what the process does.

        Args:
            settings: All settings.
            issuer: Whose tokens name players too.
            access: Where the database is.
            datastore: The connections to it.
            serves: Whether the process answers clients.
            works: Whether it does what is done in the background.

        Raises:
            StartError: The file with the key cannot be read.
        """
        store = postgres_store(dict(GAMES), datastore, settings.append_queue)
        self._vitals = Vitals(PostgresWork(datastore).degraded)
        self._keys = signing_keys(settings, datastore)
        ports = ports_of(settings, datastore, store, self._keys, issuer)
        self.services = services = build(ports, measures(settings), self._vitals)
        self._serves = serves
        self._working = False
        feeds, chats, players = (
            services.match_streams.channels,
            services.chat.channels,
            services.player_feed.channels,
        )
        followed: tuple[Followed, ...] = ()
        if serves:
            followed = (
                Followed(feeds.hear, own=lambda: store.writer, watched=lambda: feeds.watched),
                Followed(chats.hear, MESSAGES, watched=lambda: chats.watched),
                Followed(players.hear, FEEDS, watched=lambda: players.watched),
                Followed(players.hear, TALK, watched=lambda: players.watched),
            )
        self._tail = Tail(access.direct, *followed, back=feeds.doubt_all)
        if serves:
            self._tail.hear(
                CHANNEL, lambda told: feeds.presences.hear(None if told is None else matches_in(told))
            )

        def poll() -> float:
            return POLL if feeds.watched or chats.watched or players.watched else IDLE_POLL

        self._workers = workers(settings, datastore, ports, services, poll) if works else None
        if self._workers is not None:
            for channel, woken in self._workers.hints:
                self._tail.wake(channel, woken)
        self._heart = Steps("beats", Heart(services.decisions.outages, self._vitals).step)

    async def follow(self) -> None:
        """Begin to hear of what is new."""
        if self._workers is not None:
            # Who signs nothing has no say in which key signs.
            await self._keys.begin()
        await self._tail.start()
        if self._serves:
            self._vitals.follow(self._tail)

    def work(self) -> None:
        """Begin what is done in the background."""
        self._working = True
        self._heart.start()
        if self._workers is not None:
            self._workers.start()

    async def stop(self, grace: float) -> None:
        """End both; what is under way after `grace` seconds is given up."""
        ending = [self._tail.stop()]
        if self._working:
            ending.append(self._heart.stop(grace))
        if self._working and self._workers is not None:
            ending.append(self._workers.stop(grace))
        await asyncio.gather(*ending)


def ports_of(
    settings: Settings, datastore: Datastore, store: Store, keys: Keys, issuer: Issuer | None = None
) -> Ports:
    """Return what the use cases stand on, on a database and its log."""
    return postgres_ports(
        dict(GAMES),
        datastore,
        store,
        most_held=settings.quotas,
        keys=keys,
        clock=SystemClock(),
        issuer=issuer,
    )


class Following:
    """The worker that keeps the read models up, in a thread of its own."""

    def __init__(self, follower: Follower) -> None:
        """Take the thread."""
        self._follower = follower

    def start(self) -> None:
        """Begin."""
        self._follower.start()

    async def stop(self, grace: float) -> None:
        """End after the batch under way."""
        await asyncio.to_thread(self._follower.stop)

    @property
    def late(self) -> Mapping[str, timedelta]:
        """By how much the read models are late."""
        return {"lists": self._follower.late}


def workers(
    settings: Settings,
    datastore: Datastore,
    ports: Ports,
    services: Services,
    poll: Callable[[], float],
) -> Workers:
    """Return all that the service does by itself; they are made in the event loop that they work in.

    Args:
        settings: How long matches stay open, how fast bots are, and where webhooks may point.
        datastore: The connections.
        ports: What the use cases stand on.
        services: The use cases, by which bots play.
        poll: Gives the seconds after which the log is looked at though no NOTIFY has come.
    """
    clock, decisions = ports.clock, services.decisions
    open_for = timedelta(hours=settings.open_match_hours)
    archive = PostgresArchive(datastore, feed=timedelta(days=settings.feed_days), open_for=open_for)
    settlement = Settlement(decisions.outages, PostgresAgenda(datastore).timed, decisions.settle, clock.now)
    readmission = Readmission(PostgresSetAside(datastore), decisions.matches)
    waiting = on_matches(settings, ports, services)
    loop = asyncio.get_running_loop()

    def look() -> None:
        for one in waiting:
            one.wake()

    models = ReadModels(
        dict(GAMES), datastore, read_models(), changed=lambda: loop.call_soon_threadsafe(look)
    )
    ends = LogEnds(datastore)
    follower = Follower(
        models.catch_up, forget=models.forget, poll=poll, grown=lambda: models.grown(ends.read().events)
    )
    sending = deliveries(settings, ports.outbox, clock)
    webhooks = WebhookWorker(sending, datastore, dict(GAMES), poll, ends)
    return Workers(
        [
            Following(follower),
            *waiting,
            Steps("outages", settlement.step),
            Steps("retention", Retention(archive, clock).step),
            Steps("matches set aside", readmission.step),
            webhooks,
        ],
        # A turn that another process has noted is told by the feed of the player whose turn it is.
        hints=[(EVENTS, follower.wake), (FEEDS.channel, look), *webhooks.hints],
        work=PostgresWork(datastore),
    )
