"""Branches off random matches of any game."""

from collections.abc import Iterator
from random import Random
from typing import Any

from domain.match import (
    AnyMatch,
    BranchOf,
    Holder,
    HolderKind,
    MatchStatus,
    Resign,
    branch_off,
    branch_terms,
    decide,
    legal_moves,
    open_match,
)
from domain.shared.chance import decision_chance, seed_commitment
from domain.shared.viewers import Viewer
from services.matches.decisions import chance_of
from tests.support.games.matches import holder
from tests.support.games.random_matches import RESIGNING, Step, Table, reached
from tests.support.proof.chains import MATCH, SEED, time_of

CALLER = Holder(holder(9).player, HolderKind.HUMAN, "")
"""Who holds all seats of a branch."""


def some_match(table: Table, number: int) -> AnyMatch:
    """Return a match in play, as the random match of that number came through."""
    dice = Random(f"branch of {table}/{number}")
    return dice.choice(list(reached(table, [number], 1)))


def branched(table: Table, number: int, viewer: Viewer) -> Iterator[Step]:
    """Yield the steps of a branch off a random match, played on to its end by one player."""
    game, dice = table.game, Random(f"branched {table}/{number}")
    original = some_match(table, number)
    branch_of = BranchOf("match_0", 7, viewer.kind, viewer.seat)
    terms = branch_terms(original.terms, CALLER.player, seed_commitment(SEED), branch_of)
    events, match = open_match(game, terms)
    yield Step(None, None, events, match)
    chance = decision_chance(SEED, MATCH, ("",) * table.seats, 0)
    seat, version, place = None, 1, 0
    command: Any = branch_off(game, original, viewer, CALLER, chance)
    while True:
        place += 1
        drawn = chance_of(match, SEED, MATCH, version, command)
        events, match = decide(game, match, seat, command, drawn, time_of(place))
        yield Step(seat, command, events, match)
        if match.status is MatchStatus.FINISHED:
            return
        version += len(events)
        seat = dice.choice(game.to_act(match.state))
        command = Resign() if dice.random() < RESIGNING else dice.choice(legal_moves(game, match, seat))
