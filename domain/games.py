"""The registry: one line a game."""

from collections.abc import Mapping
from typing import Any

from domain import montana
from domain.shared.game import Game

GAMES: Mapping[str, Game[Any, Any, Any, Any]] = {
    game.id: game
    for game in (
        montana.GAME,
    )
}  # fmt: skip
