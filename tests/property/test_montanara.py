"""Montanara in any reachable table."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, permutations
from random import Random
from typing import NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.montanara import GAME
from domain.games.montanara.catalogue import IN_RANGE, PACK, PLACES, SPACES, Kind, Options, TunnelOrder
from domain.games.montanara.commands import (
    COMMANDS,
    ArrangeTunnel,
    Command,
    DeclineLook,
    Dig,
    DigHome,
    Drill,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    StopDrilling,
    TakeCard,
)
from domain.games.montanara.events import Event, TunnelArranged
from domain.games.montanara.state import BOTH, Phase, State, in_tunnel, opponent
from domain.games.montanara.view import Table
from domain.shared.chance import SeededChance
from domain.shared.game import begin, fold, play
from domain.shared.viewers import ALL_SEEING, SPECTATOR, seated
from tests.support.games.clients import keeps_up
from tests.support.games.montanara_client import Client
from tests.support.games.scenarios import accepted

VIEWERS = (*map(seated, BOTH), SPECTATOR, ALL_SEEING)

PILES = st.lists(st.integers(1, IN_RANGE - 1), min_size=3, max_size=3, unique=True).map(
    lambda cuts: tuple(after - before for before, after in pairwise((0, *sorted(cuts), IN_RANGE)))
)

OPTIONS = st.builds(
    Options,
    piles=PILES,
    tunnel_order=st.sampled_from(TunnelOrder),
    first_seat=st.sampled_from(["random", 0, 1]),
)


class Step(NamedTuple):
    """A command, what it brought about, and the table after it; the deal has no command."""

    command: Command | None
    events: tuple[Event, ...]
    state: State


def played(options: Options, seed: bytes, most: int = 2000) -> tuple[Step, ...]:
    """Return a game of at most so many random moves."""
    dice = Random(seed)
    events, state = begin(GAME, options, 2, SeededChance(seed, "0"))
    steps = [Step(None, events, state)]
    while GAME.outcome(state) is None and len(steps) <= most:
        (seat,) = GAME.to_act(state)
        command = dice.choice(list(GAME.legal_moves(state, seat)))
        events, state = play(GAME, state, seat, command, SeededChance(seed, f"{len(steps)}"))
        steps.append(Step(command, events, state))
    return tuple(steps)


SEEDS = st.binary(min_size=32, max_size=32)


def games() -> st.SearchStrategy[tuple[Step, ...]]:
    """Draw a whole game."""
    return st.builds(played, OPTIONS, SEEDS)


def tables() -> st.SearchStrategy[State]:
    """Draw a table at which a seat is to act."""
    reached = st.builds(played, OPTIONS, SEEDS, st.integers(0, 150))
    return reached.map(lambda steps: steps[-1].state).filter(lambda state: GAME.outcome(state) is None)


def full_commands(state: State) -> Iterable[Command]:
    """Yield commands in full form, legal and not: all there are, but for orders of cards not seen."""
    mountains = range(SPACES)
    yield from (PlayDwarf(), PlayCaveIn(), DeclineLook(), PlayTheft(), StopDrilling(), DigHome())
    for command in (TakeCard, LookAtMountain, PlayTunnel, PlayDrilling, Drill, PlayOpenPit, Dig):
        yield from map(command, mountains)
    yield from map(PlaceDrilled, Place)
    for first in mountains:
        yield from (
            PlayShaking(first, second, extra) for second in mountains[first + 1 :] for extra in mountains
        )
    seen = in_tunnel(state, state.visited[-1]) if state.phase is Phase.TUNNEL else (Kind.DWARF, Kind.THEFT)
    yield from map(ArrangeTunnel, sorted(set(permutations(seen))))
    for kind in Kind:
        yield ArrangeTunnel((*seen[:-1], kind))


def order(command: Command) -> tuple[int, list[int]]:
    """Return what legal moves are sorted by: command, then arguments (common §9)."""
    arguments: list[int] = []
    for value in msgspec.structs.astuple(command):
        if isinstance(value, tuple):
            arguments += [PLACES[kind] for kind in value]
        else:
            arguments.append(list(Place).index(value) if isinstance(value, Place) else value)
    return COMMANDS.index(type(command)), arguments


@settings(deadline=None, max_examples=150)
@given(state=tables())
def test_listed_moves_are_sorted_unique_and_all_there_are(state: State) -> None:
    """Every listed move is accepted, every other one in full form refused (§4, common §9)."""
    (seat,) = GAME.to_act(state)
    moves = list(GAME.legal_moves(state, seat))
    assert moves == sorted(set(moves), key=order)
    assert not GAME.legal_moves(state, opponent(seat))
    for command in {*full_commands(state), *moves}:
        assert accepted(GAME, state, seat, command) == (command in moves)


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_no_card_is_lost_or_doubled(steps: tuple[Step, ...]) -> None:
    """The same 80 cards lie on the table after every event; crystals are never discarded (§1, §4.10)."""
    everything = tuple(sorted(PACK))
    state = GAME.initial
    for step in steps:
        for event in step.events:
            state = GAME.evolve(state, event)
            assert GAME.pieces(state) == everything
            assert Kind.CRYSTAL not in state.discard_pile
        assert state == step.state


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_events_and_states_survive_storing(steps: tuple[Step, ...]) -> None:
    """Written as JSON and read back, events lead to the same table, and a snapshot is what it was."""
    events = [event for step in steps for event in step.events]
    stored = [msgspec.json.encode(event) for event in events]
    read = [msgspec.json.decode(text, type=Event.__value__) for text in stored]
    assert read == events
    assert fold(GAME, read) == steps[-1].state
    for step in steps[:: len(steps) // 5 + 1]:
        assert msgspec.json.decode(msgspec.json.encode(step.state), type=State) == step.state


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_a_client_can_keep_the_table_by_its_own_events(steps: tuple[Step, ...]) -> None:
    """What a viewer is shown follows from the events it saw, at every version, `known` too (§6, R14)."""
    events = [event for step in steps for event in step.events]
    for viewer in VIEWERS:
        keeps_up(GAME, Client(viewer), events, viewer)


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_a_game_is_bounded(steps: tuple[Step, ...]) -> None:
    """Twice the range plus both hands is 152 and falls every turn: at most 150 turns of 8 commands (R11)."""

    def measure(state: State) -> int:
        return 2 * sum(map(len, state.mountains)) + sum(map(len, state.hands))

    assert measure(steps[0].state) == 152
    assert GAME.outcome(steps[-1].state) is not None
    turns = commands = 0
    before = 152
    for step in steps[1:]:
        commands += 1
        assert commands <= 8
        if step.state.phase is Phase.TURN:
            turns, commands = turns + 1, 0
            assert measure(step.state) < before
            before = measure(step.state)
    assert turns <= 150


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_there_is_always_a_move_until_the_end(steps: tuple[Step, ...]) -> None:
    """Two mountains have cards and nobody has four crystals, until it ends so (§5, R11)."""
    for step in steps:
        state, (seat,) = step.state, GAME.to_act(step.state)
        crystals = max(display.crystals for display in state.displays)
        standing = sum(map(bool, state.mountains))
        assert (GAME.outcome(state) is None) == (standing >= 2 and crystals < 4)
        assert standing >= 1
        assert all(0 <= display.dwarfs <= 4 - display.crystals for display in state.displays)
        if GAME.outcome(state) is None:
            assert list(GAME.legal_moves(state, seat))


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_what_a_seat_knows_is_true(steps: tuple[Step, ...]) -> None:
    """Known cards lie where the seat knows them, and given cards are in the other hand (R14)."""
    for step in steps:
        for seat in BOTH:
            table: Table = GAME.view(step.state, seated(seat))
            everything: Table = GAME.view(step.state, ALL_SEEING)
            assert table.known is not None
            for pile, mountain in zip(table.known.mountains, everything.mountains, strict=True):
                assert len(pile) == mountain.size
                assert all(card in (None, there) for card, there in zip(pile, mountain.cards, strict=True))
            assert Counter(table.known.hand) <= Counter(everything.seats[opponent(seat)].hand)
            assert all(seat in card.known_to for card in step.state.hands[seat])
            assert all(seat in card.known_to for card in step.state.hands[opponent(seat)] if card.given)


@settings(deadline=None, max_examples=150)
@given(state=tables(), seed=SEEDS)
def test_a_viewer_cannot_tell_a_twin(state: State, seed: bytes) -> None:
    """In another table that a viewer cannot tell from this one, view and own moves are the same (§6)."""
    for viewer in VIEWERS:
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        assert GAME.view(twin, viewer) == GAME.view(state, viewer)
        assert GAME.pieces(twin) == GAME.pieces(state)
        assert GAME.to_act(twin) == GAME.to_act(state)
        assert GAME.outcome(twin) == GAME.outcome(state)
        if viewer.seat in GAME.to_act(state):
            assert list(GAME.legal_moves(twin, viewer.seat)) == list(GAME.legal_moves(state, viewer.seat))


PRIVATE = (TakeCard, LookAtMountain, DeclineLook, PlayTunnel, PlayDrilling, PlaceDrilled, Drill, StopDrilling)
"""Commands that show cards to their seat alone."""


@settings(deadline=None, max_examples=150)
@given(state=tables(), seed=SEEDS)
def test_what_a_seat_does_in_private_looks_the_same_in_a_twin(state: State, seed: bytes) -> None:
    """Events, their number, and whether the seat is asked tell others nothing of hidden cards (common §5)."""
    (seat,) = GAME.to_act(state)
    for viewer in (seated(opponent(seat)), SPECTATOR):
        twin = GAME.determinize(state, viewer, SeededChance(seed, "twin"))
        for command in GAME.legal_moves(state, seat):
            if isinstance(command, PRIVATE) and GAME.why_not(twin, seat, command) is None:
                (here, after), (there, other) = (
                    play(GAME, table, seat, command, SeededChance(seed, "play")) for table in (state, twin)
                )
                assert [GAME.seen(event, viewer) for event in here] == [
                    GAME.seen(event, viewer) for event in there
                ]
                assert GAME.view(after, viewer) == GAME.view(other, viewer)
                assert GAME.to_act(after) == GAME.to_act(other)


@settings(deadline=None, max_examples=40)
@given(steps=games())
def test_the_order_of_a_tunnel_is_chosen_only_where_the_option_says_so(steps: tuple[Step, ...]) -> None:
    """Chance or the seat arranges, and a seat that arranges was asked (§4.6, R9)."""
    order = steps[0].state.tunnel_order
    for step in steps:
        for event in step.events:
            if isinstance(event, TunnelArranged):
                assert event.chosen == (order is TunnelOrder.CHOSEN)
                assert event.chosen == isinstance(step.command, ArrangeTunnel)


@settings(deadline=None, max_examples=20)
@given(options=OPTIONS, seed=SEEDS)
def test_the_same_seed_gives_the_same_game(options: Options, seed: bytes) -> None:
    """Nothing but options, seed and commands decides what happens (common §4)."""
    assert played(options, seed) == played(options, seed)
