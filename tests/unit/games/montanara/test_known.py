"""Montanara R14: what a seat was shown and is still true."""

import pytest

from domain.games.montanara.catalogue import Options, TunnelOrder
from domain.games.montanara.commands import (
    ArrangeTunnel,
    Command,
    DeclineLook,
    Dig,
    DigHome,
    Drill,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    TakeCard,
)
from domain.shared.game import begin
from domain.shared.seats import Seat
from tests.support.games.montanara import after, cards, known, known_hand, montanara, shuffled, table
from tests.support.games.rigged import StackedChance
from tests.support.games.scenarios import ANN, BEN, luck


def test_nothing_is_known_at_first() -> None:
    """No position, and no card of the other hand, not even the dwarf that each seat took (R14)."""
    options = Options((1, 1, 1, 69), first_seat=0)
    _, state = begin(montanara.game, options, 2, luck())
    assert known(state) == "? / ? / ? / " + " ".join("?" * 69)
    assert (known_hand(state, ANN), known_hand(state, BEN)) == ((), ())


def test_a_look_teaches_a_whole_mountain() -> None:
    """The looker learns it by position, the other seat nothing (R14)."""
    before = table(hands="cave_in / ", mountains="crystal theft*0 / tunnel dwarf / dwarf / dwarf")
    first = after(before, PlayCaveIn(), LookAtMountain(0))
    assert known(first) == "crystal*1 theft*01 / ? ? / ? / ?"
    second = after(first, LookAtMountain(1))
    assert known(second) == "crystal*1 theft*01 / tunnel*0 dwarf*0 / ? / ?"
    assert known(after(first, DeclineLook())) == known(first)


@pytest.mark.parametrize("turn", [ANN, BEN])
def test_taking_the_top_card_shifts_the_others(turn: Seat) -> None:
    """Anyone who takes it, what lay second lies on top (R14)."""
    before = table(mountains="crystal*0 theft*1 dwarf*01 / dwarf / dwarf / ", turn=turn)
    assert known(after(before, TakeCard(0))) == "theft*1 dwarf*01 / ? / ? / "


def test_turning_over_the_top_card_shifts_the_others() -> None:
    """After each card of a dig what lay second lies on top (R14)."""
    before = table(mountains="theft tunnel*1 crystal*0 dwarf*1 / dwarf / / ", displays="dwarf dwarf / ")
    assert known(after(before, Dig(0))) == "crystal*0 dwarf*1 / ? /  / "


def test_a_tunnel_that_goes_back_at_random_is_forgotten() -> None:
    """Both seats forget the cards that moved, and know the others below (R14)."""
    before = table(
        hands="tunnel / ",
        mountains="theft*1 dwarf*0 dwarf*01 crystal theft*01 tunnel*1 / dwarf / / ",
    )
    state = after(before, PlayTunnel(0), chance=shuffled("crystal dwarf dwarf theft"))
    assert known(state).startswith("? ? ? ? theft*01 tunnel*1 /")


def test_alike_cards_are_forgotten_too() -> None:
    """A random order is forgotten whatever the cards are (R14)."""
    before = table(hands="tunnel / ", mountains="dwarf*1 dwarf*1 / dwarf / / ")
    assert known(after(before, PlayTunnel(0))).startswith("? ? /")


@pytest.mark.parametrize("order", TunnelOrder)
def test_a_tunnel_of_one_card_teaches_it(order: TunnelOrder) -> None:
    """One card does not move: who knew it knows it, and the player knows it now (R14)."""
    before = table(hands="tunnel / ", mountains="theft*1 / dwarf / / dwarf", tunnel_order=order)
    assert known(after(before, PlayTunnel(0))) == "theft*01 / ? /  / ?"
    assert known(after(before, PlayTunnel(1))) == "theft*1 / dwarf*0 /  / ?"


def test_a_chosen_order_is_known_to_its_seat() -> None:
    """While it is chosen the seat knows the old order; then the new one, and the other seat forgets (R14)."""
    before = table(
        hands="tunnel / ",
        mountains="theft*1 dwarf crystal*01 / dwarf / / ",
        tunnel_order=TunnelOrder.CHOSEN,
    )
    waiting = after(before, PlayTunnel(0))
    assert known(waiting).startswith("theft*01 dwarf*0 crystal*01 /")
    arranged = after(waiting, ArrangeTunnel(cards("dwarf crystal theft")))
    assert known(arranged).startswith("dwarf*0 crystal*0 theft*0 /")


def test_drilling_teaches_and_moves_a_card() -> None:
    """The driller learns the bottom card; where it goes is public, so anyone who knew it follows it (R14)."""
    before = table(hands="drilling / ", mountains="dwarf*0 theft crystal*1 / tunnel*1 dwarf / / ")
    lifted = after(before, PlayDrilling(0))
    assert known(lifted).startswith("dwarf*0 ? crystal*01 / tunnel*1 ? /")
    on_top = after(lifted, PlaceDrilled(Place.TOP))
    assert known(on_top).startswith("crystal*01 dwarf*0 ? /")
    below = after(on_top, Drill(1), PlaceDrilled(Place.BOTTOM))
    assert known(below).startswith("crystal*01 dwarf*0 ? / tunnel*1 dwarf*0 /")


def test_an_open_pit_reverses() -> None:
    """Known cards lie in the opposite order, less the one taken (R14)."""
    before = table(hands="open_pit / ", mountains="dwarf*0 theft tunnel*1 crystal / dwarf / / ")
    assert known(after(before, PlayOpenPit(0))).startswith("tunnel*1 ? dwarf*0 /")


def test_shaking_forgets_both_mountains() -> None:
    """Both seats forget them; the player sees the two new top cards (R14)."""
    before = table(
        hands="shaking / ",
        mountains="dwarf*0 theft*01 / crystal*1 tunnel*0 / dwarf*01 / ",
    )
    state = after(before, PlayShaking(0, 1), chance=shuffled("crystal dwarf theft tunnel"))
    assert known(state) == "crystal*0 ? / theft*0 ? / dwarf*01 / "


def test_after_a_theft_both_know_the_hand_they_gave() -> None:
    """Each knows the whole other hand (R14)."""
    state = after(table(hands="dwarf theft tunnel / crystal crystal"), PlayTheft())
    assert known_hand(state, ANN) == cards("dwarf tunnel")
    assert known_hand(state, BEN) == cards("crystal crystal")


@pytest.mark.parametrize(
    ("command", "left"),
    [
        (PlayDwarf(), "theft tunnel"),
        (PlayTunnel(0), "dwarf theft"),
        (TakeCard(0), "dwarf theft tunnel"),
        (PlayOpenPit(0), "dwarf theft tunnel"),
    ],
)
def test_what_leaves_the_other_hand_is_known_no_more(command: Command, left: str) -> None:
    """Less the cards played, and not what was added (R14)."""
    state = table(hands=" / dwarf* theft* tunnel* open_pit", mountains="dwarf*0 dwarf / dwarf / / ", turn=BEN)
    assert known_hand(state, ANN) == cards("dwarf theft tunnel")
    assert known_hand(after(state, command), ANN) == cards(left)


def test_one_of_the_kind_is_known_no_more_if_one_is_known() -> None:
    """A dwarf is played: two given and one added leave one known, then none (R14)."""
    state = table(hands=" / dwarf* dwarf dwarf*", turn=BEN)
    once = after(state, PlayDwarf())
    assert known_hand(once, ANN) == cards("dwarf")
    twice = after(once, TakeCard(0), PlayDwarf())
    assert known_hand(twice, ANN) == ()
    assert known_hand(after(twice, TakeCard(0), PlayDwarf()), ANN) == ()


def test_what_is_turned_over_at_home_is_known_no_more() -> None:
    """Less the cards turned over (R14)."""
    state = table(hands=" / dwarf* theft* tunnel", displays=" / dwarf dwarf", turn=BEN)
    dug = after(state, DigHome(), chance=StackedChance(numbers=(2, 1)))
    assert known_hand(dug, ANN) == cards("dwarf")


def test_a_second_theft_replaces_what_was_known() -> None:
    """What was given first is known no more as given; what is given now is known whole (R14)."""
    state = table(hands="tunnel* theft crystal / dwarf* dwarf")
    swapped = after(state, PlayTheft())
    assert known_hand(swapped, ANN) == cards("crystal tunnel")
    assert known_hand(swapped, BEN) == cards("dwarf dwarf")
