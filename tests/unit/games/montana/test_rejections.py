"""Montana's reasons for refusing, and what is no command at all."""

import msgspec
import pytest

from domain.games.montana.commands import Command, MoveCard, Redeal
from domain.games.montana.rejections import CLAUSES, Reason
from domain.games.montana.state import State
from tests.support.games.montana import ONE_OF_EACH, STUCK, TWO_AT_THE_EDGE, montana

REFUSALS: tuple[tuple[State, Command, Reason], ...] = (
    (ONE_OF_EACH, MoveCard("AC", 1, 0), Reason.ACE_IS_OUT),
    (ONE_OF_EACH, MoveCard("AC"), Reason.ACE_IS_OUT),
    (ONE_OF_EACH, MoveCard(), Reason.MOVE_INCOMPLETE),
    (ONE_OF_EACH, MoveCard("4C", row=0), Reason.TARGET_INCOMPLETE),
    (ONE_OF_EACH, MoveCard("4C", column=2), Reason.TARGET_INCOMPLETE),
    (ONE_OF_EACH, MoveCard(row=0), Reason.TARGET_INCOMPLETE),
    (ONE_OF_EACH, MoveCard(column=2), Reason.TARGET_INCOMPLETE),
    (TWO_AT_THE_EDGE, MoveCard("2H"), Reason.TARGET_AMBIGUOUS),
    (TWO_AT_THE_EDGE, MoveCard("2C"), Reason.TARGET_AMBIGUOUS),
    (ONE_OF_EACH, MoveCard(row=1, column=0), Reason.CARD_AMBIGUOUS),
    (ONE_OF_EACH, MoveCard("9H"), Reason.NO_GAP_ACCEPTS_CARD),
    (STUCK, MoveCard("2C"), Reason.NO_GAP_ACCEPTS_CARD),
    (ONE_OF_EACH, MoveCard("4C", 0, 4), Reason.CELL_OCCUPIED),
    (ONE_OF_EACH, MoveCard("4C", 0, 3), Reason.CELL_OCCUPIED),
    (ONE_OF_EACH, MoveCard(row=3, column=12), Reason.CELL_OCCUPIED),
    (ONE_OF_EACH, MoveCard("5C", 0, 2), Reason.CARD_DOES_NOT_FIT),
    (ONE_OF_EACH, MoveCard("KH", 1, 0), Reason.NOT_A_TWO),
    (ONE_OF_EACH, MoveCard("2C", 2, 1), Reason.GAP_IS_DEAD),
    (ONE_OF_EACH, MoveCard(row=2, column=2), Reason.GAP_IS_DEAD),
    (ONE_OF_EACH, Redeal(), Reason.NOT_STUCK),
    (msgspec.structs.replace(STUCK, redeals_left=0), Redeal(), Reason.NO_REDEALS_LEFT),
)

NO_COMMANDS = (
    b'{"type":"move_card","card":"1C","row":0,"column":0}',
    b'{"type":"move_card","card":"4C","row":4,"column":0}',
    b'{"type":"move_card","card":"4C","row":0,"column":13}',
    b'{"type":"move_card","card":"4C","row":-1,"column":0}',
    b'{"type":"move_card","card":"4C","colour":"red"}',
    b'{"type":"redeal","rows":4}',
    b'{"type":"undo"}',
)


@pytest.mark.parametrize(("state", "command", "reason"), REFUSALS)
def test_every_reason_for_refusing(state: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused; the details name its seat, no more (§4)."""
    (seat,) = montana.game.to_act(state)
    montana.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason, and each has its clause (§4)."""
    reached = {reason for _, _, reason in REFUSALS}
    assert reached == set(Reason) == set(CLAUSES)


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Values, fields and commands that the rules do not name are no command (§4, common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)


def test_an_absent_field_may_be_null() -> None:
    """An optional field that is null is absent (common §2)."""
    text = b'{"type":"move_card","card":"4C","row":null,"column":null}'
    assert msgspec.json.decode(text, type=Command) == MoveCard("4C")
