"""Mountains §5: mountain huts."""

from domain.games.mountains.catalogue import DECKS
from domain.games.mountains.commands import AcceptOffer, ChooseHike, DeclineOffer, Rest
from domain.games.mountains.events import (
    CardTurnedOver,
    EquipmentBought,
    OfferDeclined,
    OfferPassedOver,
    StampsBought,
    TurnEnded,
)
from domain.games.mountains.state import Phase
from domain.shared.outcomes import Outcome, OutcomeKind
from tests.support.games.mountains import hiking_card, mountains, table
from tests.support.games.scenarios import ANN, BEN, CAM, DAN

EQUIPMENT_HUT = "1-09"
"""Sells equipment for 2 stones."""
STAMP_HUT = "4-10"
"""Sells a stamp for 4 stones."""


def test_a_hut_is_offered_to_the_seat_on_turn_first() -> None:
    """Turning over a hut opens an offer; only its first seat is to act (§5.1)."""
    reached = (
        mountains.given(table("mug", "boots", "tent", turn=1, tops=EQUIPMENT_HUT))
        .when(ChooseHike("1"), seat=1)
        .then(CardTurnedOver(BEN, hiking_card(EQUIPMENT_HUT)))
        .then_legal(AcceptOffer(), DeclineOffer(), seat=1)
        .then_legal(seat=0)
        .then_legal(seat=2)
    )
    assert reached.state == table("mug", "boots", "tent", turn=1, card=EQUIPMENT_HUT, offered=(1, 2, 0))
    assert mountains.game.to_act(reached.state) == (BEN,)


def test_an_offer_goes_round_clockwise_once() -> None:
    """Each seat takes it or not, in turn order; then the same seat has another turn (§5.1, §5.4, R7)."""
    reached = (
        mountains.given(table("mug", "boots", "tent", turn=1, card=STAMP_HUT))
        .when(AcceptOffer(), seat=1)
        .then(StampsBought(BEN, 4, 1))
        .when(DeclineOffer(), seat=2)
        .then(OfferDeclined(CAM))
        .when(AcceptOffer(), seat=0)
        .then(StampsBought(ANN, 4, 1), TurnEnded(BEN, BEN))
    )
    assert reached.state == table(
        "mug", "boots", "tent", turn=1, discard_piles=STAMP_HUT, stones=(4, 4, 8), stamps=(1, 1, 0)
    )


def test_equipment_is_drawn_from_the_top_of_the_pile() -> None:
    """Two stones to the stockpile for each card, in turn order (§5.2, R7)."""
    reached = (
        mountains.given(table("mug", "boots", card=EQUIPMENT_HUT, draw_pile="tent boots rope"))
        .when(AcceptOffer())
        .then(EquipmentBought(ANN, 2, "tent"))
        .when(AcceptOffer(), seat=1)
        .then(EquipmentBought(BEN, 2, "boots"), TurnEnded(ANN, ANN))
    )
    assert reached.state == table(
        "tent mug", "boots boots", discard_piles=EQUIPMENT_HUT, draw_pile="rope", stones=(6, 6)
    )


def test_who_cannot_pay_is_passed_over() -> None:
    """It happens by itself, for stones are public; the offer goes on after (§5.1, common §3)."""
    reached = (
        mountains.given(table("mug", "boots", "tent", "rope", tops=STAMP_HUT, stones=(3, 4, 0, 25)))
        .when(ChooseHike("4"))
        .then(CardTurnedOver(ANN, hiking_card(STAMP_HUT)), OfferPassedOver(ANN))
        .when(AcceptOffer(), seat=1)
        .then(StampsBought(BEN, 4, 1), OfferPassedOver(CAM))
        .when(DeclineOffer(), seat=3)
        .then(OfferDeclined(DAN), TurnEnded(ANN, ANN))
    )
    assert reached.state.stones == (3, 0, 0, 25)


def test_no_equipment_is_offered_once_the_pile_is_empty() -> None:
    """Anyone who comes after the last card is passed over, rich or not (§5.1, §5.2, R7)."""
    reached = (
        mountains.given(table("mug", "boots", "tent", card=EQUIPMENT_HUT, draw_pile="rope"))
        .when(AcceptOffer())
        .then(
            EquipmentBought(ANN, 2, "rope"), OfferPassedOver(BEN), OfferPassedOver(CAM), TurnEnded(ANN, ANN)
        )
    )
    assert reached.state.stones == (6, 8, 8)


def test_a_stamp_is_offered_though_the_pile_is_empty() -> None:
    """The equipment pile does not matter for stamps (§5.3)."""
    given = mountains.given(table("mug", "boots", card=STAMP_HUT, draw_pile=""))
    given.when(AcceptOffer()).then(StampsBought(ANN, 4, 1))


def test_an_offer_that_nobody_can_take_is_over_at_once() -> None:
    """The hut is discarded, and the seat has another turn, with a rest day if it has no stones (§5.1, R8)."""
    reached = (
        mountains.given(table("mug", "boots", tops=EQUIPMENT_HUT, stones=(0, 1)))
        .when(ChooseHike("1"))
        .then(
            CardTurnedOver(ANN, hiking_card(EQUIPMENT_HUT)),
            OfferPassedOver(ANN),
            OfferPassedOver(BEN),
            TurnEnded(ANN, ANN),
        )
        .then_legal(*(ChooseHike(deck) for deck in DECKS), Rest())
    )
    assert reached.state == table("mug", "boots", discard_piles=EQUIPMENT_HUT, stones=(0, 1))


def test_the_price_is_the_printed_one() -> None:
    """The stamp hut of deck 5* asks for 3 stones; exactly 3 are enough (§5.3)."""
    reached = (
        mountains.given(table("mug", "boots", card="5s-09", stones=(3, 3)))
        .when(AcceptOffer())
        .then(StampsBought(ANN, 3, 1))
        .when(DeclineOffer(), seat=1)
        .then(OfferDeclined(BEN), TurnEnded(ANN, ANN))
    )
    assert (reached.state.stones, reached.state.stamps) == ((0, 3), (1, 0))


def test_the_end_is_checked_between_a_hut_and_the_other_turn() -> None:
    """A hut that is the last card of the second high deck ends the game (§5.4, §6.1, R8)."""
    reached = (
        mountains.given(table("mug", "boots", card=STAMP_HUT, offered=(1,), used="4 5s"))
        .when(AcceptOffer(), seat=1)
        .then(StampsBought(BEN, 4, 1), TurnEnded(ANN, None))
        .then_ended(Outcome(OutcomeKind.WON, (BEN,), (0, 1), "decks_used_up", (8, 4)))
    )
    assert reached.state == table("mug", "boots", phase=Phase.OVER, used="4 5s", stones=(8, 4), stamps=(0, 1))
