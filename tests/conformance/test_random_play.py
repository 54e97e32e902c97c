"""Whole random matches of every game: they end, lose no piece, and fold again to what they were."""

from domain.match import Finished, Phase, Reason, Resign, Resigned, fold, legal_moves, to_act, why_not
from domain.shared.seats import seats_in_order
from tests.support.random_matches import Step, Table, played

LOOKED_INTO = 50
"""Two matches of so many, one without resignations, are looked into at every version."""
FOLDED = 10
"""Two matches of so many are folded from their events."""


def test_random_matches_end_and_fold_again(table: Table, stretch: range) -> None:
    """Play ends, with an outcome exactly at the end; events fold to the match; every piece is still there.

    In every second match seats give up now and then (common §6).
    """
    for number in stretch:
        every_version = number % LOOKED_INTO < 2
        events: list[object] = []
        step, pieces = None, None
        for step in played(table, number):
            assert (step.match.outcome is not None) is (step.match.phase is Phase.FINISHED)
            events += step.events
            pieces = table.game.pieces(step.match.table) if pieces is None else pieces
            if every_version:
                looks_right(table, step)
        assert step is not None
        ended(table, step, events)
        if number % FOLDED < 2:
            assert fold(table.game, events) == step.match
        assert table.game.pieces(step.match.table) == pieces


def looks_right(table: Table, step: Step) -> None:
    """Assert what holds at every version of a match in play."""
    game, match = table.game, step.match
    acting = to_act(game, match)
    assert list(acting) == sorted(set(acting) & set(seats_in_order(table.seats)))
    assert bool(acting) is (match.phase is Phase.PLAYING)
    if match.phase is Phase.PLAYING:
        assert game.outcome(match.table) is None
        assert not set(acting) & set(match.resigned)
        for seat in seats_in_order(table.seats):
            assert bool(legal_moves(game, match, seat)) is (seat in acting)


def ended(table: Table, step: Step, events: list[object]) -> None:
    """Assert what holds of a match that is over."""
    game, match, outcome = table.game, step.match, step.match.outcome
    assert outcome is not None
    assert [event for event in events if isinstance(event, Finished)] == [Finished(outcome)]
    assert events[-1] == Finished(outcome)
    assert outcome.scores == game.scores(match.table)
    assert len(outcome.scores) == len(game.standings(match.table)) == table.seats
    assert list(outcome.winners) == sorted(set(outcome.winners) - set(match.resigned))
    assert match.resigned == tuple(event.seat for event in events if isinstance(event, Resigned))
    for seat in seats_in_order(table.seats):
        assert legal_moves(game, match, seat) == ()
        assert why_not(game, match, seat, Resign()) is Reason.MATCH_OVER
