"""Commands of any game that a seat might ask for, legal or not."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from domain.shared.game import AnyGame
from domain.shared.seats import Seat
from domain.shared.viewers import seated
from tests.support.faces.differences import plain
from tests.support.games.shapes import Fields, List, Words, lists_within, made_up, shape_of


def asked_for(
    game: AnyGame, state: Any, seat: Seat, moves: Sequence[Any], dice: Random, enough: int
) -> Iterator[Any]:
    """Yield commands of every type: all of them where they are few, else so many.

    Half of these lie close to listed moves, or name cards that the seat sees together, such as its hand.

    Args:
        game: The game.
        state: The table.
        seat: Who asks.
        moves: The seat's legal moves.
        dice: What chooses.
        enough: How many commands of a type are wanted where there are more.
    """
    view: Any = None
    for kind in game.commands:
        yield from made_up(kind, dice, enough, (move for move in moves if type(move) is kind))
        shape = shape_of(kind)
        if shape.size > enough and isinstance(shape, Fields):
            view = view or plain(game.view(state, seated(seat)))
            yield from _of_cards_in_view(shape, view, dice, enough // 4)


def _of_cards_in_view(shape: Fields, view: Any, dice: Random, enough: int) -> Iterator[Any]:
    """Yield commands whose lists are parts of lists that the view shows."""
    lists = {
        name: (inner, shown)
        for name, inner in zip(shape.names or (), shape.shapes, strict=True)
        if isinstance(inner, List)
        and isinstance(inner.inner, Words)
        and (shown := tuple(lists_within(view, inner.inner.words)))
    }
    for _ in range(enough if lists else 0):
        command = shape.sample(dice)
        parts = {name: inner.part_of(dice.choice(shown), dice) for name, (inner, shown) in lists.items()}
        yield msgspec.structs.replace(command, **parts)
