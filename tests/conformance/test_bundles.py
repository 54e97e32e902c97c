"""Bundles of every game: those of all viewers hold, and no byte can be changed without a trace."""

from collections.abc import Iterator
from io import BytesIO
from random import Random

import pytest

from adapters.keys.signing import Ed25519Signatures
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.proof.bundle_audit import Altered, Audit, Check, verify
from services.proof.bundles import lines_of
from tests.support.games.random_matches import Table
from tests.support.proof.bundles import bundled
from tests.support.proof.chains import viewers

SIGNATURES = Ed25519Signatures()
FLIPPED = 800
"""In how many places a bundle of each table is altered."""


def flipped(line: bytes, place: int, dice: Random) -> bytes:
    """Return a line with one bit of one byte changed."""
    return line[:place] + bytes([line[place] ^ 1 << dice.randrange(8)]) + line[place + 1 :]


def first_line(data: bytes) -> bytes:
    """Return the first line of some bytes, as it would be read."""
    return next(lines_of(BytesIO(data)))


def test_every_viewers_bundle_holds(table: Table) -> None:
    """Of whole matches and of matches in play, all that a viewer can check (API "Proof")."""
    games = {table.game.id: table.game}
    for viewer in viewers(table.seats):
        for most in (1, 7, None):
            lines = bundled(table, 1, viewer, most)
            passed = {one.check: one.count for one in verify(lines, games, SIGNATURES)}
            events = len(lines) - 2
            assert (passed[Check.LINES], passed[Check.CHAIN]) == (len(lines), events)
            assert passed[Check.PARTS] == (None if viewer == SPECTATOR else events)
            assert passed[Check.AUDIENCES] == (events if viewer == ALL_SEEING else None)
            assert passed[Check.SEED] == (1 if viewer == ALL_SEEING else None)
            finished = b'"type":"match.finished"' in lines[-2]
            assert passed[Check.OUTCOME] == (int(finished) if viewer == ALL_SEEING else None)
            assert passed[Check.SIGNATURE] == (1 if finished else None)


@pytest.mark.parametrize("viewer", [ALL_SEEING, seated(Seat(0)), SPECTATOR], ids=lambda viewer: viewer.kind)
def test_every_changed_byte_is_found_in_its_line(table: Table, viewer: Viewer) -> None:
    """Any byte of any line; only the match's id in the header shows at the first event."""
    games, dice = {table.game.id: table.game}, Random(f"flipped {table}")
    lines = bundled(table, 2, viewer)
    audit = Audit(games, SIGNATURES)
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else b""
        for place in places(line, FLIPPED // len(lines) + 1, dice):
            altered = first_line(flipped(line, place, dice) + following)
            if number == 0:
                with pytest.raises(Altered) as found:
                    verify([altered, *lines[1:]], games, SIGNATURES)
                assert found.value.version <= 1
            else:
                with pytest.raises(Altered) as found:
                    audit.take(altered)
                assert found.value.version == number
        audit.take(line)
    assert audit.passed()


def places(line: bytes, count: int, dice: Random) -> Iterator[int]:
    """Yield places in a line, its last byte among them."""
    yield len(line) - 1
    for _ in range(count):
        yield dice.randrange(len(line))
