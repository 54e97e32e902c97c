"""Seats until a match begins: taken, left, given to bots; and the words that begin a match or cancel it."""

from typing import Any

from domain.match import (
    AnyMatch,
    Cancel,
    CancelReason,
    Holder,
    HolderKind,
    LeaveSeat,
    MatchStatus,
    PlayerId,
    Resign,
    Start,
    TakeSeat,
    seat_held,
)
from domain.shared.seats import Seat
from services.bots.accounts import BOTS, account, bot_of
from services.lobby.holdings import Holdings, Needed
from services.matches.access import check_awaited, check_known_to, check_opener, holds
from services.matches.decisions import Decided, Decisions, Order, as_given, checked_key
from services.matches.loaded import LoadedMatch
from services.matches.opening import check_entropy
from services.matches.store import MatchWithoutState, Secrets
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import FailureReason, Forbidden, NotFound
from services.shared.ids import MatchId


class Lobby:
    """The use cases around the seats of a match.

    Each gives the idempotency key, the server's own if the caller gave none, and the match as it then was.
    """

    def __init__(self, decisions: Decisions, holdings: Holdings) -> None:
        """Take what carries out commands, and what counts how many matches bots play alone."""
        self._decisions = decisions
        self._holdings = holdings

    async def take_seat(
        self,
        player: PlayerId,
        id: MatchId,
        seat: int,
        entropy: str,
        key: str | None,
        *,
        kind: HolderKind = HolderKind.HUMAN,
        invitation: str | None = None,
    ) -> tuple[str, MatchWithoutState]:
        """Sit a player down; the last one to do so starts the match, unless that waits for a word.

        Args:
            player: Who sits down.
            id: The match.
            seat: Where.
            entropy: The player's own contribution to chance.
            key: The idempotency key; None for a fresh one.
            kind: What the seat is held by.
            invitation: The invitation to the match, if it is shown.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The match is played again by others.
            Rejected: The match has begun, has no such seat, or the seat or player is taken.
        """
        check_entropy(entropy)
        command = TakeSeat(Seat(seat), Holder(player, kind, entropy))

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat, Any]:
            check_known_to(live, player, secrets, invitation)
            check_awaited(live.match, player, secrets, invitation)
            return command.seat, command

        return await self._carried_out(player, id, order, key, ["take_seat", seat, entropy])

    async def seat_bot(
        self, player: PlayerId, id: MatchId, seat: int, bot: str, entropy: str, key: str | None
    ) -> tuple[str, MatchWithoutState]:
        """Sit one of the server's bots down, at the opener's request.

        Raises:
            NotFound: There is no such bot or match, or none that the player may know of.
            Forbidden: The player did not open the match.
            Rejected: The match has begun, has no such seat, or the seat is taken.
            TooMany: The bots of the server would be left to play, and play as many of the player's matches
                alone as they may.
        """
        check_entropy(entropy)
        key = checked_key(key)

        async def attempt(counted: bool) -> Decided:
            def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
                check_known_to(live, player)
                check_opener(live.match, player)
                if bot not in BOTS:
                    raise NotFound(FailureReason.NO_SUCH_BOT, bot=bot)
                holder = Holder(account(BOTS[bot], seat), HolderKind.BOT, entropy)
                bots, alone = _with_a_bot(live.match, seat)
                if not counted and (alone or bots > 1):
                    holding = Holding(player, QuotaKind.BOTS, id, self._holdings.clock.now())
                    raise Needed(holding, is_taken=alone)
                return seat_held(live.match, player), TakeSeat(Seat(seat), holder)

            return await self._decisions.carry_out(
                id, order, by=player, key=key, asked=as_given(["seat_bot", seat, bot, entropy])
            )

        return key, (await self._holdings.within(attempt)).listed

    async def leave_seat(
        self, player: PlayerId, id: MatchId, seat: int, key: str | None
    ) -> tuple[str, MatchWithoutState]:
        """Leave the player's seat, which once play has begun is to give up; or free another's, as its opener.

        Anyone who loses its seat to the opener's request may not come back, unless it is a bot of the server.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The seat is another's, and the player did not open the match.
            Rejected: There is no such seat, or it is free; it is another's, and play has begun; the match is
                over.
        """

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
            check_known_to(live, player)
            if holds(live.match, player, seat):
                own, begun = Seat(seat), live.match.status not in (MatchStatus.OPEN, MatchStatus.CANCELLED)
                return own, Resign() if begun else LeaveSeat(own)
            if player != live.match.terms.opener:
                raise Forbidden(FailureReason.NOT_YOUR_SEAT, seat=seat)
            holder = live.match.holders[seat] if 0 <= seat < len(live.match.holders) else None
            barred = holder is not None and bot_of(holder.player) is None
            return seat_held(live.match, player), LeaveSeat(Seat(seat), barred=barred)

        return await self._carried_out(player, id, order, key, ["leave_seat", seat])

    async def start(self, player: PlayerId, id: MatchId, key: str | None) -> tuple[str, MatchWithoutState]:
        """Begin a match that waits for its opener's word.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player did not open it.
            Rejected: A seat is free, or play has begun or was cancelled.
        """
        return await self._carried_out(player, id, _by_opener(player, Start()), key, ["start"])

    async def cancel(self, player: PlayerId, id: MatchId, key: str | None) -> tuple[str, MatchWithoutState]:
        """Call a match off, by the word of its opener.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player did not open it.
            Rejected: Play has begun, or was cancelled already.
        """
        order = _by_opener(player, Cancel(CancelReason.BY_OPENER))
        return await self._carried_out(player, id, order, key, ["cancel"])

    async def _carried_out(
        self, player: PlayerId, id: MatchId, order: Order, key: str | None, asked: list[Any]
    ) -> tuple[str, MatchWithoutState]:
        key = checked_key(key)
        done = await self._decisions.carry_out(id, order, by=player, key=key, asked=as_given(asked))
        return key, done.listed


def _with_a_bot(match: AnyMatch, seat: int) -> tuple[int, bool]:
    """Return how many bots of the server a match has with one at a seat, and whether all have one then."""
    others = [holder for other, holder in enumerate(match.holders) if other != seat]
    bots = sum(holder is not None and bot_of(holder.player) is not None for holder in others)
    return bots + 1, bots == len(others)


def _by_opener(player: PlayerId, command: Any) -> Order:
    """Return the order of a command that only the opener of a match may give."""

    def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
        check_known_to(live, player)
        check_opener(live.match, player)
        return seat_held(live.match, player), command

    return order
