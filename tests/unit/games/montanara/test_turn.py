"""Montanara §4.0 to §4.2: turns, taking a card, playing a dwarf."""

import pytest

from domain.games.montanara.catalogue import Kind
from domain.games.montanara.commands import (
    DeclineLook,
    Dig,
    DigHome,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    TakeCard,
)
from domain.games.montanara.events import CardTaken, DwarfPlayed
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import laid, montanara, table
from tests.support.games.scenarios import ANN, BEN


def test_the_seats_take_turns() -> None:
    """One action a turn, then the other seat's turn (§4.0, R13)."""
    (
        montanara.given(table(hands="dwarf / dwarf"))
        .when(PlayDwarf(), ANN)
        .then(DwarfPlayed(ANN))
        .then_legal(TakeCard(0), TakeCard(1), TakeCard(2), TakeCard(3), PlayDwarf(), seat=BEN)
        .when(TakeCard(2), BEN)
        .then(CardTaken(BEN, 2, Kind.DWARF))
        .when(TakeCard(2), ANN)
        .then(CardTaken(ANN, 2, Kind.DWARF))
    )


def test_a_turn_may_begin_with_any_action_that_is_possible() -> None:
    """In the order of the rules, then of mountains that have cards (§4.1 to §4.9, common §9)."""
    montanara.given(
        table(
            hands="dwarf crystal cave_in theft shaking tunnel drilling open_pit / ",
            mountains="dwarf dwarf / / dwarf / dwarf",
            displays="dwarf / ",
        )
    ).then_legal(
        *(TakeCard(0), TakeCard(2), TakeCard(3)),
        PlayDwarf(),
        PlayCaveIn(),
        PlayTheft(),
        *(PlayShaking(0, 1, 0), PlayShaking(2, 3, 2)),
        *(PlayTunnel(0), PlayTunnel(2), PlayTunnel(3)),
        *(PlayDrilling(0), PlayDrilling(2), PlayDrilling(3)),
        *(PlayOpenPit(0), PlayOpenPit(2), PlayOpenPit(3)),
        *(Dig(0), Dig(2), Dig(3)),
        DigHome(),
    )


def test_alike_cards_give_alike_moves_once() -> None:
    """Two thefts or two dwarfs in hand are one choice (common §2, §9)."""
    montanara.given(table(hands="dwarf dwarf theft theft / ", mountains="dwarf / dwarf / / ")).then_legal(
        TakeCard(0), TakeCard(1), PlayDwarf(), PlayTheft()
    )


def test_the_top_card_comes_into_hand() -> None:
    """The rest of the mountain stays; the hand stays by kind (§4.1, common §2)."""
    taken = (
        montanara.given(table(hands="tunnel / ", mountains="crystal theft dwarf / dwarf / dwarf / dwarf"))
        .when(TakeCard(0), ANN)
        .then(CardTaken(ANN, 0, Kind.CRYSTAL))
    )
    assert taken.state == table(
        hands="crystal tunnel / ", mountains="theft dwarf / dwarf / dwarf / dwarf", turn=BEN
    )


def test_a_hand_has_no_limit() -> None:
    """Any number of cards may be held (§4.1)."""
    hand = "dwarf " * 15
    montanara.given(table(hands=f"{hand} / ")).when(TakeCard(3), ANN).then(CardTaken(ANN, 3, Kind.DWARF))


def test_an_empty_mountain_has_no_card_to_take() -> None:
    """The top card of a non-empty mountain only (§4.1)."""
    montanara.given(table(mountains="/ dwarf / dwarf / dwarf")).when(TakeCard(0), ANN).then_rejected(
        Reason.MOUNTAIN_EMPTY, seat=0
    )


def test_a_dwarf_goes_from_hand_into_the_display() -> None:
    """The display has a dwarf more, the hand one less (§4.2)."""
    played = (
        montanara.given(table(hands="dwarf dwarf theft / ", displays="crystal / dwarf"))
        .when(PlayDwarf(), ANN)
        .then(DwarfPlayed(ANN))
    )
    assert laid(played.state) == laid(
        table(hands="dwarf theft / ", displays="dwarf crystal / dwarf", turn=BEN)
    )


@pytest.mark.parametrize(
    "display", ["dwarf dwarf dwarf crystal", "dwarf dwarf dwarf dwarf", "crystal crystal crystal dwarf"]
)
def test_a_full_display_takes_no_dwarf(display: str) -> None:
    """Dwarfs and crystals count: with 4 cards no dwarf is played (§4.2, §8)."""
    full = table(hands="dwarf / ", displays=f"{display} / ")
    montanara.given(full).when(PlayDwarf(), ANN).then_rejected(Reason.DISPLAY_FULL)
    assert PlayDwarf() not in montanara.game.legal_moves(full, ANN)
    _, _, three = display.partition(" ")
    room = table(hands="dwarf / ", displays=f"{three} / ")
    montanara.given(room).when(PlayDwarf(), ANN).then(DwarfPlayed(ANN))


def test_a_dwarf_is_played_from_the_hand() -> None:
    """Without a dwarf in hand none is played (§4.2)."""
    montanara.given(table(hands="theft / dwarf", displays="dwarf / ")).when(PlayDwarf(), ANN).then_rejected(
        Reason.NO_DWARF_IN_HAND
    )


def test_a_look_needs_a_cave_in() -> None:
    """Commands of a phase are refused outside it (§4.0)."""
    montanara.given(table()).when(DeclineLook(), ANN).then_rejected(Reason.WRONG_PHASE)
