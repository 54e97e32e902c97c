"""Accounts, their tokens, and what a token allows."""

import re
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from msgspec import UNSET, Struct

from domain.match import HolderKind, PlayerId
from services.players.profiles import (
    DEFAULT_LOCALE,
    ProfileChange,
    checked_locale,
    checked_name,
    checked_seed,
    default_seed,
)
from services.players.sessions import Credential, Sessions
from services.players.store import Accounts, Issuer, Player, Scope, Token
from services.shared.errors import FailureReason, Forbidden, Malformed, NotFound, TooMany, Unauthenticated
from services.shared.ids import TokenId, new_uuid, written
from services.shared.pages import Page, cut, ended_at
from services.shared.time import Clock, Time

TOKEN_PREFIX = "montane_"  # noqa: S105 - the public part of every token
TOKEN = re.compile(TOKEN_PREFIX + "[A-Za-z0-9_-]{43}")
"""A token of our own: 256 random bits after the prefix."""
REMEMBERED = timedelta(seconds=5)
"""How long a token that was looked up counts as good: the most that revoking one takes to be felt."""
REMEMBERED_TOKENS = 100_000

NAMELESS = "Player"
"""What a player is called whom an issuer names nothing that everybody may see."""

MOST_TOKENS = 100
"""How many tokens of a player may be good at a time."""

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
        credential: The token itself, as far as it is kept.
    """

    id: PlayerId
    scopes: frozenset[Scope]
    credential: Credential

    @property
    def holder_kind(self) -> HolderKind:
        """What a seat is held by that the caller takes."""
        return HolderKind.BOT if Scope.BOT in self.scopes else HolderKind.HUMAN

    def demand(self, scope: Scope) -> None:
        """Refuse what the token does not allow.

        Raises:
            Forbidden: It has neither the scope nor one that includes it.
        """
        if self.scopes.isdisjoint(GIVEN_BY[scope]):
            raise Forbidden(FailureReason.SCOPE_MISSING, scope=scope)

    def demand_account(self) -> None:
        """Refuse a token that does not manage the account: only one that plays itself does, no bot's.

        Raises:
            Forbidden: It does not.
        """
        if Scope.PLAY not in self.scopes:
            raise Forbidden(FailureReason.SCOPE_MISSING, scope=Scope.PLAY)


class PublicPlayer(Struct, frozen=True):
    """A player as everybody sees it.

    Attributes:
        id: `player_...`.
        display_name: As the player wants to be called.
        avatar_seed: What a picture of the player is made from.
        created_at: When the account was opened, UTC.
    """

    id: PlayerId
    display_name: str
    avatar_seed: str
    created_at: Time


class Players:
    """The use cases around accounts and their tokens.

    Attributes:
        sessions: The streams that are open by tokens.
    """

    def __init__(self, accounts: Accounts, clock: Clock, issuer: Issuer | None = None) -> None:
        """Take where accounts are kept, the time, and who else is trusted to say who a player is."""
        self._accounts = accounts
        self._clock = clock
        self._issuer = issuer
        self.sessions = Sessions(accounts, clock)
        self._callers: OrderedDict[bytes, tuple[datetime, Caller]] = OrderedDict()

    async def open_guest(self, display_name: str) -> tuple[Player, str]:
        """Return a new account and its first token; the token is shown this once only.

        Raises:
            Malformed: The name is empty, too long, or has characters that cannot be seen.
        """
        player = self._newcomer(checked_name(display_name), DEFAULT_LOCALE)
        token, secret = self._fresh(player.id, GUEST_SCOPES, None)
        await self._accounts.add(player, token, hash_of(secret))
        return player, secret

    async def authenticate(self, token: str | None, scope: Scope) -> Caller:
        """Return who calls with a bearer token that allows what is asked.

        Raises:
            Unauthenticated: There is no token, nobody has it, or it is not good now.
            Forbidden: It does not have the scope.
            Unavailable: It is an issuer's, which is away, and signed with a key that is not known.
        """
        if not token:
            raise Unauthenticated(FailureReason.TOKEN_MISSING)
        hashed = hash_of(token)
        now = self._clock.now()
        if (held := self._callers.get(hashed)) and now < held[0]:
            caller = held[1]
        else:
            caller = await self._looked_up(token, hashed, now)
        caller.demand(scope)
        return caller

    async def _looked_up(self, token: str, hashed: bytes, now: datetime) -> Caller:
        """Return who calls as the store knows it now, and remember it."""
        if TOKEN.fullmatch(token):
            caller = await self._named_by_us(hashed, now)
        elif self._issuer is not None:
            caller = await self._named_by(self._issuer, token, hashed)
        else:
            raise Unauthenticated(FailureReason.TOKEN_MALFORMED)
        remembered_until, expires_at = now + REMEMBERED, caller.credential.expires_at
        good_until = remembered_until if expires_at is None else min(remembered_until, expires_at)
        self._callers[hashed] = good_until, caller
        self._callers.move_to_end(hashed)
        if len(self._callers) > REMEMBERED_TOKENS:
            self._callers.popitem(last=False)
        return caller

    async def _named_by_us(self, hashed: bytes, now: datetime) -> Caller:
        """Return who has a token of our own."""
        token = await self._accounts.token(hashed)
        if token is None:
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN)
        if token.expires_at is not None and token.expires_at <= now:
            raise Unauthenticated(FailureReason.TOKEN_EXPIRED)
        shown = Credential(hashed, token.player, token.expires_at)
        return Caller(token.player, frozenset(token.scopes), shown)

    async def _named_by(self, issuer: Issuer, token: str, hashed: bytes) -> Caller:
        """Return whom an issuer's token names, a newcomer at first sight."""
        named = await issuer.identity(token)
        newcomer = self._newcomer(_name_for(named.names), _locale_for(named.locale))
        player = await self._accounts.known_as(named.issuer, named.subject, newcomer)
        shown = Credential(hashed, player, named.expires_at, signed_in=True)
        return Caller(player, frozenset(GUEST_SCOPES), shown)

    def _newcomer(self, name: str, locale: str) -> Player:
        """Return a new account, not stored yet."""
        now = self._clock.now()
        id = PlayerId(written("player", new_uuid(now)))
        return Player(id=id, display_name=name, avatar_seed=default_seed(id), locale=locale, created_at=now)

    async def change(self, caller: Caller, change: ProfileChange) -> Player:
        """Change what the caller's account says of it, and return the account.

        Raises:
            Forbidden: The token is not one that manages the account.
            Malformed: A name, seed or locale cannot be taken.
            Unauthenticated: The account has just been erased.
        """
        caller.demand_account()
        name, seed, locale = change.display_name, change.avatar_seed, change.locale
        changed = await self._accounts.change(
            caller.id,
            display_name=None if name is UNSET else checked_name(name),
            avatar_seed=None
            if seed is UNSET
            else default_seed(caller.id)
            if seed is None
            else checked_seed(seed),
            locale=None if locale is UNSET else DEFAULT_LOCALE if locale is None else checked_locale(locale),
        )
        if changed is None:
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN)
        return changed

    async def own(self, caller: Caller) -> Player:
        """Return the caller's account.

        Raises:
            Unauthenticated: The account has just been erased.
        """
        found = await self._accounts.named([caller.id])
        if caller.id not in found:
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN)
        return found[caller.id]

    async def public(self, id: PlayerId) -> PublicPlayer:
        """Return a player as everybody sees it.

        Raises:
            NotFound: There is none of this id, or it was erased.
        """
        found = await self._accounts.named([id])
        if id not in found:
            raise NotFound(FailureReason.NO_SUCH_PLAYER, player=id)
        player = found[id]
        return PublicPlayer(player.id, player.display_name, player.avatar_seed, player.created_at)

    async def erase(self, caller: Caller) -> None:
        """Delete all that is kept of the caller, for good; its seats stay, without a name.

        Raises:
            Forbidden: The token is not one that manages the account.
        """
        caller.demand_account()
        for hashed in await self._accounts.erase(caller.id):
            self._callers.pop(hashed, None)

    async def make_token(
        self, caller: Caller, scopes: Collection[Scope], expires_at: datetime | None
    ) -> tuple[Token, str]:
        """Return a further token of the caller and its secret, which is shown this once only.

        A token makes only what it has itself, and a bot's too if it plays; none that outlives it, but for a
        trusted issuer's, which is a sign-in that lasts minutes.

        Raises:
            Forbidden: The caller's token does not manage the account, or lacks one of the scopes.
            Malformed: No scope is given, or the time is over already or later than it may be.
            TooMany: The player has `MOST_TOKENS` that are good.
            Unauthenticated: The account has just been erased.
        """
        caller.demand_account()
        for scope in scopes:
            if scope not in caller.scopes and scope is not Scope.BOT:
                raise Forbidden(FailureReason.SCOPE_MISSING, scope=scope)
        shown = caller.credential
        latest = None if shown.signed_in else shown.expires_at
        if latest is not None and (expires_at is None or expires_at > latest):
            expected = "no later than the end of the token that makes it"
            raise Malformed(FailureReason.INVALID_FIELD, field="expires_at", expected=expected)
        if (made := await self._kept(caller.id, scopes, expires_at)) is None:
            await self.own(caller)
            raise TooMany(FailureReason.TOO_MANY_TOKENS, most=MOST_TOKENS)
        return made

    async def issue_token(
        self, player: PlayerId, scopes: Collection[Scope], expires_at: datetime | None
    ) -> tuple[Token, str]:
        """Return a further token of a player, whatever it allows, and its secret.

        Raises:
            Malformed: No scope is given, or the time is over already.
            TooMany: The player has `MOST_TOKENS` that are good.
            NotFound: There is no such player.
        """
        if (made := await self._kept(player, scopes, expires_at)) is None:
            await self.public(player)
            raise TooMany(FailureReason.TOO_MANY_TOKENS, most=MOST_TOKENS)
        return made

    async def tokens(self, caller: Caller, *, after: str | None, size: int) -> Page[Token]:
        """Return the caller's tokens, newest first.

        Raises:
            Forbidden: The token is not one that manages the account.
            Malformed: `after` is not where a page ended.
        """
        caller.demand_account()
        before = ended_at("token", after, TokenId)
        found = await self._accounts.tokens(caller.id, before, size + 1)
        return cut(found, size, lambda last: last.id)

    async def revoke(self, caller: Caller, token: TokenId) -> None:
        """Make a token of the caller good for nothing: here at once, everywhere within `REMEMBERED`.

        Raises:
            Forbidden: The caller's token is not one that manages the account.
            NotFound: The caller has no such token.
        """
        caller.demand_account()
        hashed = await self._accounts.revoke(caller.id, token)
        if hashed is None:
            raise NotFound(FailureReason.NO_SUCH_TOKEN, token=token)
        self._callers.pop(hashed, None)

    async def _kept(
        self, player: PlayerId, scopes: Collection[Scope], expires_at: datetime | None
    ) -> tuple[Token, str] | None:
        """Return a further token and its secret; None if its player is gone, or has enough."""
        if not scopes:
            raise Malformed(FailureReason.INVALID_FIELD, field="scopes", expected="at least one scope")
        try:
            token, secret = self._fresh(player, scopes, expires_at and expires_at.astimezone(UTC))
        except OverflowError as error:
            raise Malformed(
                FailureReason.INVALID_FIELD, field="expires_at", expected="a time before 10000"
            ) from error
        if token.expires_at is not None and token.expires_at <= token.created_at:
            raise Malformed(FailureReason.INVALID_FIELD, field="expires_at", expected="a time to come")
        kept = await self._accounts.add_token(token, hash_of(secret), MOST_TOKENS)
        return (token, secret) if kept else None

    def _fresh(
        self, player: PlayerId, scopes: Collection[Scope], expires_at: datetime | None
    ) -> tuple[Token, str]:
        """Return a new token and its secret."""
        now = self._clock.now()
        token = Token(
            id=TokenId(written("token", new_uuid(now))),
            player=player,
            scopes=tuple(scope for scope in Scope if scope in scopes),
            created_at=now,
            expires_at=expires_at,
        )
        return token, TOKEN_PREFIX + token_urlsafe(32)

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist, by id."""
        return await self._accounts.named(players) if players else {}


def _name_for(told: Sequence[str]) -> str:
    """Return the first of an issuer's names that may be shown to everybody, or the usual one."""
    for name in told:
        with suppress(Malformed):
            if "@" not in name:
                return checked_name(name)
    return NAMELESS


def _locale_for(told: str | None) -> str:
    """Return the language that an issuer tells, if it is one, or the usual one."""
    with suppress(Malformed):
        return checked_locale(told or DEFAULT_LOCALE)
    return DEFAULT_LOCALE


def hash_of(token: str) -> bytes:
    """Return what is kept of a token: its SHA-256."""
    return sha256(token.encode(errors="surrogatepass")).digest()
