"""The time in which the service was away is nobody's (common §7)."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from domain.match import (
    Clocks,
    DeadlineMoved,
    Match,
    MatchStatus,
    MoveDeadline,
    Reason,
    TimeControl,
    TimeControlKind,
    commands_after,
    evolve,
    open_match,
    seen,
)
from domain.match.clocks import OUTAGE_GRACE
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, seated
from tests.support.games.matches import decided, terms
from tests.support.games.pebbles import PEBBLES, Options, State

type Pebbles = Match[State, Options]

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
BEGAN, ENDED = NOW + timedelta(seconds=5), NOW + timedelta(seconds=22)
RESERVE = TimeControl(TimeControlKind.RESERVE, seconds=60)
AWAY = MoveDeadline(BEGAN, ENDED)


def playing(clocks: Clocks | None) -> Pebbles:
    """Return a match of three seats with these clocks."""
    _, match = open_match(PEBBLES, replace(terms(PEBBLES, Options(), 3), time_control=RESERVE))
    return replace(match, status=MatchStatus.PLAYING, clocks=clocks)


def test_running_clocks_have_the_outage_and_ten_seconds_more() -> None:
    """Those that stand have what they had; the moment from which they count stays."""
    match = playing(Clocks(NOW, (Seat(0), Seat(2)), (9_000, 20_000, 60_000)))
    (event,), after = decided(PEBBLES, match, AWAY)
    moved = Clocks(NOW, (Seat(0), Seat(2)), (36_000, 20_000, 87_000))
    assert event == DeadlineMoved(BEGAN, ENDED, moved)
    assert after == replace(match, clocks=moved) == evolve(PEBBLES, match, event)
    assert timedelta(seconds=10) == OUTAGE_GRACE


def test_everybody_sees_it() -> None:
    """Nothing of it is hidden."""
    event = DeadlineMoved(BEGAN, ENDED, Clocks(NOW, (Seat(0),), (1, 2)))
    for viewer in (SPECTATOR, ALL_SEEING, seated(Seat(1))):
        assert seen(PEBBLES, event, viewer) == event


def test_where_no_time_runs_there_is_nothing_to_move() -> None:
    """A match without clocks refuses it, as does an outage that ends before it begins."""
    clocks = Clocks(NOW, (Seat(0),), (1_000, 1_000, 1_000))
    for match, command in ((playing(None), AWAY), (playing(clocks), MoveDeadline(ENDED, BEGAN))):
        with pytest.raises(Rejected, match=Reason.MATCH_NOT_PLAYED):
            decided(PEBBLES, match, command)


def test_it_is_none_of_the_commands_that_a_match_may_have() -> None:
    """However often the service is away, a match is not ended by that."""
    event = DeadlineMoved(BEGAN, ENDED, Clocks(NOW, (), ()))
    assert commands_after(7, event, first=True) == 7
