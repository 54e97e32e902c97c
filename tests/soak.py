"""Very many random matches of every game: `python -m tests.soak`, on all cores.

Each is checked as the conformance suite checks it. At some tables commands are tried too, legal or not. What
is printed says how random play with random options goes: its length, who wins, how it ends, which refusals
were met, and how often each ruling showed. A match that fails is named by its number, which plays it again.
"""

import sys
from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import Pool
from random import Random
from time import monotonic
from typing import NamedTuple

from domain.games import GAMES
from domain.match import MatchStatus, to_act
from tests.support.games.checked_play import checked
from tests.support.games.commands import asked_for
from tests.support.games.random_matches import Table, tables
from tests.support.games.rulings import RULINGS, Proved, shown
from tests.support.games.shapes import shape_of

STRETCH = 250
"""How many matches a process plays before it reports."""
CLOSELY = 50
"""Two matches of so many are looked into at every version, and folded."""
WATCHED = 2
"""One match of so many is looked through for what rulings show; that takes as long as to fold it."""
TRYING = 0.05
"""At how many of the tables commands are tried."""
TRIED = 8
"""How many commands of a type are tried there."""


class Stretch(NamedTuple):
    """Matches for a process to play; tables do not travel between processes, their names do."""

    game: str
    seats: int
    first: int
    matches: int


@dataclass
class Met:
    """What came up in matches.

    Attributes:
        matches: How many were played.
        plies: Commands of those without resignations, in which all of the following was counted too.
        longest: Commands of the longest.
        freely: How many there were.
        wins: Wins by seat, alone or shared.
        kinds: How they ended.
        reasons: What brought the end.
        refusals: Why commands, or made-up options, were refused, in all matches.
        watched: Services that were looked through for rulings, with or without resignations.
        rulings: How many of their steps show each ruling.
    """

    matches: int = 0
    plies: int = 0
    longest: int = 0
    freely: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    watched: int = 0
    rulings: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Met") -> None:
        """Take in what came up in other matches."""
        self.matches += other.matches
        self.plies += other.plies
        self.longest = max(self.longest, other.longest)
        self.freely += other.freely
        self.wins.update(other.wins)
        self.kinds.update(other.kinds)
        self.reasons.update(other.reasons)
        self.refusals.update(other.refusals)
        self.watched += other.watched
        self.rulings.update(other.rulings)


def main() -> None:
    """Play what the command line asks for."""
    parser = ArgumentParser(
        prog="python -m tests.soak",
        description="Very many random matches, checked.",
        formatter_class=ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("game", nargs="*", help=f"{', '.join(GAMES)}; all if none is named")
    parser.add_argument("--matches", type=int, default=100_000, help="matches a game, shared by its seats")
    parser.add_argument("--first", type=int, default=0, help="number of the first match")
    arguments = parser.parse_args()
    if unknown := set(arguments.game) - set(GAMES):
        parser.error(f"there is no game {', '.join(sorted(unknown))}")
    for game in arguments.game or GAMES:
        soak(game, arguments.matches, arguments.first)


def soak(game: str, matches: int, first: int) -> None:
    """Play matches of a game on all cores and print what came up."""
    wanted = list(stretches(game, matches, first))
    total, started = sum(stretch.matches for stretch in wanted), monotonic()
    by_seats: dict[int, Met] = {}
    played = 0
    with Pool() as pool:
        for stretch, met in pool.imap_unordered(play, wanted):
            by_seats.setdefault(stretch.seats, Met()).add(met)
            played += met.matches
            rate = played / (monotonic() - started)
            print(f"\r{game}: {played:,} of {total:,}, {rate:,.0f}/s ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    report(game, dict(sorted(by_seats.items())))


def stretches(game: str, matches: int, first: int) -> Iterator[Stretch]:
    """Yield what is to be played, every number of seats as often."""
    choices = tables(GAMES[game])
    for table in choices:
        wanted = matches // len(choices)
        for begin in range(0, wanted, STRETCH):
            yield Stretch(game, table.seats, first + begin, min(STRETCH, wanted - begin))


def play(stretch: Stretch) -> tuple[Stretch, Met]:
    """Return what came up in some matches.

    Raises:
        RuntimeError: A match is not as it must be; the message says which.
    """
    table, met = Table(GAMES[stretch.game], stretch.seats), Met()
    for number in range(stretch.first, stretch.first + stretch.matches):
        try:
            play_one(table, number, met)
        except Exception as error:
            raise RuntimeError(f"match {number} of {table}: {error!r}") from error
    return stretch, met


def play_one(table: Table, number: int, met: Met) -> None:
    """Play a match and recorded what came up."""
    dice, commands = Random(number), -1
    if refused := table.game.why_not_options(shape_of(table.game.options).sample(dice), table.seats):
        met.refusals[str(refused)] += 1
    before, watched = table.game.initial, dice.random() < 1 / WATCHED
    met.watched += watched
    for step in checked(table, number, closely=number % CLOSELY < 2):
        commands += 1
        if watched:
            met.rulings.update(shown(table.game, before, step.events))
            before = step.match.state
        if step.match.status is MatchStatus.PLAYING and dice.random() < TRYING:
            state = step.match.state
            for seat in to_act(table.game, step.match):
                moves = tuple(table.game.legal_moves(state, seat))
                asked = asked_for(table.game, state, seat, moves, dice, TRIED)
                reasons = (table.game.why_not(state, seat, command) for command in asked)
                met.refusals.update(str(reason) for reason in reasons if reason is not None)
    met.matches += 1
    outcome = step.match.outcome
    if step.match.resigned or outcome is None:
        return
    met.freely += 1
    met.plies += commands
    met.longest = max(met.longest, commands)
    met.wins.update(outcome.winners)
    met.kinds[outcome.kind] += 1
    met.reasons[outcome.reason] += 1


def report(game: str, by_seats: dict[int, Met]) -> None:
    """Print what came up in a game."""
    whole = Met()
    print(f"\n{GAMES[game].title}, matches without resignations:\n")
    print(f"{'seats':>5}{'matches':>10}{'mean plies':>12}{'longest':>9}  wins by seat; kinds; reasons")
    for seats, met in by_seats.items():
        whole.add(met)
        wins = " ".join(f"{met.wins[seat] / met.freely:.1%}" for seat in range(seats))
        rows = "; ".join((wins, shares(met.kinds, met.freely), shares(met.reasons, met.freely)))
        print(f"{seats:>5}{met.freely:>10,}{met.plies / met.freely:>12.1f}{met.longest:>9,}  {rows}")
    print(f"\nof {whole.matches:,} matches in all, refusals met:")
    for reason, count in whole.refusals.most_common():
        print(f"{count:>12,} {reason}")
    if never := [reason for reason in GAMES[game].clauses if str(reason) not in whole.refusals]:
        print(f"       never {', '.join(never)}")
    print(f"\nof {whole.watched:,} of these matches, steps that show a ruling:")
    for ruling, how in RULINGS[game].items():
        said = f"proved by {how.by}" if isinstance(how, Proved) else f"{whole.rulings[ruling]:,}"
        print(f"{ruling:>5} {said}")


def shares(counts: Counter[str], of: int) -> str:
    """Return counts as parts of a whole."""
    return ", ".join(f"{name} {count / of:.1%}" for name, count in counts.most_common())


if __name__ == "__main__":
    main()
