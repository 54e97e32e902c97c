"""Matches of any game, opened and seated for a test."""

from typing import Any

from domain.match import (
    Disclosure,
    Holder,
    HolderKind,
    Match,
    PlayerId,
    Terms,
    Visibility,
    open_match,
    take_seat,
)
from domain.shared.chance import Chance
from domain.shared.game import Game
from domain.shared.seats import seats_in_order
from tests.support.scenarios import luck


def terms[O](game: Game[Any, Any, Any, O], options: O, seats: int | None = None) -> Terms[O]:
    """Return the terms of a public match, with as few seats as the game allows or as many as are given."""
    return Terms(
        game=game.id,
        ruleset=game.ruleset,
        options=options,
        seats=game.min_seats if seats is None else seats,
        opener=PlayerId("player_0"),
        visibility=Visibility.PUBLIC,
        disclosure=Disclosure.AT_END,
        seed_commitment="sha256:0",
    )


def holder(number: int, entropy: str = "") -> Holder:
    """Return the player of that number."""
    return Holder(PlayerId(f"player_{number}"), HolderKind.HUMAN, entropy)


def playing[S, O](
    game: Game[S, Any, Any, O], options: O, seats: int | None = None, chance: Chance | None = None
) -> tuple[tuple[object, ...], Match[S, O]]:
    """Return all events of a match whose seats are taken by players 0, 1 ..., and the match as it began."""
    events, match = open_match(game, terms(game, options, seats))
    for seat in seats_in_order(match.terms.seats):
        more, match = take_seat(game, match, seat, holder(seat), chance or luck())
        events = (*events, *more)
    return events, match
