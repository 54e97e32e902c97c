"""Montmartre §3: the deal."""

import pytest

from domain.games.montmartre.catalogue import PACK, Options
from domain.games.montmartre.events import Dealt
from domain.games.montmartre.setup import laid
from domain.games.montmartre.state import INITIAL, Painter, Phase, State, pieces
from domain.shared.game import begin
from domain.shared.seats import Seat
from tests.support.games.montmartre import cards, montmartre, table
from tests.support.games.scenarios import luck

BARE = ((), (), (), ())


def test_hands_are_dealt_first_then_three_piles() -> None:
    """Four cards a seat from the front of the shuffled pack, then the piles, top first (§3.1, common §4)."""
    events, state = begin(montmartre.game, Options(), 3, luck("a deal"))
    chance = luck("a deal")
    first = chance.below(3)
    pack = chance.shuffle(PACK)
    hands = tuple(tuple(sorted(pack[start : start + 4])) for start in (0, 4, 8))
    piles = (pack[12:28], pack[28:44], pack[44:60])
    assert events == (Dealt(Seat(first), hands, piles),)
    assert state == State(
        first_seat=Seat(first),
        turn=Seat(first),
        phase=Phase.BEGUN,
        painters=tuple(Painter(hand, BARE, 0, BARE, None) for hand in hands),
        piles=piles,
        discard_pile=(),
        collectors=((2, 4, 6, 8, 10),) * 4,
        vollard=None,
        contracts=(3, 4, 5, 7, 12),
        offered=(),
        ending=None,
    )


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [(2, (18, 17, 17)), (3, (16, 16, 16)), (4, (15, 15, 14)), (5, (14, 13, 13))],
)
def test_the_piles_are_as_equal_as_possible_the_larger_first(seats: int, sizes: tuple[int, ...]) -> None:
    """60 cards less four a seat make three piles (§3.1, R12)."""
    _, state = begin(montmartre.game, Options(), seats, luck())
    assert tuple(map(len, state.piles)) == sizes
    assert sum(sizes) == 60 - 4 * seats


def test_piles_keep_the_order_of_the_cards() -> None:
    """Pile 0 gets the front of the cards, and each its first card on top (common §4)."""
    assert laid(cards("b0 g1 p2 y3 b4")) == (cards("b0 g1"), cards("p2 y3"), cards("b4"))


@pytest.mark.parametrize("seats", [2, 5])
def test_nobody_is_blocked_and_nothing_is_won_at_first(seats: int) -> None:
    """Four collector piles, five contracts, no francs; Vollard stands next to nobody (§3.2)."""
    _, state = begin(montmartre.game, Options(), seats, luck())
    assert (state.collectors, state.contracts) == (INITIAL.collectors, INITIAL.contracts)
    assert state.vollard is None
    assert montmartre.game.scores(state) == (0,) * seats
    assert len(pieces(state)) == 60 + 20 + 5


def test_before_the_deal_nobody_has_a_card() -> None:
    """Collectors and contracts lie ready, no Muse card is on the table (§3)."""
    assert len(pieces(INITIAL)) == 20 + 5
    assert INITIAL.painters == ()


def test_a_text_shows_a_whole_table() -> None:
    """The tables of the tests have every piece once, as those that are dealt (§1)."""
    _, state = begin(montmartre.game, Options(), 2, luck())
    for text in ("... | b1 | b2 b4 g2 | 3 | 4\n... | p0 p0", "b8 g8 |\n ... | | p2 | 0 | 12"):
        assert pieces(table(text)) == pieces(state)
        assert pieces(table(text, piles="b7 / / p7", discard_pile="y7")) == pieces(state)
