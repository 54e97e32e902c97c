"""The use cases on stores in memory or in PostgreSQL, as a test wants them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from adapters.event_store.store import Store
from adapters.memory.agenda import MemoryAgenda
from adapters.memory.blocks import MemoryBlockList
from adapters.memory.chat import MemoryChatLog
from adapters.memory.heads import MemoryHeads
from adapters.memory.keys import MemoryKeys
from adapters.memory.log import MemoryMatchRecorder, MemorySnapshots, memory_store
from adapters.memory.match_list import MemoryMatchList
from adapters.memory.player_feed import MemoryPlayerLog
from adapters.memory.players import MemoryAccounts, MemorySeeds
from adapters.memory.presence import MemoryPresenceLog
from adapters.memory.quick_matches import MemoryQuickMatches
from adapters.memory.quotas import MemoryQuotas
from adapters.memory.records import MemoryRecords
from adapters.memory.webhooks import MemoryWebhooks
from adapters.postgres.blocks import PostgresBlockList
from adapters.postgres.chat import PostgresChatLog
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.log.recorders import postgres_store
from adapters.postgres.players import PostgresAccounts, PostgresSeeds
from adapters.postgres.presence import PostgresPresenceLog
from adapters.postgres.quick_matches import PostgresQuickMatches
from adapters.postgres.quotas import PostgresQuotas
from adapters.postgres.read_models.agenda import PostgresAgenda
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.match_pages import PostgresMatchList
from adapters.postgres.read_models.player_feed import PostgresPlayerLog
from adapters.postgres.read_models.records import PostgresRecords
from adapters.postgres.read_models.registry import read_models
from adapters.postgres.webhooks.chat_outbox import ChatOutboxRecorder
from adapters.postgres.webhooks.outbox import OutboxRecorder
from adapters.postgres.webhooks.store import PostgresWebhooks
from adapters.settings import Settings
from domain.games import GAMES
from domain.shared.game import Games
from domain.shared.seats import Seat
from services.chat.log import ChatLog
from services.lobby.holdings import Holdings
from services.lobby.seats import Lobby
from services.matches.opening import Proposal
from services.matches.outages import NoOutages, Outages
from services.notify.subscriptions import Webhooks
from services.players.accounts import Players
from services.players.quotas import QuotaKind
from services.proof.heads import Heads, Keys
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

    def __init__(
        self,
        store: Store,
        *,
        accounts: Any,
        seeds: Any,
        match_list: Any,
        chat_log: ChatLog,
        records: Any,
        quick_matches: Any,
        block_list: Any,
        quotas: Any,
        agenda: Any,
        heads: Heads,
        keys: Keys,
        webhooks: Any,
        player_log: Any,
    ) -> None:
        """Take the ports."""
        self.store, self.accounts, self.seeds, self.match_list = store, accounts, seeds, match_list
        self.chat_log, self.records, self.webhooks = chat_log, records, webhooks
        self.block_list, self.quotas = block_list, quotas
        self.quick_matches, self.agenda, self.player_log = quick_matches, agenda, player_log
        self.heads, self.keys = heads, keys
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
        ports = Ports(
            games=dict(GAMES) if games is None else games,
            store=self.store,
            seeds=self.seeds,
            match_list=self.match_list,
            outages=self.outages,
            presence=self.presence(),
            accounts=self.accounts,
            block_list=self.block_list,
            quotas=self.quotas,
            chat_log=self.chat_log,
            player_log=self.player_log,
            records=self.records,
            quick_matches=self.quick_matches,
            heads=self.heads,
            keys=self.keys,
            webhooks=self.webhooks,
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
            postgres_store(games, datastore, APPEND_QUEUE),
            accounts=PostgresAccounts(datastore),
            seeds=PostgresSeeds(datastore, MOST_HELD[QuotaKind.OPEN]),
            match_list=PostgresMatchList(games, datastore),
            chat_log=PostgresChatLog(datastore),
            quick_matches=PostgresQuickMatches(datastore, MOST_HELD[QuotaKind.OPEN]),
            block_list=PostgresBlockList(datastore),
            quotas=PostgresQuotas(datastore, MOST_HELD),
            records=PostgresRecords(datastore),
            agenda=PostgresAgenda(datastore),
            heads=PostgresHeads(datastore),
            keys=PostgresKeys(datastore),
            webhooks=PostgresWebhooks(datastore),
            player_log=PostgresPlayerLog(datastore),
        )
        self.datastore = datastore
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
    games = dict(GAMES)
    log = MemoryMatchRecorder()
    accounts, quotas, match_list = MemoryAccounts(), MemoryQuotas(MOST_HELD), MemoryMatchList(games, log)
    seeds, chat_log, block_list = MemorySeeds(log, quotas), MemoryChatLog(), MemoryBlockList(accounts)
    player_log = MemoryPlayerLog(games, log)
    return Stores(
        memory_store(games, log, MemorySnapshots()),
        accounts=accounts,
        seeds=seeds,
        match_list=match_list,
        chat_log=chat_log,
        quick_matches=MemoryQuickMatches(match_list, block_list, quotas),
        block_list=block_list,
        quotas=quotas,
        records=MemoryRecords(games, log),
        agenda=MemoryAgenda(games, log),
        heads=MemoryHeads(log),
        keys=MemoryKeys(),
        webhooks=MemoryWebhooks(games, log, seeds, chat_log, player_log.notify),
        player_log=player_log,
    )


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
