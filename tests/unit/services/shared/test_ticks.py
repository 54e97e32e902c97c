"""What is done now and then is done at the same moments."""

import pytest

from services.shared import ticks
from services.shared.ticks import BEHIND, ticked, until


@pytest.mark.parametrize("now", [0.0, 0.3, 4.9999, 5.0, 5.0 + BEHIND, 123_456.789])
@pytest.mark.parametrize("period", [1.0, 2.0, 5.0])
def test_a_tick_is_a_moment_behind_a_multiple_of_its_period(
    now: float, period: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is asked for, and never later than a period and that moment."""
    monkeypatch.setattr(ticks, "monotonic", lambda: now)
    pause = until(period)
    assert BEHIND <= pause <= period + BEHIND
    assert (now + pause) % period == pytest.approx(BEHIND, abs=1e-6)


@pytest.mark.parametrize("early", [0.0, BEHIND / 3])
@pytest.mark.parametrize("period", [1.0, 2.0, 5.0])
def test_each_tick_is_one(period: float, early: float) -> None:
    """Between two ticks there is one, though a timer comes a little early; between them there is none."""
    tick = 10 * period + BEHIND - early
    assert ticked(period, tick - period, tick)
    assert not ticked(period, tick, tick + period / 2)
    assert not ticked(period, tick, tick + period - BEHIND)
    assert ticked(period, tick + period / 2, tick + period)
