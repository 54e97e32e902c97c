"""Viewers: anyone who looks, and what it sees of cards."""

import pytest

from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import (
    ALL_SEEING,
    SPECTATOR,
    TablePile,
    Viewer,
    ViewerKind,
    each_its_own,
    face_down,
    revealed,
    seated,
    sees,
    sees_all,
    shown,
)

ANN, BEN = seats_in_order(2)
VIEWERS = (seated(ANN), seated(BEN), SPECTATOR, ALL_SEEING)


def test_a_viewer_sits_somewhere_or_nowhere() -> None:
    """A seated viewer names its seat, the others have none."""
    assert seated(Seat(1)) == Viewer(ViewerKind.SEAT, Seat(1))
    assert (SPECTATOR.seat, ALL_SEEING.seat) == (None, None)


def test_only_its_own_seat_and_who_sees_all_see_what_is_a_seat_s() -> None:
    """What nobody may see is seen by anyone who sees all, alone (common §5, §10)."""
    assert [sees(viewer, ANN) for viewer in VIEWERS] == [True, False, False, True]
    assert [sees_all(viewer) for viewer in VIEWERS] == [False, False, False, True]


def test_hidden_cards_of_an_event_are_null() -> None:
    """Their number stays, and what stands beside them (common §5)."""
    assert shown(("A", "B", "A"), visible=True) == ("A", "B", "A")
    assert shown(("A", "B", "A"), visible=False) == (None, None, None)
    assert shown((), visible=False) == ()


@pytest.mark.parametrize(
    ("viewer", "seen"),
    [
        (seated(ANN), (("A", "B"), (None,))),
        (seated(BEN), ((None, None), ("C",))),
        (SPECTATOR, ((None, None), (None,))),
        (ALL_SEEING, (("A", "B"), ("C",))),
    ],
)
def test_hands_of_an_event_are_for_their_seats(
    viewer: Viewer, seen: tuple[tuple[str | None, ...], ...]
) -> None:
    """A seat sees its own hand, anyone who sees all sees all of them (common §5, §10)."""
    assert each_its_own((("A", "B"), ("C",)), viewer) == seen


def test_an_event_as_it_was_decided_hides_nothing() -> None:
    """All its cards are there, in their order."""
    assert revealed(("A", "B", "A")) == ("A", "B", "A")


def test_a_face_down_pile_is_shown_by_its_number() -> None:
    """Nobody sees its cards but anyone who sees all (common §5, §10)."""
    piles = [face_down(("A", "B"), viewer) for viewer in VIEWERS]
    assert piles == [*(TablePile(2, ()) for _ in range(3)), TablePile(2, ("A", "B"))]
