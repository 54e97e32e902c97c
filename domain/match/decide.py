"""What is legal in a match of any game, and what a command brings about with all that is then forced."""

from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from domain.match.commands import Resign
from domain.match.events import Finished, Opened, Resigned, SeatTaken, Started
from domain.match.evolve import evolve
from domain.match.rejections import Reason
from domain.match.state import Holder, Match, Phase, Terms
from domain.shared.chance import Chance
from domain.shared.game import Game, begin, default_move, play
from domain.shared.outcomes import Outcome, OutcomeKind, best
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order

type Decided[S, O] = tuple[tuple[object, ...], Match[S, O]]
"""The events that were decided, and the match after them."""


def open_match[S, O](game: Game[S, Any, Any, O], terms: Terms[O]) -> Decided[S, O]:
    """Return the opening of a match.

    Raises:
        Rejected: The game is not played by that many, or not with these options.
    """
    if not game.min_seats <= terms.seats <= game.max_seats:
        raise Rejected(Reason.SEATS_OUT_OF_RANGE, minimum=game.min_seats, maximum=game.max_seats)
    if reason := game.why_not_options(terms.options, terms.seats):
        raise Rejected(reason)
    opened = Opened(terms)
    return (opened,), evolve(game, None, opened)


def take_seat[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, holder: Holder, chance: Chance
) -> Decided[S, O]:
    """Return how a player sits down; the last one to do so starts the match.

    Raises:
        Rejected: There is no such seat, it is taken, the player has one, or play has begun.
    """
    if not 0 <= seat < match.terms.seats:
        raise Rejected(Reason.NO_SUCH_SEAT, seat=seat)
    if match.phase is not Phase.OPEN:
        raise Rejected(Reason.MATCH_STARTED)
    if match.holders[seat] is not None:
        raise Rejected(Reason.SEAT_TAKEN, seat=seat)
    if any(other is not None and other.player == holder.player for other in match.holders):
        raise Rejected(Reason.ALREADY_SEATED)
    taken = SeatTaken(seat, holder)
    seated = evolve(game, match, taken)
    if None in seated.holders:
        return (taken,), seated
    # The opening events come before the start, so that there is no version at which a match is being played
    # on a table that is not laid yet.
    events, table = begin(game, match.terms.options, match.terms.seats, chance)
    started = Started()
    playing = evolve(game, replace(seated, table=table), started)
    return _finished(game, (taken, *events, started), playing)


def why_not[S, O](game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, command: Any) -> StrEnum | None:
    """Return why a command of a seat is refused, or None if it is legal."""
    if reason := _not_open_to(game, match, seat, command):
        return reason
    return None if type(command) is Resign else game.why_not(match.table, seat, command)


def submit[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, command: Any, chance: Chance
) -> Decided[S, O]:
    """Return what a seat's command brings about, with all that it forces.

    Raises:
        Rejected: The rules refuse the command.
    """
    if reason := _not_open_to(game, match, seat, command):
        raise Rejected(reason, seat=seat)
    if type(command) is Resign:
        resigned = Resigned(seat)
        events: tuple[object, ...] = (resigned,)
        after = evolve(game, match, resigned)
    else:
        events, table = play(game, match.table, seat, command, chance)
        after = replace(match, table=table)
    if after.resigned:
        events, after = _with_default_moves(game, events, after, chance)
    return _finished(game, events, after)


def to_act[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> tuple[Seat, ...]:
    """Return the seats that must choose now, rising; none unless the match is being played."""
    return game.to_act(match.table) if match.phase is Phase.PLAYING else ()


def legal_moves[S, C, O](game: Game[S, C, Any, O], match: Match[S, O], seat: Seat) -> tuple[C, ...]:
    """Return a seat's legal moves in full form and stated order (common §9); none unless it is to act."""
    return tuple(game.legal_moves(match.table, seat)) if seat in to_act(game, match) else ()


def _not_open_to[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, command: Any
) -> Reason | None:
    """Return why a seat may not give a command now, whatever the game's rules say of it (common §1, §6)."""
    if match.phase is Phase.OPEN:
        return Reason.MATCH_NOT_STARTED
    if match.phase is Phase.FINISHED:
        return Reason.MATCH_OVER
    if not 0 <= seat < match.terms.seats:
        return Reason.NO_SUCH_SEAT
    if seat in match.resigned:
        return Reason.ALREADY_RESIGNED
    if type(command) is not Resign and seat not in game.to_act(match.table):
        return Reason.SEAT_NOT_TO_ACT
    return None


def _with_default_moves[S, O](
    game: Game[S, Any, Any, O], events: tuple[object, ...], match: Match[S, O], chance: Chance
) -> Decided[S, O]:
    """Return the events, then default moves as long as a seat that gave up is to act (common §6)."""
    while _outcome(game, match) is None:
        seat = next((seat for seat in game.to_act(match.table) if seat in match.resigned), None)
        if seat is None:
            break
        move = default_move(game, match.table, seat)
        more, table = play(game, match.table, seat, move, chance)
        events, match = (*events, *more), replace(match, table=table)
    return events, match


def _finished[S, O](
    game: Game[S, Any, Any, O], events: tuple[object, ...], match: Match[S, O]
) -> Decided[S, O]:
    """Return the events, and the match's end behind them if they bring it."""
    outcome = _outcome(game, match)
    if outcome is None:
        return events, match
    finished = Finished(outcome)
    return (*events, finished), evolve(game, match, finished)


def _outcome[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Outcome | None:
    """Return how the match ended; a seat that gave up is out of the ranking (common §6)."""
    if not match.resigned:
        return game.outcome(match.table)
    if outcome := _resignation(game, match):
        return outcome
    outcome = game.outcome(match.table)
    if outcome is None:
        return None
    left = (seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned)
    kind, winners = best(game.standings(match.table), left)
    return replace(outcome, kind=kind, winners=winners)


def _resignation[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Outcome | None:
    """Return how resigning ends the match, or None while two seats are left (common §6)."""
    left = tuple(seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned)
    if len(left) > 1:
        return None
    kind = OutcomeKind.RESIGNED if left else OutcomeKind.LOST
    return Outcome(kind, left, game.scores(match.table), "resigned", game.stones(match.table))
