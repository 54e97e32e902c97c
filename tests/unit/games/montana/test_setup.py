"""Montana §3: the deal."""

import pytest

from domain.games.montana.catalogue import CARDS, Options, RedealPolicy
from domain.games.montana.events import Dealt
from domain.games.montana.evolve import evolve
from domain.games.montana.setup import setup
from domain.games.montana.state import INITIAL, gaps
from domain.shared.game import begin
from tests.support.games.montana import ALL_CARDS, DEAL_0, DEAL_1, cards_of, montana, table
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import luck


def test_the_shuffled_pack_is_laid_in_four_rows() -> None:
    """Four rows of 13, row by row, left to right, from the front of the shuffled pack (§3.1, common §4)."""
    events, state = begin(montana.game, Options(), 1, RiggedChance(DEAL_1))
    assert events == (Dealt(DEAL_1, 2, RedealPolicy.WHEN_STUCK, None),)
    assert state == table(
        """
        2C  3S  2S  QC  __  JC  4C  8C  5H  2H  5D  2D  6D
        7C  JH  6C  9H  7S  __  10S 4D  5S  6H  4H  9C  10D
        KS  __  3H  5C  4S  KH  7H  3C  10C 10H JD  8D  KD
        9D  QH  QD  KC  QS  3D  9S  8H  __  JS  8S  6S  7D
        """
    )


def test_the_aces_leave_four_gaps() -> None:
    """The aces are out of the game, their places are gaps (§3.2)."""
    (dealt,) = setup(Options(), 1, RiggedChance(CARDS))
    state = evolve(INITIAL, dealt)
    assert gaps(state) == (0, 13, 26, 39)
    assert cards_of(state) == ALL_CARDS


def test_the_match_deals_from_its_chance() -> None:
    """Without a deal number the match's chance shuffles the pack in the order of §1 (§3.1, R6)."""
    (dealt,) = setup(Options(), 1, luck("some match"))
    assert isinstance(dealt, Dealt)
    assert dealt.cards == luck("some match").shuffle(CARDS)
    assert setup(Options(), 1, luck("another match")) != (dealt,)


@pytest.mark.parametrize(("number", "cards"), [(0, DEAL_0), (1, DEAL_1)])
def test_a_deal_number_fixes_the_deal(number: int, cards: tuple[str, ...]) -> None:
    """The same number gives the same cards in every match, whatever its seed (R6)."""
    for match in ("some match", "another match"):
        (dealt,) = setup(Options(deal=number), 1, luck(match))
        assert isinstance(dealt, Dealt)
        assert dealt.cards == cards


def test_before_the_deal_the_table_is_empty() -> None:
    """Nothing lies on the table before the first event (§3.1)."""
    assert cards_of(INITIAL) == ()
