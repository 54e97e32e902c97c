"""The use cases on stores in memory or in PostgreSQL, as a test wants them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from adapters.memory.presence import MemoryPresenceLog
from adapters.memory.quotas import MemoryQuotas
from adapters.memory.stores import MemoryStores
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.log.recorders import postgres_store
from adapters.postgres.ports import postgres_ports
from adapters.postgres.presence import PostgresPresenceLog
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.registry import read_models
from adapters.postgres.webhooks.chat_outbox import ChatOutboxRecorder
from adapters.postgres.webhooks.outbox import OutboxRecorder
from adapters.settings import Settings
from domain.games import GAMES
from domain.shared.game import Games
from domain.shared.seats import Seat
from services.lobby.holdings import Holdings
from services.lobby.seats import Lobby
from services.matches.opening import Proposal
from services.matches.outages import NoOutages, Outages
from services.notify.subscriptions import Webhooks
from services.players.accounts import Players
from services.players.quotas import QuotaKind
from services.shared.ids import MatchId
from services.shared.time import Clock
from services.streams.presence import Count, PresenceLog
from services.use_cases import Measures, Ports, Services, build

POOL = 4
APPEND_QUEUE = 5_000
MOST_HELD = {QuotaKind.OPEN: 20, QuotaKind.BOTS: 5, QuotaKind.INVITATION: 50}
"""How much of each kind a player may have, as by default."""


class TickingClock:
    """A clock that moves on by a second whenever it is asked."""

    def __init__(self) -> None:
        """Begin at a fixed time."""
        self._time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time, UTC."""
        self._time += timedelta(seconds=1)
        return self._time


class ManualClock:
    """A clock that stands until it is moved on."""

    def __init__(self, time: datetime) -> None:
        """Begin at a time."""
        self._time = time

    def now(self) -> datetime:
        """Return the time, UTC."""
        return self._time

    def advance(self, by: timedelta) -> None:
        """Move on."""
        self._time += by


class Stores:
    """What one deployment keeps; several nodes may stand on it."""

    def __init__(self, ports: Ports) -> None:
        """Take the ports, but for the time and for outages, of which there are none."""
        self._ports = ports
        self.store = ports.store
        self.accounts: Any = ports.accounts
        self.seeds: Any = ports.seeds
        self.match_list: Any = ports.match_list
        self.chat_log = ports.chat_log
        self.records: Any = ports.records
        self.quick_matches: Any = ports.quick_matches
        self.block_list: Any = ports.block_list
        self.quotas: Any = ports.quotas
        self.agenda: Any = ports.agenda
        self.heads, self.keys = ports.heads, ports.keys
        self.webhooks: Any = ports.webhooks
        self.player_log: Any = ports.player_log
        self.clock: Clock = TickingClock()
        self.outages: Outages = NoOutages()
        self.max_commands: int | None = Settings().max_commands
        self._streams: dict[tuple[UUID, MatchId, Seat | None], Count] = {}

    def presence(self) -> PresenceLog:
        """Return the place of one more process in what they share of who is there."""
        return MemoryPresenceLog(self._streams)

    def catch_up(self) -> None:
        """Bring the read models up to the log; those in memory always are."""

    def node(
        self,
        *,
        remembered: int = 100,
        remembered_events: int = 10_000,
        snapshot_every: int = 500,
        games: Games | None = None,
    ) -> Services:
        """Return the use cases of one more process on these stores, with the registered games or others."""
        ports = replace(
            self._ports,
            games=self._ports.games if games is None else games,
            store=self.store,
            outages=self.outages,
            presence=self.presence(),
            clock=self.clock,
        )
        measures = Measures(
            remembered=remembered,
            remembered_events=remembered_events,
            snapshot_every=snapshot_every,
            max_commands=self.max_commands,
        )
        return build(ports, measures)

    def players(self, clock: Clock | None = None) -> Players:
        """Return the use cases around accounts, of one more process."""
        return Players(self.accounts, clock or self.clock)

    def webhook_cases(self) -> Webhooks:
        """Return the use cases around webhooks."""
        return Webhooks(self.webhooks, self.clock, private=False)


class PostgresStores(Stores):
    """What a deployment keeps in PostgreSQL."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        games = dict(GAMES)
        self.datastore = datastore
        super().__init__(
            postgres_ports(
                games,
                datastore,
                postgres_store(games, datastore, APPEND_QUEUE),
                most_held=MOST_HELD,
                keys=PostgresKeys(datastore),
                clock=TickingClock(),
            )
        )
        self._read_models = ReadModels(games, datastore, read_models())
        self._outbox = OutboxRecorder(games, datastore, lambda: None)
        self._chat_outbox = ChatOutboxRecorder(datastore, lambda: None)

    def presence(self) -> PresenceLog:
        """Return the place of one more process in what they share of who is there."""
        return PostgresPresenceLog(self.datastore)

    def catch_up(self) -> None:
        """Bring the read models up to the log."""
        while self._read_models.catch_up():
            pass
        while any([self._outbox.catch_up(), self._chat_outbox.catch_up()]):
            pass


def memory_stores() -> Stores:
    """Return stores in memory."""
    return Stores(MemoryStores(dict(GAMES), MOST_HELD, TickingClock()).ports)


@asynccontextmanager
async def postgres_stores(conninfo: str) -> AsyncIterator[PostgresStores]:
    """Give stores in a migrated database."""
    datastore = Datastore(conninfo, POOL)
    stores = PostgresStores(datastore)
    try:
        yield stores
    finally:
        await stores.store.close()
        datastore.close()


def proposal(**changes: Any) -> Proposal:
    """Return a proposal of a match of Montana, deal 1, with changes."""
    fields: dict[str, Any] = {"game": "montana", "options": GAMES["montana"].options(deal=1), "seat": 0}
    return Proposal(**(fields | changes))


def lobby_of(node: Services) -> Lobby:
    """Return the use cases around the seats of a node's matches."""
    decisions = node.decisions
    return Lobby(decisions, Holdings(decisions, MemoryQuotas(MOST_HELD), decisions.clock))
