"""Seats until play begins: left, lost, invited to, started by a word, cancelled."""

import pytest
from msgspec.structs import replace

from domain.match import (
    Cancel,
    Cancelled,
    CancelReason,
    Invite,
    Invited,
    LeaveSeat,
    Match,
    MatchStatus,
    Reason,
    Resign,
    SeatLeft,
    SeatTaken,
    Start,
    Started,
    StartMode,
    TakeSeat,
    open_match,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from tests.support.games.matches import at, decided, holder, playing, terms
from tests.support.games.pebbles import PEBBLES, Heaped, Options, State
from tests.support.games.scenarios import ANN, BEN

type Pebbles = Match[State, Options]

CANCEL = Cancel(CancelReason.BY_OPENER)


def opened(seats: int = 2, start: StartMode = StartMode.AUTO) -> Pebbles:
    """Return a match that nobody has joined."""
    _, match = open_match(PEBBLES, replace(terms(PEBBLES, Options(), seats), start=start))
    return match


def after(match: Pebbles, *commands: object) -> Pebbles:
    """Return the match after commands of the lobby."""
    for command in commands:
        _, match = decided(PEBBLES, match, command)
    return match


def sits(seat: Seat, number: int) -> TakeSeat:
    """Return how a player sits down."""
    return TakeSeat(seat, holder(number))


def test_a_seat_may_be_left_and_taken_again() -> None:
    """Before play begins a player may get up; the seat is free for anyone, and for the same player."""
    match = after(opened(), sits(ANN, 1))
    events, match = decided(PEBBLES, match, LeaveSeat(ANN))
    assert events == (SeatLeft(ANN, holder(1).player, barred=False),)
    assert (match.holders, match.barred) == ((None, None), ())
    events, match = decided(PEBBLES, match, sits(ANN, 1))
    assert events == (SeatTaken(ANN, holder(1)),)


def test_who_lost_a_seat_may_not_come_back() -> None:
    """A player whom the opener removed is barred from every seat, and cannot be invited."""
    match = after(opened(), sits(ANN, 1), LeaveSeat(ANN, barred=True))
    assert (match.holders, match.barred) == ((None, None), (holder(1).player,))
    for command in (sits(ANN, 1), sits(BEN, 1), Invite(holder(1).player)):
        with pytest.raises(Rejected) as refusal:
            decided(PEBBLES, match, command)
        assert refusal.value.reason is Reason.PLAYER_BARRED


def test_a_player_is_invited_once() -> None:
    """An invitation is recorded, in order; it seats nobody."""
    events, match = decided(PEBBLES, opened(), Invite(holder(1).player))
    assert events == (Invited(holder(1).player),)
    assert (match.invited, match.holders) == ((holder(1).player,), (None, None))


def test_a_match_may_wait_for_a_word() -> None:
    """With `start` manual the last seat does not begin play; the word does, once no seat is free."""
    match = after(opened(start=StartMode.MANUAL), sits(ANN, 1), sits(BEN, 2))
    assert match.status is MatchStatus.OPEN
    events, match = decided(PEBBLES, match, Start())
    assert events == (Heaped(5, 2), Started(ANN))
    assert (match.status, match.first) == (MatchStatus.PLAYING, ANN)


def test_a_match_may_be_called_off() -> None:
    """A cancelled match takes no command of any kind."""
    events, match = decided(PEBBLES, after(opened(), sits(ANN, 1)), CANCEL)
    assert events == (Cancelled(CancelReason.BY_OPENER),)
    assert match.status is MatchStatus.CANCELLED
    for seat, command in ((None, sits(BEN, 2)), (None, CANCEL), (None, Start()), (ANN, Resign())):
        with pytest.raises(Rejected) as refusal:
            decided(PEBBLES, match, command, seat)
        assert refusal.value.reason is Reason.MATCH_CANCELLED


SEATED = after(opened(), sits(ANN, 1))
CROWD = after(SEATED, *(Invite(holder(number).player) for number in range(2, 102)))
_, STARTED = playing(PEBBLES, Options(), 2)

REFUSED: tuple[tuple[Reason, Pebbles, object], ...] = (
    (Reason.NO_SUCH_SEAT, SEATED, LeaveSeat(Seat(2))),
    (Reason.NO_SUCH_SEAT, SEATED, LeaveSeat(Seat(-1))),
    (Reason.SEAT_FREE, SEATED, LeaveSeat(BEN)),
    (Reason.MATCH_STARTED, STARTED, LeaveSeat(ANN)),
    (Reason.ALREADY_SEATED, SEATED, Invite(holder(1).player)),
    (Reason.ALREADY_INVITED, after(SEATED, Invite(holder(2).player)), Invite(holder(2).player)),
    (Reason.TOO_MANY_INVITED, CROWD, Invite(holder(102).player)),
    (Reason.MATCH_STARTED, STARTED, Invite(holder(9).player)),
    (Reason.SEATS_FREE, SEATED, Start()),
    (Reason.MATCH_STARTED, STARTED, Start()),
    (Reason.MATCH_STARTED, STARTED, CANCEL),
    (Reason.MATCH_STARTED, after(STARTED), sits(ANN, 9)),
)


@pytest.mark.parametrize(("reason", "match", "command"), REFUSED)
def test_what_the_lobby_refuses(reason: Reason, match: Pebbles, command: object) -> None:
    """What is done before play begins is refused afterwards, and where it makes no sense (common §1)."""
    with pytest.raises(Rejected) as refusal:
        decided(PEBBLES, match, command)
    assert refusal.value.reason is reason


def test_moves_are_a_seats() -> None:
    """A command of a seat that no seat gives is a fault of the caller, not of a player."""
    with pytest.raises(ValueError, match="a seat's command"):
        decided(PEBBLES, STARTED, Resign(), None, at(0))
