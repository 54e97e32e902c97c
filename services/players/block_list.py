"""Who has blocked whom, as it is stored."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId


class Blocked(Struct, frozen=True):
    """That a player has blocked another.

    Attributes:
        player: Who is blocked.
        blocked_at: Since when, UTC.
    """

    player: PlayerId
    blocked_at: datetime


class BlockList(Protocol):
    """Whom players have blocked. Every method raises `Unavailable` while the store is away."""

    async def add(self, player: PlayerId, blocked: Blocked, most: int) -> Blocked | None:
        """Block a player, and return since when it is blocked; None if as many are blocked as may be.

        Raises:
            NotFound: There is no such player.
        """

    async def remove(self, player: PlayerId, other: PlayerId) -> None:
        """Block a player no longer."""

    async def find(self, player: PlayerId, other: PlayerId) -> Blocked | None:
        """Return since when a player is blocked; None if it is not."""

    async def page(self, player: PlayerId, after: PlayerId | None, limit: int) -> list[Blocked]:
        """Return whom a player has blocked, by their ids, after one of them."""

    async def blocked_by(self, player: PlayerId) -> Collection[PlayerId]:
        """Return all whom a player has blocked."""

    async def blockers(self, players: Collection[PlayerId]) -> Mapping[PlayerId, Collection[PlayerId]]:
        """Return who has blocked each of some players, of those whom anybody has blocked."""

    async def reachable(self, players: Collection[PlayerId], by: PlayerId | None) -> Collection[PlayerId]:
        """Return those of some players that exist and have not blocked a player.

        It is one question, so that the time that it takes does not say which.
        """
