"""Who may know of a match, act in it, and look at it from where."""

from hmac import compare_digest, digest

from domain.match import AnyMatch, Disclosure, MatchStatus, PlayerId, Reason, seat_held, to_act
from domain.match.concerns import may_know
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, ViewerKind, seated
from services.matches.loaded import LoadedMatch
from services.matches.store import Secrets
from services.shared.errors import FailureReason, Forbidden, Malformed, NotFound


def check_known_to(
    live: LoadedMatch, player: PlayerId | None, secrets: Secrets | None = None, invitation: str | None = None
) -> None:
    """Refuse a private match to all but its opener, its seats and those invited, as if there were none.

    A player who is barred is invited no longer, neither by name nor by the match's link.

    Raises:
        NotFound: The player may not know of the match.
    """
    match = live.match
    if may_know(match, player):
        return
    if secrets is None or player in match.barred or not is_invitation(match, secrets, invitation):
        raise NotFound(FailureReason.NO_SUCH_MATCH, match=live.id)


def check_awaited(match: AnyMatch, player: PlayerId, secrets: Secrets, invitation: str | None = None) -> None:
    """Refuse the seats of a match that is played again to all but its players and guests.

    Raises:
        Forbidden: The player is not waited for.
    """
    if match.terms.rematch_of is None or player == match.terms.opener or player in match.invited:
        return
    if not is_invitation(match, secrets, invitation):
        raise Forbidden(FailureReason.NOT_INVITED)


def invitation_to(match: AnyMatch, secrets: Secrets) -> str:
    """Return the invitation to a match, which its link carries: each time that it is renewed another one."""
    if not match.renewals:
        return secrets.invitation.hex()
    renewed = b"montane/invitation/1\0%d" % match.renewals
    return digest(secrets.invitation, renewed, "sha256")[: len(secrets.invitation)].hex()


def is_invitation(match: AnyMatch, secrets: Secrets, shown: str | None) -> bool:
    """Return whether what is shown is the invitation to a match."""
    return shown is not None and compare_digest(
        invitation_to(match, secrets).encode(), shown.encode(errors="surrogatepass")
    )


def check_opener(match: AnyMatch, player: PlayerId) -> None:
    """Refuse what only the opener of a match may do.

    Raises:
        Forbidden: The player did not open it.
    """
    if player != match.terms.opener:
        raise Forbidden(FailureReason.NOT_THE_OPENER)


def viewer_of(live: LoadedMatch, player: PlayerId | None, looking_as: str | None) -> Viewer:
    """Return from where a player who may know of the match looks: its own seat unless it asks otherwise.

    In a branch it looks from where it looked at the other match, or from anywhere else.

    Raises:
        Malformed: There is no such viewer.
        Forbidden: The player may not look from there.
    """
    own = None if player is None else seat_held(live.match, player)
    wanted = _wanted_viewer(looking_as, live.match.terms.seats)
    if (branch_of := live.match.terms.branch_of) is not None and player == live.match.terms.opener:
        return wanted or Viewer(branch_of.viewer, branch_of.seat)
    if wanted is None:
        return SPECTATOR if own is None else seated(own)
    is_own = wanted == (own is not None and seated(own))
    if wanted.kind is ViewerKind.SPECTATOR or is_own or is_disclosed(live.match):
        return wanted
    raise Forbidden(FailureReason.NOT_YOUR_VIEW, **{"as": looking_as})


def is_disclosed(match: AnyMatch) -> bool:
    """Return whether anyone who may know of a match may see all of it (common §10)."""
    return match.status is MatchStatus.FINISHED and match.terms.disclosure is Disclosure.AT_END


def seat_of(match: AnyMatch, player: PlayerId) -> Seat:
    """Return the seat that a player holds.

    Raises:
        Forbidden: It holds none.
    """
    if (seat := seat_held(match, player)) is None:
        raise Forbidden(FailureReason.NOT_SEATED)
    return seat


def holds(match: AnyMatch, player: PlayerId, seat: int) -> bool:
    """Return whether there is such a seat, and a player holds it."""
    holder = match.holders[seat] if 0 <= seat < len(match.holders) else None
    return holder is not None and holder.player == player


def seats_of(match: AnyMatch, player: PlayerId) -> tuple[Seat, ...]:
    """Return the seats that a player holds, rising."""
    return tuple(Seat(seat) for seat in range(len(match.holders)) if holds(match, player, seat))


def acting_seat(game: AnyGame, match: AnyMatch, player: PlayerId, named: int | None) -> Seat:
    """Return the seat that a player acts for: the one it names, or else its own.

    In a branch it holds all seats; the lowest that is to act is meant if it names none.

    Raises:
        Forbidden: It holds none, or another than it names.
        Rejected: There is no such seat.
    """
    own = seat_of(match, player)
    if named is None:
        return next(iter(to_act(game, match)), own) if match.terms.is_branch else own
    if named >= match.terms.seats:
        raise Rejected(Reason.NO_SUCH_SEAT, seat=named)
    if not holds(match, player, named):
        raise Forbidden(FailureReason.NOT_YOUR_SEAT, seat=named)
    return Seat(named)


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
    raise Malformed(FailureReason.INVALID_FIELD, field="as", expected="a seat's number, spectator or all")
