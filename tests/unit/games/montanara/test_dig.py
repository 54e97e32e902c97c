"""Montanara §4.9: digging, in a mountain and at home."""

from collections import Counter

import pytest

from domain.games.montanara.catalogue import Kind
from domain.games.montanara.commands import Command, DeclineLook, Dig, DigHome, LookAtMountain, TakeCard
from domain.games.montanara.events import (
    CardDug,
    CaveInDug,
    CrystalDug,
    DigBegun,
    LookDeclined,
    MountainLookedAt,
)
from domain.games.montanara.rejections import Reason
from domain.games.montanara.state import State
from domain.shared.game import play
from tests.support.games.montanara import cards, laid, montanara, table
from tests.support.games.rigged import StackedChance
from tests.support.games.scenarios import ANN, BEN, luck


def digging(mountain: str, display: str = "dwarf dwarf dwarf", hands: str = " / ") -> State:
    """Return a table on which Ann may dig in mountain 0."""
    return table(
        hands=hands, mountains=f"{mountain} / tunnel / / drilling", displays=f"{display} / dwarf dwarf"
    )


def test_a_card_is_turned_over_for_each_dwarf() -> None:
    """One at a time from the top, discarded without effect; the dwarfs stay (§4.9, R2)."""
    dug = (
        montanara.given(digging("theft dwarf shaking open_pit"))
        .when(Dig(0), ANN)
        .then(
            DigBegun(ANN, 0, 3),
            CardDug(ANN, 0, Kind.THEFT, 2),
            CardDug(ANN, 0, Kind.DWARF, 1),
            CardDug(ANN, 0, Kind.SHAKING, 0),
        )
    )
    assert laid(dug.state) == laid(
        table(
            mountains="open_pit / tunnel / / drilling",
            displays="dwarf dwarf dwarf / dwarf dwarf",
            discard_pile="theft dwarf shaking",
            turn=BEN,
        )
    )


def test_a_crystal_ends_the_dig() -> None:
    """It goes to the display in exchange for a dwarf, which is discarded (§4.9, §8)."""
    dug = (
        montanara.given(digging("theft crystal crystal", "dwarf dwarf dwarf crystal"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 3), CardDug(ANN, 0, Kind.THEFT, 2), CrystalDug(ANN, 0))
    )
    assert laid(dug.state) == laid(
        table(
            mountains="crystal / tunnel / / drilling",
            displays="dwarf dwarf crystal crystal / dwarf dwarf",
            discard_pile="theft dwarf",
            turn=BEN,
        )
    )


def test_a_cave_in_ends_the_dig() -> None:
    """It and then all own dwarfs are discarded, the opponent's stay; the digger may look (§4.9, §4.10)."""
    dug = (
        montanara.given(digging("theft cave_in dwarf", "dwarf dwarf crystal"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 2), CardDug(ANN, 0, Kind.THEFT, 1), CaveInDug(ANN, 0, 2))
        .then_legal(LookAtMountain(0), LookAtMountain(1), LookAtMountain(3), DeclineLook(), seat=ANN)
    )
    seen = laid(dug.state)
    assert [(side.dwarfs, side.crystals) for side in seen.seats] == [(0, 1), (2, 0)]
    assert (seen.discard_pile, seen.played) == (cards("theft cave_in dwarf dwarf"), None)
    looked = dug.when(LookAtMountain(0), ANN).then(MountainLookedAt(ANN, 0, cards("dwarf")))
    assert montanara.game.to_act(looked.state) == (BEN,)
    declined = dug.when(DeclineLook(), ANN).then(LookDeclined(ANN))
    assert montanara.game.to_act(declined.state) == (BEN,)
    assert laid(declined.state).discard_pile == seen.discard_pile


def test_fewer_cards_than_dwarfs_are_all_turned_over() -> None:
    """As many as there are; the mountain is used up, and the game goes on with two others (R3)."""
    dug = (
        montanara.given(digging("theft dwarf"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 2), CardDug(ANN, 0, Kind.THEFT, 1), CardDug(ANN, 0, Kind.DWARF, 0))
        .then_ended(None)
    )
    assert montanara.game.to_act(dug.state) == (BEN,)


def test_a_dwarf_that_is_dug_does_not_lengthen_the_dig() -> None:
    """The number is fixed when the dig begins, and a dug dwarf is discarded (R4)."""
    dug = (
        montanara.given(digging("dwarf dwarf", "dwarf"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 1), CardDug(ANN, 0, Kind.DWARF, 0))
    )
    assert laid(dug.state).seats[0].dwarfs == 1


def test_the_hand_is_dug_as_a_shuffled_pile() -> None:
    """Any card of the hand may be on top; what is left is in hand afterwards (§4.9)."""
    dug = (
        montanara.given(digging("dwarf", "dwarf dwarf", "theft tunnel drilling open_pit / dwarf"))
        .when(DigHome(), ANN, StackedChance(numbers=(2, 0)))
        .then(
            DigBegun(ANN, None, 2),
            CardDug(ANN, None, Kind.DRILLING, 1),
            CardDug(ANN, None, Kind.THEFT, 0),
        )
    )
    assert laid(dug.state) == laid(
        table(
            hands="tunnel open_pit / dwarf",
            mountains="dwarf / tunnel / / drilling",
            displays="dwarf dwarf / dwarf dwarf",
            discard_pile="drilling theft",
            turn=BEN,
        )
    )


def test_every_card_of_the_hand_is_equally_likely_on_top() -> None:
    """Over 1,200 digs in a hand of 4 cards, 2 of them alike (§4.9, common §4)."""
    before = digging("dwarf", "dwarf", "theft tunnel tunnel open_pit / ")
    dug: Counter[Kind] = Counter()
    for number in range(1200):
        (_, event), _ = play(montanara.game, before, ANN, DigHome(), luck(f"{number}"))
        assert isinstance(event, CardDug)
        dug[event.card] += 1
    assert 240 < dug[Kind.THEFT] < 360
    assert 510 < dug[Kind.TUNNEL] < 690
    assert 240 < dug[Kind.OPEN_PIT] < 360


def test_a_crystal_may_be_dug_at_home() -> None:
    """It ends the dig as in any mountain, and the rest is in hand again (§4.9)."""
    dug = (
        montanara.given(digging("dwarf", "dwarf dwarf", "crystal tunnel / "))
        .when(DigHome(), ANN, StackedChance(numbers=(0,)))
        .then(DigBegun(ANN, None, 2), CrystalDug(ANN, None))
    )
    assert laid(dug.state) == laid(
        table(
            hands="tunnel / ",
            mountains="dwarf / tunnel / / drilling",
            displays="dwarf crystal / dwarf dwarf",
            discard_pile="dwarf",
            turn=BEN,
        )
    )


def test_a_cave_in_at_home_spares_the_opponent() -> None:
    """Own dwarfs run away, and the seat may look at a mountain of the range (§4.9)."""
    dug = (
        montanara.given(digging("dwarf", "dwarf dwarf", "cave_in tunnel / "))
        .when(DigHome(), ANN, StackedChance(numbers=(0,)))
        .then(DigBegun(ANN, None, 2), CaveInDug(ANN, None, 2))
        .then_legal(LookAtMountain(0), LookAtMountain(1), LookAtMountain(3), DeclineLook(), seat=ANN)
    )
    seen = laid(dug.state)
    assert [side.dwarfs for side in seen.seats] == [0, 2]
    assert seen.seats[0].hand == cards("tunnel")


def test_a_hand_may_be_used_up() -> None:
    """Fewer cards in hand than dwarfs: all are turned over (R3)."""
    (
        montanara.given(digging("dwarf", hands="theft / "))
        .when(DigHome(), ANN)
        .then(DigBegun(ANN, None, 1), CardDug(ANN, None, Kind.THEFT, 0))
    )


@pytest.mark.parametrize(
    ("state", "command", "reason"),
    [
        (digging("dwarf", "crystal"), Dig(0), Reason.NO_DWARF_IN_DISPLAY),
        (digging("dwarf", "crystal", "dwarf / dwarf"), DigHome(), Reason.NO_DWARF_IN_DISPLAY),
        (digging("dwarf"), Dig(2), Reason.MOUNTAIN_EMPTY),
        (digging("dwarf", hands=" / dwarf"), DigHome(), Reason.HAND_EMPTY),
    ],
)
def test_digging_needs_a_dwarf_and_a_card(state: State, command: Command, reason: Reason) -> None:
    """A dwarf in the own display, and a mountain or hand with cards (§4.9, R15)."""
    montanara.given(state).when(command, ANN).then_rejected(reason)
    assert command not in montanara.game.legal_moves(state, ANN)


def test_a_seat_that_may_look_does_nothing_else() -> None:
    """Once the cave-in has ended the dig, only the look is left (§4.0)."""
    (
        montanara.given(digging("cave_in dwarf"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 2), CaveInDug(ANN, 0, 3))
        .when(TakeCard(0), ANN)
        .then_rejected(Reason.WRONG_PHASE)
    )
