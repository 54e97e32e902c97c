"""A match that is over, played again by the same players on the same terms."""

from collections.abc import Iterator
from typing import Any

from domain.match import (
    AnyMatch,
    Holder,
    HolderKind,
    Invite,
    LobbyCommand,
    MatchStatus,
    PlayerId,
    Reason,
    TakeSeat,
    conditions_of,
    options_again,
    seat_held,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, by_seat
from services.bots.accounts import bot_of
from services.matches.access import check_known_to, seat_of
from services.matches.decisions import Decisions, as_given, checked_key
from services.matches.loaded import LoadedMatch
from services.matches.opening import Openings, Proposal, check_entropy
from services.matches.queries import Queries
from services.matches.store import MatchWithoutState, Secrets
from services.shared.ids import MatchId, number_of

MOST_CALLED_OFF = 10
"""How many rematches of a match may be cancelled; each call looks through them all."""


class Rematches:
    """The use case of playing a match again."""

    def __init__(self, openings: Openings, queries: Queries, decisions: Decisions) -> None:
        """Take what opens matches, what can be asked of them, and what carries out commands."""
        self._openings = openings
        self._queries = queries
        self._decisions = decisions

    async def rematch(
        self,
        player: PlayerId,
        id: MatchId,
        entropy: str,
        key: str | None,
        *,
        kind: HolderKind = HolderKind.HUMAN,
    ) -> tuple[str, MatchWithoutState]:
        """Sit a player down in the match that follows one that is over; the first to ask opens it.

        Anyone who asks, on whichever node and whenever, comes to the same match, unless that was cancelled.
        Each player has its seat again, or if that was given away the first free one; the server's bots have
        theirs.

        Args:
            player: Who wants to play again.
            id: The match that is over.
            entropy: The player's own contribution to chance.
            key: The idempotency key; None for a fresh one.
            kind: What the seat is held by.

        Returns:
            The idempotency key, and the match after the taking of the seat; a player who sits in it already
            gets it as it is.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player had no seat in it.
            Rejected: It is not over; or the new one has begun with others, or was cancelled again and again.
        """
        check_entropy(entropy)
        key = checked_key(key)
        played = await self._queries.known(id, player)
        own = seat_of(played.match, player)
        again = await self._opened(player, played, key)

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat, Any]:
            check_known_to(live, player)
            holders = live.match.holders
            seat = own if holders[own] is None or None not in holders else Seat(holders.index(None))
            return seat, TakeSeat(seat, Holder(player, kind, entropy))

        try:
            done = await self._decisions.carry_out(
                again, order, by=player, key=key, asked=as_given(["rematch", id, entropy])
            )
        except Rejected:
            live = await self._queries.known(again, player)
            if seat_held(live.match, player) is None:
                raise
            return key, live.listed
        return key, done.listed

    async def _opened(self, player: PlayerId, played: LoadedMatch, key: str) -> MatchId:
        """Return the match that follows, opened by the first to ask; the next one if it was cancelled."""
        proposal, number = _again(played), number_of("match", played.id)
        then = tuple(_awaited(played.match, player))
        for tries in range(1, MOST_CALLED_OFF + 1):
            _, listed = await self._openings.open(
                player, proposal, f"rematch {tries}", owner=number, then=then
            )
            live = await self._decisions.matches.current(listed.id)
            if live.match.status is not MatchStatus.CANCELLED or live.done_for(player, key):
                return listed.id
        raise Rejected(Reason.MATCH_CANCELLED)


def _again(played: LoadedMatch) -> Proposal:
    """Return what is proposed: the terms of the match that is over, in which the next seat begins."""
    terms = played.match.terms
    return Proposal(
        game=terms.game,
        options=options_again(played.game, played.match),
        seats=terms.seats,
        rematch_of=played.id,
        **conditions_of(terms),
    )


def _awaited(match: AnyMatch, player: PlayerId) -> Iterator[LobbyCommand]:
    """Yield how all but the player who asks are brought in: bots sit down, the others are invited."""
    for seat, holder in by_seat(match.holders):
        if holder is None or holder.player == player:
            continue
        if bot_of(holder.player) is None:
            yield Invite(holder.player)
        else:
            yield TakeSeat(seat, holder)
