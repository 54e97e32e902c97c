"""Montanara's reasons for refusing: each is reached, and names its clause."""

import pytest

from domain.montanara.catalogue import Options, TunnelOrder, why_not_options
from domain.montanara.commands import (
    ArrangeTunnel,
    Command,
    Dig,
    DigHome,
    Drill,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    StopDrilling,
    TakeCard,
)
from domain.montanara.rejections import CLAUSES, Reason
from domain.montanara.state import State
from tests.support.montanara import after, cards, montanara, table

HAND = table(
    hands="dwarf cave_in shaking tunnel drilling / ",
    mountains="dwarf theft / dwarf / / dwarf",
    displays=" / dwarf",
    tunnel_order=TunnelOrder.CHOSEN,
)
FULL = table(hands="dwarf / ", displays="dwarf dwarf dwarf dwarf / ")
LOOKED = after(HAND, PlayCaveIn(), LookAtMountain(0))
TUNNELLED = after(HAND, PlayTunnel(0))
LIFTED = after(HAND, PlayDrilling(0))
PLACED = after(LIFTED, PlaceDrilled(Place.TOP))

REFUSED: tuple[tuple[Reason, State, Command], ...] = (
    (Reason.WRONG_PHASE, LOOKED, TakeCard(0)),
    (Reason.MOUNTAIN_EMPTY, HAND, TakeCard(2)),
    (Reason.NO_DWARF_IN_HAND, table(), PlayDwarf()),
    (Reason.DISPLAY_FULL, FULL, PlayDwarf()),
    (Reason.ALREADY_LOOKED_AT, LOOKED, LookAtMountain(0)),
    (Reason.NO_OTHER_CARD_IN_HAND, table(hands="theft / "), PlayTheft()),
    (Reason.NOT_NEIGHBOURS, HAND, PlayShaking(0, 3, 0)),
    (Reason.TOO_FEW_CARDS_TO_SHAKE, HAND, PlayShaking(1, 2, 1)),
    (Reason.EXTRA_ELSEWHERE, HAND, PlayShaking(0, 1, 3)),
    (Reason.NO_EXTRA_CARD, table(hands="shaking / "), PlayShaking(0, 1, 1)),
    (Reason.NOT_THE_CARDS_SEEN, TUNNELLED, ArrangeTunnel(cards("dwarf dwarf"))),
    (Reason.ALREADY_DRILLED, PLACED, Drill(0)),
    (Reason.CARD_LIFTED, LIFTED, StopDrilling()),
    (Reason.NO_CARD_LIFTED, PLACED, PlaceDrilled(Place.TOP)),
    (Reason.NO_DWARF_IN_DISPLAY, HAND, Dig(0)),
    (Reason.HAND_EMPTY, table(displays="dwarf / "), DigHome()),
    (Reason.CARD_NOT_IN_HAND, HAND, PlayTheft()),
)


@pytest.mark.parametrize(("reason", "state", "command"), REFUSED)
def test_a_refused_command_names_its_seat_and_no_more(reason: Reason, state: State, command: Command) -> None:
    """The details of a refusal tell nothing that the asker may not know (common §5)."""
    (seat,) = montanara.game.to_act(state)
    montanara.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_every_reason_is_reached_and_has_its_clause() -> None:
    """Commands and options reach every reason, and each says which clause it enforces."""
    unfit = (Options((18, 18, 18, 17)), Options(first_seat=2))
    reached = {reason for reason, *_ in REFUSED} | {why_not_options(options, 2) for options in unfit}
    assert reached == set(Reason) == set(CLAUSES)
