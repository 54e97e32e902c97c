"""Montana §6: everything on the table is public."""

import pytest

from domain.games.montana.catalogue import RedealPolicy
from domain.games.montana.commands import Redeal
from domain.games.montana.events import CardMoved, Dealt, Event, Redealt
from domain.games.montana.view import Table, TableRow, determinize, seen, view
from domain.shared.game import play
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.montana import DEAL_1, montana, table
from tests.support.games.scenarios import luck

VIEWERS = (seated(Seat(0)), SPECTATOR, ALL_SEEING)

STUCK = """
    2C  3C  KC  __  4C  5C  6C  7C  8C  9C  10C JC  QC
    2D  KD  __  3D  4D  5D  6D  7D  8D  9D  10D JD  QD
    KH  __  2H  3H  4H  5H  6H  7H  8H  9H  10H JH  QH
    KS  __  2S  3S  4S  5S  6S  7S  8S  9S  10S JS  QS
"""


@pytest.mark.parametrize("viewer", VIEWERS)
def test_everybody_sees_the_whole_table(viewer: Viewer) -> None:
    """Cards, gaps, finished parts, score and redeals left are public (§6)."""
    assert view(table(STUCK), viewer) == Table(
        rows=(
            TableRow(("2C", "3C", "KC", None, "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC"), 2),
            TableRow(("2D", "KD", None, "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD"), 1),
            TableRow(("KH", None, "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH"), 0),
            TableRow(("KS", None, "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS"), 0),
        ),
        redeals_left=2,
        score=3,
        deal=None,
    )


def test_a_deal_number_is_public() -> None:
    """With a deal number nothing is secret, and the view says so (R6)."""
    assert view(table(STUCK, deal=7), SPECTATOR).deal == 7


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "event",
    [
        Dealt(DEAL_1, 2, RedealPolicy.WHEN_STUCK, None),
        CardMoved("4C", 0, 3, 0, 2),
        Redealt((None,) * 52, 1),
    ],
)
def test_everybody_sees_every_event_as_it_happened(event: Event, viewer: Viewer) -> None:
    """No event holds anything to hide (§6)."""
    assert seen(event, viewer) == event


@pytest.mark.parametrize("viewer", VIEWERS)
def test_there_is_nothing_to_guess(viewer: Viewer) -> None:
    """The only table that a viewer cannot tell from this one is this one (§6)."""
    state = table(STUCK)
    assert determinize(state, viewer, luck()) == state


def test_the_order_of_a_redeal_is_in_nobodys_view() -> None:
    """Two redeals of the same table differ by the match's luck, which no view shows (§6)."""
    state = table(STUCK)
    first, _ = play(montana.game, state, Seat(0), Redeal(), luck("one"))
    second, _ = play(montana.game, state, Seat(0), Redeal(), luck("two"))
    assert first != second
