"""The use cases that both faces of the API call."""

from msgspec import Struct

from services.chat.chat import Chat
from services.lobby.branches import Branches
from services.lobby.erasure import Departures
from services.lobby.holdings import Holdings
from services.lobby.invitations import Invitations
from services.lobby.quick_match import QuickMatch
from services.lobby.rematches import Rematches
from services.lobby.seats import Lobby
from services.matches.matches import Matches
from services.notify.player_feed import PlayerFeed
from services.notify.subscriptions import Webhooks
from services.players.accounts import Players
from services.players.blocks import Blocks
from services.players.statistics import Achievements
from services.proof.proofs import Proofs
from services.shared.health import Vitals


class Services(Struct, frozen=True, kw_only=True):
    """All use cases.

    Attributes:
        matches: Around a match.
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

    matches: Matches
    lobby: Lobby
    players: Players
    departures: Departures
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
