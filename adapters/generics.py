"""Generic types filled in at run time, from the registry of games."""

from typing import Any


def filled(generic: Any, *arguments: Any) -> Any:
    """Return a generic type with its parameters, which only the registry knows."""
    return generic[arguments]
