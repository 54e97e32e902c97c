"""Montanara §6: who sees what, in views and events."""

from collections.abc import Callable

import pytest

from domain.games.montanara.catalogue import Kind, Options, TunnelOrder
from domain.games.montanara.commands import (
    ArrangeTunnel,
    Dig,
    DigHome,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayTunnel,
    TakeCard,
)
from domain.games.montanara.events import (
    CardDug,
    CardLifted,
    CardPlaced,
    CardTaken,
    CaveInDug,
    CaveInPlayed,
    CrystalDug,
    Dealt,
    DigBegun,
    DrillingEnded,
    DrillingPlayed,
    DwarfPlayed,
    Event,
    LookDeclined,
    MountainLookedAt,
    OpenPitPlayed,
    ShakingPlayed,
    TheftPlayed,
    TunnelArranged,
    TunnelPlayed,
)
from domain.games.montanara.state import Phase
from domain.games.montanara.view import Known, Table, TableSeat, seen, unaided, view
from domain.shared.game import begin, play
from domain.shared.viewers import ALL_SEEING, SPECTATOR, TablePile, Viewer, seated
from tests.support.games.montanara import cards, montanara, piles, table
from tests.support.games.scenarios import ANN, BEN, luck

VIEWERS = (seated(ANN), seated(BEN), SPECTATOR, ALL_SEEING)

STATE = table(
    hands="dwarf theft / crystal tunnel tunnel",
    mountains="dwarf crystal / / theft / drilling dwarf",
    displays="dwarf dwarf / crystal",
    discard_pile="shaking dwarf",
)


def expected(known: Known | None, ann: str = "", ben: str = "", mountains: str = " / / / ") -> Table:
    """Return the view of the table above, as far as a viewer sees it."""
    return Table(
        turn=ANN,
        phase=Phase.TURN,
        seats=(TableSeat(2, cards(ann), 2, 0), TableSeat(3, cards(ben), 0, 1)),
        mountains=tuple(
            TablePile(size, pile) for size, pile in zip((2, 0, 1, 2), piles(mountains), strict=True)
        ),
        discard_pile=cards("shaking dwarf"),
        played=None,
        visited=(),
        lifted=False,
        left=0,
        shown=(),
        known=known,
    )


NOTHING = Known(((None, None), (), (None,), (None, None)), ())


def test_a_seat_sees_its_hand_and_numbers() -> None:
    """Its own cards, the number of the opponent's and of each mountain's, displays and discard pile (§6)."""
    assert view(STATE, seated(ANN)) == expected(NOTHING, ann="dwarf theft")
    assert view(STATE, seated(BEN)) == expected(NOTHING, ben="crystal tunnel tunnel")


def test_a_spectator_sees_numbers() -> None:
    """No hand, no mountain, and nothing known (§6, R14)."""
    assert view(STATE, SPECTATOR) == expected(None)


def test_all_is_shown_in_the_end() -> None:
    """The eye that sees all sees every card where it lies (§6, common §10)."""
    assert view(STATE, ALL_SEEING) == expected(
        None, "dwarf theft", "crystal tunnel tunnel", "dwarf crystal / / theft / drilling dwarf"
    )


def test_without_memory_aid_the_rest_is_the_same() -> None:
    """A view without memory aid has no `known`, and all else (R14)."""
    assert unaided(view(STATE, seated(ANN))) == expected(None, ann="dwarf theft")
    assert unaided(view(STATE, SPECTATOR)) == view(STATE, SPECTATOR)


def test_once_the_game_is_over_it_is_nobody_s_turn() -> None:
    """The turn is null then, anyone who looks; an outstanding look has lapsed (§5.2, §5.3)."""
    last = table(mountains="cave_in / dwarf / / ", displays="dwarf / ")
    _, over = play(montanara.game, last, ANN, Dig(0), luck())
    for viewer in VIEWERS:
        assert (view(over, viewer).turn, view(over, viewer).phase) == (None, Phase.OVER)


def test_a_phase_shows_what_it_is_about() -> None:
    """The card that lies open and the mountains that the action has been to are public (§4.10, §6)."""
    _, looking = play(montanara.game, table(hands="cave_in / "), ANN, PlayCaveIn(), luck())
    _, looked = play(montanara.game, looking, BEN, LookAtMountain(2), luck())
    for viewer in VIEWERS:
        seen_now = view(looked, viewer)
        assert (seen_now.phase, seen_now.turn, seen_now.played) == (Phase.LOOK, ANN, Kind.CAVE_IN)
        assert (seen_now.visited, seen_now.shown) == ((2,), ())


def test_a_tunnel_shows_its_cards_to_its_seat_until_they_are_back() -> None:
    """The seat that chooses the order is shown them, memory aid or not; others are not (§4.6, §6)."""
    before = table(
        hands="tunnel / ",
        mountains="crystal theft / dwarf / / ",
        tunnel_order=TunnelOrder.CHOSEN,
    )
    _, waiting = play(montanara.game, before, ANN, PlayTunnel(0), luck())
    assert [view(waiting, viewer).shown for viewer in VIEWERS] == [
        cards("crystal theft"),
        (),
        (),
        cards("crystal theft"),
    ]
    assert unaided(view(waiting, seated(ANN))).shown == cards("crystal theft")
    _, back = play(montanara.game, waiting, ANN, ArrangeTunnel(cards("theft crystal")), luck())
    assert [view(back, viewer).shown for viewer in VIEWERS] == [()] * 4


def test_a_lifted_card_is_shown_to_its_seat_until_it_is_placed() -> None:
    """The driller sees the card, others that one is lifted, and from where (§4.7, §6)."""
    before = table(hands="drilling / ", mountains="dwarf crystal / dwarf / / ")
    _, lifted = play(montanara.game, before, ANN, PlayDrilling(0), luck())
    for viewer, card in zip(VIEWERS, (cards("crystal"), (), (), cards("crystal")), strict=True):
        seen_now = view(lifted, viewer)
        assert (seen_now.phase, seen_now.visited, seen_now.lifted) == (Phase.DRILLING, (0,), True)
        assert (seen_now.shown, seen_now.mountains[0].size) == (card, 2)
    _, placed = play(montanara.game, lifted, ANN, PlaceDrilled(Place.TOP), luck())
    assert [view(placed, viewer).shown for viewer in VIEWERS] == [()] * 4


@pytest.mark.parametrize(
    ("event", "hidden", "seats"),
    [
        (
            CardTaken(ANN, 2, Kind.THEFT),
            CardTaken(ANN, 2, None),
            {ANN},
        ),
        (
            OpenPitPlayed(BEN, 2, Kind.THEFT),
            OpenPitPlayed(BEN, 2, None),
            {BEN},
        ),
        (
            CardLifted(ANN, 1, Kind.CRYSTAL),
            CardLifted(ANN, 1, None),
            {ANN},
        ),
        (
            MountainLookedAt(BEN, 3, cards("dwarf theft crystal")),
            MountainLookedAt(BEN, 3, (None, None, None)),
            {BEN},
        ),
        (
            TunnelPlayed(ANN, 0, cards("dwarf dwarf theft tunnel")),
            TunnelPlayed(ANN, 0, (None, None, None, None)),
            {ANN},
        ),
        (
            TunnelArranged(ANN, 0, cards("dwarf theft"), chosen=True),
            TunnelArranged(ANN, 0, (None, None), chosen=True),
            {ANN},
        ),
        (
            TunnelArranged(ANN, 0, cards("dwarf theft"), chosen=False),
            TunnelArranged(ANN, 0, (None, None), chosen=False),
            set(),
        ),
    ],
)
def test_a_private_card_is_seen_by_its_seat_alone(event: Event, hidden: Event, seats: set[int]) -> None:
    """Others see that there are cards, how many and where; a random order nobody sees (§6)."""
    for viewer in (seated(ANN), seated(BEN), SPECTATOR):
        assert seen(event, viewer) == (event if viewer.seat in seats else hidden)
    assert seen(event, ALL_SEEING) == event


@pytest.mark.parametrize(
    "make",
    [
        lambda hands: TheftPlayed(ANN, hands),
        lambda hands: Dealt(ANN, TunnelOrder.RANDOM, hands, ((),)),
    ],
)
def test_each_seat_sees_its_own_hand(make: Callable[[tuple[tuple[Kind | None, ...], ...]], Event]) -> None:
    """Of dealt and of swapped hands a seat sees its own, a spectator none (§6)."""
    event = make(piles("dwarf theft / tunnel"))
    assert seen(event, seated(ANN)) == make((cards("dwarf theft"), (None,)))
    assert seen(event, seated(BEN)) == make(((None, None), cards("tunnel")))
    assert seen(event, SPECTATOR) == make(((None, None), (None,)))
    assert seen(event, ALL_SEEING) == event


def test_nobody_sees_the_mountains_as_they_are_dealt() -> None:
    """Only how many cards they have (§6)."""
    (dealt,), _ = begin(montanara.game, Options((1, 1, 2, 68)), 2, luck())
    for viewer in (seated(ANN), seated(BEN), SPECTATOR):
        shown = seen(dealt, viewer)
        assert isinstance(shown, Dealt)
        assert shown.mountains == ((None,), (None,), (None,) * 2, (None,) * 68)
    assert seen(dealt, ALL_SEEING) == dealt


def test_who_shakes_sees_both_top_cards() -> None:
    """The player sees the top card of each of the two mountains, others none (§4.5, §6)."""
    event = ShakingPlayed(ANN, 1, 2, piles("dwarf theft / crystal tunnel dwarf"))
    assert seen(event, seated(ANN)) == ShakingPlayed(
        ANN, 1, 2, ((Kind.DWARF, None), (Kind.CRYSTAL, None, None))
    )
    for viewer in (seated(BEN), SPECTATOR):
        assert seen(event, viewer) == ShakingPlayed(ANN, 1, 2, ((None, None), (None, None, None)))
    assert seen(event, ALL_SEEING) == event


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "event",
    [
        DwarfPlayed(ANN),
        CaveInPlayed(ANN, (1, 2)),
        LookDeclined(BEN),
        DrillingPlayed(ANN),
        CardPlaced(ANN, 1, Place.TOP),
        DrillingEnded(ANN),
        DigBegun(ANN, None, 2),
        CardDug(ANN, 2, Kind.THEFT, 1),
        CrystalDug(ANN, None),
        CaveInDug(ANN, 3, 2),
    ],
)
def test_everybody_sees_what_is_played_or_turned_over(event: Event, viewer: Viewer) -> None:
    """Cards played and turned over, displays, and where a drilled card went are public (§6)."""
    assert seen(event, viewer) == event


def test_a_dig_tells_each_card_as_it_is_turned_over() -> None:
    """One event a card, so that every version of a dig can be looked at (§4.9, API)."""
    before = table(hands="theft theft / ", displays="dwarf dwarf / ")
    events, _ = play(montanara.game, before, ANN, DigHome(), luck())
    state = before
    lefts = []
    for event in events:
        state = montanara.game.evolve(state, event)
        lefts.append((view(state, SPECTATOR).left, view(state, SPECTATOR).seats[0].hand_size))
    assert lefts == [(2, 2), (1, 1), (0, 0)]


def test_taking_a_card_is_seen_in_numbers() -> None:
    """The taker's hand grows by one, the mountain loses one, for everybody (§6)."""
    _, after = play(montanara.game, STATE, ANN, TakeCard(3), luck())
    for viewer in VIEWERS:
        assert (view(after, viewer).seats[0].hand_size, view(after, viewer).mountains[3].size) == (3, 1)
