"""The list of matches."""

from datetime import datetime
from typing import NamedTuple, Protocol

from msgspec import Struct

from domain.match import (
    MatchStatus,
    PlayerId,
)
from services.matches.catalogue import Catalogue
from services.matches.store import MatchWithoutState
from services.shared.errors import FailureReason, Malformed, Unauthenticated
from services.shared.ids import MatchId, parsed
from services.shared.pages import Page, cut, page_token, position_of
from services.shared.time import Time


class MatchFilter(Struct, frozen=True, kw_only=True, rename={"status": "phase"}):
    """Which matches are wanted; all that is said must hold.

    Attributes:
        game: Of this game; None for any.
        status: This far; None for however far.
        open_seats: With a free seat that may be taken.
        player: With a seat of this player's; None for anybody's.
        my_turn: In which the viewer is to act.
        created_after: Opened later than this; None for any time.
        created_before: Opened earlier than this; None for any time.
    """

    game: str | None = None
    status: MatchStatus | None = None
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
        self, viewer: PlayerId | None, wanted: MatchFilter, *, place: ListPlace | None, limit: int
    ) -> list[MatchWithoutState]:
        """Return matches that the viewer may know of, newest first.

        Args:
            viewer: Who looks; None without an account.
            wanted: Which of them are wanted.
            place: The place after which to begin; None begins with the newest.
            limit: The most that are wanted.
        """


class MatchPages:
    """The use case of listing matches."""

    def __init__(self, match_list: MatchList, catalogue: Catalogue) -> None:
        """Take the list of matches, and the games."""
        self._match_list = match_list
        self._catalogue = catalogue

    async def page(
        self,
        player: PlayerId | None,
        wanted: MatchFilter,
        *,
        after: str | None,
        size: int,
    ) -> Page[MatchWithoutState]:
        """Return matches that the player may know of, newest first.

        Raises:
            NotFound: There is no game of this id.
            Unauthenticated: Whose turn it should be is not known.
            Malformed: The player that is wanted is none, or no page of this list gave `after`.
        """
        if wanted.game is not None:
            self._catalogue.game(wanted.game)
        if wanted.player is not None and parsed("player", wanted.player) is None:
            raise Malformed(FailureReason.INVALID_FIELD, field="player", expected="a player's id")
        if wanted.my_turn and player is None:
            raise Unauthenticated(FailureReason.TOKEN_MISSING)
        place = None
        if after is not None:
            place = position_of(after, _place, "matches", wanted)
        found = await self._match_list.page(player, wanted, place=place, limit=size + 1)
        return cut(
            found,
            size,
            lambda last: page_token(f"{last.opened_at.isoformat()} {last.id}", "matches", wanted),
        )


def _place(written: str) -> ListPlace:
    """Return the place in the list of matches that a token's text names: when one was opened, and its id."""
    at, match = written.split()
    opened_at = datetime.fromisoformat(at)
    if opened_at.tzinfo is None or parsed("match", match) is None:
        raise ValueError(f"{written} is no place in the list")
    return ListPlace(opened_at, MatchId(match))
