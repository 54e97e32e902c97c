"""Random matches that are checked while they are played."""

from collections.abc import Iterator
from typing import Any

from domain.match import Finished, MatchStatus, Reason, Resign, Resigned, fold, legal_moves, to_act, why_not
from domain.shared.seats import seats_in_order
from tests.support.games.matches import NOW
from tests.support.games.random_matches import Step, Table, played


def checked(table: Table, number: int, *, closely: bool) -> Iterator[Step]:
    """Yield the steps of a random match, with its outcome exactly at the end and every piece still there.

    Args:
        table: The game and how many play it.
        number: Which match.
        closely: Whether every version is looked into, and all events are folded in the end.

    Raises:
        AssertionError: Something is not as it must be.
    """
    events: list[object] = []
    pieces: Any = None
    for step in played(table, number):
        assert (step.match.outcome is not None) is (step.match.status is MatchStatus.FINISHED)
        events += step.events
        pieces = table.game.pieces(step.match.state) if pieces is None else pieces
        if closely:
            _looks_right(table, step)
        yield step
    _ended(table, step, events)
    assert table.game.pieces(step.match.state) == pieces
    if closely:
        assert fold(table.game, events) == step.match


def _looks_right(table: Table, step: Step) -> None:
    """Assert what holds at every version of a match."""
    game, match = table.game, step.match
    acting = to_act(game, match)
    assert list(acting) == sorted(set(acting) & set(seats_in_order(table.seats)))
    assert bool(acting) is (match.status is MatchStatus.PLAYING)
    if match.status is MatchStatus.PLAYING:
        assert game.outcome(match.state) is None
        assert not set(acting) & set(match.resigned)
        for seat in seats_in_order(table.seats):
            assert bool(legal_moves(game, match, seat)) is (seat in acting)


def _ended(table: Table, step: Step, events: list[object]) -> None:
    """Assert what holds of a match that is over."""
    game, match, outcome = table.game, step.match, step.match.outcome
    assert outcome is not None
    assert [event for event in events if isinstance(event, Finished)] == [Finished(outcome)]
    assert events[-1] == Finished(outcome)
    assert outcome.scores == game.scores(match.state)
    assert len(outcome.scores) == len(game.standings(match.state)) == table.seats
    assert list(outcome.winners) == sorted(set(outcome.winners) - set(match.resigned))
    assert match.resigned == tuple(event.seat for event in events if isinstance(event, Resigned))
    for seat in seats_in_order(table.seats):
        assert legal_moves(game, match, seat) == ()
        assert why_not(game, match, seat, Resign(), NOW) is Reason.MATCH_OVER
