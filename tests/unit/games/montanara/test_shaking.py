"""Montanara §4.5: shaking."""

import pytest

from domain.games.montanara.commands import PlayShaking
from domain.games.montanara.events import ShakingPlayed
from domain.games.montanara.rejections import Reason
from tests.support.games.montanara import laid, montanara, piles, shuffled, table
from tests.support.games.scenarios import ANN, BEN, luck


def shakings(mountains: str) -> list[PlayShaking]:
    """Return the shakings that are listed for a seat with the card."""
    moves = montanara.game.legal_moves(table(hands="shaking / ", mountains=mountains), ANN)
    return [move for move in moves if isinstance(move, PlayShaking)]


def test_two_neighbours_are_shuffled_together_and_divided() -> None:
    """The upper part goes to the lower-numbered space; the card is discarded (§4.5, §4.10)."""
    shaken = (
        montanara.given(table(hands="shaking / ", mountains="dwarf / dwarf theft crystal / tunnel / dwarf"))
        .when(PlayShaking(1, 2), ANN, shuffled("tunnel crystal theft dwarf"))
        .then(ShakingPlayed(ANN, 1, 2, piles("tunnel crystal / theft dwarf")))
    )
    assert laid(shaken.state) == laid(
        table(
            mountains="dwarf / tunnel crystal / theft dwarf / dwarf",
            discard_pile="shaking",
            turn=BEN,
        )
    )


@pytest.mark.parametrize(
    ("shaking", "divided"),
    [
        (PlayShaking(0, 1, 0), "tunnel crystal / theft"),
        (PlayShaking(0, 1, 1), "tunnel / crystal theft"),
        (PlayShaking(0, 1), "tunnel crystal / theft"),
        (PlayShaking(1, 0), "tunnel crystal / theft"),
        (PlayShaking(1, 0, 1), "tunnel / crystal theft"),
    ],
)
def test_the_extra_card_goes_where_the_seat_says(shaking: PlayShaking, divided: str) -> None:
    """To one of the two, the lower number by default; the spaces come in either order (§4.5)."""
    (
        montanara.given(table(hands="shaking / ", mountains="crystal theft / tunnel / dwarf / "))
        .when(shaking, ANN, shuffled("tunnel crystal theft"))
        .then(ShakingPlayed(ANN, 0, 1, piles(divided)))
    )


@pytest.mark.parametrize("mountains", ["theft dwarf dwarf / / dwarf / ", "/ theft dwarf dwarf / dwarf / "])
def test_one_mountain_may_be_split_over_a_free_space(mountains: str) -> None:
    """One space with at least 2 cards and its neighbour empty (§4.5)."""
    (
        montanara.given(table(hands="shaking / ", mountains=mountains))
        .when(PlayShaking(0, 1), ANN, shuffled("dwarf theft dwarf"))
        .then(ShakingPlayed(ANN, 0, 1, piles("dwarf theft / dwarf")))
    )


def test_both_values_of_extra_are_listed_when_there_is_one() -> None:
    """Spaces rising, then extra; of an even number only the lower space (§4.5, common §9)."""
    assert shakings("dwarf dwarf / dwarf / dwarf / dwarf dwarf dwarf") == [
        PlayShaking(0, 1, 0),
        PlayShaking(0, 1, 1),
        PlayShaking(1, 2, 1),
        PlayShaking(2, 3, 2),
    ]


def test_an_empty_space_separates_its_neighbours() -> None:
    """Mountains 0 and 3 with 1 and 2 empty: each splits over its neighbour, if it has 2 cards (R1, §8)."""
    assert shakings("dwarf dwarf / / / dwarf") == [PlayShaking(0, 1, 0)]
    assert shakings("dwarf / / / dwarf dwarf dwarf") == [PlayShaking(2, 3, 2), PlayShaking(2, 3, 3)]
    assert shakings("dwarf / / dwarf / ") == []


@pytest.mark.parametrize(
    ("shaking", "reason"),
    [
        (PlayShaking(0, 2), Reason.NOT_NEIGHBOURS),
        (PlayShaking(0, 3), Reason.NOT_NEIGHBOURS),
        (PlayShaking(3, 0), Reason.NOT_NEIGHBOURS),
        (PlayShaking(0, 0), Reason.NOT_NEIGHBOURS),
        (PlayShaking(1, 2), Reason.TOO_FEW_CARDS_TO_SHAKE),
        (PlayShaking(2, 3), Reason.TOO_FEW_CARDS_TO_SHAKE),
        (PlayShaking(0, 1, 2), Reason.EXTRA_ELSEWHERE),
        (PlayShaking(0, 1, 1), Reason.NO_EXTRA_CARD),
    ],
)
def test_what_cannot_be_shaken(shaking: PlayShaking, reason: Reason) -> None:
    """No ring, no single card, no extra elsewhere or of an even number (§4.5, R1)."""
    given = montanara.given(table(hands="shaking / ", mountains="dwarf dwarf / / / dwarf"))
    given.when(shaking, ANN).then_rejected(reason)


def test_both_mountains_have_cards_afterwards() -> None:
    """Shaking two or more cards always gives two mountains (R8)."""
    for number in range(2, 8):
        mountains = "dwarf " * number + "/ / / dwarf"
        before = table(hands="shaking / ", mountains=mountains)
        for shaking in shakings(mountains):
            (event,) = montanara.game.decide(before, ANN, shaking, luck())
            assert isinstance(event, ShakingPlayed)
            sizes = sorted(map(len, event.mountains))
            assert sizes == [number // 2, (number + 1) // 2]


def test_a_shaking_is_played_from_the_hand() -> None:
    """Without one in hand none is played (§4.10)."""
    given = montanara.given(table(hands="dwarf / shaking"))
    given.when(PlayShaking(0, 1), ANN).then_rejected(Reason.CARD_NOT_IN_HAND)
