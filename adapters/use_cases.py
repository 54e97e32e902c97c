"""The use cases that both faces of the API call."""

from msgspec import Struct

from services.chat import Chat
from services.invitations import Invitations
from services.lobby import Lobby
from services.matches import Matches
from services.players import Players
from services.quick_match import QuickMatch
from services.rematches import Rematches
from services.statistics import Achievements
from services.webhooks import Webhooks


class Services(Struct, frozen=True, kw_only=True):
    """All use cases.

    Attributes:
        matches: Around a match.
        lobby: Around the seats of a match.
        players: Around accounts.
        chat: Around the talk in a match.
        invitations: Around invitations.
        rematches: Playing a match again.
        quick_match: Finding others to play with.
        achievements: What players have achieved.
        webhooks: Around webhooks.
    """

    matches: Matches
    lobby: Lobby
    players: Players
    chat: Chat
    invitations: Invitations
    rematches: Rematches
    quick_match: QuickMatch
    achievements: Achievements
    webhooks: Webhooks
