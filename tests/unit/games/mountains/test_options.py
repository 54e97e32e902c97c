"""Mountains §2: what can be chosen when a match opens."""

import msgspec
import pytest

from domain.games.mountains.catalogue import Options, SummitBooks, why_not_options
from domain.games.mountains.events import Dealt
from domain.games.mountains.rejections import Reason
from domain.games.mountains.setup import setup
from domain.match import open_match
from domain.shared.game import begin
from domain.shared.rejections import Rejected
from tests.support.games.matches import terms
from tests.support.games.mountains import mountains
from tests.support.games.scenarios import FIRST_SEATS, luck


def test_by_default_secret_books_and_a_random_first_seat() -> None:
    """Totals of stamps are secret, chance says who begins (§2)."""
    assert Options() == Options(summit_books=SummitBooks.SECRET, first_seat="random")
    assert msgspec.json.decode(b"{}", type=Options) == Options()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (b'{"summit_books": "open"}', Options(summit_books=SummitBooks.OPEN)),
        (b'{"summit_books": "secret"}', Options()),
        (b'{"first_seat": 0}', Options(first_seat=0)),
        (b'{"first_seat": 4}', Options(first_seat=4)),
        (b'{"first_seat": "random"}', Options()),
    ],
)
def test_every_value_of_an_option_is_accepted(text: bytes, options: Options) -> None:
    """Both kinds of summit books, every seat and chance (§2)."""
    assert msgspec.json.decode(text, type=Options) == options


@pytest.mark.parametrize(
    "text",
    [
        b'{"summit_books": "closed"}',
        b'{"summit_books": null}',
        b'{"first_seat": 5}',
        b'{"first_seat": "-1"}',
        b'{"hands": 8}',
    ],
)
def test_nothing_else_is(text: bytes) -> None:
    """Values outside the table and options that it does not name are refused (§2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_first_seat_must_be_at_the_table(seats: int) -> None:
    """A seat that the table lacks cannot begin, and such a match does not open (§2)."""
    fitting = list(FIRST_SEATS)[: seats + 1]
    for first in FIRST_SEATS:
        options = Options(first_seat=first)
        if first in fitting:
            assert why_not_options(options, seats) is None
            continue
        with pytest.raises(Rejected) as refusal:
            open_match(mountains.game, terms(mountains.game, options, seats))
        assert refusal.value.reason is Reason.FIRST_SEAT_OUT_OF_RANGE


def test_the_deal_carries_the_options() -> None:
    """What was chosen is in the opening event and on the table (§2)."""
    options = Options(summit_books=SummitBooks.OPEN, first_seat=2)
    (dealt,) = setup(options, 3, luck())
    assert isinstance(dealt, Dealt)
    assert (dealt.summit_books, dealt.first_seat) == (SummitBooks.OPEN, 2)
    _, state = begin(mountains.game, options, 3, luck())
    assert (state.summit_books, state.turn) == (SummitBooks.OPEN, 2)
