"""Quick match: a player joins a match that waits for players on the same terms, or opens one that waits."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from datetime import timedelta
from typing import Any

from msgspec import Struct

from domain.match import Holder, Phase, PlayerId, TakeSeat, open_match, seat_held
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from services.access import check_known_to
from services.decisions import Decisions, checked_key
from services.errors import NotFound, SetAside
from services.fits import fit_of
from services.ids import MatchId, made_at, match_id, new_uuid, parsed
from services.live import Live
from services.matches import Matches, Proposal, check_entropy, terms_of
from services.ports import Clock, Listed, MatchList, QuickMatches, Secrets

CRASHED = timedelta(minutes=1)
"""After how long a match that was to be opened, and does not exist, is given up."""

LISTED = 20
"""How many matches of the list are looked at."""


class Search(Struct, frozen=True):
    """What a player looks for.

    Attributes:
        player: Who looks.
        proposal: The match to open if none fits, with the player's seat.
        key: The idempotency key.
        fit: What a match must have in common with the proposal.
    """

    player: PlayerId
    proposal: Proposal
    key: str
    fit: str


class QuickMatch:
    """The use case of finding others to play with."""

    def __init__(
        self,
        matches: Matches,
        decisions: Decisions,
        quick_matches: QuickMatches,
        match_list: MatchList,
        clock: Clock,
    ) -> None:
        """Take what opens matches and gives commands, where matches wait and are listed, and the time."""
        self._matches = matches
        self._decisions = decisions
        self._quick_matches = quick_matches
        self._match_list = match_list
        self._clock = clock
        self._searches: set[asyncio.Task[Listed]] = set()

    async def join(self, player: PlayerId, proposal: Proposal, key: str | None) -> tuple[str, Listed]:
        """Sit a player down in a match that fits what is proposed, or open one.

        Whoever looks for the same does so one after the other, on all nodes, so that two at once never both
        open a match.

        Args:
            player: Who wants to play.
            proposal: A public match that starts by itself, in which the player takes the seat named.
            key: The idempotency key; None for a fresh one.

        Returns:
            The idempotency key, and the match as it was when the player had sat down.

        Raises:
            NotFound: There is no such game.
            Rejected: The game is not played by that many, or not with these terms.
            KeyReused: The key came with another proposal before.
        """
        key = checked_key(key)
        check_entropy(proposal.entropy)
        game = self._matches.game(proposal.game)
        terms = terms_of(game, player, proposal, Secrets(b"", b""))
        # What cannot be opened is refused here, before anything is put down.
        open_match(game, terms)
        if terms.seats == 1:
            return await self._matches.open(player, proposal, key)
        # Also if the caller goes away: what is begun is ended before anybody else looks.
        return key, await self._kept(self._found(Search(player, proposal, key, fit_of(terms))))

    async def drain(self) -> None:
        """Wait for the searches whose callers have gone."""
        await asyncio.gather(*self._searches, return_exceptions=True)

    async def _kept(self, search: Coroutine[Any, Any, Listed]) -> Listed:
        """Return what a search finds; it goes on though its caller goes away."""
        task = asyncio.create_task(search)
        self._searches.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Listed]) -> None:
        """Let a search go whose caller may have gone, whatever came of it."""
        self._searches.discard(task)
        task.cancelled() or task.exception()

    async def _found(self, search: Search) -> Listed:
        """Return the match that a player comes to, while nobody else looks for the same."""
        async with self._quick_matches.alone(search.fit):
            before = await self._quick_matches.called(search.player, search.key)
            if before is not None:
                try:
                    if listed := await self._sat_down(search, before):
                        return listed
                except NotFound:
                    return await self._opened(search, before)
            async for waiting in self._waiting(search):
                if await self._takes(waiting, search.player):
                    await self._quick_matches.call(search.player, search.key, waiting)
                    if listed := await self._sat_down(search, waiting):
                        return listed
            return await self._opened(search, match_id(new_uuid(self._clock.now())))

    async def _waiting(self, search: Search) -> AsyncIterator[MatchId]:
        """Yield the matches that may take a player: first those opened by a quick match, then all others.

        The others come from the list of matches, which follows within moments: too late for those who look at
        the same moment.
        """
        opened = await self._quick_matches.waiting(search.fit)
        for id in opened:
            yield id
        for id in await self._match_list.fitting(search.fit, without=search.player, limit=LISTED):
            if id not in opened:
                yield id

    async def _takes(self, id: MatchId, player: PlayerId) -> bool:
        """Return whether a match that waits takes a player; one that takes nobody waits no longer."""
        try:
            match = (await self._matches.known(id, player)).match
        except SetAside:
            return False
        except NotFound:
            # Whoever was to open it has crashed; but what it wrote last may be on its way to the store.
            if made_at(id) < self._clock.now() - CRASHED:
                await self._quick_matches.forget(id)
            return False
        if match.phase is not Phase.OPEN or None not in match.holders:
            await self._quick_matches.forget(id)
            return False
        return seat_held(match, player) is None and player not in match.barred

    async def _sat_down(self, search: Search, id: MatchId) -> Listed | None:
        """Return a match with the player in it; None if it does not take the player."""

        def order(live: Live, secrets: Secrets) -> tuple[Seat, Any]:
            check_known_to(live, search.player)
            holders, proposal = live.match.holders, search.proposal
            seat = Seat(holders.index(None) if None in holders else 0)
            return seat, TakeSeat(seat, Holder(search.player, proposal.kind, proposal.entropy))

        try:
            done = await self._decisions.carry_out(
                id, order, by=search.player, key=search.key, asked=search.proposal
            )
        except (Rejected, SetAside):
            return None
        if done.match.phase is not Phase.OPEN:
            await self._quick_matches.forget(id)
        return done.listed

    async def _opened(self, search: Search, id: MatchId) -> Listed:
        """Return a new match of this id with the player in it, which waits for others.

        It is put down before it exists, so that whoever crashes and comes back opens the same one.
        """
        await self._quick_matches.call(search.player, search.key, id)
        await self._quick_matches.wait(search.fit, id)
        number = parsed("match", id)
        _, listed = await self._matches.open(search.player, search.proposal, search.key, number=number)
        return listed
