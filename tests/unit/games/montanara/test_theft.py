"""Montanara §4.4: theft."""

from domain.games.montanara.commands import PlayTheft
from domain.games.montanara.events import TheftPlayed
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import cards, laid, montanara, table
from tests.support.games.scenarios import ANN, BEN


def test_hands_are_swapped() -> None:
    """Both hands without the theft, which is discarded; displays stay (§4.4, §4.10)."""
    swapped = (
        montanara.given(table(hands="dwarf theft theft / crystal tunnel tunnel", displays="dwarf / crystal"))
        .when(PlayTheft(), ANN)
        .then(TheftPlayed(ANN, (cards("crystal tunnel tunnel"), cards("dwarf theft"))))
    )
    assert laid(swapped.state) == laid(
        table(
            hands="crystal tunnel tunnel / dwarf theft",
            displays="dwarf / crystal",
            discard_pile="theft",
            turn=BEN,
        )
    )


def test_either_seat_may_play_it() -> None:
    """The hands are told by seat, anyone who played (§4.4)."""
    (
        montanara.given(table(hands="crystal / dwarf theft", turn=BEN))
        .when(PlayTheft(), BEN)
        .then(TheftPlayed(BEN, (cards("dwarf"), cards("crystal"))))
    )


def test_an_empty_handed_opponent_is_no_obstacle() -> None:
    """A hand may be swapped for none (§4.4)."""
    (
        montanara.given(table(hands="dwarf theft / "))
        .when(PlayTheft(), ANN)
        .then(TheftPlayed(ANN, ((), cards("dwarf"))))
    )


def test_the_theft_may_not_be_the_only_card() -> None:
    """It needs at least one other card in hand (§4.4, §4.10)."""
    alone = table(hands="theft / dwarf")
    montanara.given(alone).when(PlayTheft(), ANN).then_rejected(Reason.NO_OTHER_CARD_IN_HAND)
    assert PlayTheft() not in montanara.game.legal_moves(alone, ANN)


def test_another_theft_is_another_card() -> None:
    """Two thefts are enough: the second one goes to the opponent (§4.4)."""
    (
        montanara.given(table(hands="theft theft / "))
        .when(PlayTheft(), ANN)
        .then(TheftPlayed(ANN, ((), cards("theft"))))
    )


def test_a_theft_is_played_from_the_hand() -> None:
    """Without one in hand none is played (§4.10)."""
    montanara.given(table(hands="dwarf dwarf / theft")).when(PlayTheft(), ANN).then_rejected(
        Reason.CARD_NOT_IN_HAND
    )
