"""Mountains §7: what each viewer may know."""

import msgspec
import pytest

from domain.games.mountains.catalogue import CARDS, DECKS, Options, SummitBooks, in_order
from domain.games.mountains.events import (
    CardTurnedOver,
    Dealt,
    EquipmentAsked,
    EquipmentBought,
    Event,
    HikeAbandoned,
    HikeCompleted,
    HikeDeclined,
    OfferDeclined,
    OfferPassedOver,
    Rested,
    StampsBought,
    TurnEnded,
)
from domain.games.mountains.setup import setup
from domain.games.mountains.state import Phase, State
from domain.games.mountains.view import Table, TableDeck, TableSeat, determinize, seen, view
from domain.shared.viewers import ALL_SEEING, SPECTATOR, TablePile, Viewer, seated
from tests.support.games.mountains import ids, table
from tests.support.games.scenarios import ANN, BEN, CAM, luck

VIEWERS = (seated(ANN), seated(BEN), seated(CAM), SPECTATOR, ALL_SEEING)

DURING = table(
    "boots mug",
    "rope / first_aid_kit",
    "lantern tent",
    card="3-01",
    asked=True,
    stones=(3, 12, 9),
    stamps=(2, 0, 4),
    draw_pile="canteen rope",
    discard_piles="4-02 3-12 5s-04",
    tops="1-04 1-01",
)
"""Ann is asking for what the hike 3-01 needs."""


def decks(*, disclosed: bool = False) -> tuple[TableDeck, ...]:
    """Return the decks of the table above as a viewer sees them."""
    gone = {"3": ids("3-12"), "4": ids("4-02"), "5s": ids("5s-04")}
    shown = []
    for number, deck in enumerate(DECKS):
        cards = DURING.decks[number]
        shown.append(TableDeck(deck, len(cards), cards if disclosed else (), gone.get(deck, ())))
    return tuple(shown)


def test_a_seat_sees_its_own_hand_and_stamps_and_all_that_is_public() -> None:
    """Of the other hands, the pile and the decks it sees numbers (§7)."""
    assert view(DURING, seated(ANN)) == Table(
        summit_books=SummitBooks.SECRET,
        turn=ANN,
        phase=Phase.HIKING,
        seats=(
            TableSeat(2, ("boots", "mug"), (), stones=3, stamps=2),
            TableSeat(1, (), ("first_aid_kit",), stones=12, stamps=None),
            TableSeat(2, (), (), stones=9, stamps=None),
        ),
        draw_pile=TablePile(2, ()),
        decks=decks(),
        card=CARDS["3-01"],
        asked=True,
        offered=(),
    )


def test_a_spectator_sees_no_hand_and_no_stamps() -> None:
    """All else is public (§7)."""
    shown = view(DURING, SPECTATOR)
    assert shown.seats == (
        TableSeat(2, (), (), stones=3, stamps=None),
        TableSeat(1, (), ("first_aid_kit",), stones=12, stamps=None),
        TableSeat(2, (), (), stones=9, stamps=None),
    )
    assert msgspec.structs.replace(shown, seats=()) == msgspec.structs.replace(
        view(DURING, seated(ANN)), seats=()
    )


def test_the_whole_table_is_shown_once_it_is_disclosed() -> None:
    """Hands, stamps, pile and decks, in their order (§7, common §10)."""
    assert view(DURING, ALL_SEEING) == Table(
        summit_books=SummitBooks.SECRET,
        turn=ANN,
        phase=Phase.HIKING,
        seats=(
            TableSeat(2, ("boots", "mug"), (), stones=3, stamps=2),
            TableSeat(1, ("rope",), ("first_aid_kit",), stones=12, stamps=0),
            TableSeat(2, ("tent", "lantern"), (), stones=9, stamps=4),
        ),
        draw_pile=TablePile(2, ("canteen", "rope")),
        decks=decks(disclosed=True),
        card=CARDS["3-01"],
        asked=True,
        offered=(),
    )


@pytest.mark.parametrize("viewer", VIEWERS)
def test_open_books_show_all_stamps(viewer: Viewer) -> None:
    """With open summit books every viewer sees every total (§2, §7)."""
    state = msgspec.structs.replace(DURING, summit_books=SummitBooks.OPEN)
    assert [seat.stamps for seat in view(state, viewer).seats] == [2, 0, 4]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_after_the_end_all_stamps_are_shown(viewer: Viewer) -> None:
    """Totals are scores then; hands stay hidden unless the match discloses them (§7, common §10)."""
    over = msgspec.structs.replace(DURING, phase=Phase.OVER, card=None)
    shown = view(over, viewer)
    assert [seat.stamps for seat in shown.seats] == [2, 0, 4]
    assert (shown.turn, shown.phase) == (None, Phase.OVER)
    assert [bool(seat.hand) for seat in shown.seats] == [
        viewer in (ALL_SEEING, seated(seat)) for seat in (ANN, BEN, CAM)
    ]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_who_is_still_to_be_offered_a_hut_is_public(viewer: Viewer) -> None:
    """In the order in which they are asked (§5.1, §7)."""
    state = table("mug", "boots", "tent", turn=2, card="4-10", offered=(2, 0))
    assert view(state, viewer).offered == (2, 0)


def test_the_deal_shows_each_seat_its_own_hand() -> None:
    """Others, spectators too, see how many cards there are (§7)."""
    (dealt,) = setup(Options(), 3, luck())
    assert isinstance(dealt, Dealt)
    for viewer in VIEWERS[:4]:
        assert seen(dealt, viewer) == Dealt(
            first_seat=dealt.first_seat,
            summit_books=SummitBooks.SECRET,
            stones=8,
            hands=tuple(
                hand if viewer.seat == number else (None,) * 6 for number, hand in enumerate(dealt.hands)
            ),
            draw_pile=(None,) * 14,
            decks=tuple((None,) * (12 if deck == "3" else 10) for deck in DECKS),
        )
    assert seen(dealt, ALL_SEEING) == dealt


@pytest.mark.parametrize("viewer", VIEWERS)
def test_bought_equipment_is_for_its_buyer_only(viewer: Viewer) -> None:
    """That a card was bought, and for what, is public (§7)."""
    bought = EquipmentBought(BEN, 2, "canteen")
    hidden = EquipmentBought(BEN, 2, None)
    assert seen(bought, viewer) == (bought if viewer in (seated(BEN), ALL_SEEING) else hidden)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "event",
    [
        CardTurnedOver(ANN, CARDS["3-01"]),
        EquipmentAsked(ANN, BEN, "first_aid_kit", displayed=True),
        HikeCompleted(ANN, ("boots", "mug"), 3, 1),
        HikeDeclined(ANN, 1),
        HikeAbandoned(ANN),
        StampsBought(CAM, 4, 1),
        OfferDeclined(CAM),
        OfferPassedOver(CAM),
        Rested(ANN, 3),
        TurnEnded(ANN, BEN),
        TurnEnded(ANN, None),
    ],
)
def test_all_else_that_happens_is_public(event: Event, viewer: Viewer) -> None:
    """Questions, answers, what a hike gave even with secret books, purchases and passing over (§7)."""
    assert seen(event, viewer) == event


@pytest.mark.parametrize("viewer", VIEWERS[:4])
def test_a_twin_differs_in_all_that_is_hidden_and_nothing_else(viewer: Viewer) -> None:
    """Other hands, pile and decks are redrawn from the same cards; the own hand and the display stay (§7)."""
    twins = [determinize(DURING, viewer, luck(f"{number}")) for number in range(30)]
    for twin in twins:
        assert view(twin, viewer) == view(DURING, viewer)
        assert sorted((*twin.draw_pile, *(card for hand in twin.hands for card in hand))) == sorted(
            (*DURING.draw_pile, *(card for hand in DURING.hands for card in hand))
        )
        assert all(hand == in_order(hand) for hand in twin.hands)
        assert [sorted(deck) for deck in twin.decks] == [sorted(deck) for deck in DURING.decks]
    for seat in (ANN, BEN, CAM):
        assert (len({twin.hands[seat] for twin in twins}) > 1) == (viewer.seat != seat)
        assert (len({twin.stamps[seat] for twin in twins}) > 1) == (viewer.seat != seat)
    assert len({twin.draw_pile for twin in twins}) > 1
    assert all(len({twin.decks[number] for twin in twins}) > 1 for number in range(len(DECKS)))


def test_a_twin_has_no_more_stamps_than_the_cards_give() -> None:
    """Withheld totals are dealt out again from the cards that were discarded: 2 + 1 + 4 stamps (§7)."""
    for number in range(100):
        twin = determinize(DURING, SPECTATOR, luck(f"{number}"))
        assert sum(twin.stamps) <= 2 + 1 + 4


@pytest.mark.parametrize(
    "state",
    [
        msgspec.structs.replace(DURING, summit_books=SummitBooks.OPEN),
        msgspec.structs.replace(DURING, phase=Phase.OVER, card=None),
    ],
)
def test_totals_that_are_shown_are_not_guessed(state: State) -> None:
    """With open books, and after the end, a twin has the same stamps (§7)."""
    assert determinize(state, SPECTATOR, luck()).stamps == (2, 0, 4)


def test_nothing_is_hidden_from_an_eye_that_sees_all() -> None:
    """The only table that it cannot tell from this one is this one (common §10)."""
    assert determinize(DURING, ALL_SEEING, luck()) is DURING


def test_no_colour_is_anywhere() -> None:
    """The two copies of a type are the same word, in every view and event (R15)."""
    (dealt,) = setup(Options(), 5, luck())
    text = (msgspec.json.encode(dealt) + msgspec.json.encode(view(DURING, ALL_SEEING))).decode()
    assert "blue" not in text
    assert "green" not in text
