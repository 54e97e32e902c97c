"""Montmartre §6: the variant for two seats."""

import pytest
from msgspec.structs import replace

from domain.games.montmartre.catalogue import Colour
from domain.games.montmartre.commands import DeclineContract, Sell, SellPair, TakeContract
from domain.games.montmartre.events import ContractsOffered, PaintingSold, TurnEnded
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import State
from domain.shared.game import play
from tests.support.games.montmartre import card, montmartre, table
from tests.support.games.scenarios import ANN, BEN, luck

ANN_TO_BEN = TurnEnded(ANN, BEN, None)
BLUE, GREEN, PINK, YELLOW = Colour


def pairs(state: State) -> list[tuple[Colour, ...]]:
    """Return the pairs of collectors to whom Ann may sell."""
    return [move.colours for move in montmartre.game.legal_moves(state, ANN) if isinstance(move, SellPair)]


def test_a_sale_to_two_collectors() -> None:
    """One collector card from each, the highest painting of each discarded; Vollard stays away (§6.1)."""
    piles = "y8 / y7 / y6"
    before = table("b0 b0 b4 b5 | b1 b2 g7 g8 p4\n...", piles=piles, discard_pile="p8")
    after = table("b0 b0 b4 b5 | b1 g7 p4 | b2 g2\n...", piles=piles, discard_pile="p8 b2 g8", turn=1)
    for colours in ((BLUE, GREEN), (GREEN, BLUE)):
        reached = (
            montmartre.given(before)
            .when(SellPair(colours))
            .then(
                PaintingSold(ANN, BLUE, card("b2"), collector=2),
                PaintingSold(ANN, GREEN, card("g8"), collector=2),
                ANN_TO_BEN,
            )
        )
        assert reached.state == after


def test_both_collectors_must_be_convinced() -> None:
    """The majority must hold for both colours; one alone sells nothing (§6.1, §5.1)."""
    state = table("... | b1 b1 g1 p5\n... | b2 g1 p2 p2")
    assert pairs(state) == [(BLUE, PINK)]
    montmartre.given(state).when(SellPair((BLUE, GREEN))).then_rejected(Reason.NO_MAJORITY)
    montmartre.given(state).when(SellPair((GREEN, BLUE))).then_rejected(Reason.NO_MAJORITY)
    assert pairs(table("... | b1 b1\n...")) == []


def test_neither_pile_may_be_empty() -> None:
    """Both collector piles must have a card (§6.1)."""
    state = table("... | b1 g1 p1\n... | | b2 b4 b6 b8 b10")
    assert pairs(state) == [(GREEN, PINK)]
    montmartre.given(state).when(SellPair((GREEN, BLUE))).then_rejected(Reason.COLLECTORS_GONE)


def test_nobody_blocks_a_collector() -> None:
    """There is no Vollard: the same two collectors may be sold to in every turn (§3.2, §6.1)."""
    state = table("... | b4 b5 g4 g5\n...")
    _, reached = play(montmartre.game, state, ANN, SellPair((BLUE, GREEN)), luck())
    assert reached.vollard is None
    assert pairs(replace(reached, turn=ANN)) == [(BLUE, GREEN)]


def test_two_different_colours() -> None:
    """A colour named twice is no pair (§6.1)."""
    state = table("... | b1 b2 g1\n...")
    montmartre.given(state).when(SellPair((BLUE, BLUE))).then_rejected(Reason.COLOURS_ALIKE)


def test_pairs_are_listed_by_colour() -> None:
    """Lists by their first difference, colours in the order of §1 (common §9)."""
    assert pairs(table("... | b1 g1 p1 y1\n...")) == [
        *((BLUE, GREEN), (BLUE, PINK), (BLUE, YELLOW)),
        *((GREEN, PINK), (GREEN, YELLOW), (PINK, YELLOW)),
    ]


def test_each_number_of_seats_has_its_own_sale() -> None:
    """`sell` is refused with two seats, `sell_pair` with three to five (§5.5, §5.1, §6.1)."""
    two, three = table("... | b1 g1\n..."), table("... | b1 g1\n...\n...")
    montmartre.given(two).when(Sell(BLUE)).then_rejected(Reason.NOT_FOR_TWO_SEATS)
    montmartre.given(three).when(SellPair((BLUE, GREEN))).then_rejected(Reason.FOR_TWO_SEATS_ONLY)
    assert (montmartre.game.clauses[Reason.NOT_FOR_TWO_SEATS], pairs(three)) == ("§5.1", [])
    assert montmartre.game.clauses[Reason.FOR_TWO_SEATS_ONLY] == "§6.1"


@pytest.mark.parametrize(
    ("won", "contracts"),
    [
        ("", ()),
        ("b2", ()),
        ("b2 b4 g2 g4", ()),
        ("b2 g2", (4,)),
        ("b2 g2 p2 p4", (3, 4, 7)),
        ("b2 p2 p4", (4,)),
        ("b2 p2 p4 y2 y4", (3, 7)),
        ("b2 g2 p2 p4 y2 y4", (3, 5, 7, 12)),
        ("b2 g2 g4 p2 p4 y2 y4", (5, 12)),
        ("b2 b4 g2 g4 p2 p4 y2 y4", ()),
    ],
)
def test_pairs_of_collectors_open_contracts(won: str, contracts: tuple[int, ...]) -> None:
    """Colours with two cards count: the second opens white, the third grey, the fourth brown (§6.2, R9).

    From no pair to two only white opens, from one to three white and grey, from two to four grey and brown.
    """
    state = table(f"... | b1 g1 | {won}\n...")
    events, reached = play(montmartre.game, state, ANN, SellPair((BLUE, GREEN)), luck())
    assert events[2:] == ((ContractsOffered(ANN, contracts),) if contracts else (ANN_TO_BEN,))
    if contracts:
        montmartre.given(reached).then_legal(*map(TakeContract, contracts), DeclineContract())


def test_the_example_of_the_rulebook() -> None:
    """With two pairs and one green card an additional green one brings a grey contract (rulebook, R9)."""
    state = table("... | g1 y1 | b2 b4 p2 p4 g2\n...")
    events, _ = play(montmartre.game, state, ANN, SellPair((GREEN, YELLOW)), luck())
    assert events[2:] == (ContractsOffered(ANN, (3, 7)),)


def test_one_contract_in_all() -> None:
    """A seat that has one is offered none; what the other seat has is not left (§6.2, §5.4)."""
    has_one = table("... | b1 g1 | b2 g2 p2 p4 | 0 | 4\n...")
    events, _ = play(montmartre.game, has_one, ANN, SellPair((BLUE, GREEN)), luck())
    assert events[2:] == (ANN_TO_BEN,)
    other_has_grey = table("... | b1 g1 | b2 g2 p2 p4\n... | | | 0 | 7")
    events, _ = play(montmartre.game, other_has_grey, ANN, SellPair((BLUE, GREEN)), luck())
    assert events[2:] == (ContractsOffered(ANN, (3, 4)),)
