"""What idempotency keys are held against: a digest that stays the same for as long as it is stored."""

import pytest

from domain.games import GAMES
from domain.games.montana.commands import MoveCard
from domain.match import Resign, Visibility
from services.matches.decisions import digest_of
from services.matches.opening import Proposal

OPENED = {
    "montana": "0250898f38972ec946f0622b23fab7f8b77a5bf92a37059f0ee5996f8b4f44bc",
    "montanara": "cf9b74bf6eea7c23495ea8ac0338cc4f37b9e75deeb4389f02cc3260dbffff39",
    "montmartre": "237a3e392f16a489055397d84e0e846081e20f7d577db52bc02232f2a339e218",
    "mount_drago": "f281ca183dd78699f528c968cc6cb17b1ff167c657c6aeda315833a90dc68ab6",
    "mountains": "a19441b3ea991fe9364a6ab4c5051f375d216ad64bcc68153c2715feeb124cea",
}
"""As they were stored by earlier versions."""
MOVED = "8d5d96846e895c4f89b4aa55eae5d7ac75904c7625282e67422000d433e8a0cd"
RESIGNED = "d9afefb7a41143c6918f6604bc783d11e43b863cd840db026dad2588b4902f1e"


@pytest.mark.parametrize("game", OPENED)
def test_a_key_of_an_opening_holds_across_versions(game: str) -> None:
    """A field that moves within a proposal would spoil every key of before."""
    kind = GAMES[game]
    proposal = Proposal(
        game=game,
        options=kind.options(),
        seats=kind.max_seats,
        seat=0,
        visibility=Visibility.PRIVATE,
        entropy="x",
    )
    assert digest_of(proposal) == OPENED[game]


def test_a_key_of_a_command_holds_across_versions() -> None:
    """Of a move and of giving up."""
    assert digest_of([MoveCard(card="9C"), 4, None]) == MOVED
    assert digest_of([Resign(), None, 1]) == RESIGNED
