"""Montmartre §5.1 to §5.3, §5.5: selling to a collector, three to five seats."""

import pytest

from domain.games.montmartre.catalogue import COLOURS, Colour
from domain.games.montmartre.commands import Pick, Sell
from domain.games.montmartre.events import PaintingSold, TurnEnded, VollardMoved
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import State
from domain.shared.seats import Seat
from tests.support.games.montmartre import card, montmartre, table

HENRI, ALFONS, AMADEO = Seat(0), Seat(1), Seat(2)

WORKED_EXAMPLE = "... | b1 b2 b4\n... | b8\n... | b6"
"""Henri has most blue paintings and 7 in all, Alfons one of 8, Amadeo one of 6."""


def buyers(state: State, seat: int = 0) -> list[Colour]:
    """Return the colours of the collectors to whom a seat may sell."""
    return [move.colour for move in montmartre.game.legal_moves(state, Seat(seat)) if isinstance(move, Sell)]


@pytest.mark.parametrize(("seat", "sells"), [(HENRI, True), (ALFONS, True), (AMADEO, False)])
def test_the_worked_example(seat: Seat, *, sells: bool) -> None:
    """Henri may sell by number, Alfons by total, 8 beats 7 and 6 each; Amadeo may not (§10, §5.1, R13)."""
    assert buyers(table(WORKED_EXAMPLE, turn=seat), seat) == ([Colour.BLUE] if sells else [])


@pytest.mark.parametrize(
    ("workshops", "sells"),
    [
        ("... | b1 b1\n... | b2\n... |", True),
        ("... | b1 b1\n... | b0 b2\n... |", False),
        ("... | b5\n... | b2 b2\n... |", True),
        ("... | b5\n... | b2 b3\n... |", False),
        ("... | b3 b5\n... | b8\n... | b2 b2 b0", False),
        ("... | b4 b5\n... | b8\n... | b2 b2 b0", True),
        ("... | b0\n... | g8\n... | p8", True),
        ("... | b0\n... | b0\n... |", False),
        ("... |\n... |\n... |", False),
        ("... | b1 b2 b3\n... | b4 b5\n... | b8\n... |\n... |", True),
        ("... | b3 b4\n... | b4 b5\n... | b8\n... | b2 b2 b0\n... |", False),
        ("... | b5 b5\n... | b7\n... | b8\n... | b6\n... | b4 b4 b0", True),
    ],
)
def test_a_majority_is_strict_by_number_or_by_total(workshops: str, *, sells: bool) -> None:
    """More paintings than every other seat, or a higher total than every other one alone (§5.1, R13).

    Having none counts 0 and 0, so a lone 0 has the majority, and nobody has it with none.
    """
    assert buyers(table(workshops)) == ([Colour.BLUE] if sells else [])


def test_the_number_may_beat_one_seat_and_the_total_another_but_that_is_no_majority() -> None:
    """Either by number or by total every other seat is surpassed, not some so and some so (§5.1)."""
    state = table("... | b3 b3\n... | b8\n... | b1 b1 b0")
    montmartre.given(state).when(Sell(Colour.BLUE)).then_rejected(Reason.NO_MAJORITY, seat=0)


def test_a_sale() -> None:
    """Vollard walks to the buyer, the highest painting goes, the top collector comes (§5.2, §5.3, §5.5)."""
    piles = "y8 / y7 / y6"
    before = table("b0 g0 p0 y0 | b1 b5 g8\n...\n...", piles=piles, discard_pile="p8", vollard=Colour.PINK)
    after = table(
        "b0 g0 p0 y0 | b1 g8 | b2\n...\n...", piles=piles, discard_pile="p8 b5", vollard=Colour.BLUE, turn=1
    )
    reached = (
        montmartre.given(before)
        .when(Sell(Colour.BLUE))
        .then(
            VollardMoved(Colour.BLUE),
            PaintingSold(HENRI, Colour.BLUE, card("b5"), collector=2),
            TurnEnded(HENRI, ALFONS, None),
        )
    )
    assert reached.state == after


def test_of_equal_highest_paintings_one_goes() -> None:
    """Two alike paintings are alike, so there is nothing to choose (R5, §5.3)."""
    reached = (
        montmartre.given(table("... | g1 g5 g5\n...\n..."))
        .when(Sell(Colour.GREEN))
        .then(
            VollardMoved(Colour.GREEN),
            PaintingSold(HENRI, Colour.GREEN, card("g5"), collector=2),
            TurnEnded(HENRI, ALFONS, None),
        )
    )
    assert reached.state.painters[HENRI].workshop == ((), (card("g1"), card("g5")), (), ())


def test_collectors_come_from_2_to_10() -> None:
    """Anyone who sells gets the top card of the pile, and the next is worth more (§5.3, §1)."""
    for won, value in (("", 2), ("b2", 4), ("b2 b4", 6), ("b2 b4 b6", 8), ("b2 b4 b6 b8", 10)):
        (
            montmartre.given(table(f"... | b1\n... | | {won}\n..."))
            .when(Sell(Colour.BLUE))
            .then(
                VollardMoved(Colour.BLUE),
                PaintingSold(HENRI, Colour.BLUE, card("b1"), value),
                TurnEnded(HENRI, ALFONS, None),
            )
        )


def test_an_empty_collector_pile_buys_nothing() -> None:
    """The pile must not be empty (§5.1)."""
    state = table("... | b1 g1\n... | | b2 b4 b6 b8 b10\n...")
    montmartre.given(state).when(Sell(Colour.BLUE)).then_rejected(Reason.COLLECTORS_GONE)
    assert buyers(state) == [Colour.GREEN]


def test_vollard_blocks_the_collector_next_to_whom_the_last_sale_left_him() -> None:
    """The buyer must be another than the one he stands next to when the turn begins (§5.1, R8)."""
    everything = "... | b1 g1 p1 y1\n...\n..."
    assert buyers(table(everything)) == list(COLOURS)
    for colour in COLOURS:
        state = table(everything, vollard=colour)
        montmartre.given(state).when(Sell(colour)).then_rejected(Reason.VOLLARD_STANDS_THERE)
        assert buyers(state) == [other for other in COLOURS if other is not colour]


def test_vollard_blocks_the_next_seat() -> None:
    """He walks to the buyer himself, so the next seat cannot sell there, and may send him on (§5.2, R8)."""
    state = table("... | b1 b2\n... | b8 g1\n...")
    reached = (
        montmartre.given(state)
        .when(Sell(Colour.BLUE))
        .then(
            VollardMoved(Colour.BLUE),
            PaintingSold(HENRI, Colour.BLUE, card("b2"), 2),
            TurnEnded(HENRI, ALFONS, None),
        )
    )
    reached.when(Sell(Colour.BLUE), seat=1).then_rejected(Reason.VOLLARD_STANDS_THERE)
    assert buyers(reached.state, 1) == [Colour.GREEN]


def test_no_card_is_drawn_after_a_sale() -> None:
    """The turn is over, and hands are as they were (§5.5)."""
    before = table("... | b1\n...\n...")
    reached = (
        montmartre.given(before)
        .when(Sell(Colour.BLUE))
        .then(
            VollardMoved(Colour.BLUE),
            PaintingSold(HENRI, Colour.BLUE, card("b1"), 2),
            TurnEnded(HENRI, ALFONS, None),
        )
    )
    hands = [painter.hand for painter in reached.state.painters]
    assert hands == [painter.hand for painter in before.painters]
    reached.when(Pick(0), seat=1).then_rejected(Reason.NOTHING_PAINTED)


def test_sales_are_listed_after_paintings_by_colour() -> None:
    """Commands in the order of the rules, colours in the order of §1 (common §9)."""
    moves = list(montmartre.game.legal_moves(table("b8 g8 p8 y8 | y1 g1 b1 p1\n...\n..."), HENRI))
    assert moves[4:] == [Sell(colour) for colour in COLOURS]
