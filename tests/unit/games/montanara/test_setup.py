"""Montanara §3: the deal."""

import pytest

from domain.games.montanara import GAME
from domain.games.montanara.catalogue import SHUFFLED, Kind, Options, TunnelOrder
from domain.games.montanara.events import Dealt
from domain.games.montanara.setup import setup
from domain.games.montanara.state import INITIAL
from domain.shared.game import begin
from tests.support.games.montanara import cards, laid
from tests.support.games.rigged import StackedChance
from tests.support.games.scenarios import ANN, BEN, luck


def test_each_seat_takes_a_dwarf_and_three_cards() -> None:
    """The first three of the shuffled 78 go to seat 0, the next three to seat 1 (§3.1, common §4)."""
    first = cards("theft crystal dwarf tunnel tunnel open_pit")
    _, state = begin(GAME, Options(), 2, StackedChance(first))
    assert [side.hand for side in laid(state).seats] == [
        cards("dwarf dwarf crystal theft"),
        cards("dwarf tunnel tunnel open_pit"),
    ]


@pytest.mark.parametrize("sizes", [(12, 16, 20, 24), (1, 1, 1, 69), (30, 20, 12, 10)])
def test_the_other_72_form_the_mountains(sizes: tuple[int, ...]) -> None:
    """By `piles`, spaces 0 to 3 in this order, each from its top down (§3.2, common §4)."""
    chance = luck("some match")
    (dealt,) = setup(Options(sizes, first_seat=0), 2, chance)
    assert isinstance(dealt, Dealt)
    assert tuple(map(len, dealt.mountains)) == sizes
    pack = luck("some match").shuffle(SHUFFLED)
    assert tuple(card for pile in dealt.mountains for card in pile) == pack[6:]


def test_the_table_is_as_it_was_dealt() -> None:
    """Hands, mountains, empty displays, no discard pile; the first seat is on turn (§3)."""
    options = Options(tunnel_order=TunnelOrder.CHOSEN, first_seat=1)
    (dealt,), state = begin(GAME, options, 2, luck())
    assert isinstance(dealt, Dealt)
    table = laid(state)
    assert tuple(side.hand for side in table.seats) == dealt.hands
    assert tuple(mountain.cards for mountain in table.mountains) == dealt.mountains
    assert [(side.dwarfs, side.crystals) for side in table.seats] == [(0, 0), (0, 0)]
    assert (table.discard_pile, table.played, state.tunnel_order) == ((), None, TunnelOrder.CHOSEN)
    assert (dealt.first_seat, table.turn, GAME.to_act(state)) == (BEN, BEN, (BEN,))


def test_a_random_seat_begins_before_anything_else_is_drawn() -> None:
    """The first seat is drawn first, so that naming one changes no card (common §1)."""
    for number in range(8):
        drawn = luck(f"{number}").below(2)
        (dealt,) = setup(Options(), 2, luck(f"{number}"))
        assert isinstance(dealt, Dealt)
        assert dealt.first_seat == drawn


def test_a_named_seat_begins() -> None:
    """Seat 0 or seat 1, as the option says (§2)."""
    for options, seat in ((Options(first_seat=0), ANN), (Options(first_seat=1), BEN)):
        _, state = begin(GAME, options, 2, luck())
        assert GAME.to_act(state) == (seat,)


def test_before_the_deal_the_table_is_empty() -> None:
    """Nothing lies on the table before the first event, and from it on all 80 cards do (§1)."""
    assert GAME.pieces(INITIAL) == ()
    _, state = begin(GAME, Options(), 2, luck())
    assert GAME.pieces(state) == tuple(sorted((*SHUFFLED, Kind.DWARF, Kind.DWARF)))
