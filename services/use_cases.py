"""All use cases, made of what the outside provides: the one place where they are put together."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from domain.shared.game import Games
from services.background.timekeeper import Deadlines
from services.bots.turns import BotTurns
from services.chat.chat import Chat
from services.chat.log import ChatLog
from services.lobby.branches import Branches
from services.lobby.erasure import Erasure
from services.lobby.holdings import Holdings
from services.lobby.invitations import Invitations
from services.lobby.match_list import MatchList, MatchPages
from services.lobby.quick_match import QuickMatch
from services.lobby.rematches import Rematches
from services.lobby.seats import Lobby
from services.lobby.waiting import QuickMatches
from services.matches.catalogue import Catalogue
from services.matches.commands import Commands
from services.matches.decisions import Decisions
from services.matches.opening import Openings
from services.matches.outages import Outages
from services.matches.queries import Queries
from services.matches.store import EventStore, Seeds
from services.notify.deliveries import Outbox
from services.notify.player_feed import PlayerFeed, PlayerLog
from services.notify.subscriptions import Webhooks, WebhookStore
from services.players.accounts import Players
from services.players.block_list import BlockList
from services.players.blocks import Blocks
from services.players.quotas import Quotas
from services.players.records import Records
from services.players.statistics import Achievements
from services.players.store import Accounts, Issuer
from services.proof.heads import Heads, Keys
from services.proof.proofs import Proofs
from services.shared.errors import Unavailable
from services.shared.health import Vitals
from services.shared.remembered import Remembered
from services.shared.time import Clock
from services.streams.match_stream import MatchChannels, MatchStreams
from services.streams.presence import PresenceLog

READINESS = 1.0
"""Seconds for which it is remembered whether the store answers."""


class Agenda(Deadlines, BotTurns, Protocol):
    """In which matches something is due: time is up, or a bot is to act."""


class Ports(Struct, frozen=True, kw_only=True):
    """What the outside provides.

    Attributes:
        games: The registered games by id.
        store: The log of all matches.
        seeds: The secrets of matches.
        match_list: The list of matches.
        outages: When the service was away.
        presence: What processes share of who is there.
        accounts: Players and their tokens.
        issuer: Whose tokens name players too; None for nobody's.
        block_list: Who has blocked whom.
        quotas: What players have only so much of at a time.
        chat_log: What is said in matches.
        player_log: What concerns each player.
        records: What players have achieved.
        quick_matches: Where players who look for others are placed.
        heads: The heads of matches, and those of days.
        keys: What heads are signed with.
        webhooks: Who is notified of what.
        outbox: What is to be sent to webhooks.
        agenda: In which matches something is due.
        clock: The time.
    """

    games: Games
    store: EventStore
    seeds: Seeds
    match_list: MatchList
    outages: Outages
    presence: PresenceLog
    accounts: Accounts
    issuer: Issuer | None = None
    block_list: BlockList
    quotas: Quotas
    chat_log: ChatLog
    player_log: PlayerLog
    records: Records
    quick_matches: QuickMatches
    heads: Heads
    keys: Keys
    webhooks: WebhookStore
    outbox: Outbox
    agenda: Agenda
    clock: Clock


class Measures(Struct, frozen=True, kw_only=True):
    """How much a process keeps in memory, and what it allows.

    Attributes:
        remembered: How many folded matches are kept in memory.
        remembered_events: How many events these may have in all.
        snapshot_every: How many events lie between two snapshots of a match.
        max_commands: The most commands of a match that is opened from now on; None for no limit.
        private_webhooks: Whether webhooks may point into private networks.
    """

    remembered: int
    remembered_events: int
    snapshot_every: int
    max_commands: int | None
    private_webhooks: bool = False


class Services(Struct, frozen=True, kw_only=True):
    """All use cases.

    Attributes:
        ready: Whether the store answers.
        catalogue: The games that can be played.
        decisions: What carries out commands.
        openings: Opening a match.
        commands: Giving a command.
        queries: What can be asked of a match.
        match_list: Listing matches.
        match_streams: Watching a match.
        lobby: Around the seats of a match.
        players: Around accounts.
        departures: Players who go for good.
        blocks: Around whom a player has blocked.
        holdings: What players have of which they may have so much at a time.
        chat: Around the talk in a match.
        invitations: Around invitations.
        rematches: Playing a match again.
        branches: Playing a match on from a past version.
        quick_match: Finding others to play with.
        proofs: Around what proves a match.
        achievements: What players have achieved.
        player_feed: What concerns a player.
        webhooks: Around webhooks.
        vitals: How this process works; None where nothing can go wrong but the store.
    """

    ready: Callable[[], Awaitable[bool]]
    catalogue: Catalogue
    decisions: Decisions
    openings: Openings
    commands: Commands
    queries: Queries
    match_list: MatchPages
    match_streams: MatchStreams
    lobby: Lobby
    players: Players
    departures: Erasure
    blocks: Blocks
    holdings: Holdings
    chat: Chat
    invitations: Invitations
    rematches: Rematches
    branches: Branches
    quick_match: QuickMatch
    proofs: Proofs
    achievements: Achievements
    player_feed: PlayerFeed
    webhooks: Webhooks
    vitals: Vitals | None = None

    async def drain(self) -> None:
        """Finish what is under way; nothing more may be asked for."""
        await self.quick_match.drain()
        await self.holdings.drain()
        await self.decisions.drain()


def build(ports: Ports, measures: Measures, vitals: Vitals | None = None) -> Services:
    """Return all use cases of a process, made of what the outside provides; call it in its event loop."""
    clock, store, block_list = ports.clock, ports.store, ports.block_list
    catalogue = Catalogue(ports.games, measures.max_commands)
    channels = MatchChannels(store, ports.presence, clock)
    decisions = Decisions(
        games=ports.games,
        store=store,
        seeds=ports.seeds,
        clock=clock,
        remembered=measures.remembered,
        remembered_events=measures.remembered_events,
        snapshot_every=measures.snapshot_every,
        outages=ports.outages,
        publish=channels.publish,
        doubt=channels.doubt,
    )
    players = Players(ports.accounts, clock, ports.issuer)
    openings = Openings(catalogue, decisions, ports.seeds, clock)
    queries = Queries(decisions)
    match_list = MatchPages(ports.match_list, catalogue)
    holdings = Holdings(decisions, ports.quotas, clock)
    lobby = Lobby(decisions, holdings)
    chat = Chat(decisions, players, block_list, ports.chat_log, clock)
    channels.moved = chat.channels.moved

    async def answers() -> bool:
        try:
            return await store.answers()
        except Unavailable:
            return False

    return Services(
        ready=Remembered(answers, READINESS) if vitals is None else vitals.ready,
        catalogue=catalogue,
        decisions=decisions,
        openings=openings,
        commands=Commands(decisions, clock),
        queries=queries,
        match_list=match_list,
        match_streams=MatchStreams(channels, queries, decisions),
        lobby=lobby,
        players=players,
        departures=Erasure(players, match_list, lobby),
        blocks=Blocks(block_list, players, clock),
        holdings=holdings,
        chat=chat,
        invitations=Invitations(decisions, block_list, holdings),
        rematches=Rematches(openings, queries, decisions),
        branches=Branches(catalogue, openings, queries, decisions.matches, clock),
        quick_match=QuickMatch(catalogue, openings, decisions, ports.quick_matches, clock),
        proofs=Proofs(queries, decisions, store, ports.heads, ports.keys),
        achievements=Achievements(ports.games, ports.records, players),
        player_feed=PlayerFeed(ports.player_log, ports.chat_log, block_list, chat.shown, clock),
        webhooks=Webhooks(ports.webhooks, clock, private=measures.private_webhooks),
        vitals=vitals,
    )
