"""The chain of hashes and commitments that the events of a match form: `montane/chain/1`.

Each event has a record of what everybody may know of it, and its hash stands in the record of the next one.
What only some may know is in the record as commitments, one for each audience: every seat in seat order, then
`all`, which is the whole event. An audience that is given its part and its salt checks its commitment; to the
others it tells nothing, not even whether there is anything to hide.

Every hash is SHA-256 over a tag in ASCII, a zero byte and what is hashed, and is written in base64url without
padding (RFC 4648 §5), 43 characters:

    first `previous`    montane/genesis/1     the match's id
    commitment          montane/commitment/1  the salt, 16 bytes, then the part as canonical JSON
    hash                montane/chain/1       the record as canonical JSON

Salts are cut in the order of the audiences, 16 bytes each, from the byte stream (`domain.shared.chance`) with
the seed as key and the context `montane/salt/1/<match id>/<version>`. One salt tells nothing of another.
"""

from binascii import Error as BinasciiError
from binascii import a2b_base64, b2a_base64
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from msgspec import Raw, Struct

from domain.shared.canonical import canonical
from domain.shared.chance import stream_block
from domain.shared.seats import Seat

SALT_SIZE = 16

_GENESIS_TAG = b"montane/genesis/1\0"
_COMMITMENT_TAG = b"montane/commitment/1\0"
_CHAIN_TAG = b"montane/chain/1\0"
_SALTS_IN_BLOCK = 2
_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")


class Record(Struct, frozen=True, kw_only=True):
    """What the hash of an event covers.

    Attributes:
        at: When it was decided, UTC.
        commitments: One an audience: the seats in seat order, then `all`.
        previous: Hash of the event before.
        public: What everybody may know of the event, as canonical JSON.
        schema: The shape in which events were written then.
        seat: The seat whose command brought it about, or None.
        type: The event's stored name.
        version: Its number in the match, from 1.
    """

    at: datetime
    commitments: tuple[str, ...]
    previous: str
    public: Raw
    schema: int
    seat: Seat | None
    type: str
    version: int


def genesis(match_id: str) -> str:
    """Return the `previous` of a match's first event."""
    return written(sha256(_GENESIS_TAG + match_id.encode()).digest())


def salts(seed: bytes, match_id: str, version: int, seats: int) -> tuple[bytes, ...]:
    """Return the salts of an event: one a seat in seat order, then that of `all`."""
    blocks = [_salts(seed, match_id, version, counter) for counter in range(seats // _SALTS_IN_BLOCK + 1)]
    stream = b"".join(blocks)
    return tuple(
        [stream[start : start + SALT_SIZE] for start in range(0, (seats + 1) * SALT_SIZE, SALT_SIZE)]
    )


def salt(seed: bytes, match_id: str, version: int, place: int) -> bytes:
    """Return one of the salts of an event, by the audience's place in their order."""
    counter, half = divmod(place, _SALTS_IN_BLOCK)
    block = _salts(seed, match_id, version, counter)
    return block[half * SALT_SIZE : (half + 1) * SALT_SIZE]


def commitment(salt: bytes, part: bytes) -> str:
    """Return the commitment to a part in canonical JSON."""
    return written(sha256(_COMMITMENT_TAG + salt + part).digest())


def record_hash(record: Record) -> str:
    """Return the hash of an event."""
    return written(sha256(_CHAIN_TAG + canonical(record)).digest())


def written(value: bytes) -> str:
    """Return bytes in base64url without padding."""
    return b2a_base64(value, newline=False).translate(_TO_URL, b"=").decode()


def read(text: str) -> bytes:
    """Return the bytes that a text in base64url without padding stands for.

    Raises:
        ValueError: It is not the one text that stands for any bytes.
    """
    try:
        value = a2b_base64(text.encode().translate(_FROM_URL) + b"=" * (-len(text) % 4))
    except BinasciiError as error:
        raise ValueError("not base64url without padding") from error
    if written(value) != text:
        raise ValueError("not base64url without padding")
    return value


@lru_cache(4_096)
def _salts(seed: bytes, match_id: str, version: int, counter: int) -> bytes:
    """Return a block of salts; an event that was decided just now is shown to its viewers at once."""
    return stream_block(seed, f"montane/salt/1/{match_id}/{version}".encode(), counter)
