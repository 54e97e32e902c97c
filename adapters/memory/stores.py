"""All stores in memory, put together: for `montane serve --memory`, and for tests."""

from collections.abc import Callable, Sequence

from adapters.memory.agenda import MemoryAgenda
from adapters.memory.blocks import MemoryBlockList
from adapters.memory.chat import MemoryChatLog
from adapters.memory.heads import MemoryHeads
from adapters.memory.history import MemoryHistory
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
from adapters.postgres.quotas import MostHeld
from domain.match import PlayerId
from domain.shared.game import Games
from services.matches.outages import NoOutages
from services.players.store import Issuer
from services.proof.keys import Signer
from services.shared.ids import MatchId
from services.shared.time import Clock
from services.use_cases import Ports, Services


class MemoryStores:
    """What one deployment keeps, gone with the process.

    Attributes:
        ports: What the use cases stand on.
    """

    def __init__(
        self,
        games: Games,
        most_held: MostHeld,
        clock: Clock,
        *,
        issuer: Issuer | None = None,
        signer: Signer | None = None,
    ) -> None:
        """Begin with nothing stored.

        Args:
            games: The registered games by id.
            most_held: How much of each kind a player may have.
            clock: The time.
            issuer: Whose tokens name players too; None for nobody's.
            signer: What signs; None for a key of its own.
        """
        self._log = log = MemoryMatchRecorder()
        history = MemoryHistory(games, log)
        accounts, quotas, match_list = MemoryAccounts(), MemoryQuotas(most_held), MemoryMatchList(history)
        seeds, block_list = MemorySeeds(log, quotas), MemoryBlockList(accounts)
        self._chat_log = chat_log = MemoryChatLog()
        self._player_log = player_log = MemoryPlayerLog(history)
        webhooks = MemoryWebhooks(games, history, seeds, chat_log, player_log.notify)
        self.ports = Ports(
            games=games,
            store=memory_store(games, log, MemorySnapshots()),
            seeds=seeds,
            match_list=match_list,
            outages=NoOutages(),
            presence=MemoryPresenceLog({}),
            accounts=accounts,
            issuer=issuer,
            block_list=block_list,
            quotas=quotas,
            chat_log=chat_log,
            player_log=player_log,
            records=MemoryRecords(history),
            quick_matches=MemoryQuickMatches(match_list, block_list, quotas),
            heads=MemoryHeads(log),
            keys=MemoryKeys(signer),
            webhooks=webhooks,
            outbox=webhooks,
            agenda=MemoryAgenda(history),
            clock=clock,
        )

    def notify(self, services: Services, woken: Callable[[], None]) -> None:
        """Let the streams of the process, and who works in the background, learn of what is new."""

        def said(match: MatchId, position: int, recipients: Sequence[PlayerId]) -> None:
            services.chat.channels.hear(match, position)
            for player in recipients:
                services.player_feed.channels.hear(player, position)
            woken()

        self._log.appended.listen(woken)
        self._chat_log.said.listen(said)
        self._player_log.concerned.listen(services.player_feed.channels.hear)
