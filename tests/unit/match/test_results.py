"""What a finished match says of each seat."""

import pytest
from msgspec.structs import replace

from domain.match import Match, MatchStatus, Result, open_match, ranks, result
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat, seats_in_order
from tests.support.games.matches import terms
from tests.support.games.pebbles import PEBBLES, Options, State


def ended(
    kind: OutcomeKind,
    *winners: int,
    scores: tuple[int, ...],
    stones: tuple[int, ...] = (),
    resigned: tuple[int, ...] = (),
) -> Match[State, Options]:
    """Return a match that ended so, with a seat for each score."""
    _, opened = open_match(PEBBLES, terms(PEBBLES, Options(), 2))
    outcome = Outcome(kind, tuple(map(Seat, winners)), scores, "end", stones)
    return replace(
        opened,
        terms=replace(opened.terms, seats=len(scores)),
        status=MatchStatus.FINISHED,
        resigned=tuple(map(Seat, resigned)),
        outcome=outcome,
    )


def results(match: Match[State, Options]) -> list[Result]:
    """Return the result of each seat."""
    return [result(match, seat) for seat in seats_in_order(match.terms.seats)]


WON, LOST, DRAWN, SHARED = Result.WON, Result.LOST, Result.DRAWN, Result.SHARED


@pytest.mark.parametrize(
    ("match", "wanted", "ranked"),
    [
        (ended(OutcomeKind.WON, 1, scores=(3, 7, 5)), [LOST, WON, LOST], (3, 1, 2)),
        (ended(OutcomeKind.WON, 1, scores=(5, 7, 5)), [LOST, WON, LOST], (2, 1, 2)),
        (ended(OutcomeKind.SHARED, 0, 2, scores=(7, 3, 7)), [SHARED, LOST, SHARED], (1, 3, 1)),
        (ended(OutcomeKind.WON, 0, scores=(7, 5, 5), stones=(0, 1, 2)), [WON, LOST, LOST], (1, 3, 2)),
        (ended(OutcomeKind.DRAWN, scores=(1, 2)), [DRAWN, DRAWN], (1, 1)),
        (ended(OutcomeKind.RESIGNED, 1, scores=(9, 0), resigned=(0,)), [LOST, WON], (2, 1)),
        (ended(OutcomeKind.WON, 2, scores=(9, 1, 2), resigned=(0,)), [LOST, LOST, WON], (3, 2, 1)),
        (
            ended(OutcomeKind.RESIGNED, 1, scores=(9, 0, 5), resigned=(0, 2)),
            [LOST, WON, LOST],
            (2, 1, 2),
        ),
        (ended(OutcomeKind.WON, 0, scores=(48,)), [WON], (1,)),
        (ended(OutcomeKind.LOST, scores=(30,)), [LOST], (1,)),
        (ended(OutcomeKind.LOST, scores=(30,), resigned=(0,)), [LOST], (1,)),
    ],
)
def test_each_seat_has_a_result_and_a_rank(
    match: Match[State, Options], wanted: list[Result], ranked: tuple[int, ...]
) -> None:
    """Winners come first, the others by score and stones, and anyone who gave up last (common §6, §8)."""
    assert results(match) == wanted
    assert ranks(match) == ranked


def test_a_match_that_goes_on_has_none() -> None:
    """Nobody has won or lost before the end."""
    _, match = open_match(PEBBLES, terms(PEBBLES, Options(), 2))
    with pytest.raises(ValueError, match="goes on"):
        result(match, Seat(0))
    with pytest.raises(ValueError, match="goes on"):
        ranks(match)
