"""The kernel: folding and playing any game, with what it forces."""

import pytest

from domain.games import GAMES
from domain.shared.game import begin, fold, play, whole
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from tests.support.games.pebbles import PEBBLES, Heaped, Options, Reason, RolledAway, State, Take, Taken, heap
from tests.support.games.scenarios import Scenarios, luck

pebbles = Scenarios(PEBBLES)
ANN, BEN = Seat(0), Seat(1)


def test_folding_nothing_gives_the_beginning() -> None:
    """A game without events is as it is before its first."""
    assert fold(PEBBLES, ()) == PEBBLES.initial


def test_folding_goes_on_from_a_state() -> None:
    """Folding all events at once or in two parts gives the same state."""
    events = (Heaped(6, 2), Taken(ANN, 2), Taken(BEN, 1), RolledAway())
    assert fold(PEBBLES, events) == State(2, (2, 1), 2)
    assert fold(PEBBLES, events[2:], fold(PEBBLES, events[:2])) == fold(PEBBLES, events)


def test_beginning_deals_from_chance_and_does_what_that_forces() -> None:
    """The opening events come with what they force, and lead to the state given beside them."""
    assert begin(PEBBLES, Options(5), 2, luck()) == ((Heaped(5, 2),), heap(5))
    assert begin(PEBBLES, Options(3), 2, luck()) == ((Heaped(3, 2), RolledAway()), heap(2))
    drawn = luck().below(6) + 1
    events, _ = begin(PEBBLES, Options(0), 2, luck())
    assert events[0] == Heaped(drawn, 2)


def test_a_command_brings_its_event_and_what_that_forces() -> None:
    """Forced events follow the command's own, one at a time, until nothing is forced."""
    pebbles.given(heap(6)).when(Take(1)).then(Taken(ANN, 1))
    reached = pebbles.given(heap(5)).when(Take(2)).then(Taken(ANN, 2), RolledAway())
    assert reached.state == State(2, (2, 0), 1)


def test_nothing_is_forced_once_the_game_is_over() -> None:
    """The game's end is looked at before each forced event."""
    won = Outcome(OutcomeKind.WON, (ANN,), (2, 0), "heap_empty")
    pebbles.given(heap(2)).when(Take(2)).then(Taken(ANN, 2)).then_ended(won)


def test_a_table_without_a_memory_aid_is_whole() -> None:
    """A game that defines no memory aid shows the same table with and without it (common §10)."""
    assert whole(heap(5)) == heap(5)
    assert GAMES["montana"].unaided is whole


def test_a_refused_command_changes_nothing() -> None:
    """A refusal names its reason and what it is about; the state is as it was."""
    state = heap(1)
    with pytest.raises(Rejected) as refusal:
        play(PEBBLES, state, ANN, Take(2), luck())
    assert (refusal.value.reason, refusal.value.details) == (Reason.NOT_SO_MANY, {"count": 2, "left": 1})
    assert state == heap(1)


def test_a_refusal_leaves_out_what_is_absent() -> None:
    """A detail without a value is not told; the message is the reason."""
    refusal = Rejected(Reason.NOT_SO_MANY, count=None, left=1)
    assert (refusal.details, str(refusal)) == ({"left": 1}, "NOT_SO_MANY")
