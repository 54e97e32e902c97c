"""The registry: one line a game."""

from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from typing import Any

from domain import match
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected

GAMES: Mapping[str, AnyGame] = {
    game: import_module(f"domain.games.{game}").GAME
    for game in (
        "montana",
        "montanara",
        "montmartre",
        "mount_drago",
        "mountains",
    )
}
"""Every game by its id, which is the name of its package."""

_CLAUSES: Mapping[type[StrEnum], tuple[str, Mapping[Any, str]]] = {
    match.Reason: ("common", match.CLAUSES),
    **{type(reason): (game.id, game.clauses) for game in GAMES.values() for reason in game.clauses},
}
"""Whose rules a type of reasons belongs to, and the clause that each enforces."""


def clause_of(refusal: Rejected) -> str | None:
    """Return the clause that a refusal enforces, `montana §4.4` or `common §1`; None if no rule speaks."""
    reason = refusal.reason
    rules, clauses = _CLAUSES.get(type(reason), ("", {}))
    clause = clauses.get(reason)
    if reason in match.OF_THE_GAME:
        rules = str(refusal.details["game"])
    return None if clause is None else f"{rules} {clause}"
