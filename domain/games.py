"""The registry: one line a game."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from domain import match, montana, montanara, montmartre, mount_drago, mountains
from domain.shared.game import Game

GAMES: Mapping[str, Game[Any, Any, Any, Any]] = {
    game.id: game
    for game in (
        montana.GAME,
        montanara.GAME,
        montmartre.GAME,
        mount_drago.GAME,
        mountains.GAME,
    )
}  # fmt: skip

_CLAUSES: Mapping[type[StrEnum], tuple[str, Mapping[Any, str]]] = {
    match.Reason: ("common", match.CLAUSES),
    **{type(reason): (game.id, game.clauses) for game in GAMES.values() for reason in game.clauses},
}
"""Whose rules a type of reasons belongs to, and the clause that each enforces."""


def clause_of(reason: StrEnum) -> str | None:
    """Return the clause that a refusal enforces, `montana §4.4` or `common §1`; None if no rule speaks."""
    rules, clauses = _CLAUSES.get(type(reason), ("", {}))
    clause = clauses.get(reason)
    return None if clause is None else f"{rules} {clause}"
