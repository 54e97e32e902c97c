"""What proves to each viewer that what it was shown of a match is what happened, and that it stays so.

The parts of an event, each with a commitment of its own (`domain.shared.chain`):

    a seat      the payload as that seat may see it
    `all`       {"command": ..., "event": ..., "request": ...}: the whole event; with the first event of a
                command the command, and a hash of who asked for it, with which key and digest, else null

What everybody may know, the payload as a spectator sees it, is in the record itself. Every seat has a
commitment at every event, whether it sees more than a spectator or not: that there is something to hide tells
something.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, Protocol, assert_never

from msgspec import Raw, Struct

from domain.match.state import PlayerId
from domain.match.view import seen
from domain.shared.canonical import canonical, is_canonical
from domain.shared.chain import Record, commitment, read, record_hash, written
from domain.shared.game import AnyGame
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, Viewer, ViewerKind, seated, sees_all

SCHEMA = 1
"""The shape in which events are written and hashed today."""

_REQUEST_TAG = b"montane/request/1\0"
_NULL = b"null"


class Fact(Struct, frozen=True, kw_only=True):
    """An event that was decided, with what its hash covers beside it.

    Attributes:
        version: Its number in the match, from 1.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about, or None.
        event: The match's or the game's event, whole.
        command: The command as canonical JSON, with the first of its events only.
        request: `request_hash` of the command, with the first of its events only.
    """

    version: int
    at: datetime
    seat: Seat | None
    event: Any
    command: bytes | None
    request: str | None


class Link(Struct, frozen=True, kw_only=True):
    """An event's place in the chain.

    Attributes:
        previous: Hash of the event before.
        hash: Its own hash.
        commitments: One an audience: the seats in seat order, then `all`.
    """

    previous: str
    hash: str
    commitments: tuple[str, ...]


class Proof[P](Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a viewer needs to check what it was shown of an event.

    Attributes:
        schema: The shape in which the event was hashed.
        previous: Hash of the event before.
        hash: The event's own hash.
        commitments: One an audience: the seats in seat order, then `all`.
        salt: The salt of the viewer's own commitment; a spectator has none.
        public: What a spectator was shown, if that is not what the viewer was shown.
        command: The command as canonical JSON, for anyone who sees all, with the first of its events only.
        request: Hash of who asked for it, with which key and digest, beside the command.
    """

    schema: int
    previous: str
    hash: str
    commitments: tuple[str, ...]
    salt: str | None = None
    public: P | None = None
    command: str | None = None
    request: str | None = None


class Shown(Protocol):
    """An event as one viewer was shown it."""

    @property
    def version(self) -> int:
        """Its number in the match, from 1."""

    @property
    def type(self) -> str:
        """Its stored name."""

    @property
    def at(self) -> datetime:
        """When it was decided, UTC."""

    @property
    def seat(self) -> Seat | None:
        """The seat whose command brought it about, or None."""

    @property
    def payload(self) -> Any:
        """What the viewer may know of it."""

    @property
    def proof(self) -> Proof[Any]:
        """What proves it."""


class Flaw(StrEnum):
    """What is wrong with what a viewer was shown of an event."""

    PREVIOUS = "PREVIOUS"
    PROOF = "PROOF"
    HASH = "HASH"
    COMMITMENT = "COMMITMENT"


def request_hash(by: PlayerId | None, key: str | None, digest: str | None) -> str:
    """Return the hash of who asked for a command, of its idempotency key and the digest of what was asked."""
    return written(sha256(_REQUEST_TAG + canonical({"by": by, "digest": digest, "key": key})).digest())


def link(game: AnyGame, previous: str, fact: Fact, salts: Sequence[bytes]) -> Link:
    """Return the place in the chain of an event after the one whose hash is `previous`.

    Args:
        game: The match's game.
        previous: `genesis` of the match for the first event.
        fact: The event.
        salts: `salts` of the match at this version.
    """
    event = fact.event
    public = seen(game, event, SPECTATOR)
    public_part = canonical(public)
    # What a spectator sees whole, everybody does.
    if event == public:
        seen_parts, whole = [public_part] * (len(salts) - 1), public_part
    else:
        seen_parts = [canonical(seen(game, event, seated(seat))) for seat in seats_in_order(len(salts) - 1)]
        whole = canonical(event)
    parts = (*seen_parts, _part_of_all(fact.command or _NULL, whole, fact.request))
    record = Record(
        at=fact.at,
        commitments=tuple(map(commitment, salts, parts)),
        previous=previous,
        public=Raw(public_part),
        schema=SCHEMA,
        seat=fact.seat,
        type=type(public).__struct_config__.tag,
        version=fact.version,
    )
    return Link(previous=previous, hash=record_hash(record), commitments=record.commitments)


def place_of(viewer: Viewer, seats: int) -> int | None:
    """Return where a viewer's audience stands in the order of salts and commitments; None for a spectator."""
    return seats if sees_all(viewer) else viewer.seat


def proof[P](
    game: AnyGame, viewer: Viewer, fact: Fact, link: Link, payload: P, salt: bytes | None
) -> Proof[P]:
    """Return what proves to a viewer what it is shown of an event.

    Args:
        game: The match's game.
        viewer: Who is shown it.
        fact: The event.
        link: Its place in the chain.
        payload: What the viewer is shown of it.
        salt: The salt of the viewer's audience; None for a spectator.
    """
    public = payload if viewer.kind is ViewerKind.SPECTATOR else seen(game, fact.event, SPECTATOR)
    whole = sees_all(viewer)
    return Proof(
        schema=SCHEMA,
        previous=link.previous,
        hash=link.hash,
        commitments=link.commitments,
        salt=None if salt is None else written(salt),
        public=None if public == payload else public,
        command=fact.command.decode() if whole and fact.command is not None else None,
        request=fact.request if whole else None,
    )


def flaw(shown: Shown, viewer: Viewer, previous: str) -> Flaw | None:
    """Return what is wrong with what a viewer was shown of an event, or None if it is proved.

    Args:
        shown: The event; its payload, public part and command may be what any JSON decoder gave.
        viewer: Who was shown it.
        previous: Hash of the event before, which the viewer was shown too; `genesis` for the first one.
    """
    proof = shown.proof
    part = canonical(shown.payload)
    public = part if proof.public is None else canonical(proof.public)
    if not _made_for(viewer, proof) or (proof.public is not None and public == part):
        return Flaw.PROOF
    if proof.previous != previous:
        return Flaw.PREVIOUS
    record = Record(
        at=shown.at,
        commitments=proof.commitments,
        previous=previous,
        public=Raw(public),
        schema=proof.schema,
        seat=shown.seat,
        type=shown.type,
        version=shown.version,
    )
    if record_hash(record) != proof.hash:
        return Flaw.HASH
    if sees_all(viewer):
        command = _NULL if proof.command is None else proof.command.encode()
        if not is_canonical(command):
            return Flaw.PROOF
        part = _part_of_all(command, part, proof.request)
    place = place_of(viewer, len(proof.commitments) - 1)
    return None if place is None or _opened(proof, place, part) else Flaw.COMMITMENT


def _made_for(viewer: Viewer, proof: Proof[Any]) -> bool:
    """Return whether a proof has what one for this viewer has, and nothing else."""
    match viewer.kind:
        case ViewerKind.ALL:
            return proof.salt is not None
        case ViewerKind.SEAT:
            return proof.salt is not None and proof.request is None and proof.command is None
        case ViewerKind.SPECTATOR:
            return proof.salt is proof.public is proof.request is proof.command is None
        case _:
            assert_never(viewer.kind)


def _opened(proof: Proof[Any], place: int, part: bytes) -> bool:
    """Return whether the commitment at that place is one to the part, with the proof's salt."""
    try:
        return commitment(read(proof.salt or ""), part) == proof.commitments[place]
    except (ValueError, IndexError):
        return False


def _part_of_all(command: bytes, event: bytes, request: str | None) -> bytes:
    """Return the part of `all` as canonical JSON, of a command and an event in canonical JSON."""
    return b'{"command":%b,"event":%b,"request":%b}' % (command, event, canonical(request))
