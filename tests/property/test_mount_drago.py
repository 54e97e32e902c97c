"""Mount Drago in any reachable table, and over many matches."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from random import Random
from typing import assert_never

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.mount_drago import GAME
from domain.games.mount_drago.catalogue import (
    CARDS,
    COLOURS,
    DRAGONS,
    HAND,
    PACK,
    VALUES,
    Options,
    board_for,
    in_order,
)
from domain.games.mount_drago.commands import Command, DiscardSummitCards, Draw, PlayCard
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    Dealt,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.state import INITIAL, Phase, State
from domain.shared.chance import SeededChance
from domain.shared.game import begin, fold, play
from domain.shared.outcomes import OutcomeKind
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.clients import keeps_up
from tests.support.games.mount_drago_client import Client
from tests.support.games.scenarios import accepted, luck

type Policy = Callable[[State, Sequence[Command], Random], Command]
"""Which of the legal moves, at least one, is made."""

type Played = tuple[tuple[Event, ...], tuple[State, ...]]
"""The events of a match, and its table after each command."""


def uniform(state: State, moves: Sequence[Command], dice: Random) -> Command:
    """Return any of the moves, each equally likely."""
    return dice.choice(moves)


def lingering(state: State, moves: Sequence[Command], dice: Random) -> Command:
    """Return a move that puts the end off: dragons stay low, and all that may be discarded is."""

    def haste(move: Command) -> int:
        match move:
            case PlayCard():
                space = state.dragons[DRAGONS[move.card]]
                return -1 if space >= board_for(len(state.hands)).summit else space + VALUES[move.card]
            case DiscardSummitCards():
                return -len(move.cards)
            case Draw():
                return 0
            case _:
                assert_never(move)

    least = min(map(haste, moves))
    return dice.choice([move for move in moves if haste(move) == least])


def played(seats: int, seed: bytes, policy: Policy, most: int = 1_000) -> Played:
    """Return a match of at most so many commands."""
    dice = Random(seed)
    events, state = begin(GAME, Options(), seats, SeededChance(seed, "0"))
    states = [state]
    for number in range(most):
        if GAME.outcome(state) is not None:
            break
        (seat,) = GAME.to_act(state)
        command = policy(state, tuple(GAME.legal_moves(state, seat)), dice)
        more, state = play(GAME, state, seat, command, SeededChance(seed, f"{number + 1}"))
        events = (*events, *more)
        states.append(state)
    return events, tuple(states)


@st.composite
def matches(draw: st.DrawFn) -> Played:
    """Draw a match, to its end or not."""
    return played(
        draw(st.integers(2, 5)),
        draw(st.binary(min_size=32, max_size=32)),
        draw(st.sampled_from((uniform, lingering))),
        draw(st.integers(0, 120)),
    )


def tables() -> st.SearchStrategy[State]:
    """Draw a reachable table at which a seat is to act."""
    return matches().map(lambda match: match[1][-1]).filter(lambda state: state.phase is not Phase.OVER)


def viewers(state: State) -> tuple[Viewer, ...]:
    """Return everybody who may look at a table."""
    return (*map(seated, seats_in_order(len(state.hands))), SPECTATOR, ALL_SEEING)


def order(command: Command) -> tuple[int, list[int], bool]:
    """Return what legal moves are sorted by: command, cards, ride (common §9)."""
    match command:
        case PlayCard():
            return 0, [CARDS.index(command.card)], bool(command.ride)
        case DiscardSummitCards():
            return 1, [CARDS.index(card) for card in command.cards], False
        case Draw():
            return 2, [], False
        case _:
            assert_never(command)


def full_commands(state: State, seat: Seat) -> set[Command]:
    """Return every card played in every way, every choice of cards in hand discarded, and more."""
    plays = {PlayCard(card, ride) for card in CARDS for ride in (None, False, True)}
    hand = state.hands[seat]
    choices = {cards for size in range(1, HAND) for cards in combinations(hand, size)}
    beside = {in_order((*cards, card)) for cards in choices if len(cards) < 2 for card in CARDS}
    return {*plays, *map(DiscardSummitCards, choices | beside | {(card,) for card in CARDS}), Draw()}


@settings(deadline=None, max_examples=100)
@given(state=tables())
def test_legal_moves_are_sorted_unique_and_all_that_is_accepted(state: State) -> None:
    """What is listed may be done, once each, in order; nothing else in full form (§4, common §9)."""
    (seat,) = GAME.to_act(state)
    moves = list(GAME.legal_moves(state, seat))
    assert moves
    assert moves == sorted(set(moves), key=order)
    for command in full_commands(state, seat):
        assert accepted(GAME, state, seat, command) == (command in moves)


@settings(deadline=None, max_examples=100)
@given(match=matches())
def test_only_the_seat_on_turn_is_to_act(match: Played) -> None:
    """One seat has moves until the end, then none (common §1)."""
    for state in match[1]:
        acting = GAME.to_act(state)
        assert acting == (() if GAME.outcome(state) else (state.turn,))
        for seat in seats_in_order(len(state.hands)):
            assert bool(GAME.legal_moves(state, seat)) == (seat in acting)


@settings(deadline=None, max_examples=100)
@given(match=matches())
def test_no_card_is_lost_or_doubled(match: Played) -> None:
    """All 110 cards and ten dragons are there after every event, from the deal on (§1)."""
    all_pieces = tuple(sorted((*PACK, *COLOURS)))
    state = INITIAL
    for event in match[0]:
        state = GAME.evolve(state, event)
        assert GAME.pieces(state) == all_pieces


@settings(deadline=None, max_examples=100)
@given(match=matches())
def test_what_holds_at_every_table(match: Played) -> None:
    """Each seat rides its own dragon, hands are sorted, dragons stay on the path (§3, §4)."""
    for state in match[1]:
        board = board_for(len(state.hands))
        assert len({DRAGONS[card] for card in state.open_cards}) == len(state.hands)
        assert all(hand == in_order(hand) and len(hand) <= HAND for hand in state.hands)
        assert all(0 <= space < len(board.values) for space in state.dragons)
        at_summit = sum(space >= board.summit for space in state.dragons)
        assert at_summit <= 3
        assert (at_summit == 3) == (state.phase is Phase.OVER)
        if state.phase is Phase.PLAY:
            assert all(state.hands)
        if state.phase is Phase.DISCARD:
            assert at_summit
            assert state.hands[state.turn]


@settings(deadline=None, max_examples=150)
@given(match=matches())
def test_a_second_look_at_what_was_played_and_scored(match: Played) -> None:
    """Moves, changes of dragon, questions and points, worked out from the events alone (§4.1 to §4.4)."""
    dealt, *events = match[0]
    assert isinstance(dealt, Dealt)
    seats = len(dealt.hands)
    board = board_for(seats)
    spaces, sizes, points = [0] * len(COLOURS), [HAND] * seats, [0] * seats
    riding = [DRAGONS[card] for card in dealt.open_cards]
    for event in events:
        if isinstance(event, CardPlayed):
            dragon = DRAGONS[event.card]
            free_and_last = dragon not in riding and spaces[dragon] == min(spaces)
            if not free_and_last:
                assert event.on_top == (dragon not in riding or riding[event.seat] == dragon)
            if event.on_top:
                riding[event.seat] = dragon
            enters = spaces[dragon] < board.summit
            spaces[dragon] = min(spaces[dragon] + VALUES[event.card], len(board.values) - 1)
            sizes[event.seat] -= 1
            assert event.space == spaces[dragon]
            assert event.scoring == (board.scorings[event.space] if enters else None)
            asked = sizes[event.seat] > 0 and any(space >= board.summit for space in spaces)
            assert event.phase is (Phase.SCORE if event.scoring else Phase.DISCARD if asked else Phase.DRAW)
        elif isinstance(event, Scored):
            values = [board.values[spaces[dragon]] for dragon in riding]
            counted = [value if event.scoring != "small" or value < 4 else 0 for value in values]
            assert event.points == tuple(counted)
            points = [had + won for had, won in zip(points, counted, strict=True)]
        elif isinstance(event, SummitCardsDiscarded):
            assert all(spaces[DRAGONS[card]] >= board.summit for card in event.cards)
            sizes[event.seat] -= len(event.cards)
        elif isinstance(event, CardsDrawn):
            sizes[event.seat] += len(event.cards)
    assert tuple(points) == GAME.scores(match[1][-1])
    assert tuple(spaces) == match[1][-1].dragons
    assert sizes == [len(hand) for hand in match[1][-1].hands]


@settings(deadline=None, max_examples=100)
@given(match=matches())
def test_a_draw_fills_the_hand_after_no_scoring_or_the_last_card(match: Played) -> None:
    """The turn ends with a scoring or with six cards in hand; after both, only if it was empty (§4.4, R8)."""
    state = INITIAL
    for event, after in pairwise(match[0]):
        state = GAME.evolve(state, event)
        if isinstance(event, Scored):
            last_card = isinstance(after, CardsDrawn | DrawPileRenewed)
            assert last_card == (not state.hands[state.turn])
        if isinstance(event, CardsDrawn):
            assert (len(state.hands[event.seat]) == HAND) == (event.phase is Phase.PLAY)
            assert (event.next_seat == event.seat) == (event.phase is Phase.DRAW)


def test_a_draw_never_fails() -> None:
    """At least 75 cards are there when the draw pile is made again; it often is when all linger (R6)."""
    renewed = 0
    for number in range(40):
        events, states = played(5, bytes([number]) * 32, lingering)
        for event in events:
            if isinstance(event, DrawPileRenewed):
                renewed += 1
                assert len(event.draw_pile) >= 75
        assert states[-1].phase is Phase.OVER
    assert renewed >= 10


@settings(deadline=None, max_examples=60)
@given(match=matches())
def test_events_survive_storing(match: Played) -> None:
    """Written as JSON and read back, events are the same and lead to the same table."""
    events, states = match
    read = tuple(msgspec.json.decode(msgspec.json.encode(event), type=Event) for event in events)
    assert read == events
    assert fold(GAME, read) == states[-1]


@settings(deadline=None, max_examples=60)
@given(match=matches())
def test_a_state_survives_storing(match: Played) -> None:
    """A snapshot decodes to the state that it was made of."""
    for state in match[1][-3:]:
        assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state


@settings(deadline=None, max_examples=30)
@given(seats=st.integers(2, 5), seed=st.binary(min_size=32, max_size=32))
def test_the_same_seed_gives_the_same_events(seats: int, seed: bytes) -> None:
    """Nothing but options, seed and commands decides what happens (common §4)."""
    assert played(seats, seed, uniform) == played(seats, seed, uniform)


@settings(deadline=None, max_examples=60)
@given(match=matches())
def test_a_client_that_folds_what_it_sees_has_its_view(match: Played) -> None:
    """From its own seen events alone every viewer arrives at its own view, after each of them (§6)."""
    events, states = match
    for viewer in viewers(states[0]):
        keeps_up(GAME, Client(viewer), events, viewer)


@settings(deadline=None, max_examples=100)
@given(state=tables(), seed=st.binary(max_size=8))
def test_a_viewer_learns_nothing_hidden(state: State, seed: bytes) -> None:
    """Tables that a viewer cannot tell apart show it the same, wait for the same, and go on alike (§6)."""
    for viewer in viewers(state):
        twin = GAME.determinize(state, viewer, SeededChance(bytes(32), seed.hex()))
        assert GAME.pieces(twin) == GAME.pieces(state)
        assert GAME.view(twin, viewer) == GAME.view(state, viewer)
        assert GAME.to_act(twin) == GAME.to_act(state)
        (acting,) = GAME.to_act(state)
        if viewer.seat == acting:
            assert GAME.legal_moves(twin, acting) == GAME.legal_moves(state, acting)
        listed = GAME.legal_moves(twin, acting)
        for command in GAME.legal_moves(state, acting):
            if command in listed:
                shown = what_is_seen(state, command, viewer)
                assert what_is_seen(twin, command, viewer) == shown


def what_is_seen(state: State, command: Command, viewer: Viewer) -> list[Event]:
    """Return what a viewer sees of a command; of its own draw, which is chance, what everybody sees."""
    (acting,) = GAME.to_act(state)
    events, _ = play(GAME, state, acting, command, luck())
    eye = SPECTATOR if viewer.seat == acting else viewer
    return [GAME.seen(event, eye) for event in events]


@settings(deadline=None, max_examples=60)
@given(state=tables())
def test_other_hands_are_guessed_anew(state: State) -> None:
    """Whatever is hidden from a viewer can be otherwise, and all that is not stays (§6)."""
    for viewer in viewers(state):
        twins = [GAME.determinize(state, viewer, luck(f"{number}")) for number in range(5)]
        assert any(twin != state for twin in twins) == (viewer != ALL_SEEING)
        for twin in twins:
            hidden = {"hands": state.hands, "draw_pile": state.draw_pile}
            assert replace(twin, **hidden) == state


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_random_play_is_as_long_as_elsewhere(seats: int) -> None:
    """Means over 400 matches: 63 to 72 cards played in 71 to 81 commands; every match has a winner (§5).

    The draw pile becomes empty in less than 0.5 % of matches.
    """
    count = 400
    cards = commands = emptied = 0
    for number in range(count):
        events, states = played(seats, f"{seats}/{number}".encode(), uniform)
        cards += sum(isinstance(event, CardPlayed) for event in events)
        commands += len(states) - 1
        emptied += any(isinstance(event, DrawPileRenewed) for event in events) or not states[-1].draw_pile
        outcome = GAME.outcome(states[-1])
        assert outcome is not None
        best = max(outcome.scores)
        assert outcome.winners == tuple(seat for seat, points in enumerate(outcome.scores) if points == best)
        assert (outcome.kind is OutcomeKind.WON) == (len(outcome.winners) == 1)
    assert 63 <= cards / count <= 72
    assert 71 <= commands / count <= 81
    assert emptied / count < 0.005
