"""Montanara §4.8: open-pit mining."""

from domain.games.montanara.catalogue import Kind
from domain.games.montanara.commands import PlayOpenPit
from domain.games.montanara.events import OpenPitPlayed
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import laid, montanara, table
from tests.support.games.scenarios import ANN, BEN


def test_the_mountain_is_reversed_and_its_new_top_card_taken() -> None:
    """What was the bottom card comes into hand; the open pit is discarded (§4.8, §4.10)."""
    mined = (
        montanara.given(table(hands="open_pit tunnel / ", mountains="dwarf theft crystal / dwarf / / dwarf"))
        .when(PlayOpenPit(0), ANN)
        .then(OpenPitPlayed(ANN, 0, Kind.CRYSTAL))
    )
    assert laid(mined.state) == laid(
        table(
            hands="crystal tunnel / ",
            mountains="theft dwarf / dwarf / / dwarf",
            discard_pile="open_pit",
            turn=BEN,
        )
    )


def test_a_single_card_may_be_mined() -> None:
    """A mountain of one card is used up (§4.8, R12)."""
    (
        montanara.given(table(hands="open_pit / ", mountains="dwarf / dwarf / / dwarf"))
        .when(PlayOpenPit(1), ANN)
        .then(OpenPitPlayed(ANN, 1, Kind.DWARF))
        .then_ended(None)
    )


def test_an_open_pit_needs_the_card_and_a_mountain() -> None:
    """It is played from the hand, at a mountain that has cards (§4.8, §4.10)."""
    given = montanara.given(table(hands="open_pit / ", mountains="dwarf / dwarf / / dwarf"))
    given.when(PlayOpenPit(2), ANN).then_rejected(Reason.MOUNTAIN_EMPTY)
    given = montanara.given(table(hands="dwarf / open_pit"))
    given.when(PlayOpenPit(0), ANN).then_rejected(Reason.CARD_NOT_IN_HAND)
