"""Random matches of any game, move by move, the same in every run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import fields, replace

from domain.match import AnyMatch, MatchStatus, Resign, legal_moves, submit
from domain.shared.chance import Chance, SeededChance
from domain.shared.game import AnyGame
from domain.shared.seats import Seat, seats_in_order
from tests.support.games.matches import NOW, playing
from tests.support.games.shapes import shape_of

type Luck = Callable[[int], Chance]
"""The chance of each step of a match."""

MOST_COMMANDS = 20_000
"""Random play that takes longer has no end."""
RESIGNING = 0.02
"""How often a seat, on turn or not, gives up instead of a move being made, in matches of odd numbers."""
LIKING = 0.5
"""How often a command that is liked is preferred."""
PROPOSALS = 100
"""How many random options are tried for a number of seats."""


class Table(NamedTuple):
    """A game and how many play it."""

    game: AnyGame
    seats: int

    def __str__(self) -> str:
        """Return how a test of it is called in the report."""
        return f"{self.game.id}-{self.seats}"


class Step(NamedTuple):
    """What one command led to, or the opening.

    Attributes:
        seat: The seat that gave the command, None at the opening.
        command: The command, None at the opening.
        events: What happened.
        match: The match after it.
    """

    seat: Seat | None
    command: Any
    events: tuple[object, ...]
    match: AnyMatch


def luck_of(table: Table, number: int) -> Luck:
    """Return the chance of each step of the random match of that number; the opening is step 0."""
    key = f"{table}/{number}".encode()
    return lambda place: SeededChance(key, str(place))


def played(table: Table, number: int, lucky: Callable[[Table, int], Luck] = luck_of) -> Iterator[Step]:
    """Yield the steps of the random match of that number, from its opening to its end.

    Args:
        table: The game and how many play it.
        number: Which match; it chooses options, chance and moves. If it is odd, seats give up now and then.
        lucky: Gives the chance of a match, by its steps.

    Raises:
        AssertionError: It has no end.
    """
    game, dice, luck = table.game, Random(f"{table}/{number}"), lucky(table, number)
    events, match = playing(game, random_options(table, dice), table.seats, luck(0))
    yield Step(None, None, events, match)
    yield from played_on(table, match, number, dice, luck)


def played_on(
    table: Table,
    match: AnyMatch,
    number: int,
    dice: Random,
    luck: Luck,
    *,
    liked: tuple[type[Any], ...] = (),
) -> Iterator[Step]:
    """Yield the steps of a random match from a table on to its end.

    Args:
        table: The game and how many play it.
        match: The match so far.
        number: Which match. If it is odd, seats give up now and then.
        dice: What chooses.
        luck: The chance of each step, the first being 1.
        liked: Commands that are preferred half of the time.

    Raises:
        AssertionError: It has no end.
    """
    game = table.game
    for place in range(1, MOST_COMMANDS):
        if match.status is MatchStatus.FINISHED:
            return
        command: Any = None
        if number % 2 and dice.random() < RESIGNING:
            left = [seat for seat in seats_in_order(table.seats) if seat not in match.resigned]
            seat, command = dice.choice(left), Resign()
        else:
            to_act = game.to_act(match.state)
            seat = to_act[int(dice.random() * len(to_act))]
            moves = legal_moves(game, match, seat)
            if liked and dice.random() < LIKING:
                moves = tuple(move for move in moves if isinstance(move, liked)) or moves
            command = moves[int(dice.random() * len(moves))]
        events, match = submit(game, match, seat, command, luck(place), NOW)
        yield Step(seat, command, events, match)
    raise AssertionError(f"match {number} of {table} goes on after {MOST_COMMANDS} commands")


def varied(table: Table, numbers: range, enough: int) -> tuple[int, ...]:
    """Return matches of these numbers in which each event comes up in so many, if it does in any so many.

    Args:
        table: The game and how many play it.
        numbers: The matches to choose from; those with smaller numbers are taken first.
        enough: In how many matches every event is wanted.
    """
    met, chosen = Counter[type[Any]](), []
    for number in numbers:
        events = {type(event) for step in played(table, number) for event in step.events}
        if any(met[event] < enough for event in events):
            met.update(events)
            chosen.append(number)
        if all(met[event] >= enough for event in table.game.events):
            break
    return tuple(chosen)


def tables(*games: AnyGame) -> tuple[Table, ...]:
    """Return every number of seats that each game is played by."""
    return tuple(Table(game, seats) for game in games for seats in range(game.min_seats, game.max_seats + 1))


def reached(table: Table, matches: Iterable[int], share: float) -> Iterator[AnyMatch]:
    """Yield matches in play, about this share of all that random matches of these numbers come through."""
    for number in matches:
        dice = Random(f"reached {number}")
        for step in played(table, number):
            if step.match.status is MatchStatus.PLAYING and dice.random() < share:
                yield step.match


def random_options(table: Table, dice: Random) -> Any:
    """Return options that suit the table, each at random; a list has the default's items in any order.

    Raises:
        AssertionError: All that were tried are refused.
    """
    game, shape, default = table.game, shape_of(table.game.options), table.game.options()
    for _ in range(PROPOSALS):
        options = shape.sample(dice)
        for field in fields(game.options):
            if isinstance(given := getattr(default, field.name), tuple):
                mixed = tuple(dice.sample(given, len(given)))
                options = replace(options, **{field.name: mixed})
        if game.why_not_options(options, table.seats) is None:
            return options
    raise AssertionError(f"no options suit {table}")
