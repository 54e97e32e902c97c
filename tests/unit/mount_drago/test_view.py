"""Mount Drago §6: who may see what."""

from dataclasses import dataclass

import pytest

from domain.mount_drago.catalogue import Scoring
from domain.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    FaceDown,
    Scored,
    SummitCardsDiscarded,
)
from domain.mount_drago.state import INITIAL, Step
from domain.mount_drago.view import Dragon, Rider, Table, determinize, seen, view
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.mount_drago import cards, face_down, table
from tests.support.scenarios import luck

ANN, BEN = Seat(0), Seat(1)

STATE = table(
    """
    black-2 / red-1 red-3 | blue-1 white-4
    green-5 | purple-1 orange-2 orange-2
    """,
    dragons="black 5, red 4, blue 25",
    points=(-1, 6),
    pile="yellow-1 yellow-2",
    discard="blue-5 blue-1",
    turn=1,
    step=Step.DISCARD,
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

    def of(self, seat: Seat, text: str) -> FaceDown:
        """Return a seat's cards as the viewer sees them."""
        return face_down(text) if seat in self.hands else FaceDown(len(cards(text)), ())


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
        riders=(
            Rider(sight.of(ANN, "blue-1 white-4"), "black-2", ("red-1", "red-3"), -1),
            Rider(sight.of(BEN, "purple-1 orange-2 orange-2"), "green-5", (), 6),
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
        draw_pile=FaceDown(99, STATE.draw_pile if sight.pile else ()),
        discard_pile=("blue-5", "blue-1"),
        turn=BEN,
        step=Step.DISCARD,
    )


@pytest.mark.parametrize("sight", SIGHTS)
def test_before_the_deal_there_is_nothing_to_see(sight: Sight) -> None:
    """No seat, no dragon, no card (§3)."""
    assert view(INITIAL, sight.viewer) == Table((), (), FaceDown(0, ()), (), ANN, Step.DEAL)


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_deal_as_it_is_seen(sight: Sight) -> None:
    """Open cards and who begins are public, a hand is its seat's, the pile nobody's (§6)."""
    event = Dealt(
        BEN, cards("red-1 blue-1"), (face_down("red-2 red-2"), face_down("red-5")), face_down("blue-5")
    )
    assert seen(event, sight.viewer) == Dealt(
        BEN,
        cards("red-1 blue-1"),
        (sight.of(ANN, "red-2 red-2"), sight.of(BEN, "red-5")),
        FaceDown(1, ("blue-5",) if sight.pile else ()),
    )


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("seat", [ANN, BEN])
def test_a_draw_as_it_is_seen(sight: Sight, seat: Seat) -> None:
    """How many cards is public, which ones only the seat that drew them knows (§6)."""
    event = CardsDrawn(seat, face_down("blue-1 red-5"), BEN, Step.PLAY)
    assert seen(event, sight.viewer) == CardsDrawn(seat, sight.of(seat, "blue-1 red-5"), BEN, Step.PLAY)


@pytest.mark.parametrize("sight", SIGHTS)
def test_a_new_draw_pile_as_it_is_seen(sight: Sight) -> None:
    """Its number is public, its order nobody knows (§6)."""
    event = DrawPileRenewed(face_down("blue-1 red-5 red-1"))
    pile = cards("blue-1 red-5 red-1") if sight.pile else ()
    assert seen(event, sight.viewer) == DrawPileRenewed(FaceDown(3, pile))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(
    "event",
    [
        CardPlayed(ANN, "blue-1", True, 6, Scoring.SMALL, Step.SCORE),
        Scored(Scoring.SMALL, (2, -1), BEN, Step.PLAY),
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
