"""What players may have only so much of at a time."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId
from services.shared.ids import MatchId


class QuotaKind(StrEnum):
    """Of what a player may have so much at a time."""

    OPEN = "open"
    BOTS = "bots"
    INVITATION = "invitation"


class Holding(Struct, frozen=True):
    """That a player has one more of something.

    Attributes:
        player: Who.
        kind: Of what: matches that it opened and that have not begun, matches that it opened and that bots
            alone play, or players whom it invited and who have not sat down.
        match: In which match.
        since: Since when, UTC.
        about: Who is invited; None for all else.
        fit: What is the same for all open matches on the same terms; empty for all else.
    """

    player: PlayerId
    kind: QuotaKind
    match: MatchId
    since: datetime
    about: PlayerId | None = None
    fit: str = ""


class Quotas(Protocol):
    """What players have. Every method raises `Unavailable` while the store is away."""

    async def check(self, holding: Holding) -> None:
        """Refuse a player who might come to have one more, if it has as many as it may have.

        Raises:
            TooMany: It has.
        """

    async def take(self, holding: Holding) -> None:
        """Record, durably, that a player has one more; once, however often it is recorded.

        Raises:
            TooMany: It has as many as it may have.
        """

    async def note(self, holding: Holding) -> None:
        """Record, durably, that a player has one more, however many it has."""

    async def release(
        self, match: MatchId, kinds: Collection[QuotaKind], *, about: PlayerId | None = None
    ) -> None:
        """Record that nobody has any more what a match was counted for; of one guest, if it is named."""
