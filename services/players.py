"""Accounts and their tokens."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from domain.match import PlayerId
from services.errors import Malformed, Unauthenticated
from services.ids import new_uuid, written
from services.ports import Accounts, Clock, Player

TOKEN_PREFIX = "montane_"  # noqa: S105 - the public part of every token
REMEMBERED = timedelta(seconds=5)
"""How long a token that was looked up counts as good: the most that revoking one takes to be felt."""
REMEMBERED_TOKENS = 100_000
LONGEST_NAME = 64


class Players:
    """Opens accounts and tells whose token a token is."""

    def __init__(self, accounts: Accounts, clock: Clock) -> None:
        """Take where accounts are kept, and the time."""
        self._accounts = accounts
        self._clock = clock
        self._holders: OrderedDict[bytes, tuple[datetime, Player]] = OrderedDict()

    async def open_guest(self, display_name: str) -> tuple[Player, str]:
        """Return a new account and its first token; the token is told this once only.

        Raises:
            Malformed: The name is empty, too long, or has characters that cannot be shown.
        """
        name = display_name.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise Malformed("INVALID_FIELD", field="display_name", expected="1 to 64 printable characters")
        now = self._clock.now()
        player = Player(id=PlayerId(written("player", new_uuid(now))), display_name=name, created_at=now)
        token = TOKEN_PREFIX + token_urlsafe(32)
        await self._accounts.add(player, _hash(token))
        return player, token

    async def authenticate(self, token: str | None) -> Player:
        """Return the player that a bearer token names.

        Raises:
            Unauthenticated: There is no token, or nobody has it.
        """
        if not token:
            raise Unauthenticated("TOKEN_MISSING")
        hashed = _hash(token)
        now = self._clock.now()
        if (held := self._holders.get(hashed)) and now - held[0] < REMEMBERED:
            return held[1]
        player = await self._accounts.holder_of(hashed)
        if player is None:
            raise Unauthenticated("TOKEN_UNKNOWN")
        self._holders[hashed] = now, player
        self._holders.move_to_end(hashed)
        if len(self._holders) > REMEMBERED_TOKENS:
            self._holders.popitem(last=False)
        return player

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist, by id."""
        return await self._accounts.named(players) if players else {}


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
