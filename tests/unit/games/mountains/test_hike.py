"""Mountains §4: choosing a hike, asking for equipment, completing, declining and abandoning."""

import pytest

from domain.games.mountains.catalogue import CARDS, DECKS, Deck
from domain.games.mountains.commands import AbandonHike, Ask, ChooseHike, CompleteHike, DeclineHike
from domain.games.mountains.events import (
    CardTurnedOver,
    EquipmentAsked,
    HikeAbandoned,
    HikeCompleted,
    HikeDeclined,
    TurnEnded,
)
from domain.games.mountains.rejections import Reason
from domain.games.mountains.state import INITIAL, Phase, State, face_up
from tests.support.games.mountains import hiking_card, mountains, table
from tests.support.games.scenarios import ANN, BEN, CAM

PAIR = "4s-01"
"""A hike that asks for carabiner, two helmets and lighter, for three stamps."""

ROPES = "4s-06"
"""A hike that asks for two ropes, sunglasses and lantern."""


def test_a_turn_begins_with_a_card_from_any_deck() -> None:
    """The top card of the chosen deck lies face up before the seat (§4.1)."""
    reached = (
        mountains.given(table("rope", "boots", tops="3-04 3-01"))
        .then_legal(*(ChooseHike(deck) for deck in DECKS))
        .when(ChooseHike("3"))
        .then(CardTurnedOver(ANN, CARDS["3-04"]))
    )
    assert reached.state == table("rope", "boots", card="3-04", tops="3-01")


def test_an_empty_deck_cannot_be_chosen() -> None:
    """Only decks that have a card are listed, and a turn without stones may begin with a hike too (R9)."""
    given = mountains.given(table("rope", "boots", used="1 4s"))
    given.then_legal(ChooseHike("2"), ChooseHike("3"), ChooseHike("4"), ChooseHike("5s"))
    given.when(ChooseHike("4s")).then_rejected(Reason.DECK_EMPTY, seat=0)


@pytest.mark.parametrize("deck", ["4", "4s"])
def test_the_two_decks_named_4_are_different(deck: Deck) -> None:
    """4 and 4* are chosen by their own names (R1)."""
    reached = mountains.given(table("rope", "boots")).when(ChooseHike(deck))
    reached.then(CardTurnedOver(ANN, hiking_card(f"{deck}-01")))


def test_a_neighbour_that_has_the_piece_displays_it() -> None:
    """One stone goes over, the piece comes forth and covers the hike (§4.2, §4.3)."""
    reached = (
        mountains.given(table("mug", "rope boots", "rope", card="1-04"))
        .when(Ask(1, "rope"))
        .then(EquipmentAsked(ANN, BEN, "rope", displayed=True))
        .then_legal(CompleteHike(), AbandonHike())
    )
    assert reached.state == table("mug", "boots / rope", "rope", card="1-04", asked=True, stones=(7, 9, 8))


def test_a_neighbour_without_the_piece_keeps_the_stone() -> None:
    """The answer is no, and the stone is gone all the same (§4.3)."""
    reached = (
        mountains.given(table("mug", "boots", "rope", card="1-04"))
        .when(Ask(1, "rope"))
        .then(EquipmentAsked(ANN, BEN, "rope", displayed=False))
        .then_legal(Ask(1, "rope"), Ask(2, "rope"), AbandonHike())
    )
    assert reached.state == table("mug", "boots", "rope", card="1-04", asked=True, stones=(7, 9, 8))


def test_the_same_seat_may_be_asked_again() -> None:
    """Even for what it has just said that it has not, for another stone (§4.3)."""
    answer = EquipmentAsked(ANN, BEN, "rope", displayed=False)
    reached = (
        mountains.given(table("mug", "boots", card="1-04"))
        .when(Ask(1, "rope"))
        .then(answer)
        .when(Ask(1, "rope"))
        .then(answer)
    )
    assert reached.state.stones == (6, 10)


def test_the_stone_is_paid_before_the_answer() -> None:
    """Anyone who has no stone cannot ask, though the answer would be yes (§4.3, R6)."""
    given = mountains.given(table("mug", "rope", card="1-04", stones=(0, 16)))
    given.then_legal(DeclineHike())
    given.when(Ask(1, "rope")).then_rejected(Reason.NO_STONES, seat=0)


def test_a_last_stone_is_enough() -> None:
    """One stone pays for one question (§4.3, R2)."""
    reached = (
        mountains.given(table("mug", "rope", card="1-04", stones=(1, 15)))
        .when(Ask(1, "rope"))
        .then(EquipmentAsked(ANN, BEN, "rope", displayed=True))
        .when(CompleteHike())
        .then(HikeCompleted(ANN, (), 3, 0), TurnEnded(ANN, BEN))
    )
    assert reached.state.stones == (3, 16)


def test_only_missing_pieces_may_be_asked_for() -> None:
    """Neither what the hike does not need nor what is in the own hand or on display (R3)."""
    given = mountains.given(table("boots rope", "mug / first_aid_kit", card="3-01", asked=True))
    given.then_legal(Ask(1, "mug"), AbandonHike())
    for piece in ("boots", "first_aid_kit", "rope", "tent"):
        given.when(Ask(1, piece)).then_rejected(Reason.NOT_MISSING, seat=0)


def test_who_holds_one_of_a_pair_may_ask_for_the_other() -> None:
    """Missing is what the hike needs less what the hand has: one of two helmets (§4.2, R3)."""
    reached = (
        mountains.given(table("carabiner helmet lighter", "helmet mug", card=PAIR))
        .then_legal(Ask(1, "helmet"), DeclineHike())
        .when(Ask(1, "helmet"))
        .then(EquipmentAsked(ANN, BEN, "helmet", displayed=True))
        .then_legal(CompleteHike(), AbandonHike())
        .when(CompleteHike())
        .then(HikeCompleted(ANN, ("carabiner", "helmet", "lighter"), 0, 3), TurnEnded(ANN, BEN))
    )
    assert reached.state.hands == (("carabiner", "helmet", "lighter"), ("helmet", "mug"))


def test_a_pair_needs_both_copies() -> None:
    """With one helmet of two the hike is not complete (§4.2, §4.4)."""
    given = mountains.given(table("carabiner helmet lighter", "mug", card=PAIR))
    given.when(CompleteHike()).then_rejected(Reason.EQUIPMENT_MISSING, seat=0)


def test_a_pair_held_by_one_neighbour_takes_two_questions() -> None:
    """One stone a piece: the second copy is asked for like the first (§4.3, R2)."""
    shown = EquipmentAsked(ANN, BEN, "rope", displayed=True)
    reached = (
        mountains.given(table("sunglasses lantern", "rope rope", card=ROPES))
        .when(Ask(1, "rope"))
        .then(shown)
        .then_legal(Ask(1, "rope"), AbandonHike())
        .when(Ask(1, "rope"))
        .then(shown)
        .then_legal(CompleteHike(), AbandonHike())
    )
    assert reached.state == table(
        "sunglasses lantern", " / rope rope", card=ROPES, asked=True, stones=(6, 10)
    )


def test_a_copy_on_display_is_not_displayed_twice() -> None:
    """A neighbour that has one copy on display and no other says no to the second question (§4.3)."""
    given = mountains.given(table("sunglasses lantern", "mug / rope", card=ROPES, asked=True))
    reached = given.when(Ask(1, "rope")).then(EquipmentAsked(ANN, BEN, "rope", displayed=False))
    assert reached.state.displayed == ((), ("rope",))


def test_a_pair_may_come_from_two_neighbours() -> None:
    """Any other seat may be asked for any piece (§4.3)."""
    reached = (
        mountains.given(table("rope", "sunglasses", "lantern rope", turn=1, card=ROPES))
        .when(Ask(0, "rope"), seat=1)
        .then(EquipmentAsked(BEN, ANN, "rope", displayed=True))
        .when(Ask(2, "rope"), seat=1)
        .then(EquipmentAsked(BEN, CAM, "rope", displayed=True))
        .when(Ask(2, "lantern"), seat=1)
        .then(EquipmentAsked(BEN, CAM, "lantern", displayed=True))
        .then_legal(CompleteHike(), AbandonHike(), seat=1)
    )
    assert reached.state.stones == (9, 5, 10)


def test_a_hike_with_everything_in_hand_is_completed_without_a_question() -> None:
    """The seat lays out its pieces and gets stones and stamps; the turn ends (§4.4, §4.7)."""
    given = mountains.given(table("boots first_aid_kit mug tent", "rope", card="3-01"))
    reached = (
        given.then_legal(CompleteHike(), DeclineHike())
        .when(CompleteHike())
        .then(HikeCompleted(ANN, ("boots", "first_aid_kit", "mug"), 3, 1), TurnEnded(ANN, BEN))
    )
    assert reached.state == table(
        "boots first_aid_kit mug tent", "rope", turn=1, discard_piles="3-01", stones=(11, 8), stamps=(1, 0)
    )


def test_own_pieces_are_shown_only_on_completion() -> None:
    """While asking they stay in the hand; completed, they lie beside what others lent (R4, §4.4)."""
    given = mountains.given(table("carabiner helmet lighter", "helmet mug", card=PAIR))
    asked = given.when(Ask(1, "helmet")).then(EquipmentAsked(ANN, BEN, "helmet", displayed=True))
    assert asked.state.displayed == ((), ("helmet",))
    completed = mountains.game.evolve(
        asked.state, HikeCompleted(ANN, ("carabiner", "helmet", "lighter"), 0, 3)
    )
    assert completed == table(
        " / carabiner helmet lighter",
        "mug / helmet",
        card=PAIR,
        asked=True,
        phase=Phase.DONE,
        stones=(7, 9),
        stamps=(3, 0),
    )
    assert mountains.game.to_act(completed) == ()


def test_own_copies_beyond_the_hike_stay_in_the_hand() -> None:
    """Of two ropes one is laid out where the hike needs one (§4.4)."""
    given = mountains.given(table("rope rope", "boots", card="1-04"))
    given.when(CompleteHike()).then(HikeCompleted(ANN, ("rope",), 3, 0), TurnEnded(ANN, BEN))


def test_declining_gives_a_stone_and_ends_the_turn() -> None:
    """The card is discarded unstarted (§4.5, R5)."""
    given = mountains.given(table("mug", "boots", card="1-04"))
    reached = given.when(DeclineHike()).then(HikeDeclined(ANN, 1), TurnEnded(ANN, BEN))
    assert reached.state == table("mug", "boots", turn=1, discard_piles="1-04", stones=(9, 8))


def test_after_the_first_question_a_hike_cannot_be_declined() -> None:
    """Nor can it be abandoned before (§4.5, §4.6)."""
    before = mountains.given(table("mug", "boots", card="1-04"))
    before.when(AbandonHike()).then_rejected(Reason.NOTHING_ASKED, seat=0)
    after = mountains.given(table("mug", "boots", card="1-04", asked=True))
    after.when(DeclineHike()).then_rejected(Reason.ALREADY_ASKED, seat=0)


def test_abandoning_gives_nothing_and_ends_the_turn() -> None:
    """Stones paid stay paid; displayed pieces go back (§4.6, §4.7)."""
    given = mountains.given(table("mug", "tent / canteen", card="3-10", asked=True, stones=(7, 9)))
    reached = given.when(AbandonHike()).then(HikeAbandoned(ANN), TurnEnded(ANN, BEN))
    assert reached.state == table("mug", "tent canteen", turn=1, discard_piles="3-10", stones=(7, 9))


def test_a_hike_that_misses_nothing_may_be_declined_or_abandoned() -> None:
    """Own pieces are hidden until completion, so nobody can tell (R14)."""
    before = mountains.given(table("rope", "boots", card="1-04"))
    before.when(DeclineHike()).then(HikeDeclined(ANN, 1), TurnEnded(ANN, BEN))
    after = mountains.given(table("mug", " / rope", card="1-04", asked=True))
    after.when(AbandonHike()).then(HikeAbandoned(ANN), TurnEnded(ANN, BEN))


@pytest.mark.parametrize("hand", ["mug", "rope"])
def test_a_hike_never_ends_by_itself(hand: str) -> None:
    """After the last stone the seat is still to act, whatever its hand has or lacks (R6, common §3)."""
    given = mountains.given(table(hand, "boots", card="1-04", asked=True, stones=(0, 16)))
    assert mountains.game.to_act(given.state) == (ANN,)
    given.then_legal(*([CompleteHike()] if hand == "rope" else []), AbandonHike())


def test_displayed_pieces_go_back_and_the_card_is_discarded() -> None:
    """At the end of the turn everybody takes back what was displayed, in order (§4.7)."""
    given = mountains.given(
        table("mug", "boots tent / canteen", "rope / tent", card="3-10", asked=True, discard_piles="3-09")
    )
    reached = given.when(CompleteHike()).then(HikeCompleted(ANN, ("mug",), 3, 1), TurnEnded(ANN, BEN))
    assert reached.state == table(
        "mug",
        "boots tent canteen",
        "rope tent",
        turn=1,
        discard_piles="3-09 3-10",
        stones=(11, 8, 8),
        stamps=(1, 0, 0),
    )


def test_play_goes_round_clockwise() -> None:
    """After the last seat comes seat 0 (§4, common §1)."""
    given = mountains.given(table("mug", "boots", "tent", turn=2, card="1-04"))
    reached = given.when(DeclineHike(), seat=2).then(HikeDeclined(CAM, 1), TurnEnded(CAM, ANN))
    assert mountains.game.to_act(reached.state) == (ANN,)


def test_questions_come_by_neighbour_then_equipment() -> None:
    """Neighbours rising, equipment in the order of §1, then what ends the turn (common §9)."""
    state = table("rope helmet", "boots", "tent", turn=1, card="4s-01", asked=True)
    mountains.given(state).then_legal(
        Ask(0, "carabiner"),
        Ask(0, "helmet"),
        Ask(0, "lighter"),
        Ask(2, "carabiner"),
        Ask(2, "helmet"),
        Ask(2, "lighter"),
        AbandonHike(),
        seat=1,
    )


@pytest.mark.parametrize(
    "state",
    [
        table("mug", "boots", used="2"),
        table("mug", "rope", card="1-04"),
        table("mug", "rope", card="1-04", asked=True),
    ],
)
def test_only_the_seat_on_turn_has_moves(state: State) -> None:
    """The others wait (common §1)."""
    assert mountains.game.to_act(state) == (0,)
    mountains.given(state).then_legal(seat=1)


def test_no_card_lies_face_up_before_one_is_chosen() -> None:
    """To look for it then is a bug of the asker (§4.1)."""
    with pytest.raises(ValueError, match="face up"):
        face_up(INITIAL)
