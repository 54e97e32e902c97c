"""Mount Drago §2: what can be chosen when a match opens."""

import msgspec
import pytest

from domain.games.mount_drago.catalogue import Options, why_not_options
from domain.games.mount_drago.rejections import CLAUSES, Reason
from domain.match import open_match
from domain.shared.rejections import Rejected
from tests.support.games.matches import terms
from tests.support.games.mount_drago import mount_drago
from tests.support.games.scenarios import FIRST_SEATS


def test_by_default_a_random_seat_begins() -> None:
    """Chance says who begins unless a seat is named (§2, common §1)."""
    assert msgspec.json.decode(b"{}", type=Options) == Options("random")


@pytest.mark.parametrize("text", [b'{"first_seat": 5}', b'{"first_seat": "0"}', b'{"seats": 3}'])
def test_nothing_else_is(text: bytes) -> None:
    """Values and options that §2 does not name are refused (§2)."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_first_seat_must_be_at_the_table(seats: int) -> None:
    """A seat number below the number of seats, or chance, fits; another is refused at opening (§2)."""
    refused = [first for first in FIRST_SEATS if why_not_options(Options(first), seats)]
    assert refused == list(FIRST_SEATS)[seats + 1 :]
    for first in refused:
        with pytest.raises(Rejected) as refusal:
            open_match(mount_drago.game, terms(mount_drago.game, Options(first), seats))
        assert refusal.value.reason is Reason.FIRST_SEAT_OUT_OF_RANGE
    assert CLAUSES[Reason.FIRST_SEAT_OUT_OF_RANGE] == "§2"
