"""Montmartre §8: who sees what."""

import pytest
from msgspec.structs import replace

from domain.games.montmartre.catalogue import Card, Colour
from domain.games.montmartre.events import (
    CardsPicked,
    ContractDeclined,
    ContractsOffered,
    ContractTaken,
    Dealt,
    Event,
    Painted,
    PaintingSold,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.games.montmartre.state import Ending, Phase, pieces
from domain.games.montmartre.view import (
    Collector,
    CollectorPile,
    Table,
    TablePile,
    TableSeat,
    determinize,
    seen,
    view,
)
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.montmartre import card, cards, table
from tests.support.games.scenarios import ANN, BEN, CAM, luck

VIEWERS = (*map(seated, (ANN, BEN, CAM)), SPECTATOR, ALL_SEEING)

STATE = table(
    """
    b0 b1 g4 | b5 g1 y8 | b2 g4 | 3 | 4
    p0 p1 p2 p3 | p4 | g2
    y0 y1 y2 y3
    """,
    piles="g8 g7 g6 / p8 p7 / y7",
    discard_pile="y6 b8",
    phase=Phase.PICKED,
    vollard=Colour.GREEN,
    ending=Ending.FRANCS_EARNED,
)


def seen_table(hands: tuple[tuple[Card, ...], ...], piles: tuple[TablePile, ...]) -> Table:
    """Return what everybody sees of the table above, with these hands and piles."""
    return Table(
        first_seat=ANN,
        turn=ANN,
        phase=Phase.PICKED,
        seats=(
            TableSeat(
                hand_size=3,
                hand=hands[0],
                workshop=cards("b5 g1 y8"),
                francs=3,
                collectors=(Collector(Colour.BLUE, 2), Collector(Colour.GREEN, 4)),
                contract=4,
                score=13,
            ),
            TableSeat(
                hand_size=4,
                hand=hands[1],
                workshop=cards("p4"),
                francs=0,
                collectors=(Collector(Colour.GREEN, 2),),
                contract=None,
                score=2,
            ),
            TableSeat(4, hands[2], (), 0, (), None, 0),
        ),
        piles=piles,
        discard_pile=STATE.discard_pile,
        collectors=(
            CollectorPile(Colour.BLUE, (4, 6, 8, 10)),
            CollectorPile(Colour.GREEN, (6, 8, 10)),
            CollectorPile(Colour.PINK, (2, 4, 6, 8, 10)),
            CollectorPile(Colour.YELLOW, (2, 4, 6, 8, 10)),
        ),
        vollard=Colour.GREEN,
        contracts=(3, 5, 7, 12),
        offered=(),
        ending=Ending.FRANCS_EARNED,
    )


HANDS = (cards("b0 b1 g4"), cards("p0 p1 p2 p3"), cards("y0 y1 y2 y3"))
TOPS = (TablePile(3, card("g8"), ()), TablePile(2, card("p8"), ()), TablePile(1, card("y7"), ()))


@pytest.mark.parametrize("seat", [ANN, BEN, CAM])
def test_a_seat_sees_its_own_hand_only(seat: Seat) -> None:
    """Others' hands are shown by their numbers, piles by their top cards; the rest is public (§8, R6)."""
    hands = tuple(hand if owner == seat else () for owner, hand in enumerate(HANDS))
    assert view(STATE, seated(seat)) == seen_table(hands, TOPS)


def test_a_spectator_sees_no_hand() -> None:
    """Anyone who only looks on sees what is public (§8)."""
    assert view(STATE, SPECTATOR) == seen_table(((), (), ()), TOPS)


def test_the_all_seeing_eye_sees_the_whole_table() -> None:
    """After the end hands and piles are open to everybody (common §10)."""
    piles = (
        TablePile(3, card("g8"), cards("g8 g7 g6")),
        TablePile(2, card("p8"), cards("p8 p7")),
        TablePile(1, card("y7"), cards("y7")),
    )
    assert view(STATE, ALL_SEEING) == seen_table(HANDS, piles)


def test_once_the_game_is_over_it_is_nobody_s_turn() -> None:
    """The turn is null then, anyone who looks (§7.2)."""
    over = view(replace(STATE, phase=Phase.OVER), SPECTATOR)
    assert (over.turn, over.phase) == (None, Phase.OVER)


def test_an_open_window_is_public() -> None:
    """Everybody sees which contracts a seat may take (§8)."""
    state = table("... | | g2 p2 y2\n...\n...", phase=Phase.OFFERED, offered=(3, 7))
    for viewer in VIEWERS:
        shown = view(state, viewer)
        assert (shown.phase, shown.offered, shown.contracts) == (Phase.OFFERED, (3, 7), (3, 4, 5, 7, 12))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_an_empty_pile_has_no_top_card(viewer: Viewer) -> None:
    """A pile without cards looks the same to all (§8)."""
    shown = view(table("...\n...\n...", piles="/ g1 /"), viewer)
    assert (shown.piles[0], shown.piles[1].size, shown.piles[2]) == (
        TablePile(0, None, ()),
        1,
        TablePile(0, None, ()),
    )


DEALT = Dealt(
    BEN,
    (cards("b0 b1 b2 b3"), *HANDS[1:]),
    (cards("g8 g7"), cards("p8")),
)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_deal_shows_each_seat_its_hand_and_the_tops(viewer: Viewer) -> None:
    """Cards dealt to others, and those below a top card, are not told; their numbers are (§8)."""
    if viewer == ALL_SEEING:
        assert seen(DEALT, viewer) == DEALT
        return
    hands = tuple(hand if viewer.seat == seat else (None,) * 4 for seat, hand in enumerate(DEALT.hands))
    assert seen(DEALT, viewer) == Dealt(BEN, hands, ((card("g8"), None), cards("p8")))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_new_piles_show_their_tops(viewer: Viewer) -> None:
    """The order below a top card is known to nobody (§8)."""
    renewed = PilesRenewed((cards("g8 g7 g6"), cards("p8 p7"), cards("y7")))
    tops = ((card("g8"), None, None), (card("p8"), None), cards("y7"))
    assert seen(renewed, viewer) == (renewed if viewer == ALL_SEEING else PilesRenewed(tops))


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "event",
    [
        Painted(ANN, cards("b0 g4")),
        SoldOff(ANN, Colour.BLUE, cards("b1 b5"), 2),
        CardsPicked(ANN, 0, cards("g8 g7"), card("g6")),
        CardsPicked(ANN, 2, cards("y7"), None),
        VollardMoved(Colour.PINK),
        PaintingSold(ANN, Colour.PINK, card("p8"), 2),
        ContractsOffered(ANN, (3, 7)),
        ContractTaken(ANN, 7),
        ContractDeclined(ANN),
        TurnEnded(CAM, ANN, Ending.COLLECTORS_GONE),
        TurnEnded(CAM, None, Ending.FRANCS_EARNED),
    ],
)
def test_all_else_happens_in_the_open(event: Event, viewer: Viewer) -> None:
    """What is painted, sold, picked and taken is seen by everybody (§8)."""
    assert seen(event, viewer) == event


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_twin_looks_the_same(viewer: Viewer) -> None:
    """Another table has the same view, and the same pieces (§8)."""
    for number in range(20):
        twin = determinize(STATE, viewer, luck(f"{number}"))
        assert view(twin, viewer) == view(STATE, viewer)
        assert pieces(twin) == pieces(STATE)


@pytest.mark.parametrize("viewer", [seated(ANN), seated(CAM), SPECTATOR])
def test_a_twin_has_other_hidden_cards(viewer: Viewer) -> None:
    """Others' hands and the cards below the tops are mixed with one another (§8)."""
    twins = [determinize(STATE, viewer, luck(f"{number}")) for number in range(20)]
    assert len({twin.painters[BEN].hand for twin in twins}) > 1
    assert len({twin.piles[0][1:] for twin in twins}) > 1
    assert {card for twin in twins for card in twin.painters[BEN].hand} & set(cards("g7 g6 p7"))


def test_nothing_is_hidden_from_the_all_seeing_eye() -> None:
    """Its only twin is the table itself (common §10)."""
    assert determinize(STATE, ALL_SEEING, luck()) == STATE
