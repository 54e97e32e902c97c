"""Quick match: a player joins a match that waits for players on the same terms, or opens one that waits."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from msgspec import Struct

from domain.match import (
    AnyMatch,
    Cancelled,
    Holder,
    MatchStatus,
    PlayerId,
    Reason,
    SeatLeft,
    TakeSeat,
    open_match,
    seat_held,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from services.lobby.waiting import Placed, QuickMatches, Wish
from services.matches.access import check_known_to
from services.matches.catalogue import Catalogue
from services.matches.decisions import Decisions, as_given, checked_key, digest_of
from services.matches.loaded import LoadedMatch
from services.matches.opening import Openings, Proposal, check_entropy, terms_of
from services.matches.same_terms import fit_of
from services.matches.store import MatchWithoutState, Secrets
from services.shared.errors import Failure, KeyReused, NotFound, SetAside, Unavailable
from services.shared.ids import MatchId, match_id, new_uuid, number_of
from services.shared.time import Clock

OPENING = 3.0
"""Seconds that a player waits for the match of another to be opened, which is under way; then it looks on."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.2
"""Seconds between two looks whether it is."""
MOST_TRIED = 20
"""How many matches that turn the player away are tried before one is opened."""


class Search(Struct, frozen=True):
    """What a player looks for.

    Attributes:
        wish: What a match must have in common with what is proposed.
        proposal: The match to open if none fits, with the player's seat.
    """

    wish: Wish
    proposal: Proposal


class QuickMatch:
    """The use case of finding others to play with."""

    def __init__(
        self,
        catalogue: Catalogue,
        openings: Openings,
        decisions: Decisions,
        quick_matches: QuickMatches,
        clock: Clock,
    ) -> None:
        """Take the games, what opens matches and gives commands, where players are placed, and the time."""
        self._catalogue = catalogue
        self._openings = openings
        self._decisions = decisions
        self._quick_matches = quick_matches
        self._clock = clock
        self._searches: set[asyncio.Task[Any]] = set()
        decisions.observers.append(self._observe)

    async def join(
        self, player: PlayerId, proposal: Proposal, key: str | None
    ) -> tuple[str, MatchWithoutState]:
        """Sit a player down in a match that fits what is proposed, or open one.

        A player who waits on the same terms already gets the match in which it waits. A place is found and
        set aside in one short transaction, so that two at once neither get the same seat nor both open a
        match; nobody waits while another sits down. Players of whom one has blocked the other do not come
        together.

        Args:
            player: Who wants to play.
            proposal: A public match that starts by itself, in which the player takes the seat named.
            key: The idempotency key; None for a fresh one.

        Returns:
            The idempotency key, and the match as it was when the player had sat down.

        Raises:
            NotFound: There is no such game.
            Rejected: The game is not played by that many, or not with these terms.
            TooMany: None fits, and the player has as many open matches as it may have.
            KeyReused: The key came with another proposal before.
        """
        key = checked_key(key)
        check_entropy(proposal.entropy)
        game = self._catalogue.game(proposal.game)
        terms = terms_of(game, player, proposal, Secrets(b"", b""))
        # What cannot be opened is refused here, before anything is recorded.
        open_match(game, terms)
        if terms.seats == 1:
            return await self._openings.open(player, proposal, key)
        wish = Wish(
            player=player,
            key=key,
            digest=digest_of(proposal),
            fit=fit_of(terms),
            game=game.id,
            seats=terms.seats,
            at=self._clock.now(),
        )
        # Also if the caller goes away: what is begun is ended.
        return key, await asyncio.shield(self._kept(self._found(Search(wish, proposal))))

    async def drain(self) -> None:
        """Wait for the searches whose callers have gone."""
        await asyncio.gather(*self._searches, return_exceptions=True)

    def _kept[Found](self, search: Coroutine[Any, Any, Found]) -> asyncio.Task[Found]:
        """Return a search that goes on though its caller goes away."""
        task = asyncio.create_task(search)
        self._searches.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """Let a search go whose caller may have gone, whatever came of it."""
        self._searches.discard(task)
        task.cancelled() or task.exception()

    async def _found(self, search: Search) -> MatchWithoutState:
        """Return the match that a player comes to."""
        wish, tried = search.wish, list[MatchId]()
        while True:
            fresh = match_id(new_uuid(self._clock.now()))
            placed = await self._quick_matches.place(
                wish, fresh, without=tried, only_open=len(tried) >= MOST_TRIED
            )
            if placed.digest != wish.digest:
                raise KeyReused
            try:
                if listed := await self._arrived(search, placed):
                    return listed
            except BaseException:
                await self._let_go(placed, wish.player)
                raise
            tried.append(placed.match)

    async def _let_go(self, placed: Placed, player: PlayerId) -> None:
        """Let others have the place of a player who could not take it; if the store is away, in a while."""
        with suppress(Failure):
            if placed.opens:
                await self._quick_matches.forget(placed.match)
            elif placed.reserved:
                await self._quick_matches.give_back(placed.match, player)

    async def _arrived(self, search: Search, placed: Placed) -> MatchWithoutState | None:
        """Return a match with the player in its place there; None if it does not take the player."""
        try:
            if placed.opens:
                return await self._opened(search, placed.match)
            await self._when_opened(placed.match)
            return await self._sat_down(search, placed)
        except NotFound:
            # It was to be opened by a player who is gone, or by this one, in vain.
            await self._quick_matches.lose(placed.match, search.wish.at)
        except SetAside:
            await self._quick_matches.forget(placed.match)
        except Rejected as refused:
            full = refused.reason is not Reason.PLAYER_BARRED
            wish = search.wish
            await self._quick_matches.turn_away(placed.match, wish.player, full=full, at=wish.at)
        return None

    async def _when_opened(self, id: MatchId) -> None:
        """Return when a match is there.

        Raises:
            NotFound: It does not come.
        """
        loop = asyncio.get_running_loop()
        begun, pause = loop.time(), FIRST_PAUSE
        while True:
            try:
                await self._decisions.matches.current(id)
            except NotFound:
                if loop.time() - begun > OPENING:
                    raise
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return

    async def _sat_down(self, search: Search, placed: Placed) -> MatchWithoutState | None:
        """Return a match with the player in it.

        Raises:
            Rejected: It does not take the player.
        """
        player = search.wish.player

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat, Any]:
            check_known_to(live, player)
            if seat_held(live.match, player) is not None:
                raise Rejected(Reason.ALREADY_SEATED)
            holders, proposal = live.match.holders, search.proposal
            seat = Seat(holders.index(None) if None in holders else 0)
            return seat, TakeSeat(seat, Holder(player, proposal.kind, proposal.entropy))

        try:
            done = await self._decisions.carry_out(
                placed.match, order, by=player, key=search.wish.key, asked=as_given(search.proposal)
            )
        except Rejected as refused:
            live = await self._decisions.matches.current(placed.match)
            waits = live.match.status is MatchStatus.OPEN or placed.repeated
            if refused.reason is Reason.ALREADY_SEATED and waits:
                return live.listed
            raise
        return done.listed

    async def _opened(self, search: Search, id: MatchId) -> MatchWithoutState:
        """Return a new match of this id with the player in it, which waits for others.

        It is recorded before it exists, so that a player who crashes and comes back opens the same one.
        """
        _, listed = await self._openings.open(
            search.wish.player, search.proposal, search.wish.key, number=number_of("match", id)
        )
        return listed

    def _observe(self, id: MatchId, events: Any, match: AnyMatch) -> None:
        """Place nobody in a match as it was: it was cancelled, or a seat is free again."""
        if any(isinstance(event, SeatLeft | Cancelled) for event in events):
            self._kept(self._forgotten(id))

    async def _forgotten(self, id: MatchId) -> None:
        with suppress(Unavailable):
            await self._quick_matches.forget(id)
