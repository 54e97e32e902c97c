"""Mountains §4 to §6: what is no command, every reason for refusing one, and the order of legal moves."""

import msgspec
import pytest

from domain.mountains.commands import (
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
from domain.mountains.rejections import Reason
from domain.mountains.state import INITIAL, State, face_up
from tests.support.mountains import mountains, table

CHOOSING = table("mug", "boots", used="2")
HIKING = table("mug", "rope", card="1-04")
ASKED = table("mug", "rope", card="1-04", asked=True)
OFFERING = table("mug", "rope", card="1-09")


@pytest.mark.parametrize(
    ("table", "command", "reason"),
    [
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
    ],
)
def test_every_reason_for_refusing(table: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused, and the reason says which clause it breaks (§4)."""
    mountains.given(table).when(command).then_rejected(reason, seat=0)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason, but for the one of the options (§2, §4 to §6)."""
    marks = test_every_reason_for_refusing.pytestmark  # type: ignore[attr-defined]
    reached = {reason for _, _, reason in marks[0].args[1]}
    assert reached | {Reason.FIRST_SEAT_OUT_OF_RANGE} == set(Reason)


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Decks, seats, equipment, fields and commands that the rules do not name are no command (common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)


def test_questions_come_by_neighbour_then_equipment() -> None:
    """Neighbours rising, equipment in the order of §1, then what ends the turn (common §9)."""
    state = table("rope helmet", "boots", "tent", turn=1, card="4s-01", asked=True)
    mountains.given(state).then_legal(
        Ask(0, "carabiner"),
        Ask(0, "helmet"),
        Ask(0, "lighter"),
        Ask(2, "carabiner"),
        Ask(2, "helmet"),
        Ask(2, "lighter"),
        AbandonHike(),
        seat=1,
    )


@pytest.mark.parametrize("state", [CHOOSING, HIKING, ASKED])
def test_only_the_seat_on_turn_has_moves(state: State) -> None:
    """The others wait (common §1)."""
    assert mountains.game.to_act(state) == (0,)
    mountains.given(state).then_legal(seat=1)


def test_no_card_lies_face_up_before_one_is_chosen() -> None:
    """To look for it then is a bug of the asker (§4.1)."""
    with pytest.raises(ValueError, match="face up"):
        face_up(INITIAL)
