"""Players as others see them."""

from collections.abc import Mapping

from msgspec import Struct

from domain.match import (
    PlayerId,
)
from services.players.store import Player

ERASED_NAME = ""
"""The name of a player whose account is gone."""


class SeatedPlayer(Struct, frozen=True):
    """A player as others see it.

    Attributes:
        id: `player_...`.
        display_name: As the player wants to be called.
    """

    id: PlayerId
    display_name: str


def seated_player(id: PlayerId, known: Mapping[PlayerId, Player]) -> SeatedPlayer:
    """Return a player as others see it; one whose account is gone has no name."""
    player = known.get(id)
    return SeatedPlayer(id, ERASED_NAME if player is None else player.display_name)
