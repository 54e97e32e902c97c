"""Ids, beside what the specification of TypeIDs gives as examples."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from services.shared.ids import made_at, match_id, new_uuid, number_of, parsed, written

VALID = {
    "prefix_00000000000000000000000000": "00000000-0000-0000-0000-000000000000",
    "prefix_00000000000000000000000001": "00000000-0000-0000-0000-000000000001",
    "prefix_0000000000000000000000000a": "00000000-0000-0000-0000-00000000000a",
    "prefix_0000000000000000000000000g": "00000000-0000-0000-0000-000000000010",
    "prefix_00000000000000000000000010": "00000000-0000-0000-0000-000000000020",
    "prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "prefix_0123456789abcdefghjkmnpqrs": "0110c853-1d09-52d8-d73e-1194e95b5f19",
    "prefix_01h455vb4pex5vsknk084sn02q": "01890a5d-ac96-774b-bcce-b302099a8057",
}
"""Of the specification's valid.yml, each under a prefix."""
INVALID = (
    "prefix_1234567890123456789012345",
    "prefix_123456789012345678901234567",
    "prefix_1234567890123456789012345 ",
    "prefix_0123456789ABCDEFGHJKMNPQRS",
    "prefix_123456789-123456789-123456",
    "prefix_ooooooiiiiiiuuuuuuulllllll",
    "prefix_i23456789ol23456789oi23456",
    "prefix_123456789-0123456789-0123456",
    "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    "PREFIX_00000000000000000000000000",
    "_00000000000000000000000000",
    "prefix_",
    "",
)
"""Of its invalid.yml."""


@pytest.mark.parametrize(("text", "number"), VALID.items())
def test_what_is_valid_is_read_and_written(text: str, number: str) -> None:
    """Both ways, as the specification says."""
    assert written("prefix", UUID(number)) == text
    assert parsed("prefix", text) == number_of("prefix", text) == UUID(number)


@pytest.mark.parametrize("text", INVALID)
def test_what_is_invalid_names_nothing(text: str) -> None:
    """Neither for who asks nor for who is sure."""
    assert parsed("prefix", text) is None
    with pytest.raises(ValueError, match="is no prefix"):
        number_of("prefix", text)


def test_an_id_tells_when_it_was_made() -> None:
    """To the millisecond, as a UUIDv7 does."""
    at = datetime(2026, 12, 1, 4, 5, 6, 789_000, UTC)
    assert made_at(match_id(new_uuid(at))) == at
    assert new_uuid(at).version == 7
