"""A match that cannot be read is set aside, with one answer everywhere; all else goes on."""

import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from adapters.postgres.log.audit import FIRST, LAST, StoredAudit
from adapters.postgres.log.set_aside import PostgresSetAside, all_aside
from adapters.postgres.read_models.agenda import PostgresAgenda
from adapters.postgres.read_models.match_list import MatchListModel
from adapters.postgres.read_models.rebuild import Rebuild
from domain.games import GAMES
from domain.match import PlayerId
from services.lobby.match_list import MatchFilter
from services.matches.readmission import Readmission
from services.notify.subscriptions import MessageType, Reach, WebhookOwner
from services.proof.head_signer import HeadSigner
from services.shared.errors import SetAside
from services.shared.ids import MatchId, parsed
from services.streams.match_stream import End, EndReason
from tests.support.faces.lobby_faces import Rest, Table, over_grpc, rest
from tests.support.stores.use_cases import PostgresStores, postgres_stores

REFUSED = {("503", "MATCH_SET_ASIDE"), ("DATA_LOSS", "MATCH_SET_ASIDE")}
BREAKS = {
    "hole": "DELETE FROM match_events WHERE originator_id = %s AND originator_version = 3",
    "payload": "UPDATE match_events SET state = '{}' WHERE originator_id = %s AND originator_version = 3",
    "text": "UPDATE match_events SET state = '\\xff' WHERE originator_id = %s AND originator_version = 3",
    "nothing": "UPDATE match_events SET state = NULL WHERE originator_id = %s AND originator_version = 3",
    "nameless": "UPDATE match_events SET topic = NULL WHERE originator_id = %s AND originator_version = 3",
    "type": "UPDATE match_events SET topic = 'match.unheard_of'"
    " WHERE originator_id = %s AND originator_version = 3",
    "opening": "UPDATE match_events"
    " SET state = replace(convert_from(state, 'UTF8'), 'mountains', 'go_fish')::bytea"
    " WHERE originator_id = %s AND originator_version = 1",
}
"""What may be wrong with a match that two have begun to play."""


@pytest.fixture
async def stores(database: str) -> AsyncIterator[PostgresStores]:
    """Stores in PostgreSQL."""
    async with postgres_stores(database) as stores:
        yield stores


@pytest.fixture(params=["rest", "grpc"])
async def table(request: pytest.FixtureRequest, stores: PostgresStores) -> AsyncIterator[Table]:
    """Players at each face."""
    async with (rest if request.param == "rest" else over_grpc)(stores) as face:
        table = Table(face, stores)
        await table.gather()
        yield table


async def broken(stores: PostgresStores, match: str, how: str) -> None:
    """Break what is stored of a match."""
    await stores.datastore.execute(BREAKS[how], (parsed("match", match),))


async def listed(stores: PostgresStores, player: str) -> list[MatchId]:
    """Return the matches that a player sees in the list."""
    page = await stores.match_list.page(PlayerId(player), MatchFilter(), place=None, limit=50)
    return [one.id for one in page]


@pytest.mark.parametrize("how", BREAKS)
async def test_there_is_one_answer_to_whatever_is_asked(
    table: Table, stores: PostgresStores, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A node that has not read the match refuses every call about it alike, and the lists leave it out."""
    match, other = await table.begun(), await table.begun()
    stores.catch_up()
    assert set(await listed(stores, table.ids["Ann"])) == {match, other}
    await broken(stores, match, how)
    caplog.set_level(logging.ERROR)
    async with (rest if isinstance(table.face, Rest) else over_grpc)(stores) as table.face:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("GetMatch", {}),
            ("GetView", {}),
            ("GetView", {"version": 2}),
            ("ListEvents", {}),
            ("ListLegalMoves", {}),
            (
                "SubmitCommand",
                {"command": {"type": "resign"} if isinstance(table.face, Rest) else {"resign": {}}},
            ),
            ("LeaveSeat", {"seat": 0}),
            ("InvitePlayer", {"player": table.ids["Cam"]}),
            ("BranchMatch", {"version": 4}),
            ("Rematch", {}),
        ]
        for call, fields in calls:
            told = await table.ask("Ann", call, match=match, **fields)
            assert (told.code, told.reason) in REFUSED, (call, told)
        assert (await table.done("Ann", "GetMatch", match=other)).content["version"] > 3
    assert await listed(stores, table.ids["Ann"]) == [other]
    said = [record.getMessage() for record in caplog.records if match in record.getMessage()]
    assert len(said) == 1
    with stores.datastore.get_connection() as connection:
        (aside,) = all_aside(connection)
    assert (aside.match, aside.version) == (match, 1 if how == "opening" else 3)


async def test_rest_does_not_ask_to_come_again(stores: PostgresStores) -> None:
    """There is no `Retry-After`; streams and exports are refused before they begin."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        match = await table.begun()
        await broken(stores, match, "hole")
    async with rest(stores) as face:
        http: httpx.AsyncClient = face._http
        for path, accept in (
            ("", "application/json"),
            ("/events", "text/event-stream"),
            ("/events?after=3", "application/x-ndjson"),
            ("/events?after=3", "application/json"),
            ("/export", "application/x-ndjson"),
            ("/proof", "application/json"),
        ):
            answer = await http.get(f"/v1/matches/{match}{path}", headers={"Accept": accept})
            assert (answer.status_code, answer.json()["reason"]) == (503, "MATCH_SET_ASIDE"), path
            assert "retry-after" not in answer.headers
        problem = await http.get(answer.json()["type"])
        assert "set aside" in problem.text


async def test_a_stream_that_meets_a_hole_ends(table: Table, stores: PostgresStores) -> None:
    """A watcher who has to read what is missing is told so, and that a new stream is of no use."""
    match = MatchId(await table.begun())
    node = stores.node()
    watch = await node.match_streams.watch(match, None, after=1, looking_as=None)
    await broken(stores, match, "hole")
    last = None
    while not watch.over:
        for told in await watch.next():
            last = told.item
    watch.leave()
    assert isinstance(last, End)
    assert (last.reason, last.resumable) == (EndReason.MATCH_SET_ASIDE, False)
    # What is remembered of it serves nobody any longer.
    for call in (
        lambda: node.match_streams.watch(match, None, after=1, looking_as=None),
        lambda: node.queries.view(match, None, version=1, looking_as=None),
        lambda: node.queries.events(match, None, after=3, size=5, looking_as=None),
    ):
        with pytest.raises(SetAside):
            await call()


async def test_a_snapshot_hides_no_hole(stores: PostgresStores) -> None:
    """A match of which a snapshot is there is refused too if a version before it is missing."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        match = MatchId(await table.begun())
    live = await stores.node().decisions.matches.at_version(match)
    await stores.store.keep_snapshot(match, live.snapshot())
    assert (
        await stores.node().queries.view(match, None, version=None, looking_as=None)
    ).version == live.version
    await broken(stores, match, "hole")
    with pytest.raises(SetAside):
        await stores.node().queries.view(match, None, version=None, looking_as=None)


@pytest.mark.parametrize("state", [None, b"", b"\xff", b'{"schema":' * 100_000])
async def test_a_snapshot_that_does_not_decode_is_read_past(
    stores: PostgresStores, state: bytes | None
) -> None:
    """It only saves work: the match is read from its events."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        match = MatchId(await table.begun())
    live = await stores.node().decisions.matches.at_version(match)
    await stores.store.keep_snapshot(match, live.snapshot())
    await stores.datastore.execute("UPDATE match_snapshots SET state = %s", (state,))
    assert (
        await stores.node().queries.view(match, None, version=None, looking_as=None)
    ).version == live.version


async def test_nothing_waits_for_what_is_set_aside(stores: PostgresStores) -> None:
    """Neither clocks nor searches are held up by such a match, nor is an account that sits in it."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        match = await table.opened()
        stores.catch_up()
        await stores.datastore.execute(BREAKS["hole"].replace("= 3", "= 1"), (parsed("match", match),))
    async with rest(stores) as table.face:
        wanted = {"game": "mountains", "seats": 2}
        found = await table.done("Ben", "QuickMatch", **wanted)
        assert found.id != match
        with suppress(SetAside):
            await stores.node().queries.view(MatchId(match), None, version=None, looking_as=None)
        assert await listed(stores, table.ids["Ann"]) == []
        agenda = PostgresAgenda(stores.datastore)
        later = stores.clock.now().replace(year=2100)
        assert match not in {due.match for due in await agenda.opened(later, None, 50)}
        gone = await table.face._http.delete(
            "/v1/players/me", headers={"Authorization": f"Bearer {table._tokens['Ann']}"}
        )
        assert gone.status_code == 204


SEAT_GONE = "DELETE FROM match_events WHERE originator_id = %s AND topic = 'match.seat_taken'"
BRANCH = r"""
UPDATE match_events SET state = convert_to(
    replace(convert_from(state, 'UTF8'), 'schema\":1', 'schema\":99'), 'UTF8'
) WHERE originator_id = %s AND topic = 'match.branched'
"""


async def test_a_log_with_broken_streams_goes_on_for_everybody_else(
    stores: PostgresStores, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Lists, deadlines, webhooks, heads, audit and rebuilding have all of every match that can be read."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        hooks = stores.webhook_cases()
        owner = PlayerId(table.ids["Ann"])
        reach = Reach(player=owner, deployment=False)
        types = [MessageType.YOUR_TURN, MessageType.ENDED]
        await hooks.create(reach, WebhookOwner.PLAYER, "https://hooks.example/", types, "")
        bad = {how: await table.begun() for how in BREAKS}
        bad["seat"], origin = await table.begun(), await table.begun()
        version = (await table.done("Ann", "GetMatch", match=origin)).content["version"]
        bad["branch"] = (await table.done("Ann", "BranchMatch", match=origin, version=version)).id
        for how, match in bad.items():
            statement = BREAKS.get(how) or (SEAT_GONE if how == "seat" else BRANCH)
            assert await stores.datastore.execute(f"{statement} RETURNING topic", (parsed("match", match),))
        good = await table.opened()
        await table.done("Ben", "TakeSeat", match=good, seat=1)
        await table.done("Ben", "SubmitCommand", match=good, command={"type": "resign"})
    stores.catch_up()
    assert (await HeadSigner(stores.heads, stores.keys, stores.clock).step()).total_seconds() > 0
    assert (await stores.heads.signed(MatchId(good))) is not None

    # What lists do not read shows when the match is read; who is first in it by lot may show it before.
    unread = {bad["hole"], bad["type"], bad["nameless"], bad["seat"]}
    for match in unread:
        with pytest.raises(SetAside):
            await stores.node().queries.view(MatchId(match), None, version=None, looking_as=None)
    assert set(await listed(stores, owner)) == {good, origin}
    with stores.datastore.get_connection() as connection:
        assert {aside.match for aside in all_aside(connection)} == set(bad.values())
    audit = StoredAudit(database, dict(GAMES))
    judged = audit.part(FIRST, LAST)
    audit.close()
    assert {one.where for one in judged.found} == set(bad.values())
    assert judged.matches == len(bad) + 2

    before = await listed(stores, owner)
    with Rebuild(dict(GAMES), stores.datastore, MatchListModel()) as rebuild:
        while rebuild.advance():
            pass
        rebuild.finish()
    assert await listed(stores, owner) == before
    said = [record.getMessage() for record in caplog.records if "set aside" in record.getMessage()]
    assert len(said) == len(bad)


async def test_what_is_mended_is_taken_in_again(stores: PostgresStores) -> None:
    """Once it can be read from the first to the last event a match is played on."""
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        match = MatchId(await table.begun())
    rows = await stores.datastore.execute(f"{BREAKS['hole']} RETURNING *", (parsed("match", match),))
    node = stores.node()
    with pytest.raises(SetAside):
        await node.queries.view(match, None, version=None, looking_as=None)
    aside = PostgresSetAside(stores.datastore)
    readmission = Readmission(aside, stores.node().decisions.matches)
    await readmission.step()
    assert await aside.all() == [match]
    await stores.datastore.execute(
        "INSERT INTO match_events VALUES (%s, %s, %s, %s, %s)", tuple(rows[0].values())
    )
    await readmission.step()
    assert await aside.all() == []
    assert (await node.queries.view(match, None, version=None, looking_as=None)).version > 3
