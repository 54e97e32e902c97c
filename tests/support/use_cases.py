"""The use cases on stores in memory or in PostgreSQL, as a test wants them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.popo import POPOAggregateRecorder, POPOApplicationRecorder

from adapters.postgres.datastore import Datastore
from adapters.postgres.players import MemoryAccounts, MemorySeeds, PostgresAccounts, PostgresSeeds
from adapters.postgres.read_models.match_list import MatchListRecorder, MemoryMatchList, PostgresMatchList
from adapters.postgres.store import Store, memory_store, postgres_log, postgres_store
from adapters.use_cases import Services
from domain.games import GAMES
from services.live import Games
from services.lobby import Lobby
from services.matches import Matches, Proposal
from services.players import Players
from services.ports import Clock

POOL = 4
APPEND_QUEUE = 5_000


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

    def __init__(self, store: Store, accounts: Any, seeds: Any, match_list: Any) -> None:
        """Take the ports."""
        self.store, self.accounts, self.seeds, self.match_list = store, accounts, seeds, match_list
        self.clock = TickingClock()

    def catch_up(self) -> None:
        """Bring the match list up to the log; one in memory always is."""

    def node(
        self, *, remembered: int = 100, snapshot_every: int = 500, games: Games | None = None
    ) -> Matches:
        """Return the use cases of one more process on these stores, with the registered games or others."""
        return Matches(
            games=dict(GAMES) if games is None else games,
            store=self.store,
            seeds=self.seeds,
            match_list=self.match_list,
            clock=self.clock,
            remembered=remembered,
            snapshot_every=snapshot_every,
        )

    def players(self, clock: Clock | None = None) -> Players:
        """Return the use cases around accounts, of one more process."""
        return Players(self.accounts, clock or self.clock)

    def services(self, node: Matches | None = None) -> Services:
        """Return all use cases of one more process on these stores, of which some may be made already."""
        node = node or self.node()
        return Services(node, Lobby(node.decisions), self.players())


class PostgresStores(Stores):
    """What a deployment keeps in PostgreSQL."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        games = dict(GAMES)
        super().__init__(
            postgres_store(games, datastore, APPEND_QUEUE),
            PostgresAccounts(datastore),
            PostgresSeeds(datastore),
            PostgresMatchList(games, datastore),
        )
        self._log: ApplicationRecorder = postgres_log(datastore)
        self._list = MatchListRecorder(games, datastore)

    def catch_up(self) -> None:
        """Bring the match list up to the log."""
        while self._list.catch_up(self._log):
            pass


def memory_stores() -> Stores:
    """Return stores in memory."""
    games = dict(GAMES)
    log = POPOApplicationRecorder()
    return Stores(
        memory_store(games, log, POPOAggregateRecorder()),
        MemoryAccounts(),
        MemorySeeds(),
        MemoryMatchList(games, log),
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
