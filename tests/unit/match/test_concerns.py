"""Whom an event of a match concerns."""

from msgspec.structs import replace

from domain.match import (
    BranchOf,
    Cancelled,
    CancelReason,
    Finished,
    Invited,
    Opened,
    PlayerId,
    SeatLeft,
    SeatTaken,
    Started,
    TimedOut,
)
from domain.match.concerns import Concern, ConcernKind, concerns
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat
from domain.shared.viewers import ViewerKind
from tests.support.games.matches import holder, playing
from tests.support.games.pebbles import PEBBLES, Options

K = ConcernKind


def test_an_event_concerns_those_at_the_table() -> None:
    """Each event is told to whom it concerns, with the seat that it is about, and to nobody else."""
    _, match = playing(PEBBLES, Options(), 3)
    opener, one, two = (PlayerId(f"player_{number}") for number in range(3))
    stranger = PlayerId("player_9")
    match = replace(match, invited=(stranger,))
    everybody = [(opener, Seat(0)), (one, Seat(1)), (two, Seat(2))]
    ended = Finished(Outcome(OutcomeKind.WON, (Seat(0),), (1, 0, 0), "end"))
    for event, wanted in (
        (Opened(match.terms), []),
        (SeatTaken(Seat(1), holder(1)), [Concern(player, K.SEAT_TAKEN, Seat(1)) for player in (opener, two)]),
        (SeatLeft(Seat(3), stranger, barred=False), [Concern(p, K.SEAT_LEFT, Seat(3)) for p, _ in everybody]),
        (
            SeatLeft(Seat(3), stranger, barred=True),
            [Concern(stranger, K.KICKED, Seat(3)), *(Concern(p, K.SEAT_LEFT, Seat(3)) for p, _ in everybody)],
        ),
        (Invited(stranger), [Concern(stranger, K.INVITED)]),
        (Started(Seat(0)), [Concern(player, K.STARTED, seat) for player, seat in everybody]),
        (TimedOut(Seat(2)), [Concern(two, K.TIMED_OUT, Seat(2))]),
        (ended, [Concern(player, K.ENDED, seat) for player, seat in everybody]),
        (
            Cancelled(CancelReason.ABANDONED),
            [*(Concern(p, K.CANCELLED, seat) for p, seat in everybody), Concern(stranger, K.CANCELLED)],
        ),
    ):
        assert concerns(match, event, ()) == wanted, event
        turn = Concern(one, K.YOUR_TURN, Seat(1))
        assert concerns(match, event, (Seat(1),)) == [*wanted, turn], event


def test_a_branch_concerns_nobody() -> None:
    """It is for analysis, and its only player made it."""
    _, match = playing(PEBBLES, Options(), 3)
    branch_of = BranchOf("match_0", 9, ViewerKind.SPECTATOR, None)
    branch = replace(match, terms=replace(match.terms, branch_of=branch_of))
    assert concerns(branch, Started(Seat(0)), (Seat(1),)) == []
    assert concerns(match, Started(Seat(0)), (Seat(1),)) != []
