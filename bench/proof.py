"""What proof costs an event: its link in the chain, what a viewer checks, and telling a whole match again.

The limit beside the link, in the same run, is one redaction, one encoding and one hash of each audience.
"""

from collections.abc import Callable
from hashlib import sha256
from statistics import median
from time import process_time
from typing import Any

from domain.games import GAMES
from domain.match import seen
from domain.match.proof import flaw, link
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, salts
from domain.shared.seats import Seat
from domain.shared.viewers import seated
from services.proof.redecision import Retelling
from tests.support.games.random_matches import Step, Table
from tests.support.proof.chains import MATCH, SEED, Linked, chained, fair, shown, viewers


def compare(matches: int, rounds: int) -> None:
    """Print what proof costs at tables of each game, in microseconds an event.

    Args:
        matches: How many random matches are chained.
        rounds: How often each is measured; the median counts.
    """
    print(
        f"\n{'game':<12}{'seats':>6}{'bare':>8}{'link':>8}{'ratio':>7}{'check':>8}{'retell':>8}{'events/s':>10}"
    )
    for game in GAMES.values():
        for seats in sorted({game.min_seats, game.max_seats}):
            _row(Table(game, seats), matches, rounds)


def _row(table: Table, matches: int, rounds: int) -> None:
    played = [list(fair(table, number)) for number in range(matches)]
    chains = [list(chained(table, steps)) for steps in played]
    events = sum(map(len, chains))
    looking = viewers(table.seats)
    seat = seated(Seat(0))
    seen_by = [[shown(table, linked, seat) for linked in chain] for chain in chains]
    commands = [[one for step in steps for one in _commands(step)] for steps in played]

    def timed(work: Callable[[], None]) -> float:
        took = []
        for _ in range(rounds):
            begun = process_time()
            work()
            took.append((process_time() - begun) / events * 1e6)
        return median(took)

    def bare() -> None:
        for chain in chains:
            for fact, _ in chain:
                for viewer in looking:
                    sha256(canonical(seen(table.game, fact.event, viewer))).digest()

    def linked() -> None:
        for chain in chains:
            previous = genesis(MATCH)
            for fact, _ in chain:
                own = salts(SEED, MATCH, fact.version, table.seats)
                previous = link(table.game, previous, fact, own).hash

    def checked() -> None:
        for events_seen in seen_by:
            previous = genesis(MATCH)
            for event in events_seen:
                if flaw(event, seat, previous):
                    raise AssertionError(event)
                previous = event.proof.hash

    def retold() -> None:
        for chain, given in zip(chains, commands, strict=True):
            _retell(table, chain, given)

    limit, linking, checking, retelling = timed(bare), timed(linked), timed(checked), timed(retold)
    print(
        f"{table.game.id:<12}{table.seats:>6}{limit:>8.1f}{linking:>8.1f}{linking / limit:>7.2f}"
        f"{checking:>8.1f}{retelling:>8.1f}{1e6 / retelling:>10,.0f}"
    )


def _commands(step: Step) -> list[Any]:
    """Return the command beside each of its events: with the first of them, else None."""
    return [step.command, *[None] * (len(step.events) - 1)]


def _retell(table: Table, chain: list[Linked], commands: list[Any]) -> None:
    retelling, previous = Retelling(table.game, MATCH, SEED), genesis(MATCH)
    for (fact, made), command in zip(chain, commands, strict=True):
        if retelling.take(fact, command, previous) != made:
            raise AssertionError(fact)
        previous = made.hash
