"""How bots choose their moves."""

from collections.abc import Callable
from random import Random
from typing import Any

from services.matches.views import View

type Policy = Callable[[View[Any, Any], Random], Any]
"""Chooses one of the moves of anyone who is to act, knowing its view and nothing else."""


def at_random(view: View[Any, Any], chance: Random) -> Any:
    """Return any of the legal moves, all alike likely."""
    return chance.choice(view.legal_moves)
