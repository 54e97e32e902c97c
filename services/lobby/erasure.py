"""Players who go for good."""

from collections.abc import AsyncIterator
from contextlib import suppress

from domain.match import MatchStatus, seat_held
from domain.shared.rejections import Rejected
from services.lobby.match_list import MatchFilter, MatchPages
from services.lobby.seats import Lobby
from services.matches.store import MatchWithoutState
from services.players.accounts import Caller, Players
from services.shared.errors import Forbidden, NotFound, SetAside

PAGE = 200


class Erasure:
    """Erases accounts, so that nobody waits for a player who is gone."""

    def __init__(self, players: Players, match_list: MatchPages, lobby: Lobby) -> None:
        """Take accounts, the list of the matches they sit in, and what leaves a seat."""
        self._players = players
        self._match_list = match_list
        self._lobby = lobby

    async def erase(self, caller: Caller) -> None:
        """Leave every seat of the caller's, and delete all that is kept of it, for good.

        A seat of a match that has not begun is free then; a match that is being played is given up. Its seats
        there, and in matches that are over, stay without a name. Seats are looked for in the list of matches,
        which follows within moments: one that was taken just now may be kept.

        Raises:
            Forbidden: The token is not one that manages the account.
            Unavailable: The store is away; some seats may have been left.
        """
        caller.demand_account()
        for listed in [one async for one in self._unfinished(caller)]:
            seat = seat_held(listed.match, caller.id)
            if seat is not None and not listed.match.terms.is_branch:
                # Anyone who was faster, time or the opener, has settled it.
                with suppress(Rejected, NotFound, Forbidden, SetAside):
                    await self._lobby.leave_seat(caller.id, listed.id, seat, None)
        await self._players.erase(caller)

    async def _unfinished(self, caller: Caller) -> AsyncIterator[MatchWithoutState]:
        """Yield the matches in which the caller has a seat and which are not over."""
        for status in (MatchStatus.OPEN, MatchStatus.PLAYING):
            wanted, after = MatchFilter(player=caller.id, status=status), None
            while True:
                page = await self._match_list.page(caller.id, wanted, after=after, size=PAGE)
                for listed in page.items:
                    yield listed
                if (after := page.next) is None:
                    break
