"""Mountains in any reachable table, and over many games."""

from collections import Counter
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.mountains import GAME
from domain.games.mountains.catalogue import (
    DECKS,
    EQUIPMENT,
    HIKING_CARDS,
    PACK,
    Options,
    SummitBooks,
    in_order,
)
from domain.games.mountains.commands import (
    AbandonHike,
    AcceptOffer,
    Ask,
    ChooseHike,
    Command,
    CompleteHike,
    DeclineHike,
    DeclineOffer,
    Rest,
)
from domain.games.mountains.events import (
    CardTurnedOver,
    EquipmentAsked,
    EquipmentBought,
    Event,
    HikeCompleted,
    HikeDeclined,
    Rested,
    StampsBought,
    TurnEnded,
)
from domain.games.mountains.state import State
from domain.match import Finished
from domain.shared.chance import SeededChance
from domain.shared.game import begin, fold, play
from domain.shared.outcomes import OutcomeKind
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.matches.views import view
from services.shared.ids import MatchId
from tests.support.games.clients import keeps_up
from tests.support.games.mountains_client import Client
from tests.support.games.random_matches import Table
from tests.support.games.random_matches import played as played_with_resignations
from tests.support.games.scenarios import accepted, luck

type Played = tuple[tuple[Event, ...], tuple[State, ...]]
"""All events of a game, and its table after the deal and after each command."""

OPTIONS = st.builds(Options, summit_books=st.sampled_from(SummitBooks))
SEEDS = st.binary(min_size=32, max_size=32)

EVERY_COMMAND: tuple[Command, ...] = (
    *(ChooseHike(deck) for deck in DECKS),
    *(Ask(neighbour, equipment) for neighbour in range(5) for equipment in EQUIPMENT),
    *(CompleteHike(), DeclineHike(), AbandonHike(), AcceptOffer(), DeclineOffer(), Rest()),
)
"""All commands in full form, in the order in which moves are listed (common §9)."""

ALL_PIECES = tuple(sorted((*PACK, *(card.id for card in HIKING_CARDS))))


def played(options: Options, seats: int, seed: bytes, most: int = 10_000) -> Played:
    """Return a game of at most so many random moves."""
    dice = Random(seed)
    events, state = begin(GAME, options, seats, SeededChance(seed, "0"))
    states = [state]
    while GAME.outcome(state) is None and len(states) <= most:
        (seat,) = GAME.to_act(state)
        command = dice.choice(tuple(GAME.legal_moves(state, seat)))
        more, state = play(GAME, state, seat, command, SeededChance(seed, f"{len(states)}"))
        events = (*events, *more)
        states.append(state)
    return events, tuple(states)


@st.composite
def games(draw: st.DrawFn) -> Played:
    """Draw a game of two to five seats, whole or broken off."""
    return played(draw(OPTIONS), draw(st.integers(2, 5)), draw(SEEDS), draw(st.integers(0, 300)))


def tables() -> st.SearchStrategy[State]:
    """Draw a reachable table."""
    return games().map(lambda game: game[1][-1])


def viewers(state: State) -> tuple[Viewer, ...]:
    """Return everybody who looks at a table while the match goes on."""
    return (*map(seated, seats_in_order(len(state.hands))), SPECTATOR)


@settings(deadline=None, max_examples=200)
@given(state=tables())
def test_legal_moves_are_just_what_is_accepted_in_the_stated_order(state: State) -> None:
    """Of all commands in full form just the listed ones are legal, once each (§4 to §6, common §9)."""
    for seat in seats_in_order(len(state.hands)):
        listed = list(GAME.legal_moves(state, seat))
        if seat in GAME.to_act(state):
            assert listed == [command for command in EVERY_COMMAND if accepted(GAME, state, seat, command)]
            assert listed
        else:
            assert listed == []


@settings(deadline=None, max_examples=100)
@given(game=games())
def test_no_card_is_lost_or_doubled(game: Played) -> None:
    """32 equipment cards and 62 hiking cards, after every event from the deal on (§1, §4.7)."""
    events, _ = game
    state = GAME.initial
    for event in events:
        state = GAME.evolve(state, event)
        assert GAME.pieces(state) == ALL_PIECES
        assert all(hand == in_order(hand) for hand in (*state.hands, *state.displayed))


@settings(deadline=None, max_examples=100)
@given(game=games())
def test_stones_and_stamps_are_those_of_the_events(game: Played) -> None:
    """Nobody owes stones; each seat has what it was given, less what it paid (§4, §5, §6.2)."""
    events, states = game
    seats = range(len(states[-1].hands))
    stones = [8 for _ in seats]
    stamps = [0 for _ in seats]
    for event in events:
        match event:
            case EquipmentAsked():
                stones[event.seat] -= 1
                assert stones[event.seat] >= 0
                stones[event.neighbour] += 1
            case EquipmentBought():
                stones[event.seat] -= event.stones
            case StampsBought():
                stones[event.seat] -= event.stones
                stamps[event.seat] += event.stamps
            case HikeCompleted():
                stones[event.seat] += event.stones
                stamps[event.seat] += event.stamps
            case Rested():
                assert stones[event.seat] == 0
                stones[event.seat] += event.stones
            case HikeDeclined():
                stones[event.seat] += event.stones
        assert min(stones) >= 0
    assert (states[-1].stones, states[-1].stamps) == (tuple(stones), tuple(stamps))


@settings(deadline=None, max_examples=100)
@given(game=games())
def test_what_is_on_display_is_what_the_hike_needs(game: Played) -> None:
    """Others display no piece and no copy that the hike does not need (R3, §4.3)."""
    for state in game[1]:
        needed = Counter(state.card.equipment if state.card else ())
        shown = Counter(piece for pieces in state.displayed for piece in pieces)
        assert shown <= needed
        assert not state.displayed[state.turn]


@settings(deadline=None, max_examples=100)
@given(game=games())
def test_the_game_goes_on_until_two_high_decks_are_empty(game: Played) -> None:
    """It ends with the turn that empties the second one; before, a deck always has a card (§6.1, R9)."""
    for state in game[1]:
        empty = sum(not deck for deck in state.decks[2:])
        over = GAME.outcome(state) is not None
        assert over == (empty == 2 and state.card is None)
        assert over == (GAME.to_act(state) == ())
        assert empty <= 2
        assert any(state.decks)


@settings(deadline=None, max_examples=60)
@given(game=games())
def test_turns_go_round_and_a_hut_gives_another(game: Played) -> None:
    """After a hut the same seat has another turn, else the next one has one (R8, common §1)."""
    events, states = game
    seats = len(states[-1].hands)
    hut = False
    for event in events:
        if isinstance(event, CardTurnedOver):
            hut = not event.card.equipment
        if isinstance(event, TurnEnded):
            follows = event.seat if hut else (event.seat + 1) % seats
            assert event.next_seat in (follows, None)
            hut = False


@settings(deadline=None, max_examples=60)
@given(state=tables(), seed=SEEDS)
def test_a_viewer_cannot_tell_a_twin(state: State, seed: bytes) -> None:
    """Twins give their viewer the same view and the same legal moves, and keep every card (§7)."""
    for viewer in viewers(state):
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        assert GAME.view(twin, viewer) == GAME.view(state, viewer)
        assert GAME.to_act(twin) == GAME.to_act(state)
        assert GAME.pieces(twin) == ALL_PIECES
        if viewer.seat is not None:
            assert GAME.legal_moves(twin, viewer.seat) == GAME.legal_moves(state, viewer.seat)


def told(state: State, command: Command, viewer: Viewer) -> tuple[list[Event], tuple[Seat, ...]]:
    """Return what a viewer sees of a step but for what it reveals, and who must choose after it."""
    (seat,) = GAME.to_act(state)
    events, after = play(GAME, state, seat, command, luck())
    shown: list[Event] = []
    for event in events:
        seen = GAME.seen(event, viewer)
        if isinstance(seen, EquipmentAsked):
            seen = msgspec.structs.replace(seen, displayed=False)
        if isinstance(seen, EquipmentBought):
            seen = msgspec.structs.replace(seen, equipment=None)
        shown.append(seen)
    return shown, GAME.to_act(after)


@settings(deadline=None, max_examples=60)
@given(state=tables(), seed=SEEDS)
def test_a_step_tells_nothing_but_what_it_reveals(state: State, seed: bytes) -> None:
    """In a twin the same move gives the same events and the same wait, but for answers and cards (common §5).

    Turning a card over is left out: which card comes is what that reveals.
    """
    for viewer in viewers(state):
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        for seat in GAME.to_act(state):
            for move in GAME.legal_moves(state, seat):
                if not isinstance(move, ChooseHike) and move in GAME.legal_moves(twin, seat):
                    assert told(twin, move, viewer) == told(state, move, viewer)


@settings(deadline=None, max_examples=60)
@given(game=games())
def test_a_client_arrives_at_its_view_by_what_it_sees(game: Played) -> None:
    """Anyone who folds the events that a viewer sees has that viewer's view, at every version (§7)."""
    events, states = game
    for viewer in (*viewers(states[-1]), ALL_SEEING):
        keeps_up(GAME, Client(viewer), events, viewer)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_a_client_has_all_totals_however_a_match_ended(seats: int) -> None:
    """At every version, to the end by resignation: `match.finished` tells all stamps as scores (§7)."""
    table, by_resignation = Table(GAME, seats), 0
    for number in range(1, 24, 2):
        clients: dict[Viewer, Client] = {}
        for step in played_with_resignations(table, number):
            for event in step.events:
                for viewer in (SPECTATOR, *map(seated, seats_in_order(seats)), ALL_SEEING):
                    client = clients.setdefault(viewer, Client(viewer))
                    if isinstance(event, Finished):
                        client.take_in(event)
                    elif isinstance(event, GAME.events):
                        client.take_in(GAME.seen(event, viewer))
            for viewer, client in clients.items():
                assert client.table() == view(GAME, MatchId("match_0"), step.match, 1, viewer).table
        assert step.match.outcome is not None
        by_resignation += step.match.outcome.kind is OutcomeKind.RESIGNED
    assert by_resignation


@settings(deadline=None, max_examples=50)
@given(game=games())
def test_events_and_states_survive_storing(game: Played) -> None:
    """Written as JSON and read back, events are the same and lead to the same table, a snapshot too."""
    events, states = game
    stored = [msgspec.json.encode(event) for event in events]
    read: tuple[Event, ...] = tuple(msgspec.json.decode(text, type=Event) for text in stored)
    assert read == events
    assert fold(GAME, read) == states[-1]
    assert msgspec.json.decode(msgspec.json.encode(states[-1]), type=State) == states[-1]


@settings(deadline=None, max_examples=20)
@given(options=OPTIONS, seats=st.integers(2, 5), seed=SEEDS)
def test_the_same_seed_gives_the_same_game(options: Options, seats: int, seed: bytes) -> None:
    """Nothing but options, seed and commands decides what happens, to the end (common §4)."""
    events, states = played(options, seats, seed)
    assert played(options, seats, seed) == (events, states)
    assert GAME.outcome(states[-1]) is not None


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_random_game_has_some_42_turns(seats: int) -> None:
    """On average 40 to 44 turns, not counting those that a hut takes, with any number of seats (§6.1)."""
    turns, number = 0, 150
    for seed in range(number):
        events, _ = played(Options(first_seat=0), seats, seed.to_bytes(32, "big"))
        turns += sum(isinstance(event, TurnEnded) and event.next_seat != event.seat for event in events)
    assert 40 <= turns / number <= 44
