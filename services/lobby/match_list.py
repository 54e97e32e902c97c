"""The list of matches."""

from datetime import datetime
from typing import NamedTuple, Protocol

from msgspec import Struct

from domain.match import Phase, PlayerId
from services.matches.store import Listed
from services.shared.ids import MatchId
from services.shared.time import Time


class MatchFilter(Struct, frozen=True, kw_only=True):
    """Which matches are wanted; all that is said must hold.

    Attributes:
        game: Of this game; None for any.
        phase: This far; None for however far.
        open_seats: With a free seat that may be taken.
        player: With a seat of this player's; None for anybody's.
        my_turn: In which the viewer is to act.
        created_after: Opened later than this; None for any time.
        created_before: Opened earlier than this; None for any time.
    """

    game: str | None = None
    phase: Phase | None = None
    open_seats: bool = False
    player: PlayerId | None = None
    my_turn: bool = False
    created_after: Time | None = None
    created_before: Time | None = None


class ListPlace(NamedTuple):
    """A place in the list of matches, which has the newest first.

    Attributes:
        opened_at: When the match there was opened, UTC.
        match: The match.
    """

    opened_at: datetime
    match: MatchId


class MatchList(Protocol):
    """The list of matches; it follows the log within moments."""

    async def page(
        self, viewer: PlayerId | None, wanted: MatchFilter, *, behind: ListPlace | None, limit: int
    ) -> list[Listed]:
        """Return matches that the viewer may know of, newest first.

        Args:
            viewer: Who looks; None without an account.
            wanted: Which of them are wanted.
            behind: The place behind which to begin; None begins with the newest.
            limit: The most that are wanted.
        """
