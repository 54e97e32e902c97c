"""Mount Drago's reasons for refusing, and what is no command at all."""

import msgspec
import pytest

from domain.games.mount_drago.commands import Command, DiscardSummitCards, Draw, PlayCard
from domain.games.mount_drago.rejections import CLAUSES, Reason
from domain.games.mount_drago.state import Phase, State
from tests.support.games.mount_drago import SPACES, mount_drago, riding, table

AT_SUMMIT = table(
    """
    red-1 | black-1 black-2 red-2
    blue-2 | red-1
    """,
    dragons="black 25",
    phase=Phase.DISCARD,
)
"""Ann has played; black stands on a summit space, and Ann may discard."""

REFUSALS: tuple[tuple[State, Command, Reason], ...] = (
    (riding(), PlayCard("yellow-1"), Reason.CARD_NOT_IN_HAND),
    (riding(), PlayCard("yellow-1", ride=True), Reason.CARD_NOT_IN_HAND),
    (riding(), PlayCard("white-3"), Reason.RIDE_REQUIRED),
    (riding(), PlayCard("black-1", ride=True), Reason.RIDE_NOT_ALLOWED),
    (riding(), PlayCard("red-2", ride=True), Reason.RIDE_NOT_ALLOWED),
    (riding(), PlayCard("blue-1", ride=False), Reason.RIDE_NOT_ALLOWED),
    (riding(SPACES.replace("blue 4", "blue 2")), PlayCard("blue-1", ride=False), Reason.RIDE_NOT_ALLOWED),
    (riding(), Draw(), Reason.CARD_NOT_PLAYED_YET),
    (riding(), DiscardSummitCards(("black-1",)), Reason.CARD_NOT_PLAYED_YET),
    (AT_SUMMIT, PlayCard("black-1"), Reason.CARD_ALREADY_PLAYED),
    (AT_SUMMIT, DiscardSummitCards(("black-3",)), Reason.DISCARD_NOT_IN_HAND),
    (AT_SUMMIT, DiscardSummitCards(("black-1", "black-1")), Reason.DISCARD_NOT_IN_HAND),
    (AT_SUMMIT, DiscardSummitCards(("red-1",)), Reason.DISCARD_NOT_IN_HAND),
    (AT_SUMMIT, DiscardSummitCards(("red-2",)), Reason.DRAGON_NOT_ON_SUMMIT),
    (AT_SUMMIT, DiscardSummitCards(("black-1", "red-2")), Reason.DRAGON_NOT_ON_SUMMIT),
)

NO_COMMANDS = (
    b'{"type":"play_card","card":"pink-1"}',
    b'{"type":"play_card","card":"blue-6"}',
    b'{"type":"play_card"}',
    b'{"type":"play_card","card":"blue-1","ride":1}',
    b'{"type":"play_card","card":"blue-1","dragon":"blue"}',
    b'{"type":"discard_summit_cards","cards":[]}',
    b'{"type":"discard_summit_cards","cards":["red-1","red-1","red-2","red-2","red-3","red-3"]}',
    b'{"type":"draw","cards":1}',
    b'{"type":"pass"}',
)


@pytest.mark.parametrize(("state", "command", "reason"), REFUSALS)
def test_every_reason_for_refusing(state: State, command: Command, reason: Reason) -> None:
    """A command that the rules do not allow is refused; the details name its seat, no more (§4)."""
    (seat,) = mount_drago.game.to_act(state)
    mount_drago.given(state).when(command, seat).then_rejected(reason, seat=seat)


def test_no_reason_is_out_of_reach() -> None:
    """The table above reaches every reason but that of the options, and each has its clause (§4)."""
    reached = {reason for _, _, reason in REFUSALS}
    assert reached | {Reason.FIRST_SEAT_OUT_OF_RANGE} == set(Reason) == set(CLAUSES)


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_a_command_outside_its_type_does_not_parse(text: bytes) -> None:
    """Values, fields and commands that the rules do not name are no command (§4, common §2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Command)


def test_an_absent_ride_may_be_null() -> None:
    """An optional field that is null is absent (common §2)."""
    text = b'{"type":"play_card","card":"blue-1","ride":null}'
    assert msgspec.json.decode(text, type=Command) == PlayCard("blue-1")
