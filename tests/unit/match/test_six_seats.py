"""A game for six: nothing of the kernel knows how many seats a game has."""

from typing import Literal

import msgspec
import pytest
from msgspec.structs import replace

from domain.match import MatchStatus, Reason, legal_moves, open_match, options_again, submit, to_act
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from tests.support.games.matches import NOW, playing, terms
from tests.support.games.scenarios import luck
from tests.support.games.squirrels import SQUIRRELS, Options


class OptionsOfSix(Options, frozen=True, forbid_unknown_fields=True):
    """Options that may name the seats 0 to 5: more than the game that it comes from."""

    first_seat: Literal["random", 0, 1, 2, 3, 4, 5] = "random"  # type: ignore[assignment]


SIX = replace(SQUIRRELS, id="six_squirrels", max_seats=6, options=OptionsOfSix)
"""Squirrels for two to six."""

LAST_BEGINS = OptionsOfSix(nuts=(8, 16, 12), first_seat=5)


def test_the_sixth_seat_may_be_named() -> None:
    """The game's own options say which seats can be, and refuse all others (common §1)."""
    assert msgspec.json.decode(b'{"first_seat":5}', type=OptionsOfSix) == OptionsOfSix(first_seat=5)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"first_seat":6}', type=OptionsOfSix)
    with pytest.raises(Rejected, match="FIRST_SEAT_OUT_OF_RANGE"):
        open_match(SIX, terms(SIX, LAST_BEGINS, 5))
    with pytest.raises(Rejected, match=Reason.SEATS_OUT_OF_RANGE):
        open_match(SIX, terms(SIX, LAST_BEGINS, 7))


def test_six_play_to_the_end_and_again() -> None:
    """All bury, seat 0 first; then seat 5 takes the first turn, and all have turns in order."""
    _, match = playing(SIX, LAST_BEGINS, 6)
    assert to_act(SIX, match) == tuple(map(Seat, range(6)))
    turns = []
    while match.status is MatchStatus.PLAYING:
        seat = to_act(SIX, match)[0]
        turns.append(seat)
        _, match = submit(SIX, match, seat, legal_moves(SIX, match, seat)[0], luck(f"{len(turns)}"), NOW)
    assert turns[:6] == [0, 1, 2, 3, 4, 5]
    assert turns[6:] == [(5 + number) % 6 for number in range(len(turns) - 6)]
    assert match.outcome is not None
    assert len(match.outcome.scores) == 6
    assert match.first == 0
    assert options_again(SIX, match) == replace(LAST_BEGINS, first_seat=1)
