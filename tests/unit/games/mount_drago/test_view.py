"""Mount Drago §6: who may see what."""

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from domain.games.mount_drago.catalogue import Card, Scoring
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import INITIAL, Phase
from domain.games.mount_drago.view import Dragon, Table, TableSeat, determinize, seen, view
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Seen, TablePile, Viewer, seated
from tests.support.games.mount_drago import cards, table
from tests.support.games.scenarios import ANN, BEN, luck

STATE = table(
    """
    black-2 / red-1 red-3 | blue-1 white-4
    green-5 | purple-1 orange-2 orange-2
    """,
    dragons="black 5, red 4, blue 25",
    points=(-1, 6),
    draw_pile="yellow-1 yellow-2",
    discard_pile="blue-5 blue-1",
    turn=1,
    phase=Phase.DISCARD,
)


@dataclass(frozen=True)
class Sight:
    """A viewer, and what it may see.

    Attributes:
        viewer: The viewer.
        hands: The seats whose hands it sees.
        pile: Whether it sees the draw pile.
    """

    viewer: Viewer
    hands: tuple[Seat, ...]
    pile: bool = False

    def held(self, seat: Seat, text: str) -> tuple[Card, ...]:
        """Return a seat's hand as a view shows it."""
        return cards(text) if seat in self.hands else ()

    def told(self, seat: Seat, text: str) -> Seen[Card]:
        """Return a seat's cards as an event shows them."""
        return cards(text) if seat in self.hands else (None,) * len(cards(text))


SIGHTS = [
    Sight(seated(ANN), (ANN,)),
    Sight(seated(BEN), (BEN,)),
    Sight(SPECTATOR, ()),
    Sight(ALL_SEEING, (ANN, BEN), pile=True),
]


@pytest.mark.parametrize("sight", SIGHTS)
def test_a_view_shows_the_own_hand_and_all_that_is_public(sight: Sight) -> None:
    """Other hands and the draw pile by their number; all else in full (§6)."""
    assert view(STATE, sight.viewer) == Table(
        turn=BEN,
        phase=Phase.DISCARD,
        seats=(
            TableSeat(2, sight.held(ANN, "blue-1 white-4"), "black-2", ("red-1", "red-3"), -1),
            TableSeat(3, sight.held(BEN, "purple-1 orange-2 orange-2"), "green-5", (), 6),
        ),
        dragons=(
            Dragon("blue", 25, 4),
            Dragon("brown", 0, 0),
            Dragon("black", 5, 3),
            Dragon("red", 4, -1),
            Dragon("yellow", 0, 0),
            Dragon("green", 0, 0),
            Dragon("white", 0, 0),
            Dragon("light_blue", 0, 0),
            Dragon("purple", 0, 0),
            Dragon("orange", 0, 0),
        ),
        draw_pile=TablePile(99, STATE.draw_pile if sight.pile else ()),
        discard_pile=("blue-5", "blue-1"),
    )


@pytest.mark.parametrize("sight", SIGHTS)
def test_before_the_deal_there_is_nothing_to_see(sight: Sight) -> None:
    """No seat, no dragon, no card (§3)."""
    assert view(INITIAL, sight.viewer) == Table(ANN, Phase.PLAY, (), (), TablePile(0, ()), ())


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_deal_as_it_is_seen(sight: Sight) -> None:
    """Open cards and who begins are public, a hand is its seat's, the pile nobody's (§6)."""
    event = Dealt(BEN, cards("red-1 blue-1"), (cards("red-2 red-2"), cards("red-5")), cards("blue-5"))
    assert seen(event, sight.viewer) == Dealt(
        BEN,
        cards("red-1 blue-1"),
        (sight.told(ANN, "red-2 red-2"), sight.told(BEN, "red-5")),
        ("blue-5",) if sight.pile else (None,),
    )


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("seat", [ANN, BEN])
def test_a_draw_as_it_is_seen(sight: Sight, seat: Seat) -> None:
    """How many cards is public, which ones only the seat that drew them knows (§6)."""
    event = CardsDrawn(seat, cards("blue-1 red-5"), BEN, Phase.PLAY)
    assert seen(event, sight.viewer) == CardsDrawn(seat, sight.told(seat, "blue-1 red-5"), BEN, Phase.PLAY)


@pytest.mark.parametrize("sight", SIGHTS)
def test_a_new_draw_pile_as_it_is_seen(sight: Sight) -> None:
    """Its number is public, its order nobody knows (§6)."""
    event = DrawPileRenewed(cards("blue-1 red-5 red-1"))
    pile = event.draw_pile if sight.pile else (None, None, None)
    assert seen(event, sight.viewer) == DrawPileRenewed(pile)


def test_once_the_game_is_over_it_is_nobody_s_turn() -> None:
    """The turn is null then, anyone who looks (§5.1)."""
    over = view(replace(STATE, phase=Phase.OVER), SPECTATOR)
    assert (over.turn, over.phase) == (None, Phase.OVER)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(
    "event",
    [
        CardPlayed(ANN, "blue-1", True, 6, Scoring.SMALL, Phase.SCORE),
        Scored(Scoring.SMALL, (2, -1), BEN, Phase.PLAY),
        SummitCardsDiscarded(ANN, ("blue-1", "blue-3")),
    ],
)
def test_everybody_sees_what_is_played_scored_and_discarded(sight: Sight, event: Event) -> None:
    """Cards played, points and the discard pile are public (§6)."""
    assert seen(event, sight.viewer) == event


@pytest.mark.parametrize("sight", SIGHTS)
def test_what_a_viewer_cannot_see_may_be_otherwise(sight: Sight) -> None:
    """Hidden hands and the draw pile are mixed; the view, and no card, changes (§6)."""
    twin = determinize(STATE, sight.viewer, luck())
    assert view(twin, sight.viewer) == view(STATE, sight.viewer)
    for seat in (ANN, BEN):
        assert (twin.hands[seat] == STATE.hands[seat]) == (seat in sight.hands)
    assert (twin.draw_pile == STATE.draw_pile) == sight.pile
    hidden = (*twin.draw_pile, *twin.hands[ANN], *twin.hands[BEN])
    assert sorted(hidden) == sorted((*STATE.draw_pile, *STATE.hands[ANN], *STATE.hands[BEN]))


def test_every_hidden_card_may_be_anywhere() -> None:
    """A card of another hand may as well lie in the draw pile, and the other way round (§6)."""
    hands = {determinize(STATE, seated(ANN), luck(f"{number}")).hands[BEN] for number in range(300)}
    assert {card for hand in hands for card in hand} >= set(STATE.draw_pile) | set(STATE.hands[BEN])
