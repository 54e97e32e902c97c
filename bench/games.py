"""How fast the rules of every game are: random legal play on one core, views, redaction and folding.

Times are CPU seconds of this process; rounds alternate between what is measured, and the median counts.
"""

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from domain.games import GAMES
from domain.shared.chance import SeededChance
from domain.shared.game import AnyGame, begin, fold, play
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, Viewer, seated


class Move(NamedTuple):
    """A move of random play: who made it, what it brought about, and the table after it."""

    seat: Seat
    events: tuple[Any, ...]
    state: Any


class Figures(NamedTuple):
    """What one round measures.

    Attributes:
        moves: Moves a second, listing the legal ones.
        seen: The same, with the view of every seat after each.
        own: Seconds for an event as the seat that acted sees it.
        other: As another seat sees it; 0 where there is none.
        spectator: As a spectator sees it.
        folded: Events folded a second.
    """

    moves: float
    seen: float
    own: float
    other: float
    spectator: float
    folded: float


def compare(matches: int, rounds: int) -> None:
    """Print a line for every game and number of seats, all options at their defaults."""
    print(f"\nRandom legal play, {matches} matches a round, {rounds} rounds, a CPU second each\n")
    print(
        f"{'game':14}{'seats':>6}{'moves a match':>15}{'moves':>10}{'with all views':>16}"
        f"{'own µs':>9}{'other µs':>10}{'spectator µs':>14}{'events folded':>15}"
    )
    for game in GAMES.values():
        for seats in range(game.min_seats, game.max_seats + 1):
            recorded = [list(played(game, seats, number)) for number in range(matches)]
            length = sum(map(len, recorded)) / matches
            measured = [figures(game, seats, matches, recorded) for _ in range(rounds)]
            middle = Figures(*(median(values) for values in zip(*measured, strict=True)))
            print(
                f"{game.id:14}{seats:>6}{length:>15.0f}{middle.moves:>10,.0f}{middle.seen:>16,.0f}"
                f"{middle.own * 1e6:>9.2f}{middle.other * 1e6:>10.2f}{middle.spectator * 1e6:>14.2f}"
                f"{middle.folded:>15,.0f}"
            )


def figures(game: AnyGame, seats: int, matches: int, recorded: list[list[Move]]) -> Figures:
    """Return what a round measures, of matches played again and of recorded ones."""
    moves = sum(map(len, recorded))
    events = [event for match in recorded for move in match for event in move.events]
    openings = [begun(game, seats, number) for number in range(matches)]

    def play_all(*, looking: bool) -> None:
        for number in range(matches):
            for move in played(game, seats, number):
                for seat in seats_in_order(seats if looking else 0):
                    game.view(move.state, seated(seat))

    def see_all(viewer: Callable[[Move], Viewer]) -> None:
        for match in recorded:
            for move in match:
                eye = viewer(move)
                for event in move.events:
                    game.seen(event, eye)

    def fold_all() -> None:
        for (_, state), match in zip(openings, recorded, strict=True):
            fold(game, (event for move in match for event in move.events), state)

    return Figures(
        moves=moves / seconds(lambda: play_all(looking=False)),
        seen=moves / seconds(lambda: play_all(looking=True)),
        own=seconds(lambda: see_all(lambda move: seated(move.seat))) / len(events),
        other=seconds(lambda: see_all(lambda move: seated(Seat((move.seat + 1) % seats)))) / len(events)
        if seats > 1
        else 0,
        spectator=seconds(lambda: see_all(lambda move: SPECTATOR)) / len(events),
        folded=len(events) / seconds(fold_all),
    )


def seconds(work: Callable[[], None]) -> float:
    """Return the CPU seconds that something takes."""
    started = process_time()
    work()
    return process_time() - started


def begun(game: AnyGame, seats: int, number: int) -> tuple[tuple[Any, ...], Any]:
    """Return the opening of the random match of that number."""
    return begin(game, game.options(), seats, SeededChance(number.to_bytes(8), "opening"))


def played(game: AnyGame, seats: int, number: int) -> Iterator[Move]:
    """Yield the moves of the random match of that number, the same in every round."""
    dice, chance = Random(number).random, SeededChance(number.to_bytes(8), "moves")
    _, state = begun(game, seats, number)
    while game.outcome(state) is None:
        seat = game.to_act(state)[0]
        moves = tuple(game.legal_moves(state, seat))
        events, state = play(game, state, seat, moves[int(dice() * len(moves))], chance)
        yield Move(seat, events, state)
