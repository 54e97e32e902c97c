"""Montana §2: what can be chosen when a match opens."""

import msgspec
import pytest

from domain.games.montana.catalogue import Options, RedealPolicy
from domain.games.montana.events import Dealt
from domain.games.montana.setup import setup
from domain.shared.game import begin
from tests.support.games.montana import montana
from tests.support.games.scenarios import luck


def test_by_default_two_redeals_when_stuck_from_the_seed() -> None:
    """Two redeals, only when stuck, dealt from the match's seed (§2, R1, R6)."""
    assert Options() == Options(redeals=2, redeal_policy=RedealPolicy.WHEN_STUCK, deal=None)
    assert msgspec.json.decode(b"{}", type=Options) == Options()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (b'{"redeals": 0}', Options(redeals=0)),
        (b'{"redeals": 9}', Options(redeals=9)),
        (b'{"redeal_policy": "any_time"}', Options(redeal_policy=RedealPolicy.ANY_TIME)),
        (b'{"deal": 0}', Options(deal=0)),
        (b'{"deal": 4294967295}', Options(deal=4294967295)),
        (b'{"deal": null}', Options()),
    ],
)
def test_every_value_of_an_option_is_accepted(text: bytes, options: Options) -> None:
    """Redeals 0 to 9, both policies, deal numbers 0 to 2^32-1; null is absent (§2, common §2)."""
    assert msgspec.json.decode(text, type=Options) == options


@pytest.mark.parametrize(
    "text",
    [
        b'{"redeals": -1}',
        b'{"redeals": 10}',
        b'{"redeals": 1.5}',
        b'{"redeals": null}',
        b'{"redeal_policy": "never"}',
        b'{"deal": -1}',
        b'{"deal": 4294967296}',
        b'{"seed": 1}',
    ],
)
def test_nothing_else_is(text: bytes) -> None:
    """Values outside the table and options that it does not name are refused (§2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)


def test_the_deal_carries_the_options() -> None:
    """What was chosen is in the opening event and on the table (§2)."""
    options = Options(redeals=5, redeal_policy=RedealPolicy.ANY_TIME, deal=7)
    (dealt,) = setup(options, 1, luck())
    assert isinstance(dealt, Dealt)
    assert (dealt.redeals, dealt.redeal_policy, dealt.deal) == (5, RedealPolicy.ANY_TIME, 7)
    _, state = begin(montana.game, options, 1, luck())
    assert (state.redeals_left, state.redeals_done) == (5, 0)
    assert (state.redeal_policy, state.deal) == (RedealPolicy.ANY_TIME, 7)
