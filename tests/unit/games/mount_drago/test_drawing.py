"""Mount Drago §4.4: drawing, discarding summit cards, and making the draw pile again."""

import pytest

from domain.games.mount_drago.catalogue import PACK, Scoring
from domain.games.mount_drago.commands import DiscardSummitCards, Draw, PlayCard
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    DrawPileRenewed,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import Phase
from domain.shared.game import default_move, play
from domain.shared.seats import Seat
from domain.shared.tuples import without
from tests.support.games.mount_drago import cards, drew, mount_drago, table
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import ANN, luck

ON_TOP = "black 26, blue 25"
"""Two dragons stand on summit spaces, the others on the start."""


def played(card: str, space: int, *, on_top: bool = True, phase: Phase = Phase.DRAW) -> CardPlayed:
    """Return how Ann played a card that brought no scoring."""
    return CardPlayed(ANN, cards(card)[0], on_top, space, None, phase)


def test_after_a_turn_without_scoring_the_hand_is_filled() -> None:
    """One card is drawn from the top, by itself, and the next seat is on turn (§4.4)."""
    reached = (
        mount_drago.given(
            table(
                """
                red-1 | red-2 red-3 red-4 red-5 green-1 green-2
                blue-1
                """,
                draw_pile="white-5 orange-1",
            )
        )
        .when(PlayCard("red-2"))
        .then(played("red-2", 2), drew(0, "white-5", next_seat=1))
    )
    assert reached.state.hands[0] == cards("red-3 red-4 red-5 green-1 green-2 white-5")
    assert reached.state.draw_pile[0] == "orange-1"


def test_a_hand_that_shrank_is_filled_to_six() -> None:
    """After scorings without a draw, an entirely normal turn fills the whole hand (§4.4, rulebook 3b)."""
    mount_drago.given(
        table("red-1 | red-2 green-1\nblue-1", draw_pile="white-5 orange-1 brown-2 white-5 black-3")
    ).when(PlayCard("red-2")).then(
        played("red-2", 2), drew(0, "brown-2 black-3 white-5 white-5 orange-1", next_seat=1)
    )


def test_after_a_scoring_nobody_draws() -> None:
    """The hand stays as it is, and the next seat is on turn (§4.4)."""
    reached = (
        mount_drago.given(table("red-1 | red-1 green-1\nblue-1", dragons="red 5"))
        .when(PlayCard("red-1"))
        .then(
            CardPlayed(ANN, "red-1", True, 6, Scoring.SMALL, Phase.SCORE),
            Scored(Scoring.SMALL, (2, 0), Seat(1), Phase.PLAY),
        )
    )
    assert reached.state.hands[0] == cards("green-1")
    assert mount_drago.game.to_act(reached.state) == (1,)


def test_nor_discards() -> None:
    """After a scoring nobody is asked for summit cards, though it holds some (§4.4, R5)."""
    mount_drago.given(table("red-1 | red-1 blue-2\nwhite-1", dragons=f"red 5, {ON_TOP}")).when(
        PlayCard("red-1")
    ).then(
        CardPlayed(ANN, "red-1", True, 6, Scoring.SMALL, Phase.SCORE),
        Scored(Scoring.SMALL, (2, 0), Seat(1), Phase.PLAY),
    )


def test_the_turn_passes_from_the_last_seat_to_the_first() -> None:
    """Turn order goes round (common §1)."""
    state = table(
        "blue-1\nwhite-1\nred-1 | red-2 red-3 red-4 red-5 green-1 green-2", draw_pile="white-5", turn=2
    )
    mount_drago.given(state).when(PlayCard("red-2"), seat=2).then(
        CardPlayed(Seat(2), "red-2", True, 2, None, Phase.DRAW), drew(2, "white-5", next_seat=0)
    )


@pytest.mark.parametrize("scores", [True, False])
def test_after_the_last_card_the_hand_is_filled(scores: bool) -> None:
    """Whether or not it brings a scoring, and without a question at the summit (§4.4, R8)."""
    pile = "orange-1 orange-1 orange-2 orange-2 orange-3 orange-3"
    state = table("red-1 | red-1\nwhite-1", dragons=f"red {5 if scores else 2}, {ON_TOP}", draw_pile=pile)
    with_scoring = (
        CardPlayed(ANN, "red-1", True, 6, Scoring.SMALL, Phase.SCORE),
        Scored(Scoring.SMALL, (2, 0), ANN, Phase.DRAW),
    )
    mount_drago.given(state).when(PlayCard("red-1")).then(
        *(with_scoring if scores else (played("red-1", 3),)), drew(0, pile, next_seat=1)
    )


SUMMIT_CARDS = table(
    """
    red-1 | blue-3 blue-3 black-1 red-2 green-1
    white-1
    """,
    dragons=ON_TOP,
    draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3",
    phase=Phase.DISCARD,
)
"""Ann has played, and may discard blue and black cards before she draws."""

NO_SUMMIT_CARDS = table("red-1 | red-2 green-1\nwhite-1", dragons=ON_TOP, phase=Phase.DISCARD)


@pytest.mark.parametrize("hand", ["red-2 red-3 green-1", "red-2 blue-3 black-1"])
@pytest.mark.parametrize("dragons", ["blue 25", ON_TOP, "black 28"])
def test_with_a_dragon_at_the_summit_the_seat_is_asked(hand: str, dragons: str) -> None:
    """Whether or not it holds such cards: that it is asked tells nothing of the hand (§4.4, common §5)."""
    reached = (
        mount_drago.given(table(f"red-1 | {hand}\nwhite-1", dragons=dragons))
        .when(PlayCard("red-2"))
        .then(played("red-2", 2, phase=Phase.DISCARD))
    )
    assert mount_drago.game.to_act(reached.state) == (ANN,)
    assert Draw() in mount_drago.game.legal_moves(reached.state, ANN)


def test_a_move_on_the_summit_asks_too() -> None:
    """A dragon already there moves on and scores nothing, so the seat may discard (§4.3, §4.4)."""
    mount_drago.given(table("red-1 | blue-1 green-1\nwhite-1", dragons="blue 25")).when(
        PlayCard("blue-1")
    ).then(played("blue-1", 26, phase=Phase.DISCARD))


def test_without_a_dragon_at_the_summit_nobody_is_asked() -> None:
    """On the last space below the summit no question comes (§4.4)."""
    pile = "white-1 white-2 white-3 white-3 white-5"
    state = table("red-1 | red-2 green-1\nblue-1", dragons="blue 24", draw_pile=pile)
    mount_drago.given(state).when(PlayCard("red-2")).then(played("red-2", 2), drew(0, pile, next_seat=1))


def test_any_summit_cards_may_be_discarded() -> None:
    """Every choice of them, alike ones once, then the draw that keeps all (§4.4, common §2, §9)."""
    mount_drago.given(SUMMIT_CARDS).then_legal(
        DiscardSummitCards(("blue-3",)),
        DiscardSummitCards(("blue-3", "blue-3")),
        DiscardSummitCards(("blue-3", "blue-3", "black-1")),
        DiscardSummitCards(("blue-3", "black-1")),
        DiscardSummitCards(("black-1",)),
        Draw(),
    )
    mount_drago.given(NO_SUMMIT_CARDS).then_legal(Draw())


def test_discards_go_before_the_draw() -> None:
    """In any order; they lie on the discard pile, and the draw follows by itself (§4.4, R5)."""
    reached = (
        mount_drago.given(SUMMIT_CARDS)
        .when(DiscardSummitCards(("black-1", "blue-3")))
        .then(
            SummitCardsDiscarded(ANN, cards("blue-3 black-1")),
            drew(0, "orange-1 orange-1 orange-2", next_seat=1),
        )
    )
    assert reached.state == table(
        """
        red-1 | blue-3 red-2 green-1 orange-1 orange-1 orange-2
        white-1
        """,
        dragons=ON_TOP,
        discard_pile="blue-3 black-1",
        draw_pile="orange-2 orange-3",
        turn=1,
    )


def test_a_seat_may_keep_all() -> None:
    """The draw alone fills the hand and discards nothing (§4.4)."""
    reached = mount_drago.given(SUMMIT_CARDS).when(Draw()).then(drew(0, "orange-1", next_seat=1))
    assert reached.state.discard_pile == ()
    assert reached.state.hands[0] == cards("blue-3 blue-3 black-1 red-2 green-1 orange-1")


def test_all_cards_may_be_discarded() -> None:
    """That is not playing the last card; the turn's draw fills the hand, once (§4.4, R5)."""
    pile = "orange-1 orange-1 orange-2 orange-2 orange-3 orange-3"
    state = table("red-1 | blue-3 black-1\nwhite-1", dragons=ON_TOP, draw_pile=pile, phase=Phase.DISCARD)
    mount_drago.given(state).when(DiscardSummitCards(("blue-3", "black-1"))).then(
        SummitCardsDiscarded(ANN, ("blue-3", "black-1")), drew(0, pile, next_seat=1)
    )


def test_whoever_does_not_choose_keeps_all() -> None:
    """A seat that gave up draws; asked for a card, it plays the first listed one (common §6, §7)."""
    assert default_move(mount_drago.game, SUMMIT_CARDS, ANN) == Draw()
    state = table("red-1 | blue-3 red-2\nwhite-1")
    assert default_move(mount_drago.game, state, ANN) == PlayCard("blue-3", ride=False)
    state = table("red-1 | blue-5 red-2 red-1\nwhite-1", dragons="blue 4, red 1")
    assert default_move(mount_drago.game, state, ANN) == PlayCard("blue-5")
    only = table("red-1 | black-1\nwhite-1", dragons=ON_TOP, phase=Phase.DISCARD)
    assert default_move(mount_drago.game, only, ANN) == Draw()


RUN_OUT = """
    red-1 / yellow-1 yellow-2 | red-2 green-1
    blue-1 / purple-4 | blue-2 blue-2
"""
"""Ann is to fill her hand to six; all cards that are not named are spent."""


def renewed(held: str) -> DrawPileRenewed:
    """Return the new draw pile of all cards but those held, as chance that sorts them leaves it."""
    pile = without(PACK, cards(held))
    return DrawPileRenewed(pile)


def test_an_empty_draw_pile_is_made_anew() -> None:
    """The discard pile and all cards under open cards are shuffled, and the draw goes on (R6)."""
    new_pile = renewed("red-2 green-1 blue-1 blue-2 blue-2")
    reached = (
        mount_drago.given(table(RUN_OUT, spent=True))
        .when(PlayCard("red-2"), chance=RiggedChance(PACK))
        .then(
            played("red-2", 2),
            new_pile,
            drew(0, "blue-1 blue-3 blue-3 blue-3 blue-4", next_seat=1),
        )
    )
    assert len(new_pile.draw_pile) == 105
    assert reached.state.draw_pile == new_pile.draw_pile[5:]
    assert (reached.state.discard_pile, reached.state.under) == ((), ((), ()))
    assert reached.state.open_cards == cards("red-2 blue-1")


def test_a_draw_pile_that_runs_out_is_made_anew_within_the_draw() -> None:
    """What it still has is drawn first; what was drawn is not shuffled in again (R6)."""
    mount_drago.given(table(RUN_OUT, draw_pile="orange-2 orange-1", spent=True)).when(
        PlayCard("red-2"), chance=RiggedChance(PACK)
    ).then(
        played("red-2", 2),
        CardsDrawn(ANN, cards("orange-1 orange-2"), ANN, Phase.DRAW),
        renewed("red-2 green-1 blue-1 blue-2 blue-2 orange-1 orange-2"),
        drew(0, "blue-1 blue-3 blue-3", next_seat=1),
    )


def test_a_draw_pile_may_be_empty_between_turns() -> None:
    """It is made again when a card is to be drawn, not when the last one was (R6)."""
    pile = "orange-1 orange-2 orange-3 orange-4 orange-5"
    reached = (
        mount_drago.given(table(RUN_OUT, draw_pile=pile, spent=True))
        .when(PlayCard("red-2"))
        .then(played("red-2", 2), drew(0, pile, next_seat=1))
    )
    assert reached.state.draw_pile == ()
    assert reached.state.under == (cards("red-1 yellow-1 yellow-2"), cards("purple-4"))


def test_cards_discarded_before_the_draw_are_shuffled_in() -> None:
    """They lie on the discard pile when the draw pile is made again (R5, R6)."""
    state = table(RUN_OUT, dragons="green 25", spent=True, phase=Phase.DISCARD)
    mount_drago.given(state).when(DiscardSummitCards(("green-1",)), chance=RiggedChance(PACK)).then(
        SummitCardsDiscarded(ANN, ("green-1",)),
        renewed("red-1 red-2 blue-1 blue-2 blue-2"),
        drew(0, "blue-1 blue-3 blue-3 blue-3 blue-4", next_seat=1),
    )


def test_keeping_all_with_an_empty_draw_pile() -> None:
    """The draw that was asked for makes the pile again and then goes on by itself (R6)."""
    state = table(RUN_OUT, dragons="green 25", spent=True, phase=Phase.DISCARD)
    mount_drago.given(state).when(Draw(), chance=RiggedChance(PACK)).then(
        renewed("red-1 red-2 green-1 blue-1 blue-2 blue-2"),
        drew(0, "blue-1 blue-3 blue-3 blue-3", next_seat=1),
    )


def test_the_new_pile_is_shuffled_by_the_chance_of_the_match() -> None:
    """The discard pile, oldest first, then what lies under the open cards by seat, top first (R6)."""
    state = table(RUN_OUT, spent=True, discard_pile="orange-5")
    events, _ = play(mount_drago.game, state, ANN, PlayCard("red-2"), luck("some match"))
    under = cards("red-1 yellow-1 yellow-2 purple-4")
    pile = luck("some match").shuffle((*state.discard_pile, *under))
    assert events[1] == DrawPileRenewed(pile)
