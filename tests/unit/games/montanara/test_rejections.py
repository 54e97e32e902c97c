"""Montanara's reasons for refusing, and what is no command at all."""

import msgspec
import pytest

from domain.games.montanara.catalogue import TunnelOrder
from domain.games.montanara.commands import (
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
from domain.games.montanara.rejections import CLAUSES, Reason
from domain.games.montanara.state import State
from tests.support.games.montanara import after, cards, montanara, table

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

REFUSALS: tuple[tuple[State, Command, Reason], ...] = (
    (LOOKED, TakeCard(0), Reason.WRONG_PHASE),
    (HAND, TakeCard(2), Reason.MOUNTAIN_EMPTY),
    (table(), PlayDwarf(), Reason.NO_DWARF_IN_HAND),
    (FULL, PlayDwarf(), Reason.DISPLAY_FULL),
    (LOOKED, LookAtMountain(0), Reason.ALREADY_LOOKED_AT),
    (table(hands="theft / "), PlayTheft(), Reason.NO_OTHER_CARD_IN_HAND),
    (HAND, PlayShaking(0, 3, 0), Reason.NOT_NEIGHBOURS),
    (HAND, PlayShaking(1, 2, 1), Reason.TOO_FEW_CARDS_TO_SHAKE),
    (HAND, PlayShaking(0, 1, 3), Reason.EXTRA_ELSEWHERE),
    (table(hands="shaking / "), PlayShaking(0, 1, 1), Reason.NO_EXTRA_CARD),
    (TUNNELLED, ArrangeTunnel(cards("dwarf dwarf")), Reason.NOT_THE_CARDS_SEEN),
    (PLACED, Drill(0), Reason.ALREADY_DRILLED),
    (LIFTED, StopDrilling(), Reason.CARD_LIFTED),
    (PLACED, PlaceDrilled(Place.TOP), Reason.NO_CARD_LIFTED),
    (HAND, Dig(0), Reason.NO_DWARF_IN_DISPLAY),
    (table(displays="dwarf / "), DigHome(), Reason.HAND_EMPTY),
    (HAND, PlayTheft(), Reason.CARD_NOT_IN_HAND),
)

NO_COMMANDS = (
    b'{"type":"take_card","mountain":4}',
    b'{"type":"take_card","mountain":-1}',
    b'{"type":"take_card"}',
    b'{"type":"play_dwarf","mountain":0}',
    b'{"type":"play_shaking","first":0}',
    b'{"type":"play_shaking","first":0,"second":4}',
    b'{"type":"arrange_tunnel","order":["dwarf"]}',
    b'{"type":"arrange_tunnel","order":["dwarf","dwarf","dwarf","dwarf","dwarf"]}',
    b'{"type":"arrange_tunnel","order":["dwarf","gold"]}',
    b'{"type":"place_drilled","on":"side"}',
    b'{"type":"dig_home","mountain":0}',
    b'{"type":"pass"}',
)


@pytest.mark.parametrize(("state", "command", "reason"), REFUSALS)
def test_every_reason_for_refusing(state: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused; the details name its seat, no more (§4)."""
    (seat,) = montanara.game.to_act(state)
    montanara.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason but those of options, and each has its clause (§4)."""
    reached = {reason for _, _, reason in REFUSALS}
    assert (
        reached | {Reason.PILES_DO_NOT_ADD_UP, Reason.FIRST_SEAT_OUT_OF_RANGE} == set(Reason) == set(CLAUSES)
    )


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Values, fields and commands that the rules do not name are no command (§4, common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)
