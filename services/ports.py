"""What the use cases need from outside."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Protocol
from uuid import UUID

from msgspec import Meta, Struct

from domain.match import Match, Phase, PlayerId
from domain.shared.seats import Seat
from services.ids import MatchId, TokenId

type Time = Annotated[datetime, Meta(tz=True)]
"""A time, UTC."""


class Recorded(Struct, frozen=True, kw_only=True):
    """An event with its envelope.

    Attributes:
        version: Its number in the match, from 1.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about; None for the opening of a match.
        key: The command's idempotency key.
        digest: SHA-256 of what was asked with that key, in hexadecimal.
        command: The command itself as JSON, with the first of its events only.
        event: The match's or the game's event, whole.
    """

    version: int
    at: datetime
    seat: Seat | None
    key: str
    digest: str
    command: bytes | None
    event: Any


class Done(Struct, frozen=True):
    """A command that was carried out.

    Attributes:
        digest: SHA-256 of what was asked, in hexadecimal.
        first: Version of its first event.
        last: Version of its last event.
    """

    digest: str
    first: int
    last: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """A match as it stood at a version; safe to delete.

    Attributes:
        version: How many events it holds.
        match: The folded match.
        opened_at: When the match was opened, UTC.
        done: The commands carried out, as (seat, key, what was done).
    """

    version: int
    match: Match[Any, Any]
    opened_at: datetime
    done: tuple[tuple[Seat | None, str, Done], ...]


class VersionTaken(Exception):  # noqa: N818 - an answer of the store
    """Another command has written the version first."""


class EventStore(Protocol):
    """The log of all matches. Every method raises `Unavailable` while the store is away."""

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events of one command; durable when it returns.

        A caller that is cancelled meanwhile cancels nothing: the events are stored all the same.

        Raises:
            VersionTaken: One of the versions exists already; nothing was stored.
        """

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events behind version `after`, up to and with `up_to`, in order."""

    async def snapshot(self, match: MatchId, up_to: int | None = None) -> Snapshot | None:
        """Return the latest usable snapshot, at most at version `up_to`."""

    async def keep_snapshot(self, match: MatchId, snapshot: Snapshot) -> None:
        """Store a snapshot."""

    async def close(self) -> None:
        """Finish what was accepted; nothing is appended any more."""

    async def answers(self) -> bool:
        """Return whether the store answers now."""


class Opening(Struct, frozen=True):
    """What was put down for a match before its first event.

    Attributes:
        match: The match's id.
        seed: Its secret, 32 bytes.
        digest: SHA-256 of what was asked at opening, in hexadecimal.
    """

    match: UUID
    seed: bytes
    digest: str


class Seeds(Protocol):
    """The secrets of matches. Every method raises `Unavailable` while the store is away."""

    async def claim(self, player: PlayerId, key: str, opening: Opening) -> Opening:
        """Put an opening down for a player and key, durably; return the earlier one if there is one."""

    async def seed(self, match: MatchId) -> bytes:
        """Return a match's seed."""


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

    async def erase(self, player: PlayerId) -> Sequence[bytes]:
        """Delete all that is kept of a player beside the log of matches; return the hashes of its tokens."""

    async def add_token(self, token: Token, token_hash: bytes, most: int) -> bool:
        """Store a further token; return False if its player is gone, or has that many that are good.

        Tokens of the player whose time has been over for a day are forgotten.
        """

    async def tokens(self, player: PlayerId, before: TokenId | None, limit: int) -> list[Token]:
        """Return a player's tokens, newest first, older than `before`."""

    async def revoke(self, player: PlayerId, token: TokenId) -> bytes | None:
        """Delete a token and return the hash of its secret; None if the player has none of this id."""


class Listed(Struct, frozen=True, kw_only=True):
    """A match as the list of matches knows it.

    Attributes:
        id: The match.
        opened_at: When it was opened, UTC.
        match: The match without its table.
        version: How many events it has.
    """

    id: MatchId
    opened_at: datetime
    match: Match[Any, Any]
    version: int


class MatchList(Protocol):
    """The list of matches; it follows the log within moments."""

    async def page(
        self,
        viewer: PlayerId | None,
        *,
        game: str | None,
        phase: Phase | None,
        before: MatchId | None,
        limit: int,
    ) -> list[Listed]:
        """Return matches that the viewer may know of, newest first, older than `before`."""


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the time, UTC."""
