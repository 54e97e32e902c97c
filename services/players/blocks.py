"""Players who do not want to hear of others."""

from collections.abc import Sequence

from msgspec import Struct

from domain.match import PlayerId
from services.players.accounts import Players
from services.players.block_list import Blocked, BlockList
from services.players.names import SeatedPlayer, seated_player
from services.shared.errors import FailureReason, Malformed, NotFound, TooMany
from services.shared.pages import Page, cut, ended_at
from services.shared.time import Clock, Time

MOST_BLOCKED = 1_000
"""How many players one may block."""


class Block(Struct, frozen=True, kw_only=True):
    """That a player has blocked another.

    Attributes:
        player: Who is blocked.
        created_at: Since when, UTC.
    """

    player: SeatedPlayer
    created_at: Time


class Blocks:
    """The use cases around whom a player has blocked.

    Nobody can invite, write to or be seated by a quick match with a player that has blocked it; nothing says
    so to it: it gets the answers that it would get of a player who does not exist. A block goes with the
    account of either.
    """

    def __init__(self, block_list: BlockList, players: Players, clock: Clock) -> None:
        """Take where blocks are kept, the names of players, and the time."""
        self._block_list = block_list
        self._players = players
        self._clock = clock

    async def check_shown(self, player: PlayerId, onlooker: PlayerId | None) -> None:
        """Refuse to show a player to one whom it has blocked, as if there were none.

        Raises:
            NotFound: There is no such player, or it has blocked the onlooker.
        """
        if player not in await self._block_list.reachable([player], onlooker):
            raise NotFound(FailureReason.NO_SUCH_PLAYER, player=player)

    async def block(self, player: PlayerId, other: PlayerId) -> Block:
        """Block a player; one that is blocked stays so.

        Raises:
            Malformed: A player does not block itself.
            NotFound: There is no such player.
            TooMany: The player has blocked `MOST_BLOCKED`.
        """
        if player == other:
            raise Malformed(FailureReason.INVALID_FIELD, field="player", expected="another player")
        wanted = Blocked(other, self._clock.now())
        if (blocked := await self._block_list.add(player, wanted, MOST_BLOCKED)) is None:
            raise TooMany(FailureReason.TOO_MANY_BLOCKS, most=MOST_BLOCKED)
        return (await self._shown([blocked]))[0]

    async def unblock(self, player: PlayerId, other: PlayerId) -> None:
        """Block a player no longer; of one that is not blocked nothing changes."""
        await self._block_list.remove(player, other)

    async def read(self, player: PlayerId, other: PlayerId) -> Block:
        """Return since when a player is blocked.

        Raises:
            NotFound: It is not blocked.
        """
        if (blocked := await self._block_list.find(player, other)) is None:
            raise NotFound(FailureReason.NO_SUCH_BLOCK, player=other)
        return (await self._shown([blocked]))[0]

    async def page(self, player: PlayerId, *, after: str | None, size: int) -> Page[Block]:
        """Return whom a player has blocked, by their ids.

        Raises:
            Malformed: `after` is not where a page ended.
        """
        place = ended_at("player", after, PlayerId)
        found = await self._block_list.page(player, place, size + 1)
        page = cut(found, size, lambda last: last.player)
        return page.of(await self._shown(page.items))

    async def _shown(self, found: Sequence[Blocked]) -> list[Block]:
        names = await self._players.named([blocked.player for blocked in found])
        return [
            Block(player=seated_player(blocked.player, names), created_at=blocked.blocked_at)
            for blocked in found
        ]
