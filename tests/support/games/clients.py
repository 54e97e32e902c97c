"""Clients of games with secrets: they keep the table by what a viewer is shown of each event, and no more."""

from collections.abc import Iterable
from typing import Any, Protocol

from domain.shared.game import AnyGame
from domain.shared.viewers import Viewer


class Client(Protocol):
    """A client of one game, made for one viewer."""

    def take_in(self, event: Any) -> None:
        """Take in the next event, as the viewer saw it."""

    def table(self) -> Any:
        """Return the table as the viewer would be shown it."""


def keeps_up(game: AnyGame, client: Client, events: Iterable[Any], viewer: Viewer) -> None:
    """Assert that a client of the viewer has the viewer's view after each of all events of a game."""
    state = game.initial
    for event in events:
        state = game.evolve(state, event)
        client.take_in(game.seen(event, viewer))
        assert client.table() == game.view(state, viewer)
