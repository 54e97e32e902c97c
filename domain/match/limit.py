"""How long a match may go on: so many commands, then it ends.

Some games let a seat move to and fro for ever, and what happened is kept for good.
"""

from typing import Any

from domain.match.events import Branched, DeadlineMoved, Started
from domain.match.state import Match, Terms
from domain.shared.game import Game
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import seats_in_order

COMMAND_LIMIT = "COMMAND_LIMIT"
"""The reason of an outcome that no game and no seat brought about: the match had all of its commands."""
MOST_LOBBY_COMMANDS = 1_000
"""The most commands before play begins; beyond, nobody sits down or is invited any more."""


def commands_after(before: int, event: object, *, first: bool) -> int:
    """Return how many commands a match has had after an event: since play began, or since it was opened.

    All count that are stored, moves, resignations and time-outs, but what gives an outage back. What one
    forces, default moves of seats that gave up among it, is part of that one.

    Args:
        before: How many before the event.
        event: The event.
        first: Whether it is the first of a command's events.
    """
    if isinstance(event, Started | Branched):
        return 0
    return before if isinstance(event, DeadlineMoved) else before + first


def limit_of(terms: Terms[Any]) -> int | None:
    """Return the most commands from the beginning of play; None for a match that has no such limit."""
    return terms.max_commands if isinstance(terms.max_commands, int) else None


def outcome_at_limit[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Outcome:
    """Return how a match ends that has had all of its commands: solo it is lost, else shared.

    Who resigned has no share.
    """
    left = tuple(seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned)
    solo = match.terms.seats == 1
    return Outcome(
        OutcomeKind.LOST if solo else OutcomeKind.SHARED,
        () if solo else left,
        game.scores(match.state),
        COMMAND_LIMIT,
        game.stones(match.state),
    )
