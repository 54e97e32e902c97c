"""All stores in PostgreSQL, put together."""

from adapters.event_store.store import Store
from adapters.postgres.blocks import PostgresBlockList
from adapters.postgres.chat import PostgresChatLog
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.outages import PostgresOutages
from adapters.postgres.players import PostgresAccounts, PostgresSeeds
from adapters.postgres.presence import PostgresPresenceLog
from adapters.postgres.quick_matches import PostgresQuickMatches
from adapters.postgres.quotas import MostHeld, PostgresQuotas
from adapters.postgres.read_models.agenda import PostgresAgenda
from adapters.postgres.read_models.match_pages import PostgresMatchList
from adapters.postgres.read_models.player_feed import PostgresPlayerLog
from adapters.postgres.read_models.records import PostgresRecords
from adapters.postgres.webhooks.store import PostgresWebhooks
from domain.shared.game import Games
from services.players.quotas import QuotaKind
from services.players.store import Issuer
from services.proof.heads import Keys
from services.shared.time import Clock
from services.use_cases import Ports


def postgres_ports(
    games: Games,
    datastore: Datastore,
    store: Store,
    *,
    most_held: MostHeld,
    keys: Keys,
    clock: Clock,
    issuer: Issuer | None = None,
) -> Ports:
    """Return what the use cases of one process stand on.

    Args:
        games: The registered games by id.
        datastore: The connections.
        store: The log of matches.
        most_held: How much of each kind a player may have.
        keys: What heads are signed with.
        clock: The time.
        issuer: Whose tokens name players too; None for nobody's.
    """
    most_open = most_held[QuotaKind.OPEN]
    webhooks = PostgresWebhooks(datastore)
    return Ports(
        games=games,
        store=store,
        seeds=PostgresSeeds(datastore, most_open),
        match_list=PostgresMatchList(games, datastore),
        outages=PostgresOutages(datastore),
        presence=PostgresPresenceLog(datastore),
        accounts=PostgresAccounts(datastore),
        issuer=issuer,
        block_list=PostgresBlockList(datastore),
        quotas=PostgresQuotas(datastore, most_held),
        chat_log=PostgresChatLog(datastore),
        player_log=PostgresPlayerLog(datastore),
        records=PostgresRecords(datastore),
        quick_matches=PostgresQuickMatches(datastore, most_open),
        heads=PostgresHeads(datastore),
        keys=keys,
        webhooks=webhooks,
        outbox=webhooks,
        agenda=PostgresAgenda(datastore),
        clock=clock,
    )
