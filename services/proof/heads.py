"""What is kept of finished matches: their signed heads, and the days under which these are published."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from domain.match.heads import Day, Head, Inclusion
from domain.shared.merkle import Level
from services.proof.keys import Key, Signer
from services.shared.ids import MatchId
from services.shared.time import Time


class Final(Struct, frozen=True, kw_only=True):
    """The end of a match that has finished.

    Attributes:
        head: What is signed.
        at: When it finished, UTC.
    """

    head: Head
    at: Time


class Finals(Struct, frozen=True):
    """Matches that have finished and may not be signed yet.

    Attributes:
        items: In the order of the log.
        reached: How far in the log they reach.
        more: Whether there may be more after them.
    """

    items: tuple[Final, ...]
    reached: int
    more: bool


class SignedHead(Struct, frozen=True, kw_only=True):
    """The end of a match, signed.

    Attributes:
        head: What is signed.
        date: The day under which it is published, UTC, as `2026-11-30`.
        key: The public key that checks the signature.
        signature: In base64url.
    """

    head: Head
    date: str
    key: Key
    signature: str


class SignedDay(Struct, frozen=True, kw_only=True):
    """All matches that finished on a day under one hash, signed.

    Attributes:
        date: The day, UTC, as `2026-11-30`.
        size: How many matches finished on it.
        root: Root of the Merkle tree over their heads, in base64url.
        kid: Id of the key that signed.
        signature: The signature, in base64url.
    """

    date: str
    size: int
    root: str
    kid: str
    signature: str

    @property
    def day(self) -> Day:
        """What is signed."""
        return Day(date=self.date, size=self.size, root=self.root)


class Heads(Protocol):
    """Signed heads and days. Every method raises `Unavailable` while the store is away."""

    async def unsigned(self, most: int) -> Finals:
        """Return the next finished matches of the log, at most so many; branches of a match are left out."""

    async def keep(self, signed: Sequence[tuple[Final, Key, str]], reached: int) -> None:
        """Store signatures, the first one of each match for good, and how far in the log they reach.

        A head is published under the day on which its match finished, or if that is closed already, under
        the first one that is not.
        """

    async def open_day(self) -> str | None:
        """Return the first day that is not closed; None before the first match was signed."""

    async def of_day(self, date: str) -> Sequence[Head]:
        """Return the heads of a day in the order of their matches."""

    async def close(self, day: SignedDay, tree: Sequence[Level]) -> None:
        """Store a day with the levels of its tree; one that is closed stays, and one that has grown waits."""

    async def signed(self, match: MatchId) -> SignedHead | None:
        """Return the signed head of a match, once there is one."""

    async def inclusion(self, match: MatchId) -> Inclusion | None:
        """Return the proof that a match is among those of its day, once that is closed."""

    async def day(self, date: str) -> SignedDay | None:
        """Return a day that is closed."""

    async def days(self, before: str | None, limit: int) -> list[SignedDay]:
        """Return days that are closed, newest first, older than `before`."""


class Keys(Protocol):
    """The keys that sign. Every method raises `Unavailable` while the store is away."""

    async def signer(self) -> Signer:
        """Return what signs now.

        Raises:
            KeyElsewhere: The key that signs now is not here.
        """

    async def rotate(self) -> Key:
        """Let a fresh key sign from now on, and return it; those before stay published.

        Raises:
            KeyElsewhere: The key is in a file.
        """

    async def published(self) -> Sequence[Key]:
        """Return all keys: the one that signs now, then those that did before, newest first."""


class KeyElsewhere(Exception):  # noqa: N818 - an answer about the keys
    """The key that is wanted is kept elsewhere; the message says where."""
