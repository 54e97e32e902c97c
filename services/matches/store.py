"""What matches need of a store: the log, and the secrets of matches."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn, Protocol
from uuid import UUID

from msgspec import Struct

from domain.match import AnyMatch, PlayerId
from domain.match.proof import Link
from domain.shared.seats import Seat
from services.players.quotas import Holding
from services.shared.ids import MatchId


class Recorded(Struct, frozen=True, kw_only=True):
    """An event with its envelope.

    Attributes:
        version: Its number in the match, from 1.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about; None if it was no seat's.
        event: The match's or the game's event, whole.
        link: Its place in the chain.
        by: Who gave the command, with the first of its events only; None if no player did.
        key: The command's idempotency key, with the first of its events only.
        digest: SHA-256 of what was asked with that key, in hexadecimal; beside the key.
        command: The command as canonical JSON, with the first of its events only; None for an opening.
        to_act: The seats that must choose from now on, rising; with the last of a command's events only, and
            only if the command changed it.
    """

    version: int
    at: datetime
    seat: Seat | None
    event: Any
    link: Link
    by: PlayerId | None = None
    key: str | None = None
    digest: str | None = None
    command: bytes | None = None
    to_act: tuple[Seat, ...] | None = None


class StoredCommand(Struct, frozen=True, gc=False):
    """A command that was carried out; what was asked is with its first event.

    Attributes:
        first: Version of its first event.
        last: Version of its last event.
    """

    first: int
    last: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """A match as it stood at a version; safe to delete.

    Attributes:
        version: How many events it holds.
        match: The folded match.
        opened_at: When the match was opened, UTC.
        head: Hash of the last of its events.
        commands: How many commands it has had (`domain.match.limit`).
        done: The commands carried out, each by its `services.matches.loaded.command_name`.
    """

    version: int
    match: AnyMatch
    opened_at: datetime
    head: str
    commands: int
    done: tuple[tuple[bytes, StoredCommand], ...]


class VersionTaken(Exception):  # noqa: N818 - an answer of the store
    """Another command has written the version first, or the version before it is not stored."""


class EventStore(Protocol):
    """The log of all matches. Every method raises `Unavailable` while the store is away."""

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events of one command; durable when it returns.

        A caller that is cancelled meanwhile cancels nothing: the events are stored all the same.

        Raises:
            VersionTaken: One of the versions exists already, or the one before them does not; nothing was
                stored.
        """

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events after version `after`, up to and with `up_to`, in order.

        Raises:
            SetAside: One of them is missing, or cannot be read.
        """

    async def complete(self, match: MatchId, up_to: int) -> None:
        """Refuse a match of which a version is missing, up to and with `up_to`.

        Raises:
            SetAside: One is.
        """

    async def set_aside(self, match: MatchId, version: int, why: str) -> NoReturn:
        """Record that a match cannot be read, from a version on, and refuse it.

        Raises:
            SetAside: Always.
        """

    async def snapshot(self, match: MatchId, up_to: int | None = None) -> Snapshot | None:
        """Return the latest usable snapshot, at most at version `up_to`.

        Raises:
            SetAside: A version up to the snapshot's is missing.
        """

    async def keep_snapshot(self, match: MatchId, snapshot: Snapshot) -> None:
        """Store a snapshot, and forget all but the newest two of its match."""

    async def close(self) -> None:
        """Finish what was accepted; nothing is appended any more."""

    async def answers(self) -> bool:
        """Return whether the store answers now."""


class Secrets(Struct, frozen=True):
    """What a match keeps to itself.

    Attributes:
        seed: What all chance comes from, 32 bytes; told when the match ends, if it discloses.
        invitation: What lets its holder know of the match, 16 bytes.
    """

    seed: bytes
    invitation: bytes


class ClaimedOpening(Struct, frozen=True):
    """What was recorded for a match before its first event.

    Attributes:
        match: The match's id.
        secrets: What it keeps to itself.
        digest: SHA-256 of what was asked at opening, in hexadecimal.
    """

    match: UUID
    secrets: Secrets
    digest: str


OPENING_KEPT = timedelta(days=7)
"""How long what was recorded for a match that never begins is kept after the last claim."""


class Seeds(Protocol):
    """The secrets of matches. Every method raises `Unavailable` while the store is away."""

    async def claim(
        self, owner: UUID, key: str, opening: ClaimedOpening, at: datetime, holding: "Holding | None" = None
    ) -> ClaimedOpening:
        """Put an opening down for an owner and key, durably; return the earlier one if there is one.

        Args:
            owner: The player who opens, or the match that is played again.
            key: The idempotency key.
            opening: What is recorded.
            at: The time, UTC. One that nobody has claimed for days (`OPENING_KEPT`), and whose match never
                began, is gone.
            holding: The open match that its player has then; None if it begins at once.

        Raises:
            TooMany: The player has as many as it may have; nothing was recorded.
        """

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""


class MatchWithoutState(Struct, frozen=True, kw_only=True):
    """A match as the list of matches knows it.

    Attributes:
        id: The match.
        opened_at: When it was opened, UTC.
        match: The match without its table.
        version: How many events it has.
    """

    id: MatchId
    opened_at: datetime
    match: AnyMatch
    version: int
