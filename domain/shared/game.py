"""What a game gives to be played, and how any game is folded and played."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from domain.shared.catalogues import Clause, DataTable, DrawRule
from domain.shared.chance import Chance
from domain.shared.outcomes import Outcome, Standings
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer


def whole[Table](table: Table) -> Table:
    """Return a table as it is, for games that define no memory aid (common §10)."""
    return table


def as_shown[Table](table: Table, outcome: Outcome) -> Table:
    """Return a table as it is, for games whose views withhold nothing that the outcome tells (common §10)."""
    return table


def as_before[O](options: O, seat: Seat) -> O:
    """Return options as they are, for games that let no seat be named to begin."""
    return options


def no_stones(state: Any) -> tuple[int, ...]:
    """Return no stones, for games that do not break ties by them."""
    return ()


class Game[S, C, E, O](Struct, frozen=True, kw_only=True):
    """A game: its types, its data and its rules as pure functions.

    S, C, E and O are its state, command, event and options types.

    Attributes:
        id: Stable name in lower snake case, first part of every stored event's name.
        title: Name as players know it.
        ruleset: Edition of data and rulings, fixed when a match opens (`montana/1`).
        summary: One sentence for a player who chooses a game.
        min_seats: Fewest seats of a match.
        max_seats: Most seats of a match.
        options: Struct type of the options, every field with its default.
        commands: Command types in the order of the rules, each tagged with its name.
        events: Event types, each tagged with its stored name.
        seen_events: Types that `seen` gives, each tagged with the stored name of the event it shows.
        state: Type of the whole table.
        table: Type that `view` gives, tagged with the game's id.
        clauses: Every reason for refusing, with the clause that it enforces (`§4.2`).
        rules: The clauses and rulings in order.
        data: The ruleset's tables with their grade.
        draws: All that the rules ask of chance, in the order of the rules (common §4).
        initial: The state before the first event.
        why_not_options: Why options do not fit a number of seats, or None.
        begun_by: Options by which a seat begins: how a match is opened that is played again.
        setup: Options, number of seats and chance to the opening events.
        to_act: The seats that must choose now, rising; none only when the game is over.
        why_not: Why a command of a seat is refused, or None.
        legal_moves: A seat's moves in full form, in the stated order (common §9); none unless it is to act.
        decide: What a command brings about; raises `Rejected`.
        consequence: The next thing that is forced, or None.
        evolve: The state after an event; total over decided events.
        view: What a viewer may know of a state.
        unaided: The table that `view` gives, without its memory aid (common §10).
        at_end: The table that `view` gives, with what the outcome tells everybody once the match is over,
            however it ended: by the game's own rules, by resignation or by time (common §10).
        seen: What a viewer may know of an event.
        determinize: Another state that the viewer cannot tell from this one. With chance that sorts what it
            shuffles, nothing but what the viewer knows and chance fix it.
        outcome: How the game ended, or None while it goes on.
        scores: Points by seat as they stand.
        stones: Stones by seat as they stand, in a game that breaks ties by them; else none.
        standings: What ranks the seats, as it stands.
        defaults: What a seat does that gave up or ran out of time: the first legal one of these (common §7);
            a type stands for the first move of it in the listed order.
        pieces: The names of all cards and other pieces, wherever they are, sorted: the same at every version.
        upcasts: How plain data of a whole table in each earlier shape becomes that of the next, oldest first,
            so that tables that were stored load for ever.
        earlier: The editions before this one, newest first, with the same types: matches that were opened
            with them go on under their rules.
    """

    id: str
    title: str
    ruleset: str
    summary: str
    min_seats: int
    max_seats: int
    options: type[O]
    commands: tuple[type[C], ...]
    events: tuple[type[E], ...]
    seen_events: tuple[type[Any], ...]
    state: type[S]
    table: type[Any]
    clauses: Mapping[StrEnum, str]
    rules: tuple[Clause, ...]
    data: tuple[DataTable, ...]
    initial: S
    why_not_options: Callable[[O, int], StrEnum | None]
    begun_by: Callable[[O, Seat], O] = as_before
    setup: Callable[[O, int, Chance], tuple[E, ...]]
    to_act: Callable[[S], tuple[Seat, ...]]
    why_not: Callable[[S, Seat, C], StrEnum | None]
    legal_moves: Callable[[S, Seat], Iterable[C]]
    decide: Callable[[S, Seat, C, Chance], tuple[E, ...]]
    consequence: Callable[[S, Chance], E | None]
    evolve: Callable[[S, E], S]
    view: Callable[[S, Viewer], Any]
    draws: tuple[DrawRule, ...] = ()
    unaided: Callable[[Any], Any] = whole
    at_end: Callable[[Any, Outcome], Any] = as_shown
    seen: Callable[[E, Viewer], Any]
    determinize: Callable[[S, Viewer, Chance], S]
    outcome: Callable[[S], Outcome | None]
    scores: Callable[[S], tuple[int, ...]]
    stones: Callable[[S], tuple[int, ...]] = no_stones
    standings: Callable[[S], Standings]
    defaults: tuple[C | type[C], ...]
    pieces: Callable[[S], tuple[str, ...]]
    upcasts: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = ()
    earlier: tuple["Game[S, C, E, O]", ...] = ()


type AnyGame = Game[Any, Any, Any, Any]
"""A game, whichever."""
type Games = Mapping[str, AnyGame]
"""Games by id, each in its newest edition."""


def edition[S, C, E, O](game: Game[S, C, E, O], ruleset: str) -> Game[S, C, E, O] | None:
    """Return the edition of a game that has this ruleset, or None."""
    return next((known for known in (game, *game.earlier) if known.ruleset == ruleset), None)


def fold[S, E](game: Game[S, Any, E, Any], events: Iterable[E], state: S | None = None) -> S:
    """Return the state after the events, from `state` or else from the game's beginning."""
    reached = game.initial if state is None else state
    for event in events:
        reached = game.evolve(reached, event)
    return reached


def begin[S, E, O](
    game: Game[S, Any, E, O], options: O, seats: int, chance: Chance
) -> tuple[tuple[E, ...], S]:
    """Return the opening events of a game with all that they force, and the state they lead to."""
    return _with_forced(game, game.initial, game.setup(options, seats, chance), chance)


def play[S, C, E](
    game: Game[S, C, E, Any], state: S, seat: Seat, command: C, chance: Chance
) -> tuple[tuple[E, ...], S]:
    """Return the events of a command with all that they force, and the state they lead to.

    Raises:
        Rejected: The rules refuse the command.
    """
    return _with_forced(game, state, game.decide(state, seat, command, chance), chance)


def default_move[S, C](game: Game[S, C, Any, Any], state: S, seat: Seat) -> C:
    """Return the move of a seat that is to act and does not choose (common §7)."""
    moves = tuple(game.legal_moves(state, seat))
    for wanted in game.defaults:
        for move in moves:
            if wanted in (move, type(move)):
                return move
    return moves[0]


def _with_forced[S, E](
    game: Game[S, Any, E, Any], state: S, events: tuple[E, ...], chance: Chance
) -> tuple[tuple[E, ...], S]:
    """Return the events and, one at a time until nothing is forced or the game is over, what they force."""
    reached = fold(game, events, state)
    while game.outcome(reached) is None and (forced := game.consequence(reached, chance)) is not None:
        events = (*events, forced)
        reached = game.evolve(reached, forced)
    return events, reached
