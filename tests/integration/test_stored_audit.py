"""The audit of a database: it holds as the service wrote it, and every alteration is found where it is."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from msgspec.structs import replace

from adapters.cli.audit import AuditError, LogAudit, Plan, Progress, audit_log, audit_match
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.log import audit as stored_audit
from adapters.postgres.log.audit import FIRST, LAST, Found, StoredAudit
from domain.games import GAMES
from domain.match import Finished, Started
from domain.shared.game import Games
from services.proof.head_signer import HeadSigner
from services.shared.ids import MatchId
from tests.support.games.random_matches import Table, tables
from tests.support.proof.chains import BEGUN
from tests.support.stores.stored import StoredMatch, random_match, store
from tests.support.stores.use_cases import ManualClock

DUEL = Table(GAMES["montanara"], 2)
COUNT = 26
STEPS = 9
"""With how many steps matches are that are not finished."""
MOVE = -1
"""Stands for the event that is altered: the first of the first command in play."""

type Tamper = Callable[[psycopg.Connection[Any], StoredMatch], int]
"""Alters a match, and returns the version at which that must show."""


@pytest.fixture(scope="module")
def matches() -> list[StoredMatch]:
    """Finished matches."""
    return [random_match(DUEL, number) for number in range(COUNT)]


@pytest.fixture
async def signed(database: str, matches: list[StoredMatch]) -> str:
    """Where they are stored and signed, their day closed, and beside them one of each table in play."""
    store(database, [*matches, *(random_match(table, COUNT, STEPS) for table in tables(*GAMES.values()))])
    datastore = Datastore(database, 2)
    clock = ManualClock(BEGUN + timedelta(days=2))
    await HeadSigner(PostgresHeads(datastore), PostgresKeys(datastore), clock).step()
    datastore.close()
    return database


def found_in(database: str, games: Games | None = None) -> list[Found]:
    """Return what an audit of all matches finds, with the registered games or others."""
    audit = StoredAudit(database, games or dict(GAMES))
    try:
        return [*audit.part(FIRST, LAST).found, *audit.days()]
    finally:
        audit.close()


def move(match: StoredMatch) -> int:
    """Return the version of the first event of the first command in play."""
    started = next(event.version for event in match.events if isinstance(event.event, Started))
    return next(event.version for event in match.events if event.version > started and event.command)


def changed(at: int, change: Callable[[dict[str, Any]], object]) -> Tamper:
    """Return what changes the stored state of an event."""

    def tamper(connection: psycopg.Connection[Any], match: StoredMatch) -> int:
        version = move(match) if at == MOVE else at
        where = (match.number, version)
        row = connection.execute(
            "SELECT state FROM match_events WHERE originator_id = %s AND originator_version = %s", where
        ).fetchone()
        assert row is not None
        state = msgspec.json.decode(row[0])
        change(state)
        encoded = msgspec.json.encode(state)
        assert encoded != row[0]
        connection.execute(
            "UPDATE match_events SET state = %s WHERE originator_id = %s AND originator_version = %s",
            (encoded, *where),
        )
        return version

    return tamper


def executed(statement: str, shows: Callable[[StoredMatch], int]) -> Tamper:
    """Return what runs a statement on a match."""

    def tamper(connection: psycopg.Connection[Any], match: StoredMatch) -> int:
        fields = {"match": match.number, "last": len(match.events), "move": move(match)}
        assert connection.execute(statement, fields).rowcount > 0
        return shows(match)

    return tamper


def swapped(connection: psycopg.Connection[Any], match: StoredMatch) -> int:
    """Let two events change places."""
    one = move(match)
    for version, place in ((one, 0), (one + 1, one), (0, one + 1)):
        connection.execute(
            "UPDATE match_events SET originator_version = %s WHERE originator_id = %s"
            " AND originator_version = %s",
            (place, match.number, version),
        )
    return one


def last(match: StoredMatch) -> int:
    """Return the version of a match's last event."""
    return len(match.events)


def behind(match: StoredMatch) -> int:
    """Return the version after a match's last event."""
    return len(match.events) + 1


def first_turn(match: StoredMatch) -> int:
    """Return the version of an event that changes who is to act."""
    return next(event.version for event in match.events if event.to_act)


def turned(connection: psycopg.Connection[Any], match: StoredMatch) -> int:
    """Say that another seat is to act."""
    version = first_turn(match)
    return changed(version, lambda state: state.update(to_act=[1 - state["to_act"][0]]))(connection, match)


def unturned(connection: psycopg.Connection[Any], match: StoredMatch) -> int:
    """Say of an event that changed who is to act that it did not."""
    return changed(first_turn(match), lambda state: state.pop("to_act"))(connection, match)


OTHER = "A" * 43
TAMPERINGS: dict[str, Tamper] = {
    "payload": changed(2, lambda state: state["event"]["holder"].update(entropy="other")),
    "type": executed(
        "UPDATE match_events SET topic = 'match.resigned' WHERE originator_id = %(match)s"
        " AND originator_version = %(move)s",
        move,
    ),
    "unreadable": executed(
        "UPDATE match_events SET state = '{}' WHERE originator_id = %(match)s"
        " AND originator_version = %(move)s",
        move,
    ),
    "time": changed(MOVE, lambda state: state.update(at="2026-11-30T10:00:01Z")),
    "seat": changed(MOVE, lambda state: state.update(seat=1 - state["seat"])),
    "by": changed(MOVE, lambda state: state.pop("by")),
    "key": changed(MOVE, lambda state: state.update(key="other")),
    "digest": changed(MOVE, lambda state: state.update(digest="0" * 64)),
    "digest of the opening": changed(1, lambda state: state.update(digest="1" * 64)),
    "command": changed(MOVE, lambda state: state.update(command={"type": "resign"})),
    "no command": changed(MOVE, lambda state: state.pop("command")),
    "commitments": changed(MOVE, lambda state: state["commitments"].__setitem__(0, OTHER)),
    "previous": changed(MOVE, lambda state: state.update(previous=OTHER)),
    "hash": changed(MOVE, lambda state: state.update(hash=OTHER)),
    "to act": turned,
    "no one to act": unturned,
    "order": swapped,
    "missing": executed(
        "DELETE FROM match_events WHERE originator_id = %(match)s AND originator_version = %(move)s",
        move,
    ),
    "missing at the end": executed(
        "DELETE FROM match_events WHERE originator_id = %(match)s AND originator_version = %(last)s", last
    ),
    "added": executed(
        "INSERT INTO match_events SELECT originator_id, %(last)s + 1, topic, state FROM match_events"
        " WHERE originator_id = %(match)s AND originator_version = %(move)s",
        behind,
    ),
    "no events": executed("DELETE FROM match_events WHERE originator_id = %(match)s", lambda _: 1),
    "seed": executed("UPDATE match_openings SET seed = sha256(seed) WHERE match_id = %(match)s", lambda _: 1),
    "no opening": executed("DELETE FROM match_openings WHERE match_id = %(match)s", lambda _: 1),
    "signature": executed(
        "UPDATE signed_heads SET signature = reverse(signature) WHERE match_id = %(match)s", last
    ),
    "signed head": executed("UPDATE signed_heads SET version = version - 1 WHERE match_id = %(match)s", last),
    "not signed": executed("DELETE FROM signed_heads WHERE match_id = %(match)s", last),
}


async def test_what_the_service_wrote_holds(signed: str) -> None:
    """Finished matches of a closed day, and matches of every table in play."""
    assert found_in(signed) == []


async def test_matches_are_audited_under_their_own_ruleset(signed: str) -> None:
    """With a later edition in place whose rules are others, what was stored before still holds."""
    later = replace(DUEL.game, ruleset="montanara/later", to_act=lambda state: (), earlier=(DUEL.game,))
    assert found_in(signed, {**GAMES, "montanara": later}) == []
    told = {one.what for one in found_in(signed, {**GAMES, "montanara": replace(later, earlier=())})}
    assert told == {f"montanara under {DUEL.game.ruleset} is not known here"}


async def test_every_alteration_is_found(signed: str, matches: list[StoredMatch]) -> None:
    """Each in the match and at the version where it is, and nothing else; the day shows what was signed."""
    assert len(TAMPERINGS) == COUNT
    expected = {}
    with psycopg.connect(signed) as connection:
        for match, (name, tamper) in zip(matches, TAMPERINGS.items(), strict=True):
            expected[match.id] = (name, tamper(connection, match))
    found = found_in(signed)
    by_match = {MatchId(one.where): one.version for one in found if one.version is not None}
    assert {expected[id][0]: version for id, version in by_match.items()} == dict(expected.values())
    assert [(one.where, one.what) for one in found if one.version is None] == [
        ("2026-11-30", "the root is not that over the heads of the day")
    ]


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE signed_days SET root = reverse(root)", "the root is not that over the heads of the day"),
        ("UPDATE signed_days SET size = size + 1", "the root is not that over the heads of the day"),
        ("UPDATE signed_days SET signature = reverse(signature)", "the signature is not that of the day"),
        ("UPDATE day_levels SET hashes = sha256(hashes) WHERE level = 1", "the tree is not that of the day"),
        (
            "WITH moved AS (UPDATE signed_heads SET date = '2026-11-29') SELECT count(*) FROM signed_heads",
            "the day 2026-11-29 is missing before it",
        ),
    ],
    ids=["root", "size", "signature", "tree", "left out"],
)
async def test_an_altered_day_is_found(signed: str, statement: str, what: str) -> None:
    """Root, size, signature, tree, and that no day is left out."""
    with psycopg.connect(signed) as connection:
        connection.execute(statement)
    found = [one for one in found_in(signed) if one.version is None]
    assert (found[0].where, found[0].what) == ("2026-11-30", what)


async def test_a_match_that_moves_on_meanwhile_is_no_fault(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches that end within a match, or within a command, are read on where they ended."""
    whole = [random_match(DUEL, number) for number in range(3)]
    begun = [random_match(DUEL, number, STEPS) for number in range(3)]
    store(database, begun)
    monkeypatch.setattr(stored_audit, "BATCH", 5)
    audit = StoredAudit(database, dict(GAMES))
    mapper_read, late = audit._mapper.read, iter([whole])

    def read(version: int, topic: str, state: bytes) -> Any:
        for matches in late:
            rest = [
                StoredMatch(one.number, one.seed, one.events[len(before.events) :])
                for one, before in zip(matches, begun, strict=True)
            ]
            store(database, rest, openings=False)
        return mapper_read(version, topic, state)

    monkeypatch.setattr(audit._mapper, "read", read)
    judged = audit.part(FIRST, LAST)
    audit.close()
    assert (judged.matches, judged.events, judged.found) == (3, sum(len(one.events) for one in whole), ())
    assert any(isinstance(one.events[-1].event, Finished) for one in whole)


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts of the log be so small that there are many."""
    monkeypatch.setattr(stored_audit, "PART", 100)


@pytest.mark.usefixtures("parts")
def test_an_audit_goes_on_where_it_was_ended(database: str, tmp_path: Path) -> None:
    """By the file that it keeps, which is gone once it has come to the end; the faults are counted on."""
    matches = [random_match(DUEL, number) for number in range(12)]
    events = store(database, matches)
    with psycopg.connect(database) as connection:
        TAMPERINGS["hash"](connection, matches[0])
    file, said = tmp_path / "progress", list[str]()
    first = LogAudit(database, Plan(file=file), said.append)

    class Ended(Exception):  # noqa: N818 - not a fault
        """The audit is ended."""

    def end(progress: Progress, _: int | None) -> None:
        if progress.events:
            raise Ended

    with pytest.raises(Ended):
        first.run(end)
    kept = msgspec.json.decode(file.read_bytes(), type=Progress)
    assert 0 < kept.events < events
    assert kept.found == 1
    second = LogAudit(database, Plan(file=file), said.append)
    done = second.run(lambda *_: None)
    assert (done.matches, done.events, done.found) == (12, events, 1)
    assert said == [f"{matches[0].id} version {move(matches[0])}: the hash is not that of the event"]
    assert not file.exists()
    file.write_text("{")
    with pytest.raises(AuditError):
        LogAudit(database, Plan(file=file), said.append)


def test_an_audit_begins_behind_a_match(database: str) -> None:
    """The match itself is not audited again."""
    matches = [random_match(DUEL, number) for number in range(3)]
    store(database, matches)
    audit = LogAudit(database, Plan(after=matches[0].id), lambda _: None)
    assert audit.run(lambda *_: None).matches == 2


def test_several_processes_find_the_same(
    database: str, parts: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the same order; a line a fault, then how much it was and how fast."""
    matches = [random_match(DUEL, number) for number in range(8)]
    events = store(database, matches)
    with psycopg.connect(database) as connection:
        for match in (matches[6], matches[1]):
            TAMPERINGS["hash"](connection, match)
    said = list[str]()
    assert not audit_log(database, Plan(jobs=2), said.append)
    assert [line.partition(" ")[0] for line in said[:2]] == [matches[1].id, matches[6].id]
    assert said[2].startswith(f"{events:,} events of 8 matches: 2 faults; ")


def test_one_match_is_audited_alone(database: str) -> None:
    """It is told whether it holds; one that does not exist is no match that holds."""
    matches = [random_match(DUEL, number) for number in range(2)]
    store(database, matches)
    with psycopg.connect(database) as connection:
        TAMPERINGS["seed"](connection, matches[0])
    said = list[str]()
    assert audit_match(database, matches[1].id, said.append)
    assert said == [f"{len(matches[1].events):,} events of {matches[1].id}: no fault"]
    assert not audit_match(database, matches[0].id, said.append)
    assert said[1].endswith("version 1: the seed is not the one that the match committed to")
    for id in ("match_" + "0" * 26, "nothing"):
        with pytest.raises(AuditError):
            audit_match(database, MatchId(id), said.append)
