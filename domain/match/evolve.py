"""How each event changes a match."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.match.branch import read_table
from domain.match.events import (
    Branched,
    Cancelled,
    ClocksSet,
    DeadlineMoved,
    Finished,
    InvitationRenewed,
    Invited,
    Opened,
    Resigned,
    SeatLeft,
    SeatTaken,
    Started,
    TimedOut,
)
from domain.match.state import Match, MatchStatus
from domain.shared.game import Game
from domain.shared.tuples import put


def evolve[S, E, O](game: Game[S, Any, E, O], match: Match[S, O] | None, event: object) -> Match[S, O]:
    """Return the match after an event of its own or of its game; None is the match before it is opened."""
    if match is None:
        if not isinstance(event, Opened):
            raise ValueError(f"a match begins with its opening, not with {type(event).__name__}")
        return Match(event.terms, MatchStatus.OPEN, (None,) * event.terms.seats, game.initial)
    if type(event) in game.events:
        return replace(match, state=game.evolve(match.state, event))  # type: ignore[arg-type]
    match event:
        case SeatTaken(seat=seat, holder=holder):
            return replace(match, holders=put(match.holders, seat, holder))
        case SeatLeft(seat=seat, player=player, barred=barred):
            holders = put(match.holders, seat, None)
            if not barred:
                return replace(match, holders=holders)
            # A player who is barred knows the link, mostly.
            return replace(
                match, holders=holders, barred=(*match.barred, player), renewals=match.renewals + 1
            )
        case Invited(player=player):
            return replace(match, invited=(*match.invited, player))
        case InvitationRenewed():
            return replace(match, renewals=match.renewals + 1)
        case Started(first=first):
            return replace(match, status=MatchStatus.PLAYING, first=first)
        case ClocksSet(clocks=clocks) | DeadlineMoved(clocks=clocks):
            return replace(match, clocks=clocks)
        case TimedOut(seat=seat):
            return replace(match, timed_out=(*match.timed_out, seat))
        case Resigned(seat=seat):
            return replace(match, resigned=(*match.resigned, seat))
        case Finished(outcome=outcome):
            return replace(match, status=MatchStatus.FINISHED, outcome=outcome, clocks=None)
        case Cancelled():
            return replace(match, status=MatchStatus.CANCELLED)
        case Branched(holder=holder, first=first, resigned=resigned, state=state):
            return replace(
                match,
                status=MatchStatus.PLAYING,
                holders=(holder,) * match.terms.seats,
                state=_begun(game, match, state),
                resigned=resigned,
                first=first,
            )
        case _:
            raise ValueError(f"a match of {game.id} has no {type(event).__name__}")


def _begun[S, O](game: Game[S, Any, Any, O], match: Match[S, O], state: str | None) -> S:
    """Return the table that a branch begins with; one that cannot be read stays as it was.

    Nothing is refused here: what is stored was decided, and the store does not give what it cannot read.
    """
    try:
        return read_table(game, state)
    except msgspec.DecodeError:
        return match.state


def fold[S, E, O](
    game: Game[S, Any, E, O], events: Iterable[object], match: Match[S, O] | None = None
) -> Match[S, O]:
    """Return the match after the events, from `match` or else from nothing."""
    for event in events:
        match = evolve(game, match, event)
    if match is None:
        raise ValueError("a match has at least one event")
    return match
