"""Who may know of a match, and whom an event of it concerns."""

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from domain.match.events import Cancelled, Finished, Invited, SeatLeft, SeatTaken, Started, TimedOut
from domain.match.state import AnyMatch, PlayerId, Visibility, seat_held
from domain.shared.seats import Seat, by_seat


class ConcernKind(StrEnum):
    """In which way an event concerns a player."""

    YOUR_TURN = "your_turn"
    INVITED = "invited"
    SEAT_TAKEN = "seat_taken"
    SEAT_LEFT = "seat_left"
    KICKED = "kicked"
    STARTED = "started"
    TIMED_OUT = "timed_out"
    ENDED = "ended"
    CANCELLED = "cancelled"


class Concern(NamedTuple):
    """That an event of a match concerns a player.

    Attributes:
        player: Whom.
        kind: In which way.
        seat: Which seat it is about: the one that was taken or left, else the player's own; None if none.
    """

    player: PlayerId
    kind: ConcernKind
    seat: Seat | None = None


def may_know(match: AnyMatch, player: PlayerId | None) -> bool:
    """Return whether a player may know of a match without showing its invitation."""
    return match.terms.visibility is Visibility.PUBLIC or (player is not None and is_known(match, player))


def is_known(match: AnyMatch, player: PlayerId) -> bool:
    """Return whether a player may know of a match though it is private: as its opener, seat or guest."""
    if player == match.terms.opener or seat_held(match, player) is not None:
        return True
    return player in match.invited and player not in match.barred


def concerns(match: AnyMatch, event: object, newly_to_act: Collection[Seat]) -> list[Concern]:
    """Return whom an event of a match concerns, and in which way; a branch concerns nobody.

    Seats are told in their order, then the opener, then who is invited; turns come last.

    Args:
        match: The match after the event; its state does not matter.
        event: The event.
        newly_to_act: The seats that must choose after it, and needed not before.
    """
    if match.terms.is_branch:
        return []
    seated = [(holder.player, seat) for seat, holder in by_seat(match.holders) if holder is not None]
    waiting = dict.fromkeys((match.terms.opener, *(player for player, _ in seated)))
    found: list[Concern] = []
    match event:
        case SeatTaken(seat=seat, holder=holder):
            others = [player for player in waiting if player != holder.player]
            found = [Concern(player, ConcernKind.SEAT_TAKEN, seat) for player in others]
        case SeatLeft(seat=seat, player=left, barred=barred):
            found = [Concern(left, ConcernKind.KICKED, seat)] if barred else []
            others = [player for player in waiting if player != left]
            found += [Concern(player, ConcernKind.SEAT_LEFT, seat) for player in others]
        case Invited(player=player):
            found = [Concern(player, ConcernKind.INVITED)]
        case Started():
            found = [Concern(player, ConcernKind.STARTED, seat) for player, seat in seated]
        case TimedOut(seat=late):
            found = [Concern(player, ConcernKind.TIMED_OUT, seat) for player, seat in seated if seat == late]
        case Finished():
            found = [Concern(player, ConcernKind.ENDED, seat) for player, seat in seated]
        case Cancelled():
            sitting = {player for player, _ in seated}
            invited = (player for player in match.invited if may_know(match, player))
            others = [player for player in dict.fromkeys((*waiting, *invited)) if player not in sitting]
            found = [Concern(player, ConcernKind.CANCELLED, seat) for player, seat in seated]
            found += [Concern(player, ConcernKind.CANCELLED) for player in others]
        case _:
            pass
    turns = [Concern(player, ConcernKind.YOUR_TURN, seat) for player, seat in seated if seat in newly_to_act]
    return found + turns
