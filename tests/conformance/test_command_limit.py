"""Matches of every game end when they have had as many commands as they may have."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from adapters.keys.signing import Ed25519Signatures
from domain.match import (
    COMMAND_LIMIT,
    MOST_LOBBY_COMMANDS,
    ClocksSet,
    Finished,
    MatchStatus,
    Reason,
    Resign,
    Result,
    Started,
    TakeSeat,
    decide,
    legal_moves,
    open_match,
    ranks,
    result,
)
from domain.shared.outcomes import OutcomeKind
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING
from services.matches.same_terms import fit_of
from services.proof.bundle_audit import Altered, verify
from tests.support.games.matches import at, decided, holder, playing, terms
from tests.support.games.random_matches import Step, Table
from tests.support.games.scenarios import luck
from tests.support.proof.bundles import bundle_of, bundled
from tests.support.proof.chains import fair, viewers

LIMIT = 4
MATCHES = range(6)
SIGNATURES = Ed25519Signatures()


def commands_of(steps: list[Step]) -> int:
    """Return how many commands came after the beginning of play."""
    begun = next(place for place, step in enumerate(steps) if any(map(is_start, step.events)))
    return len(steps) - 1 - begun


def is_start(event: object) -> bool:
    """Return whether an event begins play."""
    return isinstance(event, Started)


def test_a_match_has_so_many_commands_and_ends(table: Table) -> None:
    """All of them are carried out; what the game itself ends with the last ends as it would anyway."""
    limited = 0
    for number in MATCHES:
        steps = list(fair(table, number, limit=LIMIT))
        *others, last = steps[-1].events
        assert isinstance(last, Finished)
        assert commands_of(steps) <= LIMIT
        match = steps[-1].match
        if last.outcome.reason != COMMAND_LIMIT:
            continue
        limited += 1
        assert commands_of(steps) == LIMIT
        assert not isinstance(others[-1], ClocksSet)
        assert (match.status, match.outcome, match.clocks) == (MatchStatus.FINISHED, last.outcome, None)
        left = tuple(seat for seat in seats_in_order(table.seats) if seat not in match.resigned)
        solo = table.seats == 1
        assert last.outcome.kind is (OutcomeKind.LOST if solo else OutcomeKind.SHARED)
        assert last.outcome.winners == (() if solo else left)
        assert last.outcome.scores == table.game.scores(match.state)
        assert last.outcome.stones == table.game.stones(match.state)
        for seat in seats_in_order(table.seats):
            shares = not solo and seat in left
            assert result(match, seat) is (Result.SHARED if shares else Result.LOST)
            assert shares == (ranks(match)[seat] == 1) or solo
        # Without the limit the same match goes on after the same commands.
        free = list(fair(table, number))
        assert [step.command for step in free[: len(steps)]] == [step.command for step in steps]
        assert len(free) > len(steps) or not others
    assert limited


def test_bundles_of_it_hold_for_every_viewer(table: Table) -> None:
    """The end is decided again from the seed, and one that comes a command too early or late is found."""
    games = {table.game.id: table.game}
    for number in MATCHES:
        for viewer in viewers(table.seats):
            verify(bundled(table, number, viewer, limit=LIMIT), games, SIGNATURES)
    steps = list(fair(table, 0, limit=LIMIT))
    opened: Any = steps[0].events[0]
    for wrong in (LIMIT - 1, LIMIT + 1, UNSET):
        told = replace(opened, terms=replace(opened.terms, max_commands=wrong))
        altered = [steps[0]._replace(events=(told,)), *steps[1:]]
        if steps[-1].events[-1].outcome.reason == COMMAND_LIMIT:  # type: ignore[attr-defined]
            with pytest.raises(Altered):
                verify(bundle_of(table, altered, ALL_SEEING), games, SIGNATURES)


def test_who_has_resigned_has_no_share(company: Table) -> None:
    """A resignation is a command like any other; the last one that is left has won as ever (common §6)."""
    game = company.game
    agreed = replace(terms(game, game.options(), company.seats), max_commands=2)
    _, match = open_match(game, agreed)
    for seat in seats_in_order(company.seats):
        _, match = decided(game, match, TakeSeat(seat, holder(seat)))
    _, match = decide(game, match, Seat(1), Resign(), luck(), at(0), commands=0)
    if company.seats == 2:
        assert match.outcome is not None
        assert match.outcome.reason == "resigned"
        return
    (seat, *_) = game.to_act(match.state)
    _, match = decide(game, match, seat, legal_moves(game, match, seat)[0], luck(), at(0), commands=1)
    assert match.outcome is not None
    assert (match.outcome.reason, match.outcome.kind) == (COMMAND_LIMIT, OutcomeKind.SHARED)
    assert match.outcome.winners == tuple(seat for seat in range(company.seats) if seat != 1)


def test_matches_opened_before_have_no_limit(smallest: Table) -> None:
    """They are written, hashed and fitted as they were."""
    game = smallest.game
    agreed = terms(game, game.options(), smallest.seats)
    assert fit_of(agreed) == fit_of(replace(agreed, max_commands=7))
    _, match = playing(game, game.options(), smallest.seats)
    (seat, *_) = game.to_act(match.state)
    command = legal_moves(game, match, seat)[0]
    _, after = decide(game, match, seat, command, luck(), at(0), commands=10**6)
    assert after.outcome is None or after.outcome.reason != COMMAND_LIMIT


def test_a_lobby_has_so_many_commands(smallest: Table) -> None:
    """Beyond, nobody sits down any more; but the match can be left and cancelled."""
    game = smallest.game
    _, match = open_match(game, replace(terms(game, game.options(), smallest.seats), max_commands=7))
    sits = TakeSeat(Seat(0), holder(0))
    with pytest.raises(Rejected) as refusal:
        decide(game, match, None, sits, luck(), at(0), commands=MOST_LOBBY_COMMANDS)
    assert refusal.value.reason is Reason.TOO_MANY_LOBBY_COMMANDS
    _, seated = decide(game, match, None, sits, luck(), at(0), commands=MOST_LOBBY_COMMANDS - 1)
    assert seated.holders[0] is not None
