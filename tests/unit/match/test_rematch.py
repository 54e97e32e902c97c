"""A match that is played again."""

from typing import Any

import pytest

from domain.games import GAMES
from domain.match import (
    AnyMatch,
    Cancel,
    CancelReason,
    MatchStatus,
    Reason,
    Resign,
    open_match,
    options_again,
    submit,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from tests.support.games.matches import NOW, decided, playing, terms
from tests.support.games.scenarios import luck


def over(game: str, options: Any, seats: int) -> AnyMatch:
    """Return a match in which all seats but the last gave up."""
    _, match = playing(GAMES[game], options, seats)
    for seat in seats_in_order(max(1, seats - 1)):
        _, match = submit(GAMES[game], match, seat, Resign(), luck(), NOW)
    assert match.status is MatchStatus.FINISHED
    return match


@pytest.mark.parametrize("game", [game for game in GAMES if GAMES[game].max_seats > 1])
def test_the_next_seat_begins(game: str) -> None:
    """The seat after the one that began is named, seat 0 after the last; all other options stay."""
    seats, options = GAMES[game].max_seats, GAMES[game].options
    first_seats = range(seats)
    named = [
        options_again(GAMES[game], over(game, options(first_seat=first), seats)) for first in first_seats
    ]
    assert named == [options(first_seat=(first + 1) % seats) for first in first_seats]
    by_chance = over(game, options(), seats)
    assert by_chance.first is not None
    assert options_again(GAMES[game], by_chance) == options(first_seat=(by_chance.first + 1) % seats)


def test_a_match_for_one_is_played_again_as_it_was() -> None:
    """Without other seats there is nothing to rotate."""
    options = GAMES["montana"].options(redeals=3, deal=7)
    assert options_again(GAMES["montana"], over("montana", options, 1)) == options


def test_only_a_match_that_is_over_is_played_again() -> None:
    """Neither one that is open or being played, nor one that was cancelled (common §1)."""
    game = GAMES["mountains"]
    _, waiting = open_match(game, terms(game, game.options()))
    _, called_off = decided(game, waiting, Cancel(CancelReason.BY_OPENER))
    _, played = playing(game, game.options(), 3)
    _, still_played = submit(game, played, Seat(2), Resign(), luck(), NOW)
    for match in (waiting, played, still_played):
        with pytest.raises(Rejected) as refused:
            options_again(game, match)
        assert refused.value.reason is Reason.MATCH_NOT_OVER
    with pytest.raises(Rejected) as refused:
        options_again(game, called_off)
    assert refused.value.reason is Reason.MATCH_CANCELLED
