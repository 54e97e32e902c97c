"""Montmartre §2: what can be chosen when a match opens."""

import msgspec
import pytest

from domain.games.montmartre.catalogue import Options
from domain.games.montmartre.events import Dealt
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.setup import setup
from domain.match import open_match
from domain.shared.rejections import Rejected
from tests.support.games.matches import terms
from tests.support.games.montmartre import montmartre
from tests.support.games.scenarios import FIRST_SEATS, luck


def test_by_default_chance_says_who_begins() -> None:
    """Option first_seat is random unless a seat is named (§2, common §1)."""
    assert msgspec.json.decode(b"{}", type=Options) == Options(first_seat="random")
    for context in ("one", "another", "a third"):
        (dealt,) = setup(Options(), 5, luck(context))
        assert isinstance(dealt, Dealt)
        assert dealt.first_seat == luck(context).below(5)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_may_be_named(seat: int) -> None:
    """The named seat begins (§2, common §1)."""
    options = msgspec.json.decode(f'{{"first_seat": {seat}}}', type=Options)
    (dealt,) = setup(options, 3, luck())
    assert isinstance(dealt, Dealt)
    assert dealt.first_seat == seat


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_first_seat_must_be_at_the_table(seats: int) -> None:
    """A first seat that the match does not have is refused when it opens (§2)."""
    game = montmartre.game
    for first in FIRST_SEATS:
        agreed = terms(game, Options(first), seats)
        if first == "random" or int(first) < seats:
            open_match(game, agreed)
        else:
            with pytest.raises(Rejected) as refusal:
                open_match(game, agreed)
            assert refusal.value.reason is Reason.FIRST_SEAT_OUT_OF_RANGE


@pytest.mark.parametrize("text", [b'{"first_seat": 5}', b'{"first_seat": "0"}', b'{"vollard": "blue"}'])
def test_nothing_else_is(text: bytes) -> None:
    """Other values and other options are refused (§2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)
