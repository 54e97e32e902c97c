"""Seats and viewers: places in turn order, and whoever looks."""

from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, ViewerKind, seated


def test_seats_are_numbered_from_0_in_turn_order() -> None:
    """A table of three has the seats 0, 1, 2 (common §1)."""
    assert seats_in_order(3) == (0, 1, 2)


def test_a_viewer_sits_somewhere_or_nowhere() -> None:
    """A seated viewer names its seat, the others have none."""
    assert seated(Seat(1)) == Viewer(ViewerKind.SEAT, Seat(1))
    assert (SPECTATOR.seat, ALL_SEEING.seat) == (None, None)
