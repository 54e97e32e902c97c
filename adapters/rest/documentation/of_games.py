"""What a request holds of a game: a command, options."""

from typing import Any

import msgspec

from adapters.rest.bodies.matches import command_type
from adapters.rest.requests import decoded
from domain.shared.catalogues import clause_about
from domain.shared.game import AnyGame


def command_in(asked: msgspec.Raw, game: AnyGame) -> Any:
    """Return the command of a game that a request gives.

    Raises:
        Malformed: It is none of the game; names the field.
    """
    type = command_type(game.id, game.commands)
    return decoded(bytes(asked), type, "command", clause_about("command", game.id))


def options_in(asked: msgspec.Raw | msgspec.UnsetType, game: AnyGame) -> Any:
    """Return the options that a request asks for; those left out have their defaults.

    Raises:
        Malformed: They are not options of the game; names the field.
    """
    if asked is msgspec.UNSET:
        return game.options()
    return decoded(bytes(asked), game.options, "options", clause_about("options", game.id))
