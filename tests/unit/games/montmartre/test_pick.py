"""Montmartre §4.3, §4.4: picking, and new piles."""

from domain.games.montmartre.catalogue import Colour
from domain.games.montmartre.commands import Pick, SellOff
from domain.games.montmartre.events import CardsPicked, PilesRenewed, TurnEnded
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.setup import laid
from domain.games.montmartre.state import Ending, Phase, State
from tests.support.games.montmartre import card, cards, montmartre, table
from tests.support.games.scenarios import ANN, BEN, luck

ANN_TO_BEN = TurnEnded(ANN, BEN, None)


def painted(
    hand: str, piles: str, *, discard_pile: str = "", first_seat: int = 0, ending: Ending | None = None
) -> State:
    """Return a table of three at which Ann has painted a card and not picked."""
    return table(
        f"{hand} | b1\n...\n...",
        piles=piles,
        discard_pile=discard_pile,
        first_seat=first_seat,
        phase=Phase.PAINTED,
        ending=ending,
    )


def test_cards_are_drawn_from_the_top_until_the_hand_has_four() -> None:
    """The hand is filled from one pile, what then lies on top is seen, and the turn ends (§4.3)."""
    reached = (
        montmartre.given(painted("y8 p7", "g5 y2 b7 / p2 / y3"))
        .when(Pick(0))
        .then(CardsPicked(ANN, 0, cards("g5 y2"), card("b7")), ANN_TO_BEN)
    )
    assert reached.state == table(
        "g5 p7 y2 y8 | b1\n...\n...", piles="b7 / p2 / y3", turn=1, phase=Phase.BEGUN
    )


def test_the_example_of_the_rulebook() -> None:
    """Amadeo has two cards and picks blue 7 and green 4, both from the third pile (rulebook, Pick)."""
    (
        montmartre.given(painted("y8 p7", "p1 / p2 / b7 g4 y2"))
        .when(Pick(2))
        .then(CardsPicked(ANN, 2, cards("b7 g4"), card("y2")), ANN_TO_BEN)
    )


def test_a_pick_may_empty_a_pile() -> None:
    """The last card fills the hand: nothing lies on top, and one empty pile is not renewed (§4.3, §4.4)."""
    (
        montmartre.given(painted("y8 p7", "g5 y2 / p2 / y3"))
        .when(Pick(0))
        .then(CardsPicked(ANN, 0, cards("g5 y2"), None), ANN_TO_BEN)
        .then_ended(None)
    )


def test_a_pile_that_runs_out_leaves_the_choice_of_another() -> None:
    """With two piles left the seat chooses from which it goes on (§4.3)."""
    (
        montmartre.given(painted("y8 p7", "g5 / p2 p3 / y3"))
        .when(Pick(0))
        .then(CardsPicked(ANN, 0, cards("g5"), None))
        .then_legal(Pick(1), Pick(2))
        .when(Pick(1))
        .then(CardsPicked(ANN, 1, cards("p2"), card("p3")), ANN_TO_BEN)
    )


def test_nothing_is_sold_off_once_the_pick_has_begun() -> None:
    """Between the two piles of a pick it is too late (§4.3)."""
    going_on = montmartre.given(painted("y8 p7", "g5 / p2 p3 / y3")).when(Pick(0))
    sell_off = SellOff(Colour.BLUE, cards("b1"))
    going_on.then(CardsPicked(ANN, 0, cards("g5"), None)).when(sell_off).then_rejected(Reason.PICK_HAS_BEGUN)


def test_the_pick_goes_on_by_itself_if_one_pile_is_left() -> None:
    """There is no choice, and everybody sees that; the new piles wait for the whole pick (§4.3, R3)."""
    before = painted("y8 p7", "g5 / / y3 y4 y5")
    (
        montmartre.given(before)
        .when(Pick(0))
        .then(
            CardsPicked(ANN, 0, cards("g5"), None),
            CardsPicked(ANN, 2, cards("y3"), card("y4")),
            PilesRenewed(laid(luck().shuffle((*cards("y4 y5"), *before.discard_pile)))),
            ANN_TO_BEN,
        )
    )


def test_two_empty_piles_make_three_new_ones() -> None:
    """The remaining pile and the discard pile are shuffled into three piles (§4.4)."""
    before = painted("y8 p7 p6", "g5 / y4 / ", discard_pile="b8 b7")
    shuffled = luck("new piles").shuffle((*cards("y4"), *before.discard_pile))
    reached = (
        montmartre.given(before)
        .when(Pick(0), chance=luck("new piles"))
        .then(CardsPicked(ANN, 0, cards("g5"), None), PilesRenewed(laid(shuffled)), ANN_TO_BEN)
    )
    # 60 cards less three hands of four and one painting.
    assert tuple(map(len, reached.state.piles)) == (16, 16, 15)
    assert sum(reached.state.piles, ()) == shuffled
    assert reached.state.discard_pile == ()


def test_three_empty_piles_make_three_new_ones_of_the_discard_pile() -> None:
    """A pick may take the last two cards of all; the discard pile alone is shuffled (§4.4)."""
    before = painted("y8 p7", "g5 / y4 / ")
    (
        montmartre.given(before)
        .when(Pick(1))
        .then(
            CardsPicked(ANN, 1, cards("y4"), None),
            CardsPicked(ANN, 0, cards("g5"), None),
            PilesRenewed(laid(luck().shuffle(before.discard_pile))),
            ANN_TO_BEN,
        )
    )


def test_no_new_piles_when_the_match_ends() -> None:
    """The last turn of the match leaves the piles as they are (§4.4, §7.2)."""
    last = painted("y8 p7 p6", "g5 / y4 / ", first_seat=1, ending=Ending.FRANCS_EARNED)
    over = TurnEnded(ANN, None, Ending.FRANCS_EARNED)
    montmartre.given(last).when(Pick(0)).then(CardsPicked(ANN, 0, cards("g5"), None), over)


def test_new_piles_are_made_while_the_last_round_goes_on() -> None:
    """A turn that brings the end, but is not the last, ends as any other (§4.4, §7.2)."""
    not_last = painted("y8 p7 p6", "g5 / y4 / ", ending=Ending.FRANCS_EARNED)
    (
        montmartre.given(not_last)
        .when(Pick(0))
        .then(
            CardsPicked(ANN, 0, cards("g5"), None),
            PilesRenewed(laid(luck().shuffle((*cards("y4"), *not_last.discard_pile)))),
            TurnEnded(ANN, BEN, Ending.FRANCS_EARNED),
        )
    )


def test_an_empty_pile_cannot_be_picked_from() -> None:
    """Only piles that have cards are listed (§4.3)."""
    state = painted("y8 p7 p6", "g5 / / y4")
    montmartre.given(state).when(Pick(1)).then_rejected(Reason.PILE_EMPTY)
    picks = [move for move in montmartre.game.legal_moves(state, ANN) if isinstance(move, Pick)]
    assert picks == [Pick(0), Pick(2)]
