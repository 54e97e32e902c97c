"""Bundles: a match as one viewer saw it, written down so that it can be checked without a server.

A bundle (`montane/bundle/1`) is lines of canonical JSON, each with a line feed after it: a header, the
events from the first on, an end. Nothing in it can be changed without a trace: a line in any other form is
refused, and whatever it says is hashed, committed to, signed, or follows from what is.
"""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec import Struct

from domain.match.proof import Shown
from domain.shared.canonical import canonical
from domain.shared.viewers import Viewer
from services.matches.views import SeenEvent
from services.proof.keys import Key

LONGEST_LINE = 1 << 20
"""Bytes that a line may have, so that reading needs little memory whatever comes."""


class Header(Struct, frozen=True, kw_only=True, tag_field="line", tag="header"):
    """The first line: what is bundled, and for whom.

    Attributes:
        format: What this is.
        game: The game's id.
        match: The match's id.
        ruleset: Edition of the rules.
        seats: Number of seats.
        seed: The match's secret in base64url, in bundles for the viewer that sees all only.
        viewer: Who saw the events so.
    """

    format: Literal["montane/bundle/1"] = "montane/bundle/1"
    game: str
    match: str
    ruleset: str
    seats: int
    seed: str | None
    viewer: Viewer


class EventLine[P](SeenEvent[P], frozen=True, kw_only=True, tag_field="line", tag="event"):
    """An event as the viewer was shown it.

    Attributes:
        version: Its number in the match, from 1.
        type: Its stored name.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about, or None.
        payload: What the viewer may know of it.
        proof: What proves it.
    """


class EndLine(Struct, frozen=True, kw_only=True, tag_field="line", tag="end"):
    """The last line: how far the bundle goes.

    Attributes:
        version: How many events it has.
        head: Hash of the last one.
        signature: The server's signature of a finished match's head, in base64url; None before it is there.
        key: The public key that checks it.
    """

    version: int
    head: str
    signature: str | None = None
    key: Key | None = None


type Line = Header | EventLine[Any] | EndLine

_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


def written_line(line: Line) -> bytes:
    """Return a line as it stands in a bundle."""
    return canonical(line) + b"\n"


def event_line(shown: Shown) -> EventLine[Any]:
    """Return an event as a line of a bundle."""
    return EventLine(
        version=shown.version,
        type=shown.type,
        at=shown.at,
        seat=shown.seat,
        payload=shown.payload,
        proof=shown.proof,
    )


def bundle(
    header: Header, events: Iterable[Shown], key: Key | None, signature: str | None
) -> Iterator[bytes]:
    """Yield the lines of a bundle.

    Args:
        header: Its first line.
        events: All events of the match so far, as the header's viewer was shown them.
        key: The public key of the signature.
        signature: The signature of the head, once there is one.
    """
    yield written_line(header)
    version, head = 0, ""
    for shown in events:
        yield written_line(event_line(shown))
        version, head = shown.version, shown.proof.hash
    yield written_line(EndLine(version=version, head=head, signature=signature, key=key))


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, each with its line feed, none longer than a line may be."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def read_line(line: bytes) -> Line:
    """Return a line of a bundle.

    Raises:
        ValueError: It is too long, no line of a bundle, or not written as it must be.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError("the line is too long")
    try:
        read = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not a line of a bundle: {error}") from error
    if written_line(read) != line:
        raise ValueError("the line is not canonical JSON")
    return read
