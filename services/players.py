"""Accounts, their tokens, and what a token allows."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from msgspec import Struct

from domain.match import HolderKind, PlayerId
from services.errors import Forbidden, Malformed, NotFound, Unauthenticated
from services.ids import TokenId, new_uuid, written
from services.ports import Accounts, Clock, Player, Scope, Token

TOKEN_PREFIX = "montane_"  # noqa: S105 - the public part of every token
REMEMBERED = timedelta(seconds=5)
"""How long a token that was looked up counts as good: the most that revoking one takes to be felt."""
REMEMBERED_TOKENS = 100_000
LONGEST_NAME = 64

GUEST_SCOPES = (Scope.PLAY, Scope.READ, Scope.WEBHOOKS)
"""What the first token of a guest allows."""

GIVEN_BY: Mapping[Scope, frozenset[Scope]] = {scope: frozenset({scope}) for scope in Scope} | {
    Scope.PLAY: frozenset({Scope.PLAY, Scope.BOT}),
    Scope.READ: frozenset({Scope.READ, Scope.PLAY, Scope.BOT}),
}
"""The scopes of which one is enough where a scope is demanded: who plays may read, and a bot plays."""


class Caller(Struct, frozen=True):
    """Who calls: a player, with what its token allows.

    Attributes:
        id: The player.
        scopes: What the token allows.
        expires_at: From when on the token is no longer good, UTC; None if it stays good until it is revoked.
    """

    id: PlayerId
    scopes: frozenset[Scope]
    expires_at: datetime | None

    @property
    def holder_kind(self) -> HolderKind:
        """What a seat is held by that the caller takes."""
        return HolderKind.HUMAN

    def demand(self, scope: Scope) -> None:
        """Refuse what the token does not allow.

        Raises:
            Forbidden: It has neither the scope nor one that includes it.
        """
        if self.scopes.isdisjoint(GIVEN_BY[scope]):
            raise Forbidden("SCOPE_MISSING", scope=scope)


class Players:
    """Opens accounts and tells whose token a token is."""

    def __init__(self, accounts: Accounts, clock: Clock) -> None:
        """Take where accounts are kept, and the time."""
        self._accounts = accounts
        self._clock = clock
        self._callers: OrderedDict[bytes, tuple[datetime, Caller]] = OrderedDict()

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
        secret = TOKEN_PREFIX + token_urlsafe(32)
        token = Token(
            id=TokenId(written("token", new_uuid(now))),
            player=player.id,
            scopes=GUEST_SCOPES,
            created_at=now,
            expires_at=None,
        )
        await self._accounts.add(player, token, _hash(secret))
        return player, secret

    async def authenticate(self, token: str | None, scope: Scope) -> Caller:
        """Return who calls with a bearer token that allows what is asked.

        Raises:
            Unauthenticated: There is no token, nobody has it, or its time is over.
            Forbidden: It does not have the scope.
        """
        if not token:
            raise Unauthenticated("TOKEN_MISSING")
        hashed = _hash(token)
        now = self._clock.now()
        if (held := self._callers.get(hashed)) and now < held[0]:
            caller = held[1]
        else:
            caller = await self._looked_up(hashed, now)
        caller.demand(scope)
        return caller

    async def _looked_up(self, hashed: bytes, now: datetime) -> Caller:
        """Return who calls as the store knows it now, and remember it."""
        token = await self._accounts.token(hashed)
        if token is None:
            raise Unauthenticated("TOKEN_UNKNOWN")
        if token.expires_at is not None and token.expires_at <= now:
            raise Unauthenticated("TOKEN_EXPIRED")
        good_until = now + REMEMBERED
        if token.expires_at is not None:
            good_until = min(good_until, token.expires_at)
        caller = Caller(token.player, frozenset(token.scopes), token.expires_at)
        self._callers[hashed] = good_until, caller
        self._callers.move_to_end(hashed)
        if len(self._callers) > REMEMBERED_TOKENS:
            self._callers.popitem(last=False)
        return caller

    async def player(self, id: PlayerId) -> Player:
        """Return an account.

        Raises:
            NotFound: There is none of this id, or it was erased.
        """
        found = await self._accounts.named([id])
        if id not in found:
            raise NotFound("NO_SUCH_PLAYER", player=id)
        return found[id]

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist, by id."""
        return await self._accounts.named(players) if players else {}


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
