"""Invitations: of one player by name, and of anyone who holds a match's link."""

from typing import Any

from msgspec import Struct

from domain.match import AnyMatch, Invite, PlayerId, Reason, RenewInvitation, seat_held
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from services.lobby.holdings import Holdings, Needed
from services.matches.access import check_known_to, check_opener, invitation_to
from services.matches.decisions import Decided, Decisions, as_given, checked_key
from services.matches.loaded import LoadedMatch
from services.matches.store import MatchWithoutState, Secrets
from services.players.block_list import BlockList
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import FailureReason, Forbidden, NotFound
from services.shared.ids import MatchId


class Invitation(Struct, frozen=True):
    """What lets its holder know of a match, and take a seat in it.

    Attributes:
        match: The match.
        invitation: What to show as `invitation` with whatever is asked of the match: 32 hexadecimal digits.
        path: Where REST has the match for anyone who follows the link.
    """

    match: MatchId
    invitation: str
    path: str


class Invitations:
    """The use cases around invitations."""

    def __init__(self, decisions: Decisions, block_list: BlockList, holdings: Holdings) -> None:
        """Take what carries out commands, who can be invited by whom, and what counts invitations."""
        self._decisions = decisions
        self._block_list = block_list
        self._holdings = holdings

    async def invite(
        self, player: PlayerId, id: MatchId, guest: PlayerId, key: str | None
    ) -> tuple[str, MatchWithoutState]:
        """Let another player know of a match, by the word of its opener or of a seat.

        Raises:
            NotFound: There is no such match, or none that the player may know of; or nobody to be invited, or
                nobody who has not blocked the player.
            Forbidden: The player neither opened it nor has a seat in it.
            Rejected: The guest was invited before, has a seat or may not come back, too many were invited, or
                play has begun.
            TooMany: The player has invited as many as may be invited, who have not sat down.
        """
        known = guest in await self._block_list.reachable([guest], player)
        key = checked_key(key)

        async def attempt(counted: bool) -> Decided:
            def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
                check_known_to(live, player)
                _check_host(live.match, player)
                if not known:
                    raise NotFound(FailureReason.NO_SUCH_PLAYER, player=guest)
                if not counted and guest not in live.match.invited:
                    raise Needed(Holding(player, QuotaKind.INVITATION, id, self._holdings.clock.now(), guest))
                return seat_held(live.match, player), Invite(guest)

            return await self._decisions.carry_out(
                id, order, by=player, key=key, asked=as_given(["invite", guest])
            )

        return key, (await self._holdings.within(attempt)).listed

    async def link(self, player: PlayerId, id: MatchId) -> Invitation:
        """Return what lets its holder know of a match, to its opener and its seats.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player neither opened it nor has a seat in it.
            Rejected: The match is a branch, which is its player's alone.
        """
        live = await self._decisions.matches.current(id)
        check_known_to(live, player)
        _check_host(live.match, player)
        if live.match.terms.is_branch:
            raise Rejected(Reason.IS_BRANCH)
        return _link(id, live.match, await self._decisions.secrets(id))

    async def renew(self, player: PlayerId, id: MatchId, key: str | None) -> tuple[str, Invitation]:
        """Give a match another link, by the word of its opener; the one that it had opens nothing any more.

        Those who sit in the match, or were invited by name, may know of it as before. Streams that are open
        by the link alone end.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player did not open it.
            Rejected: The match is a branch, which is its player's alone; or it is over.
        """

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
            check_known_to(live, player)
            check_opener(live.match, player)
            if live.match.terms.is_branch:
                raise Rejected(Reason.IS_BRANCH)
            return seat_held(live.match, player), RenewInvitation()

        key = checked_key(key)
        done = await self._decisions.carry_out(
            id, order, by=player, key=key, asked=as_given(["renew_invitation"])
        )
        return key, _link(id, done.match, done.secrets)


def _link(id: MatchId, match: AnyMatch, secrets: Secrets) -> Invitation:
    shown = invitation_to(match, secrets)
    return Invitation(id, shown, f"/v1/matches/{id}?invitation={shown}")


def _check_host(match: AnyMatch, player: PlayerId) -> None:
    """Refuse to all but the opener and the seats of a match to invite."""
    if player != match.terms.opener and seat_held(match, player) is None:
        raise Forbidden(FailureReason.NOT_SEATED)
