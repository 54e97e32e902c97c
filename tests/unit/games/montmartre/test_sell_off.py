"""Montmartre §4.2: selling off at the market."""

from domain.games.montmartre.catalogue import Colour
from domain.games.montmartre.commands import Pick, SellOff
from domain.games.montmartre.events import SoldOff
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import Phase
from tests.support.games.montmartre import cards, montmartre, table
from tests.support.games.scenarios import ANN

PILES = "p1 p1 / p2 / y2"

SEVEN = table("y8 y7 y6 | b1 b2 b4 g0 g0 p8 y5\n...\n...", piles=PILES, phase=Phase.PAINTED)
EIGHT = table("y8 y7 | b1 b2 b4 g0 g0 p7 p8 y5\n...\n...", piles=PILES, phase=Phase.PAINTED)


def test_paintings_of_one_colour_bring_a_franc_each() -> None:
    """The paintings are discarded in order, the seat gets a franc for each (§4.2)."""
    before = table("y8 y7 y6 | b1 b2 b4 | | 3\n...\n...", piles=PILES, discard_pile="p5", phase=Phase.PAINTED)
    after = table("y8 y7 y6 | b2 | | 5\n...\n...", piles=PILES, discard_pile="p5 b1 b4", phase=Phase.SOLD_OFF)
    sold = SoldOff(ANN, Colour.BLUE, cards("b1 b4"), francs=2)
    reached = montmartre.given(before).when(SellOff(Colour.BLUE, cards("b4 b1"))).then(sold)
    assert reached.state == after


def test_the_example_of_the_rulebook() -> None:
    """Alfons sells two of his three green paintings for two francs (rulebook, Sell Off at the Market)."""
    alfons = table("y8 y7 y6 | g1 g3 g7\n...\n...", piles=PILES, phase=Phase.PAINTED)
    (
        montmartre.given(alfons)
        .when(SellOff(Colour.GREEN, cards("g1 g3")))
        .then(SoldOff(ANN, Colour.GREEN, cards("g1 g3"), francs=2))
    )


def test_selling_off_is_optional_up_to_six_paintings() -> None:
    """A seat with six paintings may pick at once, or sell off every last one of a colour (§4.2, §4.3, R2)."""
    six = table("y8 y7 y6 | b1 b2 b4 g0 g0 p8\n...\n...", piles=PILES, phase=Phase.PAINTED)
    montmartre.given(six).then_legal(
        SellOff(Colour.BLUE, cards("b1")),
        SellOff(Colour.BLUE, cards("b1 b2")),
        SellOff(Colour.BLUE, cards("b1 b2 b4")),
        SellOff(Colour.BLUE, cards("b1 b4")),
        SellOff(Colour.BLUE, cards("b2")),
        SellOff(Colour.BLUE, cards("b2 b4")),
        SellOff(Colour.BLUE, cards("b4")),
        SellOff(Colour.GREEN, cards("g0")),
        SellOff(Colour.GREEN, cards("g0 g0")),
        SellOff(Colour.PINK, cards("p8")),
        Pick(0),
        Pick(1),
        Pick(2),
    )


def test_above_six_paintings_selling_off_is_mandatory() -> None:
    """With seven paintings one of any colour must go, or more, before the pick (§4.2, R2)."""
    montmartre.given(SEVEN).when(Pick(0)).then_rejected(Reason.WORKSHOP_ABOVE_SIX)
    montmartre.given(SEVEN).then_legal(
        SellOff(Colour.BLUE, cards("b1")),
        SellOff(Colour.BLUE, cards("b1 b2")),
        SellOff(Colour.BLUE, cards("b1 b2 b4")),
        SellOff(Colour.BLUE, cards("b1 b4")),
        SellOff(Colour.BLUE, cards("b2")),
        SellOff(Colour.BLUE, cards("b2 b4")),
        SellOff(Colour.BLUE, cards("b4")),
        SellOff(Colour.GREEN, cards("g0")),
        SellOff(Colour.GREEN, cards("g0 g0")),
        SellOff(Colour.PINK, cards("p8")),
        SellOff(Colour.YELLOW, cards("y5")),
    )


def test_at_least_down_to_six() -> None:
    """With eight paintings two of one colour must go; one alone is not enough (§4.2, R1)."""
    montmartre.given(EIGHT).when(SellOff(Colour.YELLOW, cards("y5"))).then_rejected(Reason.WORKSHOP_ABOVE_SIX)
    two = SellOff(Colour.PINK, cards("p7 p8"))
    montmartre.given(EIGHT).when(two).then(SoldOff(ANN, Colour.PINK, cards("p7 p8"), francs=2))
    montmartre.given(EIGHT).then_legal(
        SellOff(Colour.BLUE, cards("b1 b2")),
        SellOff(Colour.BLUE, cards("b1 b2 b4")),
        SellOff(Colour.BLUE, cards("b1 b4")),
        SellOff(Colour.BLUE, cards("b2 b4")),
        SellOff(Colour.GREEN, cards("g0 g0")),
        SellOff(Colour.PINK, cards("p7 p8")),
    )


def test_after_selling_off_only_the_pick_is_left() -> None:
    """Once a turn; the pick waits even if one pile is left (§4.2, common §3)."""
    sold = table("y8 y7 y6 | b1\n...\n...", piles="g1 g1 g2 / / ", phase=Phase.SOLD_OFF)
    montmartre.given(sold).then_legal(Pick(0))
    again = SellOff(Colour.BLUE, cards("b1"))
    montmartre.given(sold).when(again).then_rejected(Reason.ALREADY_SOLD_OFF)


def test_alike_paintings_are_alike() -> None:
    """Of two alike paintings one or both may be named, not three (§4.2, common §2)."""
    (
        montmartre.given(SEVEN)
        .when(SellOff(Colour.GREEN, cards("g0 g0")))
        .then(SoldOff(ANN, Colour.GREEN, cards("g0 g0"), francs=2))
    )
    thrice = SellOff(Colour.GREEN, cards("g0 g0 g0"))
    montmartre.given(SEVEN).when(thrice).then_rejected(Reason.PAINTINGS_NOT_IN_WORKSHOP)
