"""Montmartre §4.0, §4.1: painting."""

import pytest

from domain.games.montmartre.commands import Paint
from domain.games.montmartre.events import Painted
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import Phase
from tests.support.games.montmartre import cards, montmartre, table
from tests.support.games.scenarios import ANN


def test_one_card_of_any_value_may_be_painted() -> None:
    """A single card goes face up into the own workshop, whatever its value (§4.1)."""
    before = table("b0 b1 g4 y8 | y1\n...\n...", piles="g1 g1 / p2 / y2")
    after = table("b0 b1 g4 | y1 y8\n...\n...", piles="g1 g1 / p2 / y2", phase=Phase.PAINTED)
    reached = montmartre.given(before).when(Paint(cards("y8"))).then(Painted(ANN, cards("y8")))
    assert reached.state == after


def test_two_cards_may_add_up_to_five() -> None:
    """Colours do not matter, and any order is accepted (§4.1, common §2)."""
    before = table("b0 b1 g4 y8 | g5\n...\n...", piles="g1 g1 / p2 / y2")
    after = table("b0 y8 | b1 g4 g5\n...\n...", piles="g1 g1 / p2 / y2", phase=Phase.PAINTED)
    for asked in ("b1 g4", "g4 b1"):
        reached = montmartre.given(before).when(Paint(cards(asked))).then(Painted(ANN, cards("b1 g4")))
        assert reached.state == after


@pytest.mark.parametrize(
    ("pair", "allowed"),
    [("b0 b1", True), ("b0 b4", True), ("b0 b5", True), ("b1 b4", True), ("b1 b5", False), ("b4 b5", False)],
)
def test_the_pairs_of_the_worked_example(pair: str, *, allowed: bool) -> None:
    """Hand 0, 1, 4, 5: legal pairs are 0 1, 0 4, 0 5 and 1 4; 1 5 is six and refused (§10, §4.1)."""
    asked = montmartre.given(table("b0 b1 b4 b5\n...\n...")).when(Paint(cards(pair)))
    if allowed:
        asked.then(Painted(ANN, cards(pair)))
    else:
        asked.then_rejected(Reason.SUM_ABOVE_FIVE, seat=0)


def test_alike_cards_may_be_painted_together_if_both_are_in_hand() -> None:
    """A list of cards is a multiset: two alike cards need two in the hand (§4.1, common §2)."""
    twice = Paint(cards("b2 b2"))
    montmartre.given(table("b2 b2 g8 y8\n...\n...")).when(twice).then(Painted(ANN, cards("b2 b2")))
    montmartre.given(table("b2 g7 g8 y8\n...\n...")).when(twice).then_rejected(Reason.CARDS_NOT_IN_HAND)


def test_paintings_are_listed_by_their_first_difference() -> None:
    """One card, then the pairs that it begins; alike choices appear once (§4.1, common §9)."""
    montmartre.given(table("b0 b0 g4 y8\n...\n...")).then_legal(
        Paint(cards("b0")),
        Paint(cards("b0 b0")),
        Paint(cards("b0 g4")),
        Paint(cards("g4")),
        Paint(cards("y8")),
    )
    montmartre.given(table("b1 g2 p4 p4\n...\n...")).then_legal(
        Paint(cards("b1")),
        Paint(cards("b1 g2")),
        Paint(cards("b1 p4")),
        Paint(cards("g2")),
        Paint(cards("p4")),
    )


def test_the_command_that_begins_a_turn_always_waits() -> None:
    """Only the seat whose turn it is has moves, and nothing is painted by itself (common §3)."""
    state = table("b8 g8 p8 y8\n...\n...")
    assert montmartre.game.to_act(state) == (0,)
    montmartre.given(state).then_legal(*(Paint(cards(card)) for card in ("b8", "g8", "p8", "y8")))
    montmartre.given(state).then_legal(seat=1)
