"""The chain montane/chain/1: hashes and salts, against another implementation and against fixed values."""

import base64
import hashlib
import json
from datetime import UTC, datetime

import pytest
from msgspec import Raw
from msgspec.structs import replace

from domain.shared.chain import Record, commitment, genesis, read, record_hash, salt, salts, written
from domain.shared.chance import ByteStream
from domain.shared.seats import Seat

MATCH = "match_01j00000000000000000000000"
SEED = bytes(range(32))
RECORD = Record(
    at=datetime(2026, 11, 30, 10, tzinfo=UTC),
    commitments=("first", "second"),
    previous="before",
    public=Raw(b'{"seat":0,"type":"game.played"}'),
    schema=1,
    seat=Seat(0),
    type="game.played",
    version=7,
)


def slow_hash(tag: str, value: bytes) -> str:
    """Return a hash as the description of the chain has it."""
    hashed = hashlib.sha256(tag.encode() + b"\0" + value).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


def test_a_chain_begins_with_the_match() -> None:
    """What stands before the first event is of the match's id alone."""
    assert genesis(MATCH) == slow_hash("montane/genesis/1", MATCH.encode())
    assert genesis(MATCH) == "3ximnFYrRcg36m5HM4oPAX0v1AH6aDw_k8Aoq9bR3z4"
    assert genesis(MATCH) != genesis(MATCH[:-1] + "1")


def test_a_record_is_hashed_as_canonical_json() -> None:
    """Every field of it, by name."""
    plain = {
        "at": "2026-11-30T10:00:00Z",
        "commitments": ["first", "second"],
        "previous": "before",
        "public": {"seat": 0, "type": "game.played"},
        "schema": 1,
        "seat": 0,
        "type": "game.played",
        "version": 7,
    }
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    assert record_hash(RECORD) == slow_hash("montane/chain/1", text.encode())
    assert record_hash(RECORD) == "RPqEyChvPSuiCj3VXppH2s0naG6WTXUSeUQnOLub368"


@pytest.mark.parametrize(
    "change",
    [
        {"at": datetime(2026, 11, 30, 10, microsecond=1, tzinfo=UTC)},
        {"commitments": ("second", "first")},
        {"commitments": ("first",)},
        {"previous": "after"},
        {"public": Raw(b"{}")},
        {"schema": 2},
        {"seat": None},
        {"type": "game.lost"},
        {"version": 8},
    ],
    ids=lambda change: "-".join(change),
)
def test_whatever_changes_in_a_record_changes_its_hash(change: dict[str, object]) -> None:
    """Nothing of it is left out."""
    assert record_hash(replace(RECORD, **change)) != record_hash(RECORD)


def test_a_commitment_is_a_hash_of_salt_and_part() -> None:
    """The salt comes first and has a fixed length, so that one cannot run into the other."""
    one = commitment(bytes(16), b"{}")
    assert (
        one
        == slow_hash("montane/commitment/1", bytes(16) + b"{}")
        == "jq6_X4EePTDbB5LhJkHHh5g8sXrkfz5GaM4ogPBQtOQ"
    )
    assert len({one, commitment(bytes(15) + b"\1", b"{}"), commitment(bytes(16), b"[]")}) == 3


@pytest.mark.parametrize("seats", range(1, 6))
def test_salts_are_cut_from_one_stream(seats: int) -> None:
    """16 bytes each, in the order of the audiences, of a context with match and version."""
    stream = ByteStream(SEED, f"montane/salt/1/{MATCH}/41".encode())
    cut = tuple(stream.take(16) for _ in range(seats + 1))
    assert salts(SEED, MATCH, 41, seats) == cut
    assert tuple(salt(SEED, MATCH, 41, place) for place in range(seats + 1)) == cut


def test_no_salt_comes_twice() -> None:
    """Seed, match, version and audience make a salt."""
    made = [
        one
        for seed in (SEED, bytes(32))
        for match in (MATCH, MATCH + "/1")
        for version in range(1, 30)
        for one in salts(seed, match, version, 5)
    ]
    assert len(set(made)) == len(made) == 2 * 2 * 29 * 6


@pytest.mark.parametrize("value", [b"", b"\0", bytes(16), bytes(32), b"\xff" * 32, b"\xfb\xf0" * 9])
def test_bytes_have_one_text(value: bytes) -> None:
    """Base64url without padding (RFC 4648 §5)."""
    assert written(value) == base64.urlsafe_b64encode(value).decode().rstrip("=")
    assert read(written(value)) == value


@pytest.mark.parametrize("text", ["AAB", "A", "AA==", "A+A", "A/A", "AA A", "AA\n", "AAé", "AA-", " "])
def test_no_other_text_stands_for_bytes(text: str) -> None:
    """Loose bits, padding, letters of another alphabet and white space are refused."""
    with pytest.raises(ValueError, match="not base64url"):
        read(text)
