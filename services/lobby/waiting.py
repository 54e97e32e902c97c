"""The waiting matches of a quick match."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId
from services.shared.ids import MatchId


class Wish(Struct, frozen=True, kw_only=True):
    """What a player looks for.

    Attributes:
        player: Who looks.
        key: The idempotency key.
        digest: SHA-256 of what was asked, in hexadecimal.
        fit: What is the same for all matches on the same terms.
        game: Their game's id.
        seats: How many seats they have.
        at: When it looks, UTC.
    """

    player: PlayerId
    key: str
    digest: str
    fit: str
    game: str
    seats: int
    at: datetime


class Placed(Struct, frozen=True, kw_only=True):
    """Where a player who looked for a match is placed.

    Attributes:
        match: The match.
        digest: SHA-256 of what was asked with the idempotency key, in hexadecimal.
        opens: Whether the player is the one who opens it.
        repeated: Whether the key led there before.
        reserved: Whether a seat was set aside for the player.
    """

    match: MatchId
    digest: str
    opens: bool = False
    repeated: bool = False
    reserved: bool = False


class QuickMatches(Protocol):
    """Where players are placed who look for a match. Each raises `Unavailable` while the store is away."""

    async def place(
        self, wish: Wish, fresh: MatchId, *, without: Sequence[MatchId], only_open: bool
    ) -> Placed:
        """Return where a player is placed, recorded durably.

        That is where its key led before; or the match on the same terms in which it waits; or else one that
        has a free seat, which is set aside for it, if nobody is in it whom it has blocked or who has blocked
        it; or a new one.

        Args:
            wish: What the player looks for.
            fresh: The id of the match that is opened if none is found.
            without: Matches that have turned the player away.
            only_open: Whether it is placed nowhere but where it waits, or in a new one.

        Raises:
            TooMany: None is found, and the player has as many open matches as it may have.
        """

    async def give_back(self, match: MatchId, player: PlayerId) -> None:
        """Set a player's seat aside no longer: it did not come."""

    async def turn_away(self, match: MatchId, player: PlayerId, *, full: bool, at: datetime) -> None:
        """Place a player there no more, and nobody if there is no free seat."""

    async def forget(self, match: MatchId) -> None:
        """Forget who was placed in a match: what the list of matches says of it holds."""

    async def lose(self, match: MatchId, at: datetime) -> None:
        """Forget a match that is not there: of one that was not opened in time nobody has it open either."""
