"""Pebbles, a toy game for testing the kernel: anyone who takes the last pebble of a heap wins.

One to three seats in turn take one or two pebbles. Whenever three are left one rolls away by itself.
What each seat has taken is shown as a memory aid.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from domain.shared.catalogues import Clause
from domain.shared.chance import Chance
from domain.shared.game import Game
from domain.shared.outcomes import Outcome, OutcomeKind, Standings
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer


class Options(Struct, frozen=True):
    """How many pebbles there are, or 0 for as many as chance says, one to six; at least one a seat."""

    pebbles: int = 5


class Reason(StrEnum):
    """Why a command is refused."""

    NOT_SO_MANY = "NOT_SO_MANY"
    TOO_FEW_PEBBLES = "TOO_FEW_PEBBLES"


class Take(Struct, frozen=True, tag_field="type", tag="take"):
    """Take pebbles."""

    count: int


class Heaped(Struct, frozen=True, tag_field="type", tag="pebbles.heaped"):
    """A heap was made."""

    pebbles: int
    seats: int


class Taken(Struct, frozen=True, tag_field="type", tag="pebbles.taken"):
    """A seat took pebbles."""

    seat: Seat
    count: int


class RolledAway(Struct, frozen=True, tag_field="type", tag="pebbles.rolled_away"):
    """A pebble rolled away."""


type Event = Heaped | Taken | RolledAway


class State(Struct, frozen=True):
    """The heap, who is next, and what each seat has taken."""

    pebbles: int
    taken: tuple[int, ...]
    turn: int


def _why_not_options(options: Options, seats: int) -> Reason | None:
    return Reason.TOO_FEW_PEBBLES if 0 < options.pebbles < seats else None


def _setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    return (Heaped(options.pebbles or chance.below(6) + 1, seats),)


def _to_act(state: State) -> tuple[Seat, ...]:
    return (Seat(state.turn % len(state.taken)),) if state.pebbles else ()


def _why_not(state: State, seat: Seat, command: Take) -> Reason | None:
    return None if 1 <= command.count <= min(2, state.pebbles) else Reason.NOT_SO_MANY


def _legal_moves(state: State, seat: Seat) -> tuple[Take, ...]:
    return tuple(Take(count) for count in (1, 2) if count <= state.pebbles)


def _decide(state: State, seat: Seat, command: Take, chance: Chance) -> tuple[Event, ...]:
    if reason := _why_not(state, seat, command):
        raise Rejected(reason, count=command.count, left=state.pebbles)
    return (Taken(seat, command.count),)


def _consequence(state: State, chance: Chance) -> Event | None:
    return RolledAway() if state.pebbles == 3 else None


def _evolve(state: State, event: Event) -> State:
    match event:
        case Heaped():
            return State(event.pebbles, (0,) * event.seats, 0)
        case Taken():
            taken = list(state.taken)
            taken[event.seat] += event.count
            return State(state.pebbles - event.count, tuple(taken), state.turn + 1)
        case RolledAway():
            return State(state.pebbles - 1, state.taken, state.turn)
        case _:
            assert_never(event)


def _outcome(state: State) -> Outcome | None:
    if state.pebbles or not state.turn:
        return None
    winner = Seat((state.turn - 1) % len(state.taken))
    return Outcome(OutcomeKind.WON, (winner,), state.taken, "heap_empty")


def _view(state: State, viewer: Viewer) -> State:
    return state


def _unaided(table: State) -> State:
    return State(table.pebbles, (), table.turn)


def _seen(event: Event, viewer: Viewer) -> Event:
    return event


def _determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    return state


def _scores(state: State) -> tuple[int, ...]:
    return state.taken


def _standings(state: State) -> Standings:
    return tuple((taken,) for taken in state.taken)


def _pieces(state: State) -> tuple[str, ...]:
    return ()


CLAUSES: Mapping[StrEnum, str] = {Reason.NOT_SO_MANY: "§1", Reason.TOO_FEW_PEBBLES: "§1"}

PEBBLES: Game[State, Take, Event, Options] = Game(
    id="pebbles",
    title="Pebbles",
    ruleset="pebbles/1",
    summary="Take the last pebble.",
    min_seats=1,
    max_seats=3,
    options=Options,
    commands=(Take,),
    events=(Heaped, Taken, RolledAway),
    seen_events=(Heaped, Taken, RolledAway),
    state=State,
    table=State,
    clauses=CLAUSES,
    rules=(Clause("§1", "Take one or two of a heap of at least one a seat."),),
    data=(),
    initial=State(0, (0,), 0),
    why_not_options=_why_not_options,
    setup=_setup,
    to_act=_to_act,
    why_not=_why_not,
    legal_moves=_legal_moves,
    decide=_decide,
    consequence=_consequence,
    evolve=_evolve,
    view=_view,
    unaided=_unaided,
    seen=_seen,
    determinize=_determinize,
    outcome=_outcome,
    scores=_scores,
    standings=_standings,
    defaults=(Take(2),),
    pieces=_pieces,
)


def heap(pebbles: int, seats: int = 2, turn: int = 0) -> State:
    """Return a heap of which nothing was taken yet."""
    return State(pebbles, (0,) * seats, turn)
