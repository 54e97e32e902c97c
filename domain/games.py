"""The registry: one line a game."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from domain import match, montana
from domain.shared.game import Game

GAMES: Mapping[str, Game[Any, Any, Any, Any]] = {
    game.id: game
    for game in (
        montana.GAME,
    )
}  # fmt: skip


def clause_of(reason: StrEnum) -> str | None:
    """Return the clause that a refusal enforces, as `montana §4.4` or `common §1`."""
    if isinstance(reason, match.Reason):
        return f"common {match.CLAUSES[reason]}"
    for game in GAMES.values():
        if reason in game.clauses and type(reason) is type(next(iter(game.clauses))):
            return f"{game.id} {game.clauses[reason]}"
    return None
