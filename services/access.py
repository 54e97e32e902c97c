"""Who may know of a match, and from where a player may look at it."""

from typing import Any

from domain.match import Disclosure, Match, Phase, PlayerId, Visibility
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, ViewerKind, seated
from services.errors import Forbidden, Malformed, NotFound
from services.live import Live


def check_known_to(live: Live, player: PlayerId | None) -> None:
    """Refuse a private match to all but its opener and its seats, as if there were none.

    Raises:
        NotFound: The player may not know of the match.
    """
    terms = live.match.terms
    if terms.visibility is Visibility.PRIVATE and (
        player is None or (player != terms.opener and seat_held(live.match, player) is None)
    ):
        raise NotFound("NO_SUCH_MATCH", match=live.id)


def viewer_of(live: Live, player: PlayerId | None, looking_as: str | None) -> Viewer:
    """Return from where the player looks: its own seat unless it asks for something else.

    Raises:
        NotFound: The player may not know of the match.
        Malformed: There is no such viewer.
        Forbidden: The player may not look from there.
    """
    check_known_to(live, player)
    own = None if player is None else seat_held(live.match, player)
    wanted = _wanted_viewer(looking_as, live.match.terms.seats)
    if wanted is None:
        return SPECTATOR if own is None else seated(own)
    disclosed = live.match.phase is Phase.FINISHED and live.match.terms.disclosure is Disclosure.AT_END
    if wanted.kind is ViewerKind.SPECTATOR or wanted == (own is not None and seated(own)) or disclosed:
        return wanted
    raise Forbidden("NOT_YOUR_VIEW", **{"as": looking_as})


def seat_held(match: Match[Any, Any], player: PlayerId) -> Seat | None:
    """Return the seat that a player holds, or None."""
    for seat, holder in enumerate(match.holders):
        if holder is not None and holder.player == player:
            return Seat(seat)
    return None


def seat_of(match: Match[Any, Any], player: PlayerId) -> Seat:
    """Return the seat that a player holds.

    Raises:
        Forbidden: It holds none.
    """
    if (seat := seat_held(match, player)) is None:
        raise Forbidden("NOT_SEATED")
    return seat


def _wanted_viewer(looking_as: str | None, seats: int) -> Viewer | None:
    match looking_as:
        case None:
            return None
        case ViewerKind.SPECTATOR:
            return SPECTATOR
        case ViewerKind.ALL:
            return ALL_SEEING
        case text if text.isascii() and text.isdigit() and len(text) < 3 and int(text) < seats:
            return seated(Seat(int(text)))
    raise Malformed("INVALID_FIELD", field="as", expected="a seat's number, spectator or all")
