"""Montana §4.6: dealing again."""

from hashlib import sha256

import msgspec
import pytest

from domain.games.montana.catalogue import NAMES, RedealPolicy
from domain.games.montana.commands import MoveCard, Redeal
from domain.games.montana.events import Redealt
from domain.games.montana.legality import stuck
from domain.games.montana.rejections import Reason
from domain.games.montana.state import State, gaps
from domain.shared.chance import ByteStream
from domain.shared.game import play
from domain.shared.seats import Seat
from tests.support.games.montana import IN_PLAY, montana, table
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import luck

STUCK = table("""
    2C 3C KC 4C 5C __ ...
    2D KD __ ...
    KH __ ...
    KS __ ...
""")
"""Stuck but for the 6 of clubs, which fits after the 5."""

THREE_FINISHED = """
    2C  3C  KC  __  4C  5C  6C  7C  8C  9C  10C JC  QC
    2D  KD  __  3D  4D  5D  6D  7D  8D  9D  10D JD  QD
    KH  __  2H  3H  4H  5H  6H  7H  8H  9H  10H JH  QH
    KS  __  2S  3S  4S  5S  6S  7S  8S  9S  10S JS  QS
"""
"""Stuck with finished parts 2C 3C and 2D; 45 cards are gathered."""

THREE_FINISHED_ELSEWHERE = """
    KS  __  2S  3S  4S  5S  6S  7S  8S  9S  10S JS  QS
    2H  3H  4H  KH  __  5H  6H  7H  8H  9H  10H JH  QH
    KD  __  2D  3D  4D  5D  6D  7D  8D  9D  10D JD  QD
    KC  __  2C  3C  4C  5C  6C  7C  8C  9C  10C JC  QC
"""
"""Stuck with the finished part 2H 3H 4H; 45 other cards are gathered."""

FIRST_OF_DEAL_1 = (
    *(22, 1, 2, 21, 4, 29, 18, 35, 38, 7, 40, 28, 37, 19, 10, 8, 44, 42, 5, 30, 36, 20, 34),
    *(13, 39, 41, 15, 26, 32, 27, 6, 9, 25, 0, 17, 12, 43, 33, 3, 14, 23, 16, 31, 24, 11),
)
"""The order in which the first redeal of deal 1 lays 45 gathered cards, numbered from 0 (R6)."""


def redealt(state: State) -> Redealt:
    """Return the redeal of a table, dealt by luck of no interest."""
    (event,), _ = play(montana.game, state, Seat(0), Redeal(), luck())
    assert isinstance(event, Redealt)
    return event


def test_finished_parts_stay_and_all_else_is_dealt_anew() -> None:
    """Gathered row by row, laid row by row, one gap directly after each finished part (§4.6, R2)."""
    reached = (
        montana.given(table(THREE_FINISHED))
        .when(Redeal(), chance=RiggedChance(range(1, 53)))
        .then(
            Redealt(
                (
                    *("2C", "3C", None, "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC"),
                    *("2D", None, "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD", "KD"),
                    *(None, "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH"),
                    *(None, "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS", "KS"),
                ),
                redeals_left=1,
            )
        )
    )
    assert (reached.state.redeals_left, reached.state.redeals_done) == (1, 1)
    assert gaps(reached.state) == (2, 14, 26, 39)


def test_a_complete_row_keeps_its_gap_in_column_12() -> None:
    """After a complete row the gap stands in column 12 (§4.6, R2)."""
    state = table("""
        2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
        KC __ ...
        KD __ ...
        KS __ ...
    """)
    event = redealt(state)
    assert event.cells[:13] == (*IN_PLAY[24:36], None)
    assert [cell for cell, card in enumerate(event.cells) if card is None] == [12, 13, 26, 39]


def test_a_row_without_a_finished_part_begins_with_its_gap() -> None:
    """A row that does not begin with a 2 has its gap in column 0; nothing of it stays (§4.6, R2)."""
    state = table("""
        3C 4C KC __ ...
        KD __ ...
        KH __ ...
        KS __ ...
    """)
    assert [cell for cell, card in enumerate(redealt(state).cells) if card is None] == [0, 13, 26, 39]


def test_a_finished_part_is_of_one_suit() -> None:
    """Of 2C 3C 4D only 2C 3C stay (§4.6, §8)."""
    state = table("""
        2C 3C 4D KC __ ...
        KD __ ...
        KH __ ...
        KS __ ...
    """)
    assert redealt(state).cells[:3] == ("2C", "3C", None)


def test_the_shuffle_comes_from_the_match() -> None:
    """Without a deal number the match's chance shuffles what was gathered (§4.6, common §4)."""
    state = table(THREE_FINISHED)
    numbers = [number for cell, number in enumerate(state.cells) if number and cell not in (0, 1, 13)]
    laid = [NAMES[number] for number in luck().shuffle(numbers)]
    event = redealt(state)
    assert [card for cell, card in enumerate(event.cells) if card and cell not in (0, 1, 13)] == laid


@pytest.mark.parametrize("text", [THREE_FINISHED, THREE_FINISHED_ELSEWHERE])
def test_a_deal_number_fixes_the_redeal(text: str) -> None:
    """The permutation depends on deal number, redeal and how many cards are gathered, nothing else (R6)."""
    state = table(text, deal=1)
    stays = (0, 1, 13) if text == THREE_FINISHED else (13, 14, 15)
    gathered = [NAMES[number] for cell, number in enumerate(state.cells) if number and cell not in stays]
    event = redealt(state)
    laid = [card for cell, card in enumerate(event.cells) if card and cell not in stays]
    assert laid == [gathered[index] for index in FIRST_OF_DEAL_1]


def test_the_first_row_of_the_first_redeal_of_deal_1() -> None:
    """The same, written out: cards 22, 1, 2, 21, 4 ... of those gathered (R6)."""
    state = table(THREE_FINISHED, deal=1)
    assert redealt(state).cells[:13] == (
        *("2C", "3C", None),
        *("2H", "4C", "5C", "KH", "7C", "9H", "10D", "3S", "6S", "10C"),
    )


def test_each_redeal_of_a_deal_number_has_its_own_order() -> None:
    """The second redeal is drawn from the context redeal/2 (R6)."""
    state = table(THREE_FINISHED, deal=1, redeals=1, redeals_done=1)
    gathered = [NAMES[number] for cell, number in enumerate(state.cells) if number and cell not in (0, 1, 13)]
    second = ByteStream(sha256(b"montane/deal/montana/1").digest(), b"redeal/2").shuffle(gathered)
    event = redealt(state)
    assert tuple(card for cell, card in enumerate(event.cells) if card and cell not in (0, 1, 13)) == second
    assert event != redealt(table(THREE_FINISHED, deal=1, redeals=1))


def test_not_before_the_table_is_stuck() -> None:
    """While a card can be moved, cards are not dealt again (§4.6, R1)."""
    (
        montana.given(STUCK)
        .then_legal(MoveCard("6C", 0, 5))
        .when(Redeal())
        .then_rejected(Reason.NOT_STUCK, seat=0)
    )


def test_a_stuck_table_waits_for_its_redeal() -> None:
    """With no move left a redeal is the one legal move, and does not happen by itself (§4.7, common §3)."""
    montana.given(table(THREE_FINISHED)).then_legal(Redeal()).then_ended(None)


def test_at_any_time_if_the_table_plays_it_so() -> None:
    """With any_time a redeal is legal beside moves, while redeals are left (§4.6, R1)."""
    any_time = msgspec.structs.replace(STUCK, redeal_policy=RedealPolicy.ANY_TIME)
    montana.given(any_time).then_legal(MoveCard("6C", 0, 5), Redeal())
    assert redealt(any_time).redeals_left == 1
    none_left = msgspec.structs.replace(any_time, redeals_left=0)
    montana.given(none_left).then_legal(MoveCard("6C", 0, 5))
    montana.given(none_left).when(Redeal()).then_rejected(Reason.NO_REDEALS_LEFT, seat=0)


def test_none_once_all_are_used() -> None:
    """As many redeals as the option says, then none (§4.6, rulebook 5.5)."""
    montana.given(table(THREE_FINISHED, redeals=0, redeals_done=2)).when(Redeal()).then_rejected(
        Reason.NO_REDEALS_LEFT, seat=0
    )


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        (THREE_FINISHED, True),
        ("2C KC __ __ ...\n KD __ ...\n KH __ ...\n ...", True),
        ("2C KC __ __ ...\n KD __ ...\n 3C __ ...\n ...", False),
        ("__ 2C ...\n KD __ ...\n KH __ ...\n KC __ ...", False),
    ],
)
def test_stuck_is_exactly_four_dead_gaps(text: str, *, dead: bool) -> None:
    """A gap after a king or a gap is dead, any other is not, one in column 0 never (R5, §4.4)."""
    assert stuck(table(text)) is dead
