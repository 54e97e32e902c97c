"""Seats, until a match begins."""

from typing import Any

from domain.match import Holder, HolderKind, PlayerId, TakeSeat
from domain.shared.seats import Seat
from services.access import check_known_to
from services.decisions import Decisions, checked_key
from services.ids import MatchId
from services.live import Live
from services.matches import check_entropy
from services.ports import Listed, Secrets


class Lobby:
    """The use cases around the seats of a match."""

    def __init__(self, decisions: Decisions) -> None:
        """Take what carries out commands."""
        self._decisions = decisions

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
    ) -> tuple[str, Listed]:
        """Sit a player down; the last one to do so starts the match, unless that waits for a word.

        Args:
            player: Who sits down.
            id: The match.
            seat: Where.
            entropy: The player's own contribution to chance.
            key: The idempotency key; None for a fresh one.
            kind: What the seat is held by.
            invitation: The invitation to a private match, if it is shown.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Rejected: The match has begun, has no such seat, or the seat or player is taken.
        """
        check_entropy(entropy)
        command = TakeSeat(Seat(seat), Holder(player, kind, entropy))

        def order(live: Live, secrets: Secrets) -> tuple[Seat, Any]:
            check_known_to(live, player, secrets, invitation)
            return command.seat, command

        key = checked_key(key)
        done = await self._decisions.carry_out(
            id, order, by=player, key=key, asked=["take_seat", seat, entropy]
        )
        return key, done.listed
