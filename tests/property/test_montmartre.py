"""Montmartre in any reachable table, and over many matches."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.montmartre import GAME
from domain.games.montmartre.catalogue import CARDS, COLOURS, PACK, STYLES, VALUES, Options
from domain.games.montmartre.commands import (
    COMMANDS,
    Command,
    DeclineContract,
    Paint,
    Pick,
    Sell,
    SellOff,
    SellPair,
    TakeContract,
)
from domain.games.montmartre.events import (
    CardsPicked,
    ContractsOffered,
    ContractTaken,
    Event,
    PaintingSold,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.games.montmartre.state import Phase, State, paintings
from domain.shared.chance import SeededChance
from domain.shared.game import begin, fold, play
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.clients import keeps_up
from tests.support.games.montmartre_client import Client
from tests.support.games.scenarios import accepted, luck

type Policy = Callable[[Sequence[Command], Random], Command]
"""Which of the legal moves, at least one, is made."""


class Played(msgspec.Struct, frozen=True):
    """A match as it was played.

    Attributes:
        seats: How many seats it has.
        events: All events.
        states: The table after the opening, and after each command.
    """

    seats: int
    events: tuple[Event, ...]
    states: tuple[State, ...]


def uniform(moves: Sequence[Command], dice: Random) -> Command:
    """Return any of the moves, each equally likely."""
    return dice.choice(moves)


def varied(moves: Sequence[Command], dice: Random) -> Command:
    """Return a move of any kind of command, each equally likely, so that much is sold to collectors."""
    kind = dice.choice(sorted({type(move).__name__ for move in moves}))
    return dice.choice([move for move in moves if type(move).__name__ == kind])


def played(seats: int, seed: bytes, policy: Policy, most: int = 10_000) -> Played:
    """Return a match of at most so many random moves."""
    dice = Random(seed)
    events, state = begin(GAME, Options(), seats, SeededChance(seed, "0"))
    states = [state]
    for number in range(most):
        if GAME.outcome(state) is not None:
            break
        (seat,) = GAME.to_act(state)
        command = policy(tuple(GAME.legal_moves(state, seat)), dice)
        more, state = play(GAME, state, seat, command, SeededChance(seed, f"{number + 1}"))
        events = (*events, *more)
        states.append(state)
    return Played(seats, events, tuple(states))


SEEDS = st.binary(min_size=32, max_size=32)
POLICIES = st.sampled_from((uniform, varied))
MATCHES = st.builds(played, st.integers(2, 5), SEEDS, POLICIES, st.integers(0, 250))
WHOLE_MATCHES = st.builds(played, st.integers(2, 5), SEEDS, POLICIES)
TABLES = MATCHES.map(lambda match: match.states[-1])
GOING_ON = TABLES.filter(lambda state: state.phase is not Phase.OVER)

EVERY_COMMAND: tuple[Command, ...] = (
    *(Paint(cards) for count in (1, 2) for cards in combinations_with_replacement(CARDS, count)),
    *(
        SellOff(colour, cards)
        for colour in COLOURS
        for count in (1, 2, 3)
        for cards in combinations_with_replacement([card for card in CARDS if STYLES[card] is colour], count)
    ),
    *map(Pick, range(3)),
    *map(Sell, COLOURS),
    *map(TakeContract, range(3, 13)),
    DeclineContract(),
    *(SellPair(colours) for colours in combinations_with_replacement(COLOURS, 2)),
)
"""All commands in full form, but of the sell-offs only those of at most three paintings."""


def on_turn(state: State) -> Seat:
    """Return the seat whose turn it is."""
    (seat,) = GAME.to_act(state)
    return seat


def order(command: Command) -> tuple[object, ...]:
    """Return what legal moves are sorted by: command, then arguments (common §9)."""
    kind = COMMANDS.index(type(command))
    match command:
        case Paint(cards=cards):
            return kind, [CARDS.index(card) for card in cards]
        case SellOff(colour=colour, cards=cards):
            return kind, COLOURS.index(colour), [CARDS.index(card) for card in cards]
        case Pick(pile=pile):
            return kind, pile
        case Sell(colour=colour):
            return kind, COLOURS.index(colour)
        case TakeContract(value=value):
            return kind, value
        case DeclineContract():
            return (kind,)
        case SellPair(colours=colours):
            return kind, [COLOURS.index(colour) for colour in colours]


def viewers(state: State) -> tuple[Viewer, ...]:
    """Return everybody who may look at a match while it goes on."""
    return (*map(seated, seats_in_order(len(state.painters))), SPECTATOR)


@settings(deadline=None, max_examples=200)
@given(state=TABLES)
def test_legal_moves_are_sorted_unique_and_accepted(state: State) -> None:
    """What is listed may be done, once each, in the stated order; others have no moves (common §9)."""
    for seat in seats_in_order(len(state.painters)):
        moves = list(GAME.legal_moves(state, seat))
        assert bool(moves) == (seat in GAME.to_act(state))
        assert moves == sorted(moves, key=order)
        assert len(moves) == len(set(moves))
        assert all(accepted(GAME, state, on_turn(state), move) for move in moves)


@settings(deadline=None, max_examples=40)
@given(state=GOING_ON)
def test_nothing_else_in_full_form_is_accepted(state: State) -> None:
    """Of all commands in full form just the listed ones are legal (§4 to §6)."""
    moves = set(GAME.legal_moves(state, on_turn(state)))
    own = state.painters[on_turn(state)]
    choices = (
        SellOff(STYLES[cards[0]], cards)
        for count in range(4, 9)
        for cards in combinations(paintings(own), count)
    )
    for command in (*EVERY_COMMAND, *choices):
        assert accepted(GAME, state, on_turn(state), command) == (command in moves)


@settings(deadline=None, max_examples=100)
@given(state=GOING_ON, dice=st.randoms(use_true_random=False))
def test_a_list_of_cards_or_colours_may_come_in_any_order(state: State, dice: Random) -> None:
    """A list is a multiset: shuffled, a legal move brings about the same (common §2)."""
    seat = on_turn(state)
    for move in GAME.legal_moves(state, seat):
        for name in ("cards", "colours"):
            if items := list(getattr(move, name, ())):
                dice.shuffle(items)
                shuffled = replace(move, **{name: tuple(items)})
                assert GAME.decide(state, seat, shuffled, luck()) == GAME.decide(state, seat, move, luck())


@settings(deadline=None, max_examples=100)
@given(match=MATCHES)
def test_no_piece_is_lost_or_doubled(match: Played) -> None:
    """60 Muse cards of 204 pips, 20 collectors and 5 contracts, after every command (§1)."""
    everything = GAME.pieces(match.states[0])
    assert len(everything) == 60 + 20 + 5
    assert sorted(everything) == list(everything)
    muses = [card for card in CARDS for name in everything if name == card]
    assert (tuple(muses), sum(map(VALUES.__getitem__, muses))) == (PACK, 204)
    assert {GAME.pieces(state) for state in match.states} == {everything}


@settings(deadline=None, max_examples=100)
@given(match=MATCHES)
def test_a_turn_always_begins_with_full_hands_and_two_piles(match: Played) -> None:
    """Hands have four cards, workshops at most six paintings, and two piles have cards (R4, §4.2)."""
    for state in match.states:
        in_piles = sum(map(len, state.piles)) + len(state.discard_pile)
        assert in_piles >= 60 - 10 * match.seats
        if state.phase is Phase.BEGUN:
            assert all(len(painter.hand) == 4 for painter in state.painters)
            assert all(len(paintings(painter)) <= 6 for painter in state.painters)
            assert sum(map(bool, state.piles)) >= 2
            assert sum(isinstance(move, Paint) for move in GAME.legal_moves(state, state.turn)) >= 1


@settings(deadline=None, max_examples=100)
@given(match=MATCHES)
def test_cards_are_held_in_order(match: Played) -> None:
    """Hands and workshops are sorted, and every painting lies with its colour (common §2)."""
    for state in match.states:
        for painter in state.painters:
            assert list(painter.hand) == sorted(painter.hand, key=CARDS.index)
            assert list(paintings(painter)) == sorted(paintings(painter), key=CARDS.index)
            for colour, shelf in zip(COLOURS, painter.workshop, strict=True):
                assert all(STYLES[card] is colour for card in shelf)


@settings(deadline=None, max_examples=60)
@given(match=WHOLE_MATCHES)
def test_a_match_ends_after_equal_turns(match: Played) -> None:
    """Random play comes to its end, and every seat has had as many turns as any other (§7.1, §7.2)."""
    last = match.states[-1]
    assert GAME.outcome(last) is not None
    ended = [event for event in match.events if isinstance(event, TurnEnded)]
    turns = Counter(event.seat for event in ended)
    assert [turns[seat] for seat in seats_in_order(match.seats)] == [len(ended) // match.seats] * match.seats
    # The round in which the end was brought is the last one.
    brought = next(number for number, event in enumerate(ended) if event.ending is not None)
    assert len(ended) == (brought // match.seats + 1) * match.seats
    assert {event.ending for event in ended[brought:]} == {last.ending}


@settings(deadline=None, max_examples=60)
@given(match=WHOLE_MATCHES)
def test_scores_add_up_over_the_events(match: Played) -> None:
    """A seat's points are what the events say it got: francs, collectors and a contract (§7.3)."""
    points = [0] * match.seats
    for event in match.events:
        match event:
            case SoldOff():
                assert event.francs == len(event.cards)
                points[event.seat] += event.francs
            case PaintingSold():
                points[event.seat] += event.collector
            case ContractTaken():
                points[event.seat] += event.contract
    last = match.states[-1]
    assert GAME.scores(last) == tuple(points)
    outcome = GAME.outcome(last)
    assert outcome is not None
    best = [seat for seat, score in enumerate(points) if score == max(points)]
    assert (list(outcome.winners), outcome.scores) == (best, tuple(points))
    assert outcome.kind == ("won" if len(best) == 1 else "shared")


@settings(deadline=None, max_examples=100)
@given(match=MATCHES)
def test_vollard_stands_where_the_last_sale_left_him(match: Played) -> None:
    """With two seats he is not there; else he is next to the last buyer, never twice in a row (§5.2, R8)."""
    moves = [event.colour for event in match.events if isinstance(event, VollardMoved)]
    sales = [event.colour for event in match.events if isinstance(event, PaintingSold)]
    assert moves == ([] if match.seats == 2 else sales)
    assert all(first is not second for first, second in pairwise(moves))
    assert match.states[-1].vollard == (moves[-1] if moves else None)


@settings(deadline=None, max_examples=100)
@given(match=MATCHES)
def test_a_seat_takes_one_contract_at_most(match: Played) -> None:
    """Contracts are offered to seats that have none, and lie on the table or with one seat (§5.4)."""
    taken: dict[Seat, int] = {}
    for event in match.events:
        match event:
            case ContractsOffered():
                assert event.seat not in taken
                assert not set(event.contracts) & set(taken.values())
            case ContractTaken():
                taken[event.seat] = event.contract
    last = match.states[-1]
    for seat, painter in enumerate(last.painters):
        assert painter.contract == taken.get(Seat(seat))
    assert sorted((*last.contracts, *taken.values())) == [3, 4, 5, 7, 12]


@settings(deadline=None, max_examples=60)
@given(match=WHOLE_MATCHES)
def test_a_turn_picks_at_most_two_cards(match: Played) -> None:
    """Who painted picks as many cards as it painted, from at most two piles (§4.3, R4)."""
    picked: list[CardsPicked] = []
    for event in match.events:
        match event:
            case CardsPicked():
                picked.append(event)
            case TurnEnded():
                assert sum(len(pick.cards) for pick in picked) <= 2
                assert len(picked) <= 2
                picked = []


@settings(deadline=None, max_examples=60)
@given(match=MATCHES)
def test_replay_equals_live(match: Played) -> None:
    """Written as JSON and read back, events are the same and lead to the same table."""
    stored = [msgspec.json.encode(event) for event in match.events]
    read = tuple(msgspec.json.decode(text, type=Event) for text in stored)
    assert read == match.events
    assert fold(GAME, read) == match.states[-1]


@settings(deadline=None, max_examples=60)
@given(match=MATCHES)
def test_a_state_survives_storing(match: Played) -> None:
    """A snapshot decodes to the state that it was made of."""
    for state in match.states[-3:]:
        assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state


@settings(deadline=None, max_examples=30)
@given(seats=st.integers(2, 5), seed=SEEDS)
def test_the_same_seed_gives_the_same_events(seats: int, seed: bytes) -> None:
    """Nothing but options, seed and commands decides what happens (common §4)."""
    assert played(seats, seed, varied, 120) == played(seats, seed, varied, 120)


@settings(deadline=None, max_examples=60)
@given(match=MATCHES)
def test_who_follows_its_events_arrives_at_its_view(match: Played) -> None:
    """A client that folds the events it is shown has the view that it would be given (§8)."""
    for viewer in (*viewers(match.states[-1]), ALL_SEEING):
        keeps_up(GAME, Client(viewer), match.events, viewer)


@settings(deadline=None, max_examples=100)
@given(state=TABLES, seed=SEEDS)
def test_a_viewer_cannot_tell_a_twin(state: State, seed: bytes) -> None:
    """A twin has the same view, the same seats to act, the same moves of the viewer, the same pieces (§8)."""
    for viewer in viewers(state):
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        assert GAME.view(twin, viewer) == GAME.view(state, viewer)
        assert GAME.to_act(twin) == GAME.to_act(state)
        assert GAME.pieces(twin) == GAME.pieces(state)
        if viewer.seat is not None:
            assert GAME.legal_moves(twin, viewer.seat) == GAME.legal_moves(state, viewer.seat)


@settings(deadline=None, max_examples=100)
@given(state=GOING_ON, seed=SEEDS, dice=st.randoms(use_true_random=False))
def test_a_move_tells_no_more_than_the_cards_it_uncovers(state: State, seed: bytes, dice: Random) -> None:
    """The same move does the same in a twin: only cards that come to light may differ (common §5, §8)."""
    seat = on_turn(state)
    move = dice.choice(list(GAME.legal_moves(state, seat)))
    for viewer in viewers(state):
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        if GAME.why_not(twin, seat, move) is not None:
            # Another seat paints a card that its twin does not hold.
            assert isinstance(move, Paint)
            assert viewer.seat != seat
            continue
        here, after = play(GAME, state, seat, move, luck())
        there, twin_after = play(GAME, twin, seat, move, luck())
        assert [covered(GAME.seen(event, viewer)) for event in here] == [
            covered(GAME.seen(event, viewer)) for event in there
        ]
        assert GAME.to_act(after) == GAME.to_act(twin_after)


def covered(event: Event) -> Event | tuple[object, ...]:
    """Return an event without the cards that were hidden before it."""
    match event:
        case CardsPicked():
            return event.seat, event.pile, len(event.cards), event.cards[0], event.top is None
        case PilesRenewed():
            return tuple(map(len, event.piles))
        case _:
            return event


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_much_happens_in_random_play(seats: int) -> None:
    """The matches above sell, offer, renew piles and end in both ways, so that they test what they say."""
    matches = [played(seats, bytes([number] * 32), varied) for number in range(60)]
    kinds = Counter(type(event) for match in matches for event in match.events)
    assert min(kinds[kind] for kind in (PaintingSold, ContractsOffered, ContractTaken, PilesRenewed)) >= 10
    assert {match.states[-1].ending for match in matches} == {"collectors_gone", "francs_earned"}
