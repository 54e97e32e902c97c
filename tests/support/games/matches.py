"""Matches of any game, opened and seated for a test."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from domain.match import (
    BranchOf,
    Cancel,
    CancelReason,
    Disclosure,
    Holder,
    HolderKind,
    Invite,
    LeaveSeat,
    Match,
    MoveDeadline,
    PlayerId,
    RenewInvitation,
    StartMode,
    TakeSeat,
    Terms,
    TimeControl,
    TimeControlKind,
    TimeOut,
    Visibility,
    branch_off,
    decide,
    open_match,
    take_seat,
)
from domain.match.proof import Link
from domain.shared.chain import genesis
from domain.shared.chance import Chance
from domain.shared.game import Game
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, ViewerKind
from tests.support.games.scenarios import luck

NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""When commands are given whose time does not matter."""


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
        more, match = take_seat(game, match, seat, holder(seat), chance or luck(), NOW)
        events = (*events, *more)
    return events, match


def at(seconds: float) -> datetime:
    """Return the time so many seconds after a fixed beginning."""
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def decided[S, O](
    game: Game[S, Any, Any, O],
    match: Match[S, O],
    command: object,
    seat: Seat | None = None,
    now: datetime | None = None,
) -> tuple[tuple[object, ...], Match[S, O]]:
    """Return what any command brings about, and the match after it."""
    return decide(game, match, seat, command, luck(), now or at(0))


def lives[O](game: Game[Any, Any, Any, O], options: O) -> Iterator[object]:
    """Yield what happens in a match that runs out of time, in a branch off it, in one that is cancelled."""
    control = TimeControl(TimeControlKind.PER_MOVE, seconds=30)
    agreed = replace(terms(game, options), time_control=control)
    sitting = [TakeSeat(seat, holder(seat)) for seat in seats_in_order(agreed.seats)]
    called_off = [
        Invite(holder(9).player),
        RenewInvitation(),
        sitting[0],
        LeaveSeat(Seat(0)),
        Cancel(CancelReason.BY_OPENER),
    ]
    for start, commands in ((StartMode.AUTO, sitting), (StartMode.MANUAL, called_off)):
        events, match = open_match(game, replace(agreed, start=start))
        yield from events
        for command in commands:
            events, match = decided(game, match, command)
            yield from events
        if match.clocks is not None:
            branch_of = BranchOf("match_0", 1, ViewerKind.SPECTATOR, None)
            _, branch = open_match(game, replace(agreed, time_control=TimeControl(), branch_of=branch_of))
            yield from decided(game, branch, branch_off(game, match, SPECTATOR, holder(9), luck()))[0]
            yield from decided(game, match, MoveDeadline(at(0), at(7)))[0]
            events, _ = decided(game, match, TimeOut(match.clocks.running[0]), None, at(30))
            yield from events


LINK = Link(previous=genesis("match"), hash=genesis("match"), commitments=())
"""A place in a chain, for events whose place does not matter."""
