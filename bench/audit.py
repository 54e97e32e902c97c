"""How fast stored matches are audited, on one core, beside telling them again without reading them."""

import gc
from time import process_time

from adapters.postgres.log.audit import FIRST, LAST, StoredAudit
from bench.serving import database
from domain.games import GAMES
from domain.shared.chain import genesis
from services.matches.envelopes import fact_of
from services.proof.redecision import Retelling
from services.proof.stored_audit import Rules
from tests.support.games.random_matches import Table
from tests.support.stores.stored import StoredMatch, random_match, store


def compare(matches: int, rounds: int) -> None:
    """Print events a second of processor time, of each game and of all together.

    Args:
        matches: How many random matches of each number of seats are stored.
        rounds: How often each is audited; the fastest counts, as others disturb it only.
    """
    print(f"\n{'game':<12}{'events':>9}{'retell':>10}{'audit':>10}{'ratio':>7}   events a second of one core")
    every: list[StoredMatch] = []
    for game in GAMES.values():
        tables = [Table(game, seats) for seats in sorted({game.min_seats, game.max_seats})]
        played = [random_match(table, number) for table in tables for number in range(matches)]
        _row(game.id, played, rounds)
        every += played
    _row("all", every, rounds)


def _row(name: str, played: list[StoredMatch], rounds: int) -> None:
    with database() as conninfo:
        events = store(conninfo, played)
        audit = StoredAudit(conninfo, dict(GAMES))
        try:
            retold = min(_retold(played) for _ in range(rounds))
            audited = min(_audited(audit) for _ in range(rounds))
        finally:
            audit.close()
    print(
        f"{name:<12}{events:>9,}{events / retold:>10,.0f}{events / audited:>10,.0f}{audited / retold:>7.2f}"
    )


def _audited(audit: StoredAudit) -> float:
    gc.collect()
    begun = process_time()
    judged = audit.part(FIRST, LAST)
    if judged.found:
        raise AssertionError(judged.found)
    return process_time() - begun


def _retold(played: list[StoredMatch]) -> float:
    rules = Rules(dict(GAMES))
    given = [
        [
            (
                fact_of(event),
                event.command and rules.commands[match.events[0].event.terms.game].decode(event.command),
            )
            for event in match.events
        ]
        for match in played
    ]
    gc.collect()
    begun = process_time()
    for match, facts in zip(played, given, strict=True):
        game = GAMES[match.events[0].event.terms.game]
        telling, previous = Retelling(game, match.id, match.seed), genesis(match.id)
        for fact, command in facts:
            previous = telling.take(fact, command, previous).hash
    return process_time() - begun
