"""What proves to a viewer what it was shown: verified by everybody, broken by any change."""

import base64
import hashlib
import json
from typing import Any

import pytest
from msgspec.structs import replace

from domain.match import PlayerId, seen
from domain.match.proof import Flaw, flaw, place_of, request_hash
from domain.shared.chain import genesis, salts, written
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, ViewerKind, seated
from tests.support.faces.differences import plain
from tests.support.games.random_matches import Table, played
from tests.support.games.squirrels import SQUIRRELS, Buried
from tests.support.proof.chains import MATCH, SEED, chained, shown, viewers

TABLE = Table(SQUIRRELS, 3)
CHAIN = tuple(chained(TABLE, played(TABLE, 1)))
VIEWERS = viewers(3)


def before(number: int) -> str:
    """Return the hash before the event of that place in the chain."""
    return CHAIN[number - 1].link.hash if number else genesis(MATCH)


def slow_hash(tag: str, value: bytes) -> str:
    """Return a hash as the description of the chain has it."""
    hashed = hashlib.sha256(tag.encode() + b"\0" + value).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


def slow_json(value: Any) -> bytes:
    """Return canonical JSON by another writer."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def test_the_chain_agrees_with_the_other_implementation() -> None:
    """Records, commitments and hashes of a whole match, as their description has them."""
    previous = slow_hash("montane/genesis/1", MATCH.encode())
    for fact, made in CHAIN:
        at = fact.at.isoformat().replace("+00:00", "Z")
        command = None if fact.command is None else json.loads(fact.command)
        parts = [plain(seen(SQUIRRELS, fact.event, seated(seat))) for seat in seats_in_order(3)]
        parts.append({"command": command, "event": plain(fact.event), "request": fact.request})
        record = {
            "at": at,
            "commitments": [
                slow_hash("montane/commitment/1", salt + slow_json(part))
                for salt, part in zip(salts(SEED, MATCH, fact.version, 3), parts, strict=True)
            ],
            "previous": previous,
            "public": plain(seen(SQUIRRELS, fact.event, SPECTATOR)),
            "schema": 1,
            "seat": fact.seat,
            "type": plain(fact.event)["type"],
            "version": fact.version,
        }
        previous = slow_hash("montane/chain/1", slow_json(record))
        assert (made.previous, list(made.commitments)) == (record["previous"], record["commitments"])
        assert made.hash == previous


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_every_viewer_can_check_what_it_is_shown(viewer: Viewer) -> None:
    """With its own part, its own salt and what everybody gets."""
    for number, linked in enumerate(CHAIN):
        assert flaw(shown(TABLE, linked, viewer), viewer, before(number)) is None


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_what_went_through_json_is_checked_as_well(viewer: Viewer) -> None:
    """A client holds payloads as its reader of JSON gave them."""
    for number, linked in enumerate(CHAIN):
        event = shown(TABLE, linked, viewer)
        proof = event.proof
        event = replace(
            event,
            payload=plain(event.payload),
            proof=replace(proof, public=proof.public and plain(proof.public)),
        )
        assert flaw(event, viewer, before(number)) is None


def test_every_seat_has_a_commitment_at_every_event() -> None:
    """Whether it was shown more than a spectator or not, and never the same one twice."""
    assert {len(made.commitments) for _, made in CHAIN} == {4}
    assert len({one for _, made in CHAIN for one in made.commitments}) == 4 * len(CHAIN)


def test_a_proof_holds_what_its_viewer_may_know() -> None:
    """Its own salt, and what a spectator saw if it saw more; the command if it sees all."""
    buried = next(linked for linked in CHAIN if isinstance(linked.fact.event, Buried))
    fact, public = buried.fact, seen(SQUIRRELS, buried.fact.event, SPECTATOR)
    proofs = {viewer: shown(TABLE, buried, viewer).proof for viewer in VIEWERS}
    own = [written(salt) for salt in salts(SEED, MATCH, fact.version, 3)]
    assert [proof.salt for proof in proofs.values()] == [None, *own]
    more = [viewer for viewer, proof in proofs.items() if proof.public is not None]
    assert more == [Viewer(ViewerKind.SEAT, fact.seat), ALL_SEEING]
    assert all(proofs[viewer].public == public for viewer in more)
    assert proofs[ALL_SEEING].command == (fact.command or b"").decode()
    assert [viewer for viewer, proof in proofs.items() if proof.command or proof.request] == [ALL_SEEING]


def test_what_a_spectator_sees_is_not_sent_twice() -> None:
    """A viewer that was shown the same has no public part beside it."""
    for linked in CHAIN:
        for viewer in VIEWERS:
            event = shown(TABLE, linked, viewer)
            public = seen(SQUIRRELS, linked.fact.event, SPECTATOR)
            assert event.proof.public == (None if event.payload == public else public)


def test_audiences_have_their_places() -> None:
    """Seats in their order, then the whole event; a spectator needs none."""
    assert [place_of(viewer, 3) for viewer in VIEWERS] == [None, 0, 1, 2, 3]


def test_a_request_is_covered_without_being_told() -> None:
    """Who asked, key and digest make its hash."""
    made = request_hash(PlayerId("player_0"), "key", None)
    assert made == slow_hash("montane/request/1", b'{"by":"player_0","digest":null,"key":"key"}')
    others = [
        request_hash(*asked)
        for asked in [(None, "key", None), (PlayerId("player_0"), None, "key"), (None, None, None)]
    ]
    assert len({made, *others}) == 4


@pytest.mark.parametrize(
    ("viewer", "given", "expected"),
    [
        (SPECTATOR, {"salt": "A" * 22}, Flaw.PROOF),
        (SPECTATOR, {"public": {}}, Flaw.PROOF),
        (SPECTATOR, {"request": "A"}, Flaw.PROOF),
        (SPECTATOR, {"command": "{}"}, Flaw.PROOF),
        (seated(Seat(1)), {"salt": None}, Flaw.PROOF),
        (seated(Seat(1)), {"request": "A"}, Flaw.PROOF),
        (seated(Seat(1)), {"command": "{}"}, Flaw.PROOF),
        (seated(Seat(1)), {"salt": "A" * 22}, Flaw.COMMITMENT),
        (seated(Seat(1)), {"salt": "A" * 21 + "B"}, Flaw.COMMITMENT),
        (ALL_SEEING, {"salt": None}, Flaw.PROOF),
        (ALL_SEEING, {"request": None}, Flaw.COMMITMENT),
        (ALL_SEEING, {"request": "A"}, Flaw.COMMITMENT),
        (ALL_SEEING, {"command": "{}"}, Flaw.COMMITMENT),
        (SPECTATOR, {"previous": "A" * 43}, Flaw.PREVIOUS),
        (SPECTATOR, {"hash": "A" * 43}, Flaw.HASH),
        (SPECTATOR, {"schema": 2}, Flaw.HASH),
        (SPECTATOR, {"commitments": ()}, Flaw.HASH),
    ],
)
def test_a_flaw_is_named(viewer: Viewer, given: dict[str, object], expected: Flaw) -> None:
    """Proof of another viewer, wrong place in the chain, wrong hash, a part that was not committed to."""
    event = shown(TABLE, CHAIN[0], viewer)
    altered = replace(event, proof=replace(event.proof, **given))
    assert flaw(altered, viewer, before(0)) is expected


def test_a_proof_is_of_one_viewer_only() -> None:
    """What one seat was shown does not pass for what another was."""
    for number, linked in enumerate(CHAIN):
        for viewer in VIEWERS:
            for other in VIEWERS:
                found = flaw(shown(TABLE, linked, viewer), other, before(number))
                assert (found is None) == (viewer == other)


def test_an_audience_that_is_not_there_is_refused() -> None:
    """A seat beyond the table has no commitment."""
    event = shown(TABLE, CHAIN[0], seated(Seat(2)))
    assert flaw(event, seated(Seat(4)), before(0)) is Flaw.COMMITMENT
