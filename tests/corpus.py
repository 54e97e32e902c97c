"""Make the matches against which rules are held for ever: `python -m tests.corpus`, on all cores.

Only rulesets that have none get any. The matches are the same in every run.
"""

import sys
from argparse import ArgumentParser
from datetime import timedelta
from hashlib import sha256
from multiprocessing import Pool
from random import Random
from typing import Any, NamedTuple

from domain.games import GAMES
from domain.match import MatchStatus, OnTimeOut, Resign, TimeControl, TimeControlKind, TimeOut, legal_moves
from domain.shared.canonical import canonical
from domain.shared.chain import written
from domain.shared.game import AnyGame
from domain.shared.seats import seats_in_order
from tests.support.games.corpus import (
    CHECKED,
    Agreed,
    AnyFinished,
    Asked,
    Course,
    Finished,
    edition_of,
    keep,
    path_of,
)
from tests.support.games.random_matches import MOST_COMMANDS, Table, random_options, tables
from tests.support.games.shapes import shapes_of

MATCHES = 600
"""How many matches of a ruleset are made, shared by its numbers of seats."""
RESIGNING = 0.02
TIMING_OUT = 0.04
"""How often a seat gives up, or lets its time run out, in matches in which that happens."""
SAVING = 0.95
"""How often the move with the lowest numbers is made in a thrifty match."""
CONTROLS = (
    TimeControl(TimeControlKind.PER_MOVE, seconds=30),
    TimeControl(TimeControlKind.RESERVE, seconds=600, increment=5),
    TimeControl(TimeControlKind.DAYS, days=2),
)
ENTROPIES = ("", "heads", "7", "Zufall äöü", "🎲🎲", "x" * 40)
TRIED = 12
"""Among how many random options those are chosen that bring most that is new."""
FURTHER = 100
"""How many times as many are played for events that have not come up; only those that show one are kept."""
FEW = 64
"""An option with no more values than this is tried with all of them, beside all of the others."""


class Wanted(NamedTuple):
    """A match for a process to play; games do not travel between processes, their rulesets do."""

    ruleset: str
    number: int
    seats: int
    options: Any
    thrifty: bool


def main() -> None:
    """Make the matches of the rulesets that have none."""
    parser = ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("ruleset", nargs="*", help="all that have no matches yet if none is named")
    parser.add_argument("--matches", type=int, default=MATCHES, help="matches a ruleset")
    arguments = parser.parse_args()
    known = [known.ruleset for game in GAMES.values() for known in (game, *game.earlier)]
    for ruleset in arguments.ruleset or [one for one in known if not path_of(one).exists()]:
        if ruleset not in known:
            parser.error(f"there is no ruleset {ruleset}")
        if path_of(ruleset).exists():
            parser.error(
                f"{ruleset} has its matches: they are never made again. Changed rules need a new ruleset id"
            )
        make(edition_of(GAMES.values(), ruleset), arguments.matches)


class Made(NamedTuple):
    """A match, and the types of the events that came up in it."""

    finished: AnyFinished
    happened: frozenset[str]


def make(game: AnyGame, count: int) -> None:
    """Play the matches of a ruleset on all cores and keep them, with some more for events that are rare."""
    made: list[AnyFinished] = []
    missing = {event.__name__ for event in game.events}
    with Pool() as pool:
        for finished, happened in pool.imap(played, wanted_of(game, range(count)), chunksize=4):
            made.append(finished)
            missing -= happened
            tell(f"{game.ruleset}: {len(made):,} of {count:,}")
        for tried in range(count, FURTHER * count if missing else count, count):
            tell(f"{game.ruleset}: {tried:,} tried for {', '.join(sorted(missing))}")
            further = wanted_of(game, range(tried, tried + count), thrifty=True)
            for finished, happened in pool.imap(played, further, chunksize=4):
                if missing & happened:
                    made.append(finished)
                    missing -= happened
            if not missing:
                break
    size, commands = keep(game.ruleset, made), sum(len(finished.asked) for finished in made)
    tell(f"{game.ruleset}: {len(made):,} matches, {commands:,} commands, {size:,} bytes\n")


def tell(text: str) -> None:
    """Say how far it is, in place of what was said before."""
    print(f"\r{text:<100}", end="", file=sys.stderr, flush=True)


def wanted_of(game: AnyGame, numbers: range, *, thrifty: bool = False) -> list[Wanted]:
    """Return the matches of these numbers, each number of seats as often; thrifty ones favour low numbers."""
    choices = tables(game)
    enough = len(numbers) // len(choices) + 1
    options = [iter(options_of(table, numbers.start, enough)) for table in choices]
    places = ((number, number % len(choices)) for number in numbers)
    return [
        Wanted(game.ruleset, number, choices[place].seats, next(options[place]), thrifty)
        for number, place in places
    ]


def options_of(table: Table, first: int, count: int) -> tuple[Any, ...]:
    """Return options for so many matches from a number on, the defaults first.

    Each is chosen to bring values, and pairs of them, that are new.
    """
    dice, chosen = Random(f"options of {table.game.ruleset} for {table.seats} from {first}"), []
    met: set[Any] = set()
    for place in range(count):
        tried = [random_options(table, dice) for _ in range(TRIED)] if place else [table.game.options()]
        best = max(tried, key=lambda options: len(pairs_of(options) - met))
        met |= pairs_of(best)
        chosen.append(best)
    return tuple(chosen)


def pairs_of(options: Any) -> set[tuple[tuple[str, Any], tuple[str, Any]]]:
    """Return the values of options that have few, two and two; each with itself too."""
    few = [
        (name, getattr(options, name))
        for name, shape in shapes_of(type(options)).items()
        if shape.size <= FEW
    ]
    return {(one, other) for place, one in enumerate(few) for other in few[place:]}


def played(wanted: Wanted) -> Made:
    """Return a random match.

    Of four in a row one has seats that give up, and two have clocks that run out, with either consequence.
    """
    game = edition_of(GAMES.values(), wanted.ruleset)
    dice, kind = Random(f"{wanted.ruleset} {wanted.number}"), wanted.number // len(tables(game)) % 4
    agreed = Agreed(
        number=wanted.number,
        seats=wanted.seats,
        options=wanted.options,
        time_control=dice.choice(CONTROLS) if kind > 1 else TimeControl(),
        on_time_out=OnTimeOut.DEFAULT_MOVE if kind == 3 else OnTimeOut.RESIGN,
        seed=written(sha256(f"seed of {wanted.ruleset} {wanted.number}".encode()).digest()),
        entropies=tuple(dice.choice(ENTROPIES) for _ in range(wanted.seats)),
    )
    course, asked = Course(game, agreed), list[Asked[Any]]()
    checks, happened = course.head[:CHECKED], {type(event).__name__ for event in course.events}
    while course.match.status is not MatchStatus.FINISHED:
        asked.append(chosen(game, course, dice, resigns=kind == 1, thrifty=wanted.thrifty))
        course.give(asked[-1])
        checks += course.head[:CHECKED]
        happened.update(type(event).__name__ for event in course.events)
        if len(asked) == MOST_COMMANDS:
            raise AssertionError(f"match {wanted.number} of {wanted.ruleset} has no end")
    finished = Finished(agreed, tuple(asked), course.match.outcome, checks, course.head)
    return Made(finished, frozenset(happened))


def chosen(game: AnyGame, course: Course, dice: Random, *, resigns: bool, thrifty: bool) -> Asked[Any]:
    """Return what is asked for next."""
    match = course.match
    if resigns and dice.random() < RESIGNING:
        holding_out = [seat for seat in seats_in_order(match.terms.seats) if seat not in match.resigned]
        return Asked(dice.choice(holding_out), 0, Resign())
    seat = dice.choice(game.to_act(match.state))
    deadline = None if match.clocks is None else match.clocks.deadline(seat)
    waited = 0
    if deadline is not None:
        left = max(0, (deadline - course.now) // timedelta(milliseconds=1))
        waited = int(left * dice.random() ** 4 / 4)
        if waited == left or dice.random() < TIMING_OUT:
            return Asked(None, left, TimeOut(seat))
    moves = legal_moves(game, match, seat)
    return Asked(
        seat, waited, min(moves, key=cost) if thrifty and dice.random() < SAVING else dice.choice(moves)
    )


def cost(move: Any) -> int:
    """Return the sum of the digits in a move as it is written: matches of low numbers go on for longer."""
    return sum(int(digit) for digit in canonical(move).decode() if digit.isdecimal())


if __name__ == "__main__":
    main()
