"""Montmartre's reasons for refusing, and what is no command at all."""

import msgspec
import pytest

from domain.games.montmartre.catalogue import Colour
from domain.games.montmartre.commands import (
    Command,
    DeclineContract,
    Paint,
    Pick,
    Sell,
    SellOff,
    SellPair,
    TakeContract,
)
from domain.games.montmartre.rejections import CLAUSES, Reason
from domain.games.montmartre.state import Phase, State
from tests.support.games.montmartre import cards, montmartre, table

PILES = "g8 / / y6"
BEGUN = table("b0 b5 g1 g4 | b1 b2 p3\n... | p8\n...", piles=PILES, vollard=Colour.YELLOW)
PAINTED = table("b5 g1 g4 | b0 b1 b2 p3\n...\n...", piles=PILES, phase=Phase.PAINTED)
FULL = table("b5 g1 g4 | b0 b1 b2 b3 p3 p3 y5\n...\n...", piles=PILES, phase=Phase.PAINTED)
FULLER = table("b5 g1 | b0 b1 b2 b3 p3 p3 y5 y5\n...\n...", piles=PILES, phase=Phase.PAINTED)
SOLD_OFF = table("b5 g1 g4 | b0 b1\n...\n...", piles=PILES, phase=Phase.SOLD_OFF)
PICKED = table("b5 g1 g4 | b0 b1\n...\n...", piles=PILES, phase=Phase.PICKED)
OFFERED = table("b0 b5 g1 g4 | b1 | b2 g2\n...\n...", piles=PILES, phase=Phase.OFFERED, offered=(4,))
GONE = table("... | b1 g1\n... | | b2 b4 b6 b8 b10\n...")
TWO_SEATS = table("... | b1 g1\n... | p1")
TWO_SEATS_PAINTED = table("b0 b5 g1 | b1 g1\n... | p1", phase=Phase.PAINTED)

BLUE, GREEN, PINK, YELLOW = Colour

REFUSALS: tuple[tuple[State, Command, Reason], ...] = (
    (PAINTED, Paint(cards("g1")), Reason.TURN_HAS_BEGUN),
    (SOLD_OFF, Paint(cards("g1")), Reason.TURN_HAS_BEGUN),
    (PICKED, Paint(cards("g1")), Reason.TURN_HAS_BEGUN),
    (OFFERED, Paint(cards("g1")), Reason.TURN_HAS_BEGUN),
    (BEGUN, Paint(cards("b1")), Reason.CARDS_NOT_IN_HAND),
    (BEGUN, Paint(cards("b0 g0")), Reason.CARDS_NOT_IN_HAND),
    (BEGUN, Paint(cards("b0 b0")), Reason.CARDS_NOT_IN_HAND),
    (BEGUN, Paint(cards("b5 g1")), Reason.SUM_ABOVE_FIVE),
    (BEGUN, SellOff(BLUE, cards("b1")), Reason.NOTHING_PAINTED),
    (OFFERED, SellOff(BLUE, cards("b1")), Reason.NOTHING_PAINTED),
    (SOLD_OFF, SellOff(BLUE, cards("b1")), Reason.ALREADY_SOLD_OFF),
    (PICKED, SellOff(BLUE, cards("b1")), Reason.PICK_HAS_BEGUN),
    (PAINTED, SellOff(BLUE, cards("b1 p3")), Reason.SEVERAL_COLOURS),
    (PAINTED, SellOff(BLUE, cards("p3")), Reason.SEVERAL_COLOURS),
    (PAINTED, SellOff(BLUE, cards("b3")), Reason.PAINTINGS_NOT_IN_WORKSHOP),
    (PAINTED, SellOff(BLUE, cards("b1 b1")), Reason.PAINTINGS_NOT_IN_WORKSHOP),
    (PAINTED, SellOff(BLUE, cards("b5")), Reason.PAINTINGS_NOT_IN_WORKSHOP),
    (FULL, Pick(0), Reason.WORKSHOP_ABOVE_SIX),
    (FULLER, Pick(0), Reason.WORKSHOP_ABOVE_SIX),
    (FULLER, SellOff(BLUE, cards("b3")), Reason.WORKSHOP_ABOVE_SIX),
    (BEGUN, Pick(0), Reason.NOTHING_PAINTED),
    (OFFERED, Pick(0), Reason.NOTHING_PAINTED),
    (PAINTED, Pick(1), Reason.PILE_EMPTY),
    (SOLD_OFF, Pick(1), Reason.PILE_EMPTY),
    (PICKED, Pick(1), Reason.PILE_EMPTY),
    (PAINTED, Sell(BLUE), Reason.TURN_HAS_BEGUN),
    (OFFERED, Sell(BLUE), Reason.TURN_HAS_BEGUN),
    (BEGUN, Sell(YELLOW), Reason.VOLLARD_STANDS_THERE),
    (BEGUN, Sell(GREEN), Reason.NO_MAJORITY),
    (BEGUN, Sell(PINK), Reason.NO_MAJORITY),
    (GONE, Sell(BLUE), Reason.COLLECTORS_GONE),
    (TWO_SEATS, Sell(BLUE), Reason.NOT_FOR_TWO_SEATS),
    (BEGUN, TakeContract(4), Reason.NO_CONTRACT_OFFERED),
    (PAINTED, DeclineContract(), Reason.NO_CONTRACT_OFFERED),
    (OFFERED, TakeContract(3), Reason.CONTRACT_NOT_OFFERED),
    (OFFERED, TakeContract(6), Reason.CONTRACT_NOT_OFFERED),
    (BEGUN, SellPair((BLUE, PINK)), Reason.FOR_TWO_SEATS_ONLY),
    (TWO_SEATS_PAINTED, SellPair((BLUE, GREEN)), Reason.TURN_HAS_BEGUN),
    (TWO_SEATS, SellPair((BLUE, BLUE)), Reason.COLOURS_ALIKE),
    (TWO_SEATS, SellPair((BLUE, PINK)), Reason.NO_MAJORITY),
    (TWO_SEATS, SellPair((YELLOW, GREEN)), Reason.NO_MAJORITY),
)

NO_COMMANDS = (
    b'{"type":"paint","cards":[]}',
    b'{"type":"paint","cards":["blue-0","blue-1","blue-2"]}',
    b'{"type":"paint","cards":["blue-9"]}',
    b'{"type":"paint","cards":["red-1"]}',
    b'{"type":"paint","cards":["blue-1"],"seat":0}',
    b'{"type":"paint"}',
    b'{"type":"sell_off","colour":"blue","cards":[]}',
    b'{"type":"sell_off","colour":"red","cards":["blue-1"]}',
    b'{"type":"sell_off","cards":["blue-1"]}',
    b'{"type":"pick","pile":3}',
    b'{"type":"pick","pile":-1}',
    b'{"type":"sell","colour":"vollard"}',
    b'{"type":"sell_pair","colours":["blue"]}',
    b'{"type":"sell_pair","colours":["blue","green","pink"]}',
    b'{"type":"take_contract","value":2}',
    b'{"type":"take_contract","value":13}',
    b'{"type":"decline_contract","value":4}',
    b'{"type":"undo"}',
)


@pytest.mark.parametrize(("state", "command", "reason"), REFUSALS)
def test_every_reason_for_refusing(state: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused; the details name its seat, no more (§4 to §6)."""
    (seat,) = montmartre.game.to_act(state)
    montmartre.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason but that of the options, and each has its clause (§4 to §6)."""
    reached = {reason for _, _, reason in REFUSALS}
    assert reached | {Reason.FIRST_SEAT_OUT_OF_RANGE} == set(Reason) == set(CLAUSES)


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Values, fields and commands that the rules do not name are no command (§4 to §6, common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)
