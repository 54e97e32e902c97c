"""What is legal in a match of any game, and what a command brings about with all that is then forced."""

from datetime import datetime
from enum import StrEnum
from typing import Any, assert_never

from msgspec.structs import replace

from domain.match import clocks as time
from domain.match.branch import branched
from domain.match.clocks import TimeControlKind
from domain.match.commands import (
    Branch,
    Cancel,
    Invite,
    LeaveSeat,
    LobbyCommand,
    MoveDeadline,
    RenewInvitation,
    Resign,
    Start,
    TakeSeat,
    TimeOut,
)
from domain.match.events import (
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
from domain.match.evolve import evolve
from domain.match.limit import MOST_LOBBY_COMMANDS, limit_of, outcome_at_limit
from domain.match.rejections import Reason
from domain.match.state import (
    AnyMatch,
    CancelReason,
    Holder,
    Match,
    MatchStatus,
    OnTimeOut,
    PlayerId,
    StartMode,
    Terms,
    seat_held,
)
from domain.shared.chance import Chance
from domain.shared.game import Game, begin, default_move, play
from domain.shared.outcomes import Outcome, OutcomeKind, best
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING

MOST_INVITED = 100
"""The most players who are invited to one match: whatever lists matches has a row for each."""

type Decided[S, O] = tuple[tuple[object, ...], Match[S, O]]
"""The events that were decided, and the match after them."""


def decide[S, C, O](
    game: Game[S, C, Any, O],
    match: Match[S, O],
    seat: Seat | None,
    command: LobbyCommand | Resign | C,
    chance: Chance,
    at: datetime,
    *,
    commands: int = 0,
) -> Decided[S, O]:
    """Return what any command brings about, of the lobby or of a seat, with all that it forces.

    The last command that a match may have is carried out, and ends it.

    Args:
        game: The match's game.
        match: The match before.
        seat: The seat that gives the command; only a seat may make moves and resign.
        command: One of the lobby's commands, `Resign`, or one of the game's.
        chance: The chance of this decision.
        at: The time, UTC.
        commands: How many the match has had before (`domain.match.limit`).

    Raises:
        Rejected: The rules refuse the command.
    """
    limit = limit_of(match.terms)
    if limit is None or isinstance(command, MoveDeadline):
        return _carried_out(game, match, seat, command, chance, at)
    if (
        match.status is MatchStatus.OPEN
        and commands >= MOST_LOBBY_COMMANDS
        and isinstance(command, TakeSeat | Invite)
    ):
        raise Rejected(Reason.TOO_MANY_LOBBY_COMMANDS, most=MOST_LOBBY_COMMANDS)
    events, after = _carried_out(game, match, seat, command, chance, at)
    if not (match.status is after.status is MatchStatus.PLAYING and commands + 1 >= limit):
        return events, after
    if isinstance(events[-1], ClocksSet):
        events = events[:-1]
    finished = Finished(outcome_at_limit(game, after))
    return (*events, finished), evolve(game, after, finished)


def _carried_out[S, C, O](
    game: Game[S, C, Any, O],
    match: Match[S, O],
    seat: Seat | None,
    command: LobbyCommand | Resign | C,
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    if isinstance(command, LobbyCommand):
        return _in_the_lobby(game, match, command, chance, at)
    if seat is None:
        raise ValueError(f"{type(command).__name__} is a seat's command")
    return submit(game, match, seat, command, chance, at)


def _in_the_lobby[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], command: LobbyCommand, chance: Chance, at: datetime
) -> Decided[S, O]:
    match command:
        case TakeSeat(seat=taken, holder=holder):
            return take_seat(game, match, taken, holder, chance, at)
        case LeaveSeat(seat=left, barred=barred):
            return leave_seat(game, match, left, barred=barred)
        case Invite(player=player):
            return invite(game, match, player)
        case RenewInvitation():
            return renew_invitation(game, match)
        case Start():
            return start(game, match, chance, at)
        case Cancel(reason=reason):
            return cancel(game, match, reason)
        case TimeOut(seat=late):
            return time_out(game, match, late, chance, at)
        case MoveDeadline(began_at=began_at, ended_at=ended_at):
            return move_deadline(game, match, began_at, ended_at)
        case Branch():
            return branch(game, match, command, chance, at)
        case _:
            assert_never(command)


def open_match[S, O](game: Game[S, Any, Any, O], terms: Terms[O]) -> Decided[S, O]:
    """Return the opening of a match.

    Raises:
        Rejected: The game is not played by that many, or not with these options, or the time control has
            numbers that are not of its kind.
    """
    if not game.min_seats <= terms.seats <= game.max_seats:
        raise Rejected(
            Reason.SEATS_OUT_OF_RANGE, game=game.id, minimum=game.min_seats, maximum=game.max_seats
        )
    if reason := game.why_not_options(terms.options, terms.seats):
        raise Rejected(reason)
    if not terms.time_control.fits:
        raise Rejected(Reason.TIME_CONTROL_INVALID)
    opened = Opened(terms)
    return (opened,), evolve(game, None, opened)


def take_seat[S, O](
    game: Game[S, Any, Any, O],
    match: Match[S, O],
    seat: Seat,
    holder: Holder,
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    """Return how a player sits down; the last one to do so starts the match, unless that waits for a word.

    Raises:
        Rejected: There is no such seat, it is taken, the player has one or may not come back, or play has
            begun or was cancelled.
    """
    _check_seat(match, seat)
    _check_open(match)
    if match.holders[seat] is not None:
        raise Rejected(Reason.SEAT_TAKEN, seat=seat)
    if seat_held(match, holder.player) is not None:
        raise Rejected(Reason.ALREADY_SEATED)
    if holder.player in match.barred:
        raise Rejected(Reason.PLAYER_BARRED)
    taken = SeatTaken(seat, holder)
    seated = evolve(game, match, taken)
    if None in seated.holders or match.terms.start is StartMode.MANUAL:
        return (taken,), seated
    return _begun(game, (taken,), seated, chance, at)


def leave_seat[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, *, barred: bool
) -> Decided[S, O]:
    """Return how a seat becomes free before the match begins.

    Raises:
        Rejected: There is no such seat, nobody holds it, or play has begun or was cancelled.
    """
    _check_seat(match, seat)
    _check_open(match)
    holder = match.holders[seat]
    if holder is None:
        raise Rejected(Reason.SEAT_FREE, seat=seat)
    left = SeatLeft(seat, holder.player, barred)
    return (left,), evolve(game, match, left)


def invite[S, O](game: Game[S, Any, Any, O], match: Match[S, O], player: PlayerId) -> Decided[S, O]:
    """Return how a player is invited.

    Raises:
        Rejected: The player was invited before, has a seat or may not come back, too many were invited, or
            play has begun or was cancelled.
    """
    _check_open(match)
    if player in match.barred:
        raise Rejected(Reason.PLAYER_BARRED)
    if player in match.invited:
        raise Rejected(Reason.ALREADY_INVITED)
    if seat_held(match, player) is not None:
        raise Rejected(Reason.ALREADY_SEATED)
    if len(match.invited) >= MOST_INVITED:
        raise Rejected(Reason.TOO_MANY_INVITED, most=MOST_INVITED)
    invited = Invited(player)
    return (invited,), evolve(game, match, invited)


def renew_invitation[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Decided[S, O]:
    """Return how the match gets another link.

    Raises:
        Rejected: The match is over, or was cancelled.
    """
    if match.status is MatchStatus.CANCELLED:
        raise Rejected(Reason.MATCH_CANCELLED)
    if match.status is MatchStatus.FINISHED:
        raise Rejected(Reason.MATCH_OVER)
    renewed = InvitationRenewed()
    return (renewed,), evolve(game, match, renewed)


def start[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], chance: Chance, at: datetime
) -> Decided[S, O]:
    """Return how a match begins that waited for a word.

    Raises:
        Rejected: A seat is free, or play has begun or was cancelled.
    """
    _check_open(match)
    if None in match.holders:
        raise Rejected(Reason.SEATS_FREE, seat=match.holders.index(None))
    return _begun(game, (), match, chance, at)


def cancel[S, O](game: Game[S, Any, Any, O], match: Match[S, O], reason: CancelReason) -> Decided[S, O]:
    """Return how a match is cancelled.

    Raises:
        Rejected: Play has begun, or was cancelled already.
    """
    _check_open(match)
    cancelled = Cancelled(reason)
    return (cancelled,), evolve(game, match, cancelled)


def branch[S, O](
    game: Game[S, Any, Any, O],
    match: Match[S, O],
    command: Branch,
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    """Return how a branch begins: one player holds all seats of a table that is there already.

    Raises:
        Rejected: The match is no branch, or has begun; or there is no such table.
    """
    _check_open(match)
    if not match.terms.is_branch:
        raise Rejected(Reason.NO_BRANCH)
    begun = branched(game, command, ALL_SEEING)
    return _settled(game, (begun,), evolve(game, match, begun), None, chance, at)


def time_out[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, chance: Chance, at: datetime
) -> Decided[S, O]:
    """Return what becomes of a seat whose time is up: it resigns, or makes its default move (common §7).

    Raises:
        Rejected: Its time is not up, or does not run.
    """
    deadline = None if match.clocks is None else match.clocks.deadline(seat)
    if deadline is None or at < deadline:
        raise Rejected(Reason.TIME_NOT_UP, seat=seat)
    events: tuple[object, ...] = (TimedOut(seat),)
    after = evolve(game, match, events[0])
    if match.terms.on_time_out is OnTimeOut.RESIGN:
        resigned = Resigned(seat)
        events, after = (*events, resigned), evolve(game, after, resigned)
    else:
        more, after = _by_default(game, after, seat, chance)
        events = (*events, *more)
    return _settled(game, events, after, seat, chance, at)


def move_deadline[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], began_at: datetime, ended_at: datetime
) -> Decided[S, O]:
    """Return how the seats whose time runs are not charged an outage.

    Raises:
        Rejected: Nobody's time runs.
    """
    if match.clocks is None or ended_at < began_at:
        raise Rejected(Reason.MATCH_NOT_PLAYED)
    moved = DeadlineMoved(began_at, ended_at, time.after_outage(match.clocks, began_at, ended_at))
    return (moved,), evolve(game, match, moved)


def why_not[S, C, O](
    game: Game[S, C, Any, O], match: Match[S, O], seat: Seat, command: Resign | C, at: datetime
) -> StrEnum | None:
    """Return why a command of a seat is refused, or None if it is legal; `at` as for `submit`."""
    if reason := _not_open_to(game, match, seat, command, at):
        return reason
    return None if isinstance(command, Resign) else game.why_not(match.state, seat, command)


def submit[S, C, O](
    game: Game[S, C, Any, O],
    match: Match[S, O],
    seat: Seat,
    command: Resign | C,
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    """Return what a seat's command brings about, with all that it forces.

    Args:
        game: The match's game.
        match: The match before.
        seat: The seat that gives the command.
        command: `Resign`, or one of the game's.
        chance: The chance of this decision.
        at: The time, UTC; needed where the match has clocks.

    Raises:
        Rejected: The rules refuse the command.
    """
    if reason := _not_open_to(game, match, seat, command, at):
        raise Rejected(reason, seat=seat)
    if isinstance(command, Resign):
        resigned = Resigned(seat)
        return _settled(game, (resigned,), evolve(game, match, resigned), None, chance, at)
    events, table = play(game, match.state, seat, command, chance)
    return _settled(game, events, replace(match, state=table), seat, chance, at)


def to_act[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> tuple[Seat, ...]:
    """Return the seats that must choose now, rising; none unless the match is being played."""
    return game.to_act(match.state) if match.status is MatchStatus.PLAYING else ()


def legal_moves[S, C, O](game: Game[S, C, Any, O], match: Match[S, O], seat: Seat) -> tuple[C, ...]:
    """Return a seat's legal moves in full form and stated order (common §9); none unless it is to act."""
    return tuple(game.legal_moves(match.state, seat)) if seat in to_act(game, match) else ()


def _check_open(match: AnyMatch) -> None:
    """Refuse what is done before play begins, once it has or was cancelled (common §1)."""
    if match.status is MatchStatus.CANCELLED:
        raise Rejected(Reason.MATCH_CANCELLED)
    if match.status is not MatchStatus.OPEN:
        raise Rejected(Reason.MATCH_STARTED)


def _check_seat(match: AnyMatch, seat: Seat) -> None:
    if not 0 <= seat < match.terms.seats:
        raise Rejected(Reason.NO_SUCH_SEAT, seat=seat)


def _not_open_to[S, C, O](
    game: Game[S, C, Any, O], match: Match[S, O], seat: Seat, command: Resign | C, at: datetime
) -> Reason | None:
    """Return why a seat may not give a command now, whatever the game says (common §1, §6, §7)."""
    match match.status:
        case MatchStatus.OPEN:
            return Reason.MATCH_NOT_STARTED
        case MatchStatus.FINISHED:
            return Reason.MATCH_OVER
        case MatchStatus.CANCELLED:
            return Reason.MATCH_CANCELLED
        case MatchStatus.PLAYING:
            pass
    if not 0 <= seat < match.terms.seats:
        return Reason.NO_SUCH_SEAT
    if seat in match.resigned:
        return Reason.ALREADY_RESIGNED
    if isinstance(command, Resign):
        return None
    if seat not in game.to_act(match.state):
        return Reason.SEAT_NOT_TO_ACT
    if match.clocks is not None and (deadline := match.clocks.deadline(seat)) and at >= deadline:
        return Reason.OUT_OF_TIME
    return None


def _begun[S, O](
    game: Game[S, Any, Any, O],
    events: tuple[object, ...],
    match: Match[S, O],
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    """Return the events, and the beginning of play after them.

    The game's opening events come before the start, so that there is no version at which a match is being
    played on a table that is not laid yet.
    """
    opening, table = begin(game, match.terms.options, match.terms.seats, chance)
    acting = game.to_act(table)
    begun = Started(acting[0] if acting else Seat(0))
    return _settled(
        game, (*events, *opening, begun), evolve(game, replace(match, state=table), begun), None, chance, at
    )


def _settled[S, O](
    game: Game[S, Any, Any, O],
    events: tuple[object, ...],
    match: Match[S, O],
    mover: Seat | None,
    chance: Chance,
    at: datetime,
) -> Decided[S, O]:
    """Return the events with what a match forces after them: default moves, its end, or clocks.

    A seat that gave up makes its default move whenever it is to act (common §6).
    """
    outcome = _outcome(game, match)
    while outcome is None and match.resigned:
        seat = next((seat for seat in game.to_act(match.state) if seat in match.resigned), None)
        if seat is None:
            break
        more, match = _by_default(game, match, seat, chance)
        events, outcome = (*events, *more), _outcome(game, match)
    if outcome is not None:
        finished = Finished(outcome)
        return (*events, finished), evolve(game, match, finished)
    if match.terms.time_control.kind is TimeControlKind.NONE:
        return events, match
    control, running = match.terms.time_control, game.to_act(match.state)
    if match.clocks is None:
        clocks = time.started(control, match.terms.seats, running, at)
    elif mover is None and running == match.clocks.running:
        return events, match
    else:
        clocks = time.moved(control, match.clocks, mover, running, at)
    clocks_set = ClocksSet(clocks)
    return (*events, clocks_set), evolve(game, match, clocks_set)


def _by_default[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], seat: Seat, chance: Chance
) -> Decided[S, O]:
    """Return what the default move of a seat brings about (common §6, §7)."""
    events, table = play(game, match.state, seat, default_move(game, match.state, seat), chance)
    return events, replace(match, state=table)


def _outcome[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Outcome | None:
    """Return how the match ended; a seat that gave up is out of the ranking (common §6)."""
    if not match.resigned:
        return game.outcome(match.state)
    if outcome := _resignation(game, match):
        return outcome
    outcome = game.outcome(match.state)
    if outcome is None:
        return None
    left = (seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned)
    kind, winners = best(game.standings(match.state), left)
    return replace(outcome, kind=kind, winners=winners)


def _resignation[S, O](game: Game[S, Any, Any, O], match: Match[S, O]) -> Outcome | None:
    """Return how giving up, or time, ends the match; None while two seats are left (common §6, §7)."""
    left = tuple(seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned)
    if len(left) > 1:
        return None
    by_time = match.terms.on_time_out is OnTimeOut.RESIGN and match.resigned[-1] in match.timed_out
    kind = OutcomeKind.TIMED_OUT if by_time else OutcomeKind.RESIGNED
    reason = "timed_out" if by_time else "resigned"
    scores, stones = game.scores(match.state), game.stones(match.state)
    return Outcome(kind if left else OutcomeKind.LOST, left, scores, reason, stones)
