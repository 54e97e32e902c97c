"""Mountains §3: decks and equipment are shuffled and dealt."""

import pytest

from domain.games.mountains.catalogue import DECKS, HIKING_CARDS, PACK, Options, SummitBooks
from domain.games.mountains.events import Dealt
from domain.games.mountains.setup import setup
from domain.games.mountains.state import INITIAL, Phase, pieces
from domain.shared.game import begin
from domain.shared.seats import Seat
from domain.shared.viewers import revealed
from tests.support.games.mountains import mountains, table
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import luck

IN_ORDER = RiggedChance((*(card.id for card in HIKING_CARDS), *PACK))
"""Chance that leaves all cards as they are, and lets seat 0 begin."""


def test_four_seats_are_dealt_four_cards_each() -> None:
    """A whole hand at a time from the front of the shuffled equipment, then the pile (§3.1, common §4)."""
    events, state = begin(mountains.game, Options(), 4, IN_ORDER)
    assert events == (
        Dealt(
            first_seat=Seat(0),
            summit_books=SummitBooks.SECRET,
            stones=8,
            hands=(
                ("boots", "boots", "rope", "rope"),
                ("carabiner", "carabiner", "helmet", "helmet"),
                ("ice_axe", "ice_axe", "crampons", "crampons"),
                ("tent", "tent", "sunglasses", "sunglasses"),
            ),
            draw_pile=PACK[16:],
            decks=tuple(tuple(card.id for card in HIKING_CARDS if card.deck == deck) for deck in DECKS),
        ),
    )
    assert state == table(
        "boots boots rope rope",
        "carabiner carabiner helmet helmet",
        "ice_axe ice_axe crampons crampons",
        "tent tent sunglasses sunglasses",
        stones=(8, 8, 8, 8),
        stamps=(0, 0, 0, 0),
    )


@pytest.mark.parametrize(("seats", "size", "left"), [(2, 8, 16), (3, 6, 14), (4, 4, 16), (5, 3, 17)])
def test_hands_by_number_of_seats(seats: int, size: int, left: int) -> None:
    """8, 6, 4 or 3 cards with 2, 3, 4 or 5 seats; 8 stones and no stamps each (§3.1, §3.2)."""
    _, state = begin(mountains.game, Options(), seats, luck())
    assert [len(hand) for hand in state.hands] == [size] * seats
    assert len(state.draw_pile) == left
    assert (state.stones, state.stamps) == ((8,) * seats, (0,) * seats)
    assert (state.phase, state.card, state.offered) == (Phase.CHOOSING, None, ())


def test_chance_is_asked_in_a_fixed_order() -> None:
    """Who begins, then the decks in their order, then the equipment (§3.1, common §4)."""
    chance = luck("a match")
    first = chance.below(3)
    decks = tuple(chance.shuffle([card.id for card in HIKING_CARDS if card.deck == deck]) for deck in DECKS)
    equipment = chance.shuffle(PACK)
    (dealt,) = setup(Options(), 3, luck("a match"))
    assert isinstance(dealt, Dealt)
    assert dealt.first_seat == first
    assert dealt.decks == decks
    assert [sorted(revealed(hand)) for hand in dealt.hands] == [
        sorted(equipment[start : start + 6]) for start in (0, 6, 12)
    ]
    assert dealt.draw_pile == equipment[18:]


def test_every_seat_may_come_first() -> None:
    """With a random first seat chance decides, with a named one it does not (§2, common §1)."""
    firsts = {begin(mountains.game, Options(), 5, luck(f"{number}"))[1].turn for number in range(60)}
    assert firsts == {0, 1, 2, 3, 4}
    named = Options(first_seat=3)
    assert {begin(mountains.game, named, 5, luck(f"{number}"))[1].turn for number in range(10)} == {3}


def test_all_cards_are_there_from_the_deal_on() -> None:
    """32 equipment cards and 62 hiking cards; none before the deal (§1, §3.1)."""
    _, state = begin(mountains.game, Options(), 5, luck())
    assert pieces(state) == tuple(sorted((*PACK, *(card.id for card in HIKING_CARDS))))
    assert pieces(INITIAL) == ()
