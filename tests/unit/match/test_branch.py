"""A branch: a match that goes on from the table of another."""

import pytest
from msgspec.structs import replace

from domain.match import (
    Branch,
    Branched,
    BranchOf,
    ChatMode,
    Disclosure,
    Match,
    MatchStatus,
    Reason,
    Resign,
    TakeSeat,
    Terms,
    Visibility,
    branch_off,
    branch_terms,
    evolve,
    fold,
    open_match,
    options_again,
    seen,
    submit,
    to_act,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, ViewerKind, seated
from tests.support.games.matches import NOW, decided, holder, playing, terms
from tests.support.games.pebbles import PEBBLES, Options, State, Take, heap
from tests.support.games.scenarios import luck

ANN, BEN, CAM = Seat(0), Seat(1), Seat(2)
CALLER = holder(7)
BRANCH_OF = BranchOf("match_0", 9, ViewerKind.SEAT, BEN)

type Pebbles = Match[State, Options]


def original() -> Pebbles:
    """Return a match of three in which Ben gave up."""
    _, match = playing(PEBBLES, Options(20), 3)
    for seat, command in ((ANN, Take(1)), (BEN, Resign())):
        _, match = submit(PEBBLES, match, seat, command, luck(), NOW)
    return match


def opened(agreed: Terms[Options]) -> Pebbles:
    """Return a match that was opened on these terms."""
    _, match = open_match(PEBBLES, agreed)
    return match


def as_agreed() -> Terms[Options]:
    """Return the terms of a branch."""
    return branch_terms(original().terms, CALLER.player, "sha256:1", BRANCH_OF)


def begun() -> tuple[tuple[object, ...], Pebbles]:
    """Return how a branch begins, and the branch."""
    return decided(PEBBLES, opened(as_agreed()), branch_off(PEBBLES, original(), SPECTATOR, CALLER, luck()))


def test_one_player_holds_all_seats_of_the_table_as_it_was() -> None:
    """Anyone who had given up has still; anyone who was to act is, and the one who began did."""
    match = original()
    (event,), branch = begun()
    assert isinstance(event, Branched)
    assert (event.holder, event.first, event.resigned) == (CALLER, match.first, (BEN,))
    assert branch == replace(
        match, terms=as_agreed(), holders=(CALLER,) * 3, state=match.state, resigned=(BEN,)
    )
    assert to_act(PEBBLES, branch) == to_act(PEBBLES, match) == (CAM,)


def test_it_is_played_like_any_match() -> None:
    """Seats that gave up make their default move; the last of the others wins (common §6)."""
    _, branch = begun()
    for seat, command in ((CAM, Take(1)), (ANN, Take(2))):
        _, branch = submit(PEBBLES, branch, seat, command, luck(), NOW)
    assert to_act(PEBBLES, branch) == (CAM,)
    _, branch = submit(PEBBLES, branch, ANN, Resign(), luck(), NOW)
    assert branch.status is MatchStatus.FINISHED
    assert branch.outcome is not None
    assert branch.outcome.winners == (CAM,)


def test_it_is_agreed_for_its_player_alone() -> None:
    """Game, options and seats stay; it is private, unrated, without talk, and says where it is from."""
    agreed = original().terms
    assert as_agreed() == replace(
        terms(PEBBLES, agreed.options, agreed.seats),
        opener=CALLER.player,
        visibility=Visibility.PRIVATE,
        disclosure=Disclosure.AT_END,
        seed_commitment="sha256:1",
        chat=ChatMode.OFF,
        rated=False,
        branch_of=BRANCH_OF,
    )


def test_the_whole_table_is_for_the_viewer_that_sees_all() -> None:
    """Others see their view of it; the whole one alone can be folded."""
    (event,), branch = begun()
    assert isinstance(event, Branched)
    assert seen(PEBBLES, event, ALL_SEEING) == event
    for viewer in (SPECTATOR, seated(ANN)):
        assert seen(PEBBLES, event, viewer) == replace(event, state=None)
    assert fold(PEBBLES, [event], opened(as_agreed())) == branch
    redacted = seen(PEBBLES, event, SPECTATOR)
    assert evolve(PEBBLES, opened(as_agreed()), redacted) == replace(branch, state=PEBBLES.initial)


def test_what_is_forced_happens_at_once() -> None:
    """A table without a choice ends the branch with its beginning."""
    empty = replace(original(), state=heap(0, 3, 4))
    events, branch = decided(
        PEBBLES, opened(as_agreed()), branch_off(PEBBLES, empty, SPECTATOR, CALLER, luck())
    )
    assert len(events) == 2
    assert branch.status is MatchStatus.FINISHED


def test_what_is_refused() -> None:
    """A branch off what is not played, a beginning of what is no branch, or of no table; and a second one."""
    begins = branch_off(PEBBLES, original(), SPECTATOR, CALLER, luck())
    _, over = submit(PEBBLES, original(), ANN, Resign(), luck(), NOW)
    for match in (opened(terms(PEBBLES, Options(), 3)), over):
        with pytest.raises(Rejected, match=Reason.MATCH_NOT_PLAYED):
            branch_off(PEBBLES, match, SPECTATOR, CALLER, luck())
    refused: tuple[tuple[Reason, Pebbles, Branch | TakeSeat], ...] = (
        (Reason.NO_BRANCH, opened(terms(PEBBLES, Options(), 3)), begins),
        (Reason.NO_SUCH_TABLE, opened(as_agreed()), replace(begins, state="{}")),
        (Reason.NO_SUCH_TABLE, opened(as_agreed()), replace(begins, state="")),
        (Reason.MATCH_STARTED, begun()[1], begins),
        (Reason.MATCH_STARTED, begun()[1], TakeSeat(ANN, holder(0))),
    )
    for reason, branch, command in refused:
        with pytest.raises(Rejected, match=reason):
            decided(PEBBLES, branch, command)


def test_a_branch_is_not_played_again() -> None:
    """It has one player: that one branches off again."""
    _, branch = begun()
    _, branch = submit(PEBBLES, branch, ANN, Resign(), luck(), NOW)
    assert branch.status is MatchStatus.FINISHED
    with pytest.raises(Rejected, match=Reason.IS_BRANCH):
        options_again(PEBBLES, branch)
