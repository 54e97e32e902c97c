"""What accounts need of a store."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId
from services.shared.ids import TokenId
from services.shared.time import Time


class Player(Struct, frozen=True, kw_only=True):
    """An account.

    Attributes:
        id: `player_...`.
        display_name: As the player wants to be called.
        avatar_seed: What a picture of the player is made from.
        locale: The language that the player reads best, as a language tag.
        created_at: When the account was opened, UTC.
    """

    id: PlayerId
    display_name: str
    avatar_seed: str
    locale: str
    created_at: Time


class Scope(StrEnum):
    """What a token allows, beside looking at what anybody may see.

    `play` to act for the player and to manage its account; `read` to read as the player; `bot` to play as a
    program; `webhooks` to have the player's events sent; `admin` what concerns the whole deployment.
    """

    PLAY = "play"
    READ = "read"
    BOT = "bot"
    WEBHOOKS = "webhooks"
    ADMIN = "admin"


class Token(Struct, frozen=True, kw_only=True):
    """A token without its secret.

    Attributes:
        id: `token_...`.
        player: Whose it is.
        scopes: What it allows, in the order of `Scope`.
        created_at: When it was made, UTC.
        expires_at: From when on it is no longer good, UTC; None for one that stays good until it is revoked.
    """

    id: TokenId
    player: PlayerId
    scopes: tuple[Scope, ...]
    created_at: Time
    expires_at: Time | None


class Identity(Struct, frozen=True, kw_only=True):
    """Whom a token of a trusted issuer names.

    Attributes:
        issuer: Who says so.
        subject: Whom it names, as the issuer knows it.
        expires_at: From when on the token is no longer good, UTC.
        names: What the issuer says that it likes to be called; as it is said, the best first.
        locale: What language the issuer says that it reads best; as it is said.
    """

    issuer: str
    subject: str
    expires_at: Time
    names: tuple[str, ...]
    locale: str | None


class Issuer(Protocol):
    """Somebody else who says who a player is."""

    async def identity(self, token: str) -> Identity:
        """Return whom a token names.

        Raises:
            Unauthenticated: It is no token of the issuer for us, or not good now.
            Unavailable: That cannot be told, as the issuer is away.
        """


class Accounts(Protocol):
    """Players and their tokens. Every method raises `Unavailable` while the store is away."""

    async def add(self, player: Player, token: Token, token_hash: bytes) -> None:
        """Store a new player with its first token and the hash of its secret."""

    async def token(self, token_hash: bytes) -> Token | None:
        """Return the token whose secret has this hash; one that is no longer good too."""

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist."""

    async def change(
        self, player: PlayerId, *, display_name: str | None, avatar_seed: str | None, locale: str | None
    ) -> Player | None:
        """Change what is not None, and return the player as it is then; None if there is no such player."""

    async def known_as(self, issuer: str, subject: str, newcomer: Player) -> PlayerId:
        """Return the player whom an issuer knows by a name; the newcomer, stored, if there is none."""

    async def erase(self, player: PlayerId) -> Sequence[bytes]:
        """Delete all that is kept of a player beside the log of matches; return the hashes of its tokens."""

    async def add_token(self, token: Token, token_hash: bytes, most: int) -> bool:
        """Store a further token; return False if its player is gone, or has that many that are good.

        Tokens of the player whose time has been over for a day are forgotten.
        """

    async def tokens(self, player: PlayerId, before: TokenId | None, limit: int) -> list[Token]:
        """Return a player's tokens, newest first, older than `before`."""

    async def gone(self, token_hashes: Sequence[bytes]) -> Collection[bytes]:
        """Return those of the hashes of which there is no token."""

    async def revoke(self, player: PlayerId, token: TokenId) -> bytes | None:
        """Delete a token and return the hash of its secret; None if the player has none of this id."""
