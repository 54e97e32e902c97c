"""Montanara §4.7: drilling."""

import pytest

from domain.games.montanara.catalogue import Kind
from domain.games.montanara.commands import (
    Command,
    Drill,
    Place,
    PlaceDrilled,
    PlayDrilling,
    StopDrilling,
    TakeCard,
)
from domain.games.montanara.events import CardLifted, CardPlaced, DrillingEnded, DrillingPlayed
from domain.games.montanara.legality import standing
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import after, cards, laid, montanara, table
from tests.support.games.scenarios import ANN, BEN

TOP, BOTTOM = PlaceDrilled(Place.TOP), PlaceDrilled(Place.BOTTOM)
BEFORE = table(hands="drilling / ", mountains="dwarf dwarf theft / dwarf crystal / / tunnel")


def test_the_bottom_card_is_seen_and_placed() -> None:
    """On top or back under the mountain, before the next look; meanwhile it counts there (§4.7)."""
    lifted = (
        montanara.given(BEFORE)
        .when(PlayDrilling(0), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 0, Kind.THEFT))
        .then_legal(TOP, BOTTOM, seat=ANN)
    )
    seen = laid(lifted.state)
    assert (seen.mountains[0].cards, seen.lifted) == (cards("dwarf dwarf theft"), True)
    assert (seen.played, seen.visited, seen.turn) == (Kind.DRILLING, (0,), ANN)
    top = lifted.when(TOP, ANN).then(CardPlaced(ANN, 0, Place.TOP))
    assert laid(top.state).mountains[0].cards == cards("theft dwarf dwarf")
    bottom = lifted.when(BOTTOM, ANN).then(CardPlaced(ANN, 0, Place.BOTTOM))
    assert laid(bottom.state).mountains[0].cards == cards("dwarf dwarf theft")


def test_each_mountain_may_be_drilled_in_any_order() -> None:
    """It ends by itself when none is left that was not drilled and has cards (§4.7, R10)."""
    over = (
        montanara.given(BEFORE)
        .when(PlayDrilling(1), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 1, Kind.CRYSTAL))
        .when(TOP, ANN)
        .then(CardPlaced(ANN, 1, Place.TOP))
        .then_legal(Drill(0), Drill(3), StopDrilling(), seat=ANN)
        .when(Drill(3), ANN)
        .then(CardLifted(ANN, 3, Kind.TUNNEL))
        .when(BOTTOM, ANN)
        .then(CardPlaced(ANN, 3, Place.BOTTOM))
        .then_legal(Drill(0), StopDrilling(), seat=ANN)
        .when(Drill(0), ANN)
        .then(CardLifted(ANN, 0, Kind.THEFT))
        .when(BOTTOM, ANN)
        .then(CardPlaced(ANN, 0, Place.BOTTOM), DrillingEnded(ANN))
    )
    assert laid(over.state) == laid(
        table(
            mountains="dwarf dwarf theft / crystal dwarf / / tunnel",
            discard_pile="drilling",
            turn=BEN,
        )
    )


@pytest.mark.parametrize(
    "mountains",
    ["dwarf theft / / / crystal dwarf", "/ dwarf / tunnel / ", "dwarf / theft / crystal / dwarf dwarf"],
)
def test_drilling_ends_by_itself_however_few_mountains_there_are(mountains: str) -> None:
    """As soon as each that has cards was drilled: of two as well as of four (§4.7)."""
    state = table(hands="drilling / ", mountains=mountains)
    first, *others = standing(state)
    reached = after(state, PlayDrilling(first), BOTTOM)
    for mountain in others:
        assert montanara.game.to_act(reached) == (ANN,)
        assert list(montanara.game.legal_moves(reached, ANN))[-1] == StopDrilling()
        reached = after(reached, Drill(mountain), TOP)
    assert montanara.game.to_act(reached) == (BEN,)
    assert laid(reached).played is None


def test_the_seat_may_stop_after_one() -> None:
    """One mountain at least is drilled; then the seat may stop, and the card is discarded (R10, §4.10)."""
    stopped = (
        montanara.given(BEFORE)
        .when(PlayDrilling(3), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 3, Kind.TUNNEL))
        .when(BOTTOM, ANN)
        .then(CardPlaced(ANN, 3, Place.BOTTOM))
        .when(StopDrilling(), ANN)
        .then(DrillingEnded(ANN))
    )
    assert laid(stopped.state).discard_pile == cards("drilling")
    assert montanara.game.to_act(stopped.state) == (BEN,)


def test_a_single_card_is_placed_all_the_same() -> None:
    """Top or bottom is asked for also where it makes no difference (§4.7)."""
    (
        montanara.given(BEFORE)
        .when(PlayDrilling(3), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 3, Kind.TUNNEL))
        .then_legal(TOP, BOTTOM, seat=ANN)
        .when(TOP, ANN)
        .then(CardPlaced(ANN, 3, Place.TOP))
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Drill(1), Reason.CARD_LIFTED),
        (StopDrilling(), Reason.CARD_LIFTED),
        (TakeCard(0), Reason.WRONG_PHASE),
    ],
)
def test_a_lifted_card_is_placed_first(command: Command, reason: Reason) -> None:
    """While a card is lifted only its place may be given (§4.0, §4.7)."""
    (
        montanara.given(BEFORE)
        .when(PlayDrilling(0), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 0, Kind.THEFT))
        .when(command, ANN)
        .then_rejected(reason)
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (TOP, Reason.NO_CARD_LIFTED),
        (Drill(0), Reason.ALREADY_DRILLED),
        (Drill(2), Reason.MOUNTAIN_EMPTY),
    ],
)
def test_no_mountain_is_drilled_twice(command: Command, reason: Reason) -> None:
    """Only mountains not yet drilled this turn, which have cards; nothing is placed twice (§4.7)."""
    (
        montanara.given(BEFORE)
        .when(PlayDrilling(0), ANN)
        .then(DrillingPlayed(ANN), CardLifted(ANN, 0, Kind.THEFT))
        .when(BOTTOM, ANN)
        .then(CardPlaced(ANN, 0, Place.BOTTOM))
        .when(command, ANN)
        .then_rejected(reason)
    )


def test_a_drilling_needs_the_card_and_a_mountain() -> None:
    """It is played from the hand, at a mountain that has cards (§4.7, §4.10)."""
    montanara.given(BEFORE).when(PlayDrilling(2), ANN).then_rejected(Reason.MOUNTAIN_EMPTY)
    given = montanara.given(table(hands="dwarf / drilling"))
    given.when(PlayDrilling(0), ANN).then_rejected(Reason.CARD_NOT_IN_HAND)
