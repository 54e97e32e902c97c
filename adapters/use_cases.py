"""The use cases that both faces of the API call."""

from msgspec import Struct

from services.chat import Chat
from services.lobby import Lobby
from services.matches import Matches
from services.player_feed import PlayerFeed
from services.players import Players
from services.statistics import Achievements


class Services(Struct, frozen=True):
    """All use cases.

    Attributes:
        matches: Around a match.
        lobby: Around the seats of a match.
        players: Around accounts.
        chat: Around the talk in a match.
        achievements: What players have achieved.
        player_feed: What concerns a player.
    """

    matches: Matches
    lobby: Lobby
    players: Players
    chat: Chat
    achievements: Achievements
    player_feed: PlayerFeed
