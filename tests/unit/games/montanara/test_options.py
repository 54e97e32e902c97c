"""Montanara §2: what can be chosen when a match opens."""

import msgspec
import pytest

from domain.games.montanara import GAME
from domain.games.montanara.catalogue import Options, TunnelOrder, why_not_options
from domain.games.montanara.rejections import Reason
from domain.match import open_match
from domain.shared.rejections import Rejected
from tests.support.games.matches import terms


def test_by_default_the_piles_of_a_first_game() -> None:
    """12, 16, 20 and 24 cards, tunnels back at random, a random first seat (§2, R9)."""
    assert Options() == Options((12, 16, 20, 24), TunnelOrder.RANDOM, "random")
    assert msgspec.json.decode(b"{}", type=Options) == Options()
    assert why_not_options(Options(), 2) is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (b'{"piles": [18, 18, 18, 18]}', Options((18, 18, 18, 18))),
        (b'{"piles": [69, 1, 1, 1]}', Options((69, 1, 1, 1))),
        (b'{"tunnel_order": "chosen"}', Options(tunnel_order=TunnelOrder.CHOSEN)),
        (b'{"first_seat": 0}', Options(first_seat=0)),
        (b'{"first_seat": 1}', Options(first_seat=1)),
    ],
)
def test_every_value_of_an_option_is_accepted(text: bytes, options: Options) -> None:
    """Four positive numbers with sum 72, both orders, both seats (§2)."""
    assert msgspec.json.decode(text, type=Options) == options
    assert why_not_options(options, 2) is None


@pytest.mark.parametrize(
    "text",
    [
        b'{"piles": [24, 24, 24]}',
        b'{"piles": [12, 16, 20, 20, 4]}',
        b'{"piles": [0, 24, 24, 24]}',
        b'{"piles": [70, 1, 1, 0]}',
        b'{"piles": null}',
        b'{"tunnel_order": "sorted"}',
        b'{"first_seat": "0"}',
        b'{"first_seat": 5}',
        b'{"hands": 4}',
    ],
)
def test_nothing_else_is(text: bytes) -> None:
    """Values outside the table and options that it does not name are malformed (§2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)


UNFIT = (
    (Options((12, 16, 20, 23)), Reason.PILES_DO_NOT_ADD_UP),
    (Options((12, 16, 20, 25)), Reason.PILES_DO_NOT_ADD_UP),
    (Options(first_seat=2), Reason.FIRST_SEAT_OUT_OF_RANGE),
    (Options(first_seat=4), Reason.FIRST_SEAT_OUT_OF_RANGE),
)


@pytest.mark.parametrize(("options", "reason"), UNFIT)
def test_options_that_do_not_go_together(options: Options, reason: Reason) -> None:
    """Piles that are not all the cards, and a seat that is not there, are refused at opening (§2)."""
    with pytest.raises(Rejected) as refusal:
        open_match(GAME, terms(GAME, options))
    assert refusal.value.reason is reason
