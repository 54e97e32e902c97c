"""Mountains' reasons for refusing, and what is no command at all."""

import msgspec
import pytest

from domain.games.mountains.commands import (
    AbandonHike,
    AcceptOffer,
    Ask,
    ChooseHike,
    Command,
    CompleteHike,
    DeclineHike,
    DeclineOffer,
    Rest,
)
from domain.games.mountains.rejections import CLAUSES, Reason
from domain.games.mountains.state import State
from tests.support.games.mountains import mountains, table

CHOOSING = table("mug", "boots", used="2")
HIKING = table("mug", "rope", card="1-04")
ASKED = table("mug", "rope", card="1-04", asked=True)
OFFERING = table("mug", "rope", card="1-09")

REFUSALS: tuple[tuple[State, Command, Reason], ...] = (
    (HIKING, ChooseHike("1"), Reason.HIKE_ALREADY_CHOSEN),
    (OFFERING, ChooseHike("1"), Reason.HIKE_ALREADY_CHOSEN),
    (CHOOSING, ChooseHike("2"), Reason.DECK_EMPTY),
    (CHOOSING, Ask(1, "rope"), Reason.NO_HIKE),
    (CHOOSING, CompleteHike(), Reason.NO_HIKE),
    (CHOOSING, DeclineHike(), Reason.NO_HIKE),
    (CHOOSING, AbandonHike(), Reason.NO_HIKE),
    (OFFERING, Ask(1, "rope"), Reason.NO_HIKE),
    (OFFERING, CompleteHike(), Reason.NO_HIKE),
    (OFFERING, DeclineHike(), Reason.NO_HIKE),
    (HIKING, Ask(0, "rope"), Reason.NOT_A_NEIGHBOUR),
    (HIKING, Ask(2, "rope"), Reason.NOT_A_NEIGHBOUR),
    (HIKING, Ask(1, "mug"), Reason.NOT_MISSING),
    (table("rope", "boots", card="1-04"), Ask(1, "rope"), Reason.NOT_MISSING),
    (table("mug", "rope", card="1-04", stones=(0, 8)), Ask(1, "rope"), Reason.NO_STONES),
    (HIKING, CompleteHike(), Reason.EQUIPMENT_MISSING),
    (ASKED, DeclineHike(), Reason.ALREADY_ASKED),
    (HIKING, AbandonHike(), Reason.NOTHING_ASKED),
    (CHOOSING, AcceptOffer(), Reason.NO_OFFER),
    (HIKING, DeclineOffer(), Reason.NO_OFFER),
    (HIKING, Rest(), Reason.TOO_LATE_TO_REST),
    (CHOOSING, Rest(), Reason.HAS_STONES),
)

NO_COMMANDS = (
    b'{"type":"choose_hike","deck":"6"}',
    b'{"type":"choose_hike","deck":"4*"}',
    b'{"type":"choose_hike"}',
    b'{"type":"ask","neighbour":5,"equipment":"rope"}',
    b'{"type":"ask","neighbour":-1,"equipment":"rope"}',
    b'{"type":"ask","neighbour":1,"equipment":"piton"}',
    b'{"type":"ask","neighbour":1,"equipment":"rope","colour":"blue"}',
    b'{"type":"complete_hike","equipment":["rope"]}',
    b'{"type":"accept_offer","count":2}',
    b'{"type":"trade"}',
)


@pytest.mark.parametrize(("state", "command", "reason"), REFUSALS)
def test_every_reason_for_refusing(state: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused; the details name its seat, no more (§4 to §6)."""
    (seat,) = mountains.game.to_act(state)
    mountains.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason but that of the options, and each has its clause (§4 to §6)."""
    reached = {reason for _, _, reason in REFUSALS}
    assert reached | {Reason.FIRST_SEAT_OUT_OF_RANGE} == set(Reason) == set(CLAUSES)


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Values, fields and commands that the rules do not name are no command (§4 to §6, common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)
