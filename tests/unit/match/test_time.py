"""Time: clocks, deadlines, and what becomes of a seat whose time is up (common §7)."""

import pytest
from msgspec.structs import replace

from domain.match import (
    Clocks,
    ClocksSet,
    Finished,
    Match,
    MatchStatus,
    OnTimeOut,
    Reason,
    Resign,
    Resigned,
    Started,
    TakeSeat,
    TimeControl,
    TimeControlKind,
    TimedOut,
    TimeOut,
    open_match,
    why_not,
)
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from tests.support.games.matches import at, decided, holder, terms
from tests.support.games.pebbles import PEBBLES, Options, State, Take, Taken
from tests.support.games.scenarios import ANN, BEN, CAM

type Pebbles = Match[State, Options]

PER_MOVE = TimeControl(TimeControlKind.PER_MOVE, seconds=30)
RESERVE = TimeControl(TimeControlKind.RESERVE, seconds=60, increment=5)
DAYS = TimeControl(TimeControlKind.DAYS, days=3)


def started(
    control: TimeControl, on_time_out: OnTimeOut = OnTimeOut.RESIGN, seats: int = 2, pebbles: int = 9
) -> Pebbles:
    """Return a match that began at second 0."""
    agreed = replace(terms(PEBBLES, Options(pebbles), seats), time_control=control, on_time_out=on_time_out)
    _, match = open_match(PEBBLES, agreed)
    for seat in seats_in_order(seats):
        _, match = decided(PEBBLES, match, TakeSeat(seat, holder(seat)), None, at(0))
    return match


def test_clocks_begin_with_play() -> None:
    """The last event of the beginning sets the clocks: all have all their time, the first seat's runs."""
    _, match = open_match(PEBBLES, replace(terms(PEBBLES, Options(5), 1), time_control=PER_MOVE))
    events, match = decided(PEBBLES, match, TakeSeat(ANN, holder(0)), None, at(7))
    assert events[-2:] == (Started(ANN), ClocksSet(Clocks(at(7), (ANN,), (30_000,))))
    assert match.clocks is not None
    assert (match.clocks.deadline(ANN), started(RESERVE).clocks) == (
        at(37),
        Clocks(at(0), (ANN,), (60_000, 60_000)),
    )


@pytest.mark.parametrize(
    ("control", "remaining"),
    [(PER_MOVE, (30_000, 30_000)), (RESERVE, (55_000, 60_000)), (DAYS, (259_200_000, 259_200_000))],
)
def test_a_move_sets_the_clocks(control: TimeControl, remaining: tuple[int, ...]) -> None:
    """After a move the next seat's time runs: a reserve loses what was used and gains the increment."""
    events, match = decided(PEBBLES, started(control), Take(2), ANN, at(10))
    clocks = Clocks(at(10), (BEN,), remaining)
    assert events == (Taken(ANN, 2), ClocksSet(clocks))
    assert match.clocks == clocks
    assert clocks.deadline(ANN) is None


def test_a_reserve_runs_down_move_by_move() -> None:
    """Time not used is kept; a move that came at once adds to it."""
    match = started(RESERVE)
    for seat, second in ((ANN, 20), (BEN, 21), (ANN, 51)):
        _, match = decided(PEBBLES, match, Take(1), seat, at(second))
    assert match.clocks == Clocks(at(51), (BEN,), (20_000, 64_000))


def test_what_comes_too_late_is_refused() -> None:
    """At the deadline a seat's moves are refused, by asking why and by deciding alike; resigning is not."""
    match = started(PER_MOVE)
    assert why_not(PEBBLES, match, ANN, Take(1), at(29)) is None
    assert why_not(PEBBLES, match, ANN, Take(1), at(30)) is Reason.OUT_OF_TIME
    with pytest.raises(Rejected) as refusal:
        decided(PEBBLES, match, Take(1), ANN, at(30))
    assert refusal.value.reason is Reason.OUT_OF_TIME
    events, _ = decided(PEBBLES, match, Resign(), ANN, at(31))
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize(
    ("match", "seat", "second"),
    [
        (started(PER_MOVE), ANN, 29),
        (started(PER_MOVE), BEN, 99),
        (started(TimeControl()), ANN, 99),
    ],
)
def test_time_is_up_at_the_deadline_and_not_before(match: Pebbles, seat: Seat, second: int) -> None:
    """A seat whose time runs still, or does not run, is not out of time."""
    with pytest.raises(Rejected) as refusal:
        decided(PEBBLES, match, TimeOut(seat), None, at(second))
    assert refusal.value.reason is Reason.TIME_NOT_UP


def test_a_seat_out_of_time_resigns() -> None:
    """With one other seat left that one wins, kind `timed_out` (common §6, §8)."""
    events, match = decided(PEBBLES, started(PER_MOVE), TimeOut(ANN), None, at(30))
    outcome = Outcome(OutcomeKind.TIMED_OUT, (BEN,), (0, 0), "timed_out")
    assert events == (TimedOut(ANN), Resigned(ANN), Finished(outcome))
    assert (match.status, match.clocks, match.timed_out) == (MatchStatus.FINISHED, None, (ANN,))


def test_alone_out_of_time_is_lost() -> None:
    """A solo game whose seat runs out of time is lost (common §6)."""
    _, match = decided(PEBBLES, started(PER_MOVE, seats=1), TimeOut(ANN), None, at(30))
    assert match.outcome == Outcome(OutcomeKind.LOST, (), (0,), "timed_out")


def test_with_more_seats_the_match_goes_on() -> None:
    """The seat keeps its place, makes its default moves by itself, and the next seat's time runs (§6, §7)."""
    events, match = decided(PEBBLES, started(PER_MOVE, seats=3), TimeOut(ANN), None, at(30))
    assert events[:3] == (TimedOut(ANN), Resigned(ANN), Taken(ANN, 2))
    assert events[-1] == ClocksSet(Clocks(at(30), (BEN,), (30_000, 30_000, 30_000)))
    assert (match.status, match.resigned) == (MatchStatus.PLAYING, (ANN,))


def test_a_seat_out_of_time_may_make_its_default_move() -> None:
    """Where the match says so, the seat stays in the game, and has all its time for its next move (§7)."""
    match = started(PER_MOVE, OnTimeOut.DEFAULT_MOVE)
    events, match = decided(PEBBLES, match, TimeOut(ANN), None, at(31))
    assert (events[0], events[1]) == (TimedOut(ANN), Taken(ANN, 2))
    assert events[-1] == ClocksSet(Clocks(at(31), (BEN,), (30_000, 30_000)))
    assert (match.resigned, match.timed_out) == ((), (ANN,))
    _, over = decided(PEBBLES, match, Resign(), ANN, at(32))
    assert over.outcome is not None
    assert over.outcome.kind is OutcomeKind.RESIGNED


def test_a_reserve_that_is_used_up_stays_so() -> None:
    """A default move for want of time adds the increment, and no more."""
    match = started(RESERVE, OnTimeOut.DEFAULT_MOVE)
    _, match = decided(PEBBLES, match, TimeOut(ANN), None, at(60))
    assert match.clocks == Clocks(at(60), (BEN,), (5_000, 60_000))


def test_resigning_out_of_turn_leaves_the_clocks_alone() -> None:
    """Whose time runs goes on as it ran."""
    events, match = decided(PEBBLES, started(PER_MOVE, seats=3), Resign(), CAM, at(12))
    assert events == (Resigned(CAM),)
    assert match.clocks == Clocks(at(0), (ANN,), (30_000,) * 3)


@pytest.mark.parametrize(
    "control",
    [
        TimeControl(TimeControlKind.NONE, seconds=1),
        TimeControl(TimeControlKind.PER_MOVE),
        TimeControl(TimeControlKind.PER_MOVE, seconds=86_401),
        TimeControl(TimeControlKind.PER_MOVE, seconds=5, increment=1),
        TimeControl(TimeControlKind.RESERVE, seconds=-1),
        TimeControl(TimeControlKind.RESERVE, seconds=60, increment=3_601),
        TimeControl(TimeControlKind.RESERVE, seconds=60, days=1),
        TimeControl(TimeControlKind.DAYS, days=31),
        TimeControl(TimeControlKind.DAYS, seconds=1, days=1),
    ],
)
def test_a_time_control_has_the_numbers_of_its_kind(control: TimeControl) -> None:
    """Numbers out of bounds, or of another kind, are refused at opening."""
    with pytest.raises(Rejected) as refusal:
        open_match(PEBBLES, replace(terms(PEBBLES, Options(), 2), time_control=control))
    assert refusal.value.reason is Reason.TIME_CONTROL_INVALID
