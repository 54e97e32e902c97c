"""Montana §4.1 to §4.5: putting a card into a gap."""

import msgspec
import pytest

from domain.games.montana.catalogue import RedealPolicy
from domain.games.montana.commands import MoveCard, Redeal
from domain.games.montana.events import CardMoved
from domain.games.montana.rejections import Reason
from tests.support.games.montana import ONE_OF_EACH, STUCK, TWO_AT_THE_EDGE, montana, table


def test_the_next_higher_card_of_the_suit_fits_behind_a_card() -> None:
    """After the 3 of clubs goes the 4 of clubs; where it lay a gap is left (§4.2, §4.5)."""
    (
        montana.given(ONE_OF_EACH)
        .when(MoveCard("4C", 0, 2))
        .then(CardMoved("4C", from_row=0, from_column=3, row=0, column=2))
        .then_legal(
            MoveCard("2C", 1, 0),
            MoveCard("5C", 0, 3),
            MoveCard("2D", 1, 0),
            MoveCard("2H", 1, 0),
            MoveCard("2S", 1, 0),
        )
    )


def test_the_example_of_the_rulebook() -> None:
    """After the 6 of diamonds goes the 7 of diamonds, which leaves a new gap (rulebook 5, §4.2, §4.5)."""
    before = table("""
        2C 6D __ ...
        KC __ ...
        KD __ ...
        KH __ 7D ...
    """)
    after = table("""
        2C 6D 7D 3C ...
        KC __ ...
        KD __ ...
        KH __ __ ...
    """)
    reached = montana.given(before).when(MoveCard("7D", 0, 2)).then(CardMoved("7D", 3, 2, 0, 2))
    assert reached.state == after


@pytest.mark.parametrize("card", ["5C", "4D", "3C", "2C", "9H"])
def test_no_other_card_fits_behind_a_card(card: str) -> None:
    """Neither another rank nor another suit fits after the 3 of clubs, nor the 3 itself (§4.2)."""
    command = MoveCard(card, 0, 2)  # type: ignore[arg-type]
    montana.given(ONE_OF_EACH).when(command).then_rejected(Reason.CARD_DOES_NOT_FIT, seat=0)


@pytest.mark.parametrize(("card", "row", "column"), [("2C", 0, 0), ("2D", 1, 1), ("2H", 1, 12), ("2S", 3, 1)])
def test_any_2_fits_in_column_0(card: str, row: int, column: int) -> None:
    """All four 2s fit a gap in column 0, wherever they lie (§4.3)."""
    command = MoveCard(card, 1, 0)  # type: ignore[arg-type]
    moved = CardMoved(card, row, column, 1, 0)  # type: ignore[arg-type]
    montana.given(ONE_OF_EACH).when(command).then(moved)


def test_only_a_2_fits_in_column_0() -> None:
    """Nothing but a 2 goes to the left edge (§4.3)."""
    montana.given(ONE_OF_EACH).when(MoveCard("3C", 1, 0)).then_rejected(Reason.NOT_A_TWO)


def test_a_2_at_the_edge_may_walk_to_another_row() -> None:
    """A finished part is not locked: its 2 may leave for another free cell of column 0 (§4.3, R3)."""
    walked = table("""
        2C 3C ...
        __ __ ...
        __ 2D 9C __ ...
        ...
    """)
    reached = montana.given(TWO_AT_THE_EDGE).when(MoveCard("2C", 0, 0)).then(CardMoved("2C", 1, 0, 0, 0))
    assert reached.state == walked


def test_a_position_may_repeat() -> None:
    """A 2 may walk to and fro between free cells of column 0; nothing ends it (R5)."""
    reached = (
        montana.given(TWO_AT_THE_EDGE)
        .when(MoveCard("2C", 0, 0))
        .then(CardMoved("2C", 1, 0, 0, 0))
        .then_ended(None)
        .when(MoveCard("2C", 1, 0))
        .then(CardMoved("2C", 0, 0, 1, 0))
        .then_ended(None)
    )
    assert reached.state == TWO_AT_THE_EDGE


@pytest.mark.parametrize("card", ["2C", "KH", "AD"])
@pytest.mark.parametrize("column", [1, 2])
def test_a_gap_behind_a_king_or_a_gap_accepts_nothing(card: str, column: int) -> None:
    """To the right of a king or of another gap nothing fits; an ace never does (§4.4, §3.2)."""
    command = MoveCard(card, 2, column)  # type: ignore[arg-type]
    refused = Reason.ACE_IS_OUT if card == "AD" else Reason.GAP_IS_DEAD
    montana.given(ONE_OF_EACH).when(command).then_rejected(refused)


def test_the_end_of_a_row_does_not_reach_into_the_next() -> None:
    """A gap in column 0 has no card to its left, so the row above does not matter (§4.3)."""
    above = table("""
        ...
        __ 8C ...
        KC __ ...
        KD __ __ ...
    """)
    assert above.cells[12] != 0
    montana.given(above).then_legal(
        MoveCard("2C", 1, 0), MoveCard("2D", 1, 0), MoveCard("2H", 1, 0), MoveCard("2S", 1, 0)
    )


def test_the_target_may_be_left_out() -> None:
    """When exactly one gap accepts the card, row and column may be left out (§4.1)."""
    montana.given(ONE_OF_EACH).when(MoveCard("4C")).then(CardMoved("4C", 0, 3, 0, 2))
    montana.given(ONE_OF_EACH).when(MoveCard("2S")).then(CardMoved("2S", 3, 1, 1, 0))


def test_the_card_may_be_left_out() -> None:
    """When exactly one card fits the gap, the card may be left out (§4.1)."""
    montana.given(ONE_OF_EACH).when(MoveCard(row=0, column=2)).then(CardMoved("4C", 0, 3, 0, 2))


def test_legal_moves_come_by_card_then_gap_then_redeal() -> None:
    """Cards by suit, then rank; gaps by row, then column; a redeal last (common §9, §1, §4)."""
    montana.given(msgspec.structs.replace(TWO_AT_THE_EDGE, redeal_policy=RedealPolicy.ANY_TIME)).then_legal(
        MoveCard("2C", 0, 0),
        MoveCard("2C", 2, 0),
        MoveCard("3C", 1, 1),
        MoveCard("10C", 2, 3),
        MoveCard("2D", 0, 0),
        MoveCard("2D", 2, 0),
        MoveCard("2H", 0, 0),
        MoveCard("2H", 2, 0),
        MoveCard("2S", 0, 0),
        MoveCard("2S", 2, 0),
        Redeal(),
    )


def test_the_only_seat_is_always_to_act() -> None:
    """Seat 0 is on turn, also at a stuck table, which waits for its redeal (§4.7, common §3)."""
    for state in (ONE_OF_EACH, STUCK):
        assert montana.game.to_act(state) == (0,)
