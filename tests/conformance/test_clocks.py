"""Clocks are what `docs/fairness.md` says of them, made again from the events alone."""

from datetime import timedelta
from typing import Any

import pytest

from domain.match import (
    ClocksSet,
    Finished,
    OnTimeOut,
    Resign,
    Started,
    TimeControl,
    TimeControlKind,
    TimeOut,
    to_act,
)
from domain.shared.seats import Seat
from tests.support.games.random_matches import Table
from tests.support.proof.chains import fair, time_of

CONTROLS = (
    TimeControl(TimeControlKind.RESERVE, 40, 0),
    TimeControl(TimeControlKind.RESERVE, 60, 9),
    TimeControl(TimeControlKind.PER_MOVE, 8),
    TimeControl(TimeControlKind.DAYS, days=2),
)
MOST = 60
"""The most steps of a match that are looked at."""


@pytest.mark.parametrize("control", CONTROLS, ids=str)
@pytest.mark.parametrize("on_time_out", OnTimeOut)
def test_clocks_can_be_made_again(company: Table, control: TimeControl, on_time_out: OnTimeOut) -> None:
    """What is left to each seat, and whether the clocks are told at all (fairness "Time")."""
    whole = (control.seconds + 86_400 * control.days) * 1000
    reserve = control.kind is TimeControlKind.RESERVE
    changes = {"time_control": control, "on_time_out": on_time_out}
    running: tuple[Seat, ...] = ()
    remaining, since, told = [whole] * company.seats, time_of(0), 0
    for place, step in enumerate(fair(company, 3, changes=changes)):
        started = any(isinstance(event, Started) for event in step.events)
        acting = to_act(company.game, step.match)
        if place == MOST or isinstance(step.events[-1], Finished):
            break
        if not (started or running):
            continue
        mover = moved_by(step.command, step.seat)
        expected: Any = None
        if started or mover is not None or acting != running:
            elapsed = (time_of(place) - since) // timedelta(milliseconds=1)
            remaining = [
                max(0, left - elapsed) if seat in running else left if reserve else whole
                for seat, left in enumerate(remaining)
            ]
            if mover is not None and not started:
                remaining[mover] = remaining[mover] + control.increment * 1000 if reserve else whole
            running, since = acting, time_of(place)
            expected = (since, running, tuple(remaining))
        clocks = [event.clocks for event in step.events if isinstance(event, ClocksSet)]
        assert [(one.at, one.running, one.remaining) for one in clocks] == ([expected] if expected else [])
        assert not clocks or isinstance(step.events[-1], ClocksSet)
        told += len(clocks)
    assert told > 1


def moved_by(command: Any, seat: Seat | None) -> Seat | None:
    """Return the seat whose move a command is, or None."""
    if isinstance(command, TimeOut):
        return command.seat
    return None if isinstance(command, Resign) else seat
