"""How fast the rules of Montana are: random legal play on one core, beside lists changed in place.

Each way to play makes the same moves of the same deals; the tables they end with are compared. Times are CPU
seconds of this process, rounds alternate between the ways, and the median counts: the machine may be shared.
"""

import cProfile
import pstats
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from time import process_time
from typing import Any

import msgspec

from bench.montana_lists import Lists
from domain.games.montana import GAME
from domain.games.montana.catalogue import Options
from domain.games.montana.events import CardMoved, Dealt, Redealt
from domain.games.montana.state import State
from domain.match import (
    Disclosure,
    Holder,
    HolderKind,
    Match,
    MatchStatus,
    PlayerId,
    Terms,
    Visibility,
    legal_moves,
    open_match,
    submit,
    take_seat,
)
from domain.shared.chance import SeededChance
from domain.shared.game import begin, fold, play
from domain.shared.seats import Seat
from tests.support.games.matches import NOW

SEAT = Seat(0)
CHANCE = SeededChance(bytes(32), "bench")
"""Never asked: every deal has a number."""

REDEALS = 2

type Played = tuple[int, list[int]]
"""How many commands were given, and the score of each deal."""


def play_lists(deals: Sequence[int]) -> Played:
    """Play with lists changed in place."""
    commands, scores = 0, []
    for deal in deals:
        dice = Random(deal).random
        table = Lists(deal, REDEALS)
        while not table.over() and (moves := table.moves()):
            table.make(moves[int(dice() * len(moves))])
            commands += 1
        scores.append(table.score())
    return commands, scores


def play_game(deals: Sequence[int]) -> Played:
    """Play the game through the kernel: list, decide, evolve, look for the end."""
    commands, scores = 0, []
    for deal in deals:
        dice = Random(deal).random
        _, state = begin(GAME, Options(redeals=REDEALS, deal=deal), 1, CHANCE)
        while GAME.outcome(state) is None:
            moves = tuple(GAME.legal_moves(state, SEAT))
            _, state = play(GAME, state, SEAT, moves[int(dice() * len(moves))], CHANCE)
            commands += 1
        scores.append(GAME.scores(state)[0])
    return commands, scores


def play_match(deals: Sequence[int]) -> Played:
    """Play whole matches: the life cycle around the game, as the services do."""
    commands, scores = 0, []
    for deal in deals:
        dice = Random(deal).random
        match = started(deal)
        while match.status is MatchStatus.PLAYING:
            moves = legal_moves(GAME, match, SEAT)
            _, match = submit(GAME, match, SEAT, moves[int(dice() * len(moves))], CHANCE, NOW)
            commands += 1
        scores.append(GAME.scores(match.state)[0])
    return commands, scores


WAYS: dict[str, Callable[[Sequence[int]], Played]] = {
    "lists changed in place": play_lists,
    "game through the kernel": play_game,
    "match around the game": play_match,
}


def started(deal: int) -> Match[State, Options]:
    """Return a match of a deal number that has just begun."""
    terms = Terms(
        game=GAME.id,
        ruleset=GAME.ruleset,
        options=Options(redeals=REDEALS, deal=deal),
        seats=1,
        opener=PlayerId("player_0"),
        visibility=Visibility.PUBLIC,
        disclosure=Disclosure.AT_END,
        seed_commitment="",
    )
    _, match = open_match(GAME, terms)
    _, match = take_seat(GAME, match, SEAT, Holder(PlayerId("player_0"), HolderKind.HUMAN, ""), CHANCE, NOW)
    return match


def throughput(deals: int, rounds: int) -> None:
    """Print moves per CPU second of each way to play.

    Raises:
        AssertionError: Two ways ended with different tables.
    """
    numbers = range(deals)
    rates: dict[str, list[float]] = {way: [] for way in WAYS}
    results: dict[str, Played] = {}
    for _ in range(rounds):
        for way, played in WAYS.items():
            begun = process_time()
            results[way] = played(numbers)
            rates[way].append(results[way][0] / (process_time() - begun))
    if len({(commands, tuple(scores)) for commands, scores in results.values()}) != 1:
        raise AssertionError("the ways to play differ in their results")
    commands, scores = results["match around the game"]
    won = scores.count(48) / deals
    print(f"Random legal play of deals 0 to {deals - 1}: {commands} moves, {won:.1%} won, {rounds} rounds\n")
    print(f"{'way to play':26}{'moves per CPU second':>22}{'lowest':>12}{'highest':>12}{'ratio':>8}")
    base = median(rates["lists changed in place"])
    for way, measured in rates.items():
        middle = median(measured)
        print(f"{way:26}{middle:>22,.0f}{min(measured):>12,.0f}{max(measured):>12,.0f}{middle / base:>8.2f}")


def breakdown(deals: int, rounds: int) -> None:
    """Print what each function costs a move, called on the tables of random play, and its part of a move."""
    tables, commands, events = _recorded(deals)
    opened = started(0)
    matches = [msgspec.structs.replace(opened, state=table) for table in tables]
    steps: dict[str, Callable[[], object]] = {
        "legal_moves": lambda: [GAME.legal_moves(table, SEAT) for table in tables],
        "decide": lambda: [
            GAME.decide(table, SEAT, command, CHANCE) for table, command in zip(tables, commands, strict=True)
        ],
        "  of it why_not": lambda: [
            GAME.why_not(table, SEAT, command) for table, command in zip(tables, commands, strict=True)
        ],
        "evolve": lambda: [GAME.evolve(table, event) for table, event in zip(tables, events, strict=True)],
        "outcome": lambda: [GAME.outcome(table) for table in tables],
        "game: play, all in all": lambda: [
            play(GAME, table, SEAT, command, CHANCE) for table, command in zip(tables, commands, strict=True)
        ],
        "match: legal_moves": lambda: [legal_moves(GAME, match, SEAT) for match in matches],
        "match: submit, all in all": lambda: [
            submit(GAME, match, SEAT, command, CHANCE, NOW)
            for match, command in zip(matches, commands, strict=True)
        ],
        "a call of len": lambda: [len(table.cells) for table in tables],
    }
    costs: dict[str, list[float]] = {step: [] for step in steps}
    for _ in range(rounds):
        for step, call in steps.items():
            begun = process_time()
            call()
            costs[step].append((process_time() - begun) / len(tables) * 1e9)
    print(f"\n{'where the time of a move goes':30}{'ns':>8}")
    for step, measured in costs.items():
        print(f"{step:30}{median(measured):>8,.0f}")


def folding(deals: int, rounds: int) -> None:
    """Print how many stored events a CPU second decodes and folds."""
    event_type = Dealt | CardMoved | Redealt
    stored = []
    for deal in range(deals):
        events, state = begin(GAME, Options(redeals=REDEALS, deal=deal), 1, CHANCE)
        dice = Random(deal).random
        while GAME.outcome(state) is None:
            moves = list(GAME.legal_moves(state, SEAT))
            more, state = play(GAME, state, SEAT, moves[int(dice() * len(moves))], CHANCE)
            events = (*events, *more)
        stored.append([msgspec.json.encode(event) for event in events])
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(event_type)
    count = sum(map(len, stored))
    rates: dict[str, list[float]] = {"decoded": [], "decoded and folded": []}
    for _ in range(rounds):
        begun = process_time()
        for stream in stored:
            for text in stream:
                decoder.decode(text)
        rates["decoded"].append(count / (process_time() - begun))
        begun = process_time()
        for stream in stored:
            fold(GAME, map(decoder.decode, stream))
        rates["decoded and folded"].append(count / (process_time() - begun))
    print(f"\n{'stored JSON events':26}{'per CPU second':>22}")
    for what, measured in rates.items():
        print(f"{what:26}{median(measured):>22,.0f}")


def profile(deals: int) -> None:
    """Print the profiler's view of whole matches; it makes small functions look dearer than they are."""
    profiler = cProfile.Profile()
    profiler.runcall(play_match, range(deals))
    pstats.Stats(profiler).sort_stats("tottime").print_stats(18)


def _recorded(deals: int) -> tuple[list[State], list[Any], list[Any]]:
    """Return tables of random play, with the move made on each and its event."""
    tables, commands, events = [], [], []
    for deal in range(deals):
        dice = Random(deal).random
        _, state = begin(GAME, Options(redeals=REDEALS, deal=deal), 1, CHANCE)
        while GAME.outcome(state) is None:
            moves = list(GAME.legal_moves(state, SEAT))
            command = moves[int(dice() * len(moves))]
            (event,), after = play(GAME, state, SEAT, command, CHANCE)
            if isinstance(event, CardMoved):
                tables.append(state)
                commands.append(command)
                events.append(event)
            state = after
    return tables, commands, events
