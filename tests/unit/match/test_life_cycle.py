"""A match whatever the game: opened, seated, played, resigned, finished."""

import msgspec
import pytest
from msgspec.structs import replace

from domain.match import (
    CLAUSES,
    Finished,
    Match,
    MatchStatus,
    Opened,
    Reason,
    Resign,
    Resigned,
    SeatTaken,
    Started,
    Terms,
    evolve,
    fold,
    legal_moves,
    open_match,
    seen,
    submit,
    take_seat,
    to_act,
    why_not,
)
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.matches import NOW, holder, playing, terms
from tests.support.games.pebbles import PEBBLES, Heaped, Options, RolledAway, State, Take, Taken, heap
from tests.support.games.pebbles import Reason as PebblesReason
from tests.support.games.scenarios import ANN, BEN, CAM, luck
from tests.unit.match.test_lobby import REFUSED

type Pebbles = Match[State, Options]


def opened(seats: int = 2) -> Pebbles:
    """Return a match that nobody has joined."""
    _, match = open_match(PEBBLES, terms(PEBBLES, Options(), seats))
    return match


def joined(match: Pebbles, seat: Seat, number: int) -> Pebbles:
    """Return the match after a player sat down."""
    _, after = take_seat(PEBBLES, match, seat, holder(number), luck(), NOW)
    return after


def started(seats: int = 2, pebbles: int = 5) -> Pebbles:
    """Return a match that has just begun."""
    _, match = playing(PEBBLES, Options(pebbles), seats)
    return match


def after(match: Pebbles, seat: Seat, command: Take | Resign) -> Pebbles:
    """Return the match after a command."""
    _, reached = submit(PEBBLES, match, seat, command, luck(), NOW)
    return reached


def test_a_match_opens_with_empty_seats() -> None:
    """Opening fixes the terms; nobody sits, and the game has not begun (common §1)."""
    agreed = terms(PEBBLES, Options(), 3)
    events, match = open_match(PEBBLES, agreed)
    assert events == (Opened(agreed),)
    assert match == Match(agreed, MatchStatus.OPEN, (None, None, None), PEBBLES.initial)


def test_seats_may_be_taken_in_any_order() -> None:
    """Anyone who comes may choose a free seat; play does not begin before the last one."""
    events, match = take_seat(PEBBLES, opened(), BEN, holder(7), luck(), NOW)
    assert events == (SeatTaken(BEN, holder(7)),)
    assert (match.status, match.holders, match.state) == (
        MatchStatus.OPEN,
        (None, holder(7)),
        PEBBLES.initial,
    )


def test_the_last_seat_starts_the_match() -> None:
    """The game's opening events, forced ones too, come before the start in the same decision."""
    match = joined(opened(), ANN, 1)
    events, match = take_seat(PEBBLES, match, BEN, holder(2), luck(), NOW)
    assert events == (SeatTaken(BEN, holder(2)), Heaped(5, 2), Started(ANN))
    assert (match.status, match.state) == (MatchStatus.PLAYING, heap(5))


def test_a_match_for_one_starts_with_its_seat() -> None:
    """One seat is the last seat (§1 of a solo game); what the opening forces happens at once."""
    events, match = playing(PEBBLES, Options(3), 1)
    assert [type(event) for event in events] == [Opened, SeatTaken, Heaped, RolledAway, Started]
    assert match.state == heap(2, seats=1)


def test_seats_play_in_turn() -> None:
    """Only a seat that is to act has legal moves, and its move passes the turn on (common §1)."""
    match = started()
    assert to_act(PEBBLES, match) == (ANN,)
    assert legal_moves(PEBBLES, match, ANN) == (Take(1), Take(2))
    assert legal_moves(PEBBLES, match, BEN) == ()
    assert why_not(PEBBLES, match, ANN, Take(1), NOW) is None
    events, match = submit(PEBBLES, match, ANN, Take(2), luck(), NOW)
    assert events == (Taken(ANN, 2), RolledAway())
    assert to_act(PEBBLES, match) == (BEN,)


def test_nobody_is_to_act_before_the_match_starts() -> None:
    """An open match has no moves (common §1)."""
    assert to_act(PEBBLES, opened()) == ()
    assert legal_moves(PEBBLES, opened(), ANN) == ()


def test_the_game_ends_the_match() -> None:
    """The move that ends the game finishes the match with the game's outcome (common §8)."""
    match = started(pebbles=2)
    events, match = submit(PEBBLES, match, ANN, Take(2), luck(), NOW)
    outcome = Outcome(OutcomeKind.WON, (ANN,), (2, 0), "heap_empty")
    assert events == (Taken(ANN, 2), Finished(outcome))
    assert (match.status, match.outcome) == (MatchStatus.FINISHED, outcome)
    assert to_act(PEBBLES, match) == ()
    assert legal_moves(PEBBLES, match, BEN) == ()


def test_resigning_from_a_solo_game_loses_it() -> None:
    """A solo game is lost, its score counts (common §6)."""
    match = after(started(seats=1), ANN, Take(1))
    events, match = submit(PEBBLES, match, ANN, Resign(), luck(), NOW)
    outcome = Outcome(OutcomeKind.LOST, (), (1,), "resigned")
    assert events == (Resigned(ANN), Finished(outcome))
    assert (match.status, match.resigned, match.outcome) == (MatchStatus.FINISHED, (ANN,), outcome)


@pytest.mark.parametrize(("quitter", "winner"), [(ANN, BEN), (BEN, ANN)])
def test_with_one_other_seat_left_that_seat_wins(quitter: Seat, winner: Seat) -> None:
    """Resigning is open to every seat at any time, on turn or not; the other wins (common §6)."""
    events, match = submit(PEBBLES, started(), quitter, Resign(), luck(), NOW)
    outcome = Outcome(OutcomeKind.RESIGNED, (winner,), (0, 0), "resigned")
    assert events == (Resigned(quitter), Finished(outcome))
    assert match.outcome == outcome


def test_with_more_seats_left_the_match_goes_on() -> None:
    """Of three seats one resigns and two go on; when one more does, the third wins (common §6)."""
    events, match = submit(PEBBLES, started(seats=3), CAM, Resign(), luck(), NOW)
    assert events == (Resigned(CAM),)
    assert (match.status, match.resigned) == (MatchStatus.PLAYING, (CAM,))
    match = after(match, ANN, Resign())
    assert match.outcome == Outcome(OutcomeKind.RESIGNED, (BEN,), (0, 0, 0), "resigned")
    assert match.resigned == (CAM, ANN)


def test_a_seat_that_gave_up_makes_its_default_move_by_itself() -> None:
    """It keeps its place; whenever it would be to act, its default move happens at once (common §6, §7)."""
    match = after(started(seats=3, pebbles=9), BEN, Resign())
    events, match = submit(PEBBLES, match, ANN, Take(1), luck(), NOW)
    assert events == (Taken(ANN, 1), Taken(BEN, 2))
    assert match.state == State(6, (1, 2, 0), 2)
    events, match = submit(PEBBLES, started(seats=3, pebbles=9), ANN, Resign(), luck(), NOW)
    assert events == (Resigned(ANN), Taken(ANN, 2))


def test_a_seat_that_gave_up_is_out_of_the_ranking() -> None:
    """It may end the match by its default move, but of the others those with most win (common §6)."""
    match = after(started(seats=3, pebbles=5), CAM, Resign())
    match = after(match, ANN, Take(1))
    events, match = submit(PEBBLES, match, BEN, Take(1), luck(), NOW)
    shared = Outcome(OutcomeKind.SHARED, (ANN, BEN), (1, 1, 2), "heap_empty")
    assert events == (Taken(BEN, 1), RolledAway(), Taken(CAM, 2), Finished(shared))
    match = after(after(started(seats=3, pebbles=6), CAM, Resign()), ANN, Take(2))
    assert after(match, BEN, Take(1)).outcome == Outcome(OutcomeKind.WON, (ANN,), (2, 1, 2), "heap_empty")


def test_a_game_that_breaks_ties_by_stones_tells_them_whenever_somebody_resigns() -> None:
    """The outcome of a resignation has the stones as they stand; other games have none (common §6, §8)."""
    stony = replace(PEBBLES, stones=lambda state: (state.pebbles,) * len(state.taken))
    _, match = playing(stony, Options(9), 2)
    _, match = submit(stony, match, ANN, Take(2), luck(), NOW)
    _, match = submit(stony, match, BEN, Resign(), luck(), NOW)
    assert match.outcome == Outcome(OutcomeKind.RESIGNED, (ANN,), (2, 0), "resigned", (7, 7))


def test_resigning_may_always_be_asked_for_while_the_match_is_played() -> None:
    """It is legal off turn, though never among the listed moves (common §6)."""
    assert why_not(PEBBLES, started(), BEN, Resign(), NOW) is None
    assert legal_moves(PEBBLES, started(), ANN) == (Take(1), Take(2))


REFUSED_COMMANDS: tuple[tuple[Reason, Pebbles, Seat, Take | Resign], ...] = (
    (Reason.MATCH_NOT_STARTED, opened(), ANN, Take(1)),
    (Reason.MATCH_NOT_STARTED, joined(opened(), ANN, 1), ANN, Resign()),
    (Reason.MATCH_OVER, after(started(pebbles=2), ANN, Take(2)), BEN, Take(1)),
    (Reason.MATCH_OVER, after(started(pebbles=2), ANN, Take(2)), ANN, Resign()),
    (Reason.MATCH_OVER, after(started(), ANN, Resign()), BEN, Take(1)),
    (Reason.MATCH_OVER, after(started(), ANN, Resign()), ANN, Resign()),
    (Reason.NO_SUCH_SEAT, started(), Seat(2), Take(1)),
    (Reason.NO_SUCH_SEAT, started(), Seat(-1), Resign()),
    (Reason.SEAT_NOT_TO_ACT, started(), BEN, Take(1)),
    (Reason.ALREADY_RESIGNED, after(started(seats=3), ANN, Resign()), ANN, Take(1)),
    (Reason.ALREADY_RESIGNED, after(started(seats=3), CAM, Resign()), CAM, Resign()),
)

REFUSED_SEATS: tuple[tuple[Reason, Pebbles, Seat, int], ...] = (
    (Reason.NO_SUCH_SEAT, opened(), Seat(2), 1),
    (Reason.NO_SUCH_SEAT, opened(), Seat(-1), 1),
    (Reason.NO_SUCH_SEAT, started(), Seat(2), 9),
    (Reason.MATCH_STARTED, started(), ANN, 9),
    (Reason.MATCH_STARTED, after(started(), ANN, Resign()), ANN, 9),
    (Reason.SEAT_TAKEN, joined(opened(), ANN, 1), ANN, 2),
    (Reason.SEAT_TAKEN, joined(opened(), ANN, 1), ANN, 1),
    (Reason.ALREADY_SEATED, joined(opened(), ANN, 1), BEN, 1),
)


@pytest.mark.parametrize(("reason", "match", "seat", "command"), REFUSED_COMMANDS)
def test_a_command_that_the_match_refuses(
    reason: Reason, match: Pebbles, seat: Seat, command: Take | Resign
) -> None:
    """Whatever the game says, the match refuses it; asking why and submitting agree (common §1, §6)."""
    assert why_not(PEBBLES, match, seat, command, NOW) is reason
    with pytest.raises(Rejected) as refusal:
        submit(PEBBLES, match, seat, command, luck(), NOW)
    assert (refusal.value.reason, refusal.value.details) == (reason, {"seat": seat})


@pytest.mark.parametrize(("reason", "match", "seat", "number"), REFUSED_SEATS)
def test_a_seat_that_may_not_be_taken(reason: Reason, match: Pebbles, seat: Seat, number: int) -> None:
    """A seat is taken once, by one player, who has no other, before play begins (common §1)."""
    with pytest.raises(Rejected) as refusal:
        take_seat(PEBBLES, match, seat, holder(number), luck(), NOW)
    assert refusal.value.reason is reason


@pytest.mark.parametrize("seats", [0, 4])
def test_a_match_needs_a_number_of_seats_that_its_game_allows(seats: int) -> None:
    """Too few and too many are refused, and the refusal says how many there may be (§2 of the game)."""
    with pytest.raises(Rejected) as refusal:
        open_match(PEBBLES, terms(PEBBLES, Options(), seats))
    assert refusal.value.reason is Reason.SEATS_OUT_OF_RANGE
    assert refusal.value.details == {"game": PEBBLES.id, "minimum": 1, "maximum": 3}


def test_a_match_needs_options_that_its_game_allows() -> None:
    """Options that do not fit one another or the number of seats are refused, for the game's own reason."""
    with pytest.raises(Rejected) as refusal:
        open_match(PEBBLES, terms(PEBBLES, Options(2), 3))
    assert refusal.value.reason is PebblesReason.TOO_FEW_PEBBLES
    events, _ = open_match(PEBBLES, terms(PEBBLES, Options(3), 3))
    assert events == (Opened(terms(PEBBLES, Options(3), 3)),)


def test_every_reason_is_reached_and_has_its_clause() -> None:
    """The tests of this folder reach every reason that a match has; each has its clause."""
    refusals = {reason for reason, *_ in (*REFUSED_COMMANDS, *REFUSED_SEATS, *REFUSED)}
    elsewhere = {
        Reason.SEATS_OUT_OF_RANGE,
        Reason.PLAYER_BARRED,
        Reason.MATCH_CANCELLED,
        Reason.TIME_CONTROL_INVALID,
        Reason.TOO_MANY_LOBBY_COMMANDS,
        Reason.OUT_OF_TIME,
        Reason.TIME_NOT_UP,
        Reason.MATCH_NOT_OVER,
        Reason.MATCH_NOT_PLAYED,
        Reason.IS_BRANCH,
        Reason.NO_BRANCH,
        Reason.NO_SUCH_TABLE,
    }
    assert refusals | elsewhere == set(Reason)
    assert set(CLAUSES) == set(Reason)


def test_what_the_game_refuses_the_match_refuses() -> None:
    """The game's own reason comes through, from asking why and from submitting alike."""
    assert why_not(PEBBLES, started(), ANN, Take(3), NOW) is PebblesReason.NOT_SO_MANY
    with pytest.raises(Rejected) as refusal:
        submit(PEBBLES, started(), ANN, Take(3), luck(), NOW)
    assert refusal.value.reason is PebblesReason.NOT_SO_MANY


def test_folding_the_events_gives_the_same_match() -> None:
    """Events are the truth: from nothing or from any point on they lead to the same match."""
    events, match = playing(PEBBLES, Options(9), 3)
    for seat, command in ((ANN, Take(1)), (CAM, Resign()), (BEN, Take(2)), (ANN, Resign())):
        more, match = submit(PEBBLES, match, seat, command, luck(), NOW)
        events = (*events, *more)
    assert fold(PEBBLES, events) == match
    for version in range(1, len(events)):
        assert fold(PEBBLES, events[version:], fold(PEBBLES, events[:version])) == match


def test_terms_stored_before_there_was_a_memory_aid_have_it() -> None:
    """A match opened without saying so shows the memory aid of its game (common §10)."""
    agreed = terms(PEBBLES, Options(), 2)
    stored = msgspec.to_builtins(agreed)
    assert stored.pop("memory_aid") == "on"
    assert msgspec.convert(stored, Terms[Options]) == agreed


def test_a_match_begins_with_its_opening() -> None:
    """Folding nothing, or a stream that begins otherwise, is a bug."""
    with pytest.raises(ValueError, match="at least one event"):
        fold(PEBBLES, ())
    with pytest.raises(ValueError, match="begins with its opening"):
        evolve(PEBBLES, None, Started(ANN))


@pytest.mark.parametrize("viewer", [seated(ANN), SPECTATOR, ALL_SEEING])
def test_everybody_sees_what_happens_to_a_match(viewer: Viewer) -> None:
    """Who sits, starts, resigns and wins is public; a game's event is shown as the game says."""
    events, match = playing(PEBBLES, Options(5), 2)
    more, _ = submit(PEBBLES, match, ANN, Resign(), luck(), NOW)
    for event in (*events, *more):
        assert seen(PEBBLES, event, viewer) == event
