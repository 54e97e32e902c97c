"""Mount Drago §3: the deal."""

from itertools import pairwise

import pytest

from domain.games.mount_drago.catalogue import CARDS, COLOURS, DRAGONS, PACK, Options
from domain.games.mount_drago.events import Dealt
from domain.games.mount_drago.setup import setup
from domain.games.mount_drago.state import INITIAL, Phase, State, pieces
from domain.shared.game import begin
from domain.shared.seats import Seat
from domain.shared.tuples import without
from tests.support.games.mount_drago import cards, mount_drago
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import FIRST_SEATS, FirstSeat, luck


def dealt(context: str, seats: int, first: FirstSeat = "random") -> Dealt:
    """Return the deal of some match."""
    (event,) = setup(Options(first), seats, luck(context))
    assert isinstance(event, Dealt)
    return event


def test_open_cards_then_hands_then_the_draw_pile() -> None:
    """A card of its own colour each, then six from the front of the shuffled rest (§3.2, R1, common §4)."""
    downwards = tuple(reversed(CARDS))
    events, state = begin(mount_drago.game, Options(), 3, RiggedChance(downwards))
    rest = tuple(reversed(without(PACK, cards("blue-1 brown-1 black-1"))))
    hands = (
        cards("orange-3 orange-3 orange-4 orange-4 orange-5 orange-5"),
        cards("purple-5 orange-1 orange-1 orange-2 orange-2 orange-3"),
        cards("purple-3 purple-3 purple-3 purple-4 purple-4 purple-5"),
    )
    assert events == (
        Dealt(
            Seat(0),
            cards("blue-1 brown-1 black-1"),
            hands,
            rest[18:],
        ),
    )
    assert state == State(
        hands=hands,
        open_cards=cards("blue-1 brown-1 black-1"),
        under=((), (), ()),
        dragons=(0,) * 10,
        points=(0, 0, 0),
        draw_pile=rest[18:],
        discard_pile=(),
        turn=Seat(0),
        phase=Phase.PLAY,
        scoring=None,
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_seat_rides_another_dragon(seats: int) -> None:
    """The open cards are all of different colours, whatever chance says; any colour may come (§3.2)."""
    colours: set[int] = set()
    for number in range(100):
        event = dealt(f"{number}", seats)
        ridden = [DRAGONS[card] for card in event.open_cards]
        assert len(set(ridden)) == seats
        assert [len(hand) for hand in event.hands] == [6] * seats
        assert len(event.draw_pile) == 110 - 7 * seats
        colours |= set(ridden)
    assert colours == set(range(len(COLOURS)))


def test_the_first_seat_is_drawn_before_all_else() -> None:
    """One draw below the number of seats, then a card each, then a shuffle of the rest (§3.2, R1)."""
    chance = luck("some match")
    first_seat = chance.below(3)
    left = PACK
    open_cards = []
    for _ in range(3):
        open_cards.append(left[chance.below(len(left))])
        left = tuple(card for card in left if DRAGONS[card] != DRAGONS[open_cards[-1]])
    rest = chance.shuffle(without(PACK, open_cards))
    event = dealt("some match", 3)
    assert (event.first_seat, list(event.open_cards)) == (first_seat, open_cards)
    assert [set(hand) for hand in event.hands] == [set(rest[at : at + 6]) for at in (0, 6, 12)]
    assert event.draw_pile == rest[18:]


def test_a_named_seat_begins() -> None:
    """Where a seat is named, no chance is used for it, and the cards are dealt alike (§2, common §1)."""
    events = [dealt("some match", 5, first) for first in list(FIRST_SEATS)[1:]]
    assert [event.first_seat for event in events] == [0, 1, 2, 3, 4]
    assert all(one.hands == another.hands for one, another in pairwise(events))


def test_the_seat_that_begins_is_to_act() -> None:
    """All dragons stand on the start, and the first seat plays a card (§3.1, common §3)."""
    _, state = begin(mount_drago.game, Options(2), 4, luck())
    assert mount_drago.game.to_act(state) == (2,)
    assert state.dragons == (0,) * 10


def test_the_deal_is_all_there_is() -> None:
    """110 cards and ten dragons from the deal on, nothing before it (§1, §3)."""
    assert pieces(INITIAL) == ()
    _, state = begin(mount_drago.game, Options(), 5, luck())
    assert pieces(state) == tuple(sorted((*PACK, *COLOURS)))


def test_hands_are_sorted() -> None:
    """A hand is a multiset, held by colour and value, alike cards alike (common §2)."""
    (event,) = setup(Options(), 2, RiggedChance((*cards("white-2 orange-1 blue-5"), *CARDS)))
    assert isinstance(event, Dealt)
    assert event.hands[0] == cards("blue-5 blue-5 white-2 white-2 orange-1 orange-1")
