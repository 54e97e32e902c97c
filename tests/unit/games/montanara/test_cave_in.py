"""Montanara §4.3 and §4.12: the cave-in that is played, and looking at a mountain."""

import pytest

from domain.games.montanara.catalogue import Kind
from domain.games.montanara.commands import Command, DeclineLook, LookAtMountain, PlayCaveIn, TakeCard
from domain.games.montanara.events import CaveInPlayed, LookDeclined, MountainLookedAt
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import cards, laid, montanara, table
from tests.support.games.scenarios import ANN, BEN

MOUNTAINS = "theft crystal / / tunnel / dwarf dwarf"
BEFORE = table(hands="cave_in theft / ", mountains=MOUNTAINS, displays="dwarf crystal / dwarf dwarf")


def test_all_dwarfs_run_away() -> None:
    """Both seats discard all dwarfs of their displays; crystals stay; the cave-in lies open (§4.3, §4.10)."""
    played = montanara.given(BEFORE).when(PlayCaveIn(), ANN).then(CaveInPlayed(ANN, (1, 2)))
    seen = laid(played.state)
    assert [(side.dwarfs, side.crystals) for side in seen.seats] == [(0, 1), (0, 0)]
    assert (seen.discard_pile, seen.played) == (cards("dwarf dwarf dwarf"), Kind.CAVE_IN)
    assert seen.seats[0].hand == cards("theft")


def test_both_look_the_opponent_first() -> None:
    """The player must take a different mountain; after the last look the card is discarded (§4.3, §4.10)."""
    looked = (
        montanara.given(BEFORE)
        .when(PlayCaveIn(), ANN)
        .then(CaveInPlayed(ANN, (1, 2)))
        .then_legal(LookAtMountain(0), LookAtMountain(2), LookAtMountain(3), DeclineLook(), seat=BEN)
        .when(LookAtMountain(0), BEN)
        .then(MountainLookedAt(BEN, 0, cards("theft crystal")))
        .then_legal(LookAtMountain(2), LookAtMountain(3), DeclineLook(), seat=ANN)
        .when(LookAtMountain(3), ANN)
        .then(MountainLookedAt(ANN, 3, cards("dwarf dwarf")))
    )
    assert laid(looked.state) == laid(
        table(
            hands="theft / ",
            mountains=MOUNTAINS,
            displays="crystal / ",
            discard_pile="dwarf dwarf dwarf cave_in",
            turn=BEN,
        )
    )


def test_who_is_to_look_is_to_act() -> None:
    """First the opponent, then the player, then it is the opponent's turn (§4.0, §4.3)."""
    played = montanara.given(BEFORE).when(PlayCaveIn(), ANN).then(CaveInPlayed(ANN, (1, 2)))
    assert montanara.game.to_act(played.state) == (BEN,)
    declined = played.when(DeclineLook(), BEN).then(LookDeclined(BEN))
    assert montanara.game.to_act(declined.state) == (ANN,)
    over = declined.when(DeclineLook(), ANN).then(LookDeclined(ANN))
    assert montanara.game.to_act(over.state) == (BEN,)
    assert laid(over.state).discard_pile == cards("dwarf dwarf dwarf cave_in")


def test_after_a_declined_look_any_mountain_may_be_taken() -> None:
    """The player may choose any mountain if the opponent declined (R6, R7)."""
    (
        montanara.given(BEFORE)
        .when(PlayCaveIn(), ANN)
        .then(CaveInPlayed(ANN, (1, 2)))
        .when(DeclineLook(), BEN)
        .then(LookDeclined(BEN))
        .then_legal(LookAtMountain(0), LookAtMountain(2), LookAtMountain(3), DeclineLook(), seat=ANN)
    )


def test_a_cave_in_may_be_played_without_dwarfs() -> None:
    """The looks are its effect (R5)."""
    montanara.given(table(hands="cave_in / ")).when(PlayCaveIn(), ANN).then(CaveInPlayed(ANN, (0, 0)))


def test_one_other_mountain_is_always_there() -> None:
    """With two mountains left the second looker has the other one (R6)."""
    (
        montanara.given(table(hands="cave_in / ", mountains="/ dwarf / / dwarf"))
        .when(PlayCaveIn(), ANN)
        .then(CaveInPlayed(ANN, (0, 0)))
        .when(LookAtMountain(1), BEN)
        .then(MountainLookedAt(BEN, 1, cards("dwarf")))
        .then_legal(LookAtMountain(3), DeclineLook(), seat=ANN)
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (LookAtMountain(0), Reason.ALREADY_LOOKED_AT),
        (LookAtMountain(1), Reason.MOUNTAIN_EMPTY),
        (TakeCard(0), Reason.WRONG_PHASE),
    ],
)
def test_what_the_second_looker_may_not(command: Command, reason: Reason) -> None:
    """Not the mountain that the first looked at, no empty one, nothing else (§4.0, §4.3, §4.12)."""
    (
        montanara.given(BEFORE)
        .when(PlayCaveIn(), ANN)
        .then(CaveInPlayed(ANN, (1, 2)))
        .when(LookAtMountain(0), BEN)
        .then(MountainLookedAt(BEN, 0, cards("theft crystal")))
        .when(command, ANN)
        .then_rejected(reason)
    )


def test_a_cave_in_is_played_from_the_hand() -> None:
    """Without one in hand none is played (§4.10)."""
    montanara.given(table(hands="dwarf / cave_in")).when(PlayCaveIn(), ANN).then_rejected(
        Reason.CARD_NOT_IN_HAND
    )
