"""What every version has written is read by this one: stored databases, one for each migration.

`make dump` stores the next; see `tests/golden/databases/README.md`.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import httpx
import psycopg
import pytest

from adapters.cli.doctor import Verdict, findings
from adapters.postgres.heads import PostgresHeads
from adapters.postgres.keys import PostgresKeys
from adapters.postgres.log.audit import FIRST, LAST, StoredAudit
from adapters.postgres.migrate import migrate, migrations
from adapters.postgres.read_models.rebuild import Rebuild
from adapters.postgres.read_models.registry import read_models
from adapters.rest.app import build
from adapters.settings import Settings
from domain.games import GAMES
from services.proof.head_signer import HeadSigner
from services.shared.ids import match_id
from tests.support.stores.database import Databases
from tests.support.stores.dumps import Known, read, stored
from tests.support.stores.use_cases import ManualClock, PostgresStores, postgres_stores

FIRST_KEPT = "0012_proof"
"""The first migration with a stored database: what was written before was never released and is given up."""
NEVER_LAST = {
    "0019_outages": "0022_webhooks",
    "0020_work_steps": "0022_webhooks",
    "0021_presence": "0022_webhooks",
}
"""Migrations that were the last in no version, each with the one that it was published with."""
REBUILT_UP_TO = "0016_schemas"
"""The last before rules of the match list and the feed changed; rebuilding is what an operator does then."""
PAST_ITS_DAY = timedelta(days=2)
MAY_BE_MORE = {"legal_moves", "clocks"}
"""Fields of a view that move on, or that rules may add to."""
HIDDEN_THEN = {"0012_proof": "stamps"}
"""Fields that were null for others even after the end; since then Mountains shows all totals at the end."""


class Upgraded:
    """A stored database, brought up to date, with today's service on it."""

    def __init__(self, database: str, name: str, known: Known, stores: PostgresStores) -> None:
        """Take it, and what its players know."""
        self.database, self.name, self.known, self.stores = database, name, known, stores
        app = cast(Any, build(stores.node(), "0"))
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://montane")

    async def ask(self, player: str, method: str, path: str, **request: Any) -> httpx.Response:
        """Return the answer to a request with a token of then."""
        headers = {"Authorization": f"Bearer {self.known.players[player][1]}"} | request.pop("headers", {})
        return await self._http.request(method, path, headers=headers, **request)

    async def get(self, player: str, path: str, **query: Any) -> Any:
        """Return what is there."""
        answer = await self.ask(player, "GET", path, params=query)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    async def items(self, player: str, path: str) -> list[Any]:
        """Return a whole list, page by page."""
        items, token = [], None
        while True:
            query = {"page_size": 50} | ({"page_token": token} if token else {})
            page = await self.get(player, path, **query)
            items += page["items"]
            if (token := page["next_page_token"]) is None:
                return items

    def rows(self, query: Any) -> list[Any]:
        """Return the rows of a query."""
        with psycopg.connect(self.database) as connection:
            return connection.execute(query).fetchall()

    def audited(self) -> tuple[int, list[Any]]:
        """Return how many matches an audit sees, and what it finds."""
        audit = StoredAudit(self.database, dict(GAMES))
        try:
            judged = audit.part(FIRST, LAST)
            return judged.matches, [*judged.found, *audit.days()]
        finally:
            audit.close()

    def rebuild(self) -> dict[str, tuple[int, int]]:
        """Rebuild the read models; return how many rows of each were removed, and added."""
        changes = {}
        for model in read_models():
            with Rebuild(dict(GAMES), self.stores.datastore, model) as rebuild:
                while rebuild.advance():
                    pass
                rebuilt = rebuild.finish()
            changes[model.name] = (rebuilt.removed, rebuilt.added)
        return changes


@pytest.fixture
def empty(postgres_server: str) -> Iterator[str]:
    """A database without tables."""
    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as conninfo:
        yield conninfo
    databases.close()


@pytest.fixture(params=stored())
async def upgraded(request: pytest.FixtureRequest, empty: str) -> AsyncIterator[Upgraded]:
    """Each stored database, brought up to date."""
    async with restored(empty, request.param) as found:
        yield found


@asynccontextmanager
async def restored(database: str, name: str) -> AsyncIterator[Upgraded]:
    """Restore a stored database, bring it up to date, and give it shortly after it was written."""
    text, known = read(name)
    with psycopg.connect(database) as connection:
        connection.execute(text.encode())
    with psycopg.connect(database) as connection:
        applied = [found for (found,) in connection.execute("SELECT name FROM migrations ORDER BY 1")]
    assert applied[-1] == name
    assert [*applied, *migrate(database)] == [found for found, _ in migrations()]
    async with postgres_stores(database) as stores:
        ((newest,),) = found_in(database, "SELECT max(applied_at) FROM migrations WHERE name <= %s", name)
        stores.clock = ManualClock(newest.astimezone(UTC) + timedelta(minutes=5))
        yield Upgraded(database, name, known, stores)


def found_in(database: str, query: Any, *parameters: object) -> list[Any]:
    """Return the rows of a query."""
    with psycopg.connect(database) as connection:
        return connection.execute(query, parameters).fetchall()


def test_every_migration_has_a_stored_database() -> None:
    """One that has none is to be stored by the version that brings it."""
    kept = [name for name, _ in migrations() if name >= FIRST_KEPT]
    lacking = [name for name in kept if NEVER_LAST.get(name, name) not in stored()]
    assert not lacking, f"no stored database of {', '.join(lacking)}: run `make dump`, commit what it writes"
    assert set(stored()) <= set(kept)


async def test_all_matches_are_read(upgraded: Upgraded) -> None:
    """Nothing is wrong with any; everybody still sees what they saw, every event, and every message."""
    matches, found = upgraded.audited()
    assert not found
    assert matches == len(upgraded.rows("SELECT DISTINCT originator_id FROM match_events"))
    assert {view["game"] for _, _, view in upgraded.known.views} == set(GAMES)
    assert upgraded.known.views
    for name, match, view in upgraded.known.views:
        field = HIDDEN_THEN.get(upgraded.name) if view["state"] == "finished" else None
        then = without_null(view, field) if field else view
        same(then, await upgraded.get(name, f"/v1/matches/{match}/view"), f"{name} {match}")
    for name, match, count in upgraded.known.events:
        events = await upgraded.items(name, f"/v1/matches/{match}/events")
        assert [event["version"] for event in events][:count] == list(range(1, count + 1))
    for name, match, messages in upgraded.known.chat:
        same(messages, (await upgraded.get(name, f"/v1/matches/{match}/chat"))["items"], match)
    for (number,) in upgraded.rows("SELECT DISTINCT originator_id FROM match_events"):
        assert (await upgraded.stores.node().decisions.matches.current(match_id(number))).match


def without_null(then: Any, field: str) -> Any:
    """Return what was said without a field wherever it was null."""
    if isinstance(then, dict):
        kept = {name: value for name, value in then.items() if (name, value) != (field, None)}
        return {name: without_null(value, field) for name, value in kept.items()}
    return [without_null(one, field) for one in then] if isinstance(then, list) else then


def same(then: Any, now: Any, where: str) -> None:
    """Hold all that was said then against what is said now, which may say more."""
    if isinstance(then, dict):
        for field, value in then.items():
            if field not in MAY_BE_MORE:
                same(value, now[field], f"{where}.{field}")
    elif isinstance(then, list):
        assert len(then) == len(now), where
        for number, (before, after) in enumerate(zip(then, now, strict=True)):
            same(before, after, f"{where}[{number}]")
    else:
        assert then == now, where


async def test_keys_and_tokens_are_remembered(upgraded: Upgraded) -> None:
    """A token opens what it opened; a request that is sent again gets its answer again, and does nothing."""
    for name, (id, _) in upgraded.known.players.items():
        assert (await upgraded.get(name, "/v1/players/me"))["id"] == id
    before = upgraded.rows("SELECT count(*) FROM match_events")
    assert upgraded.known.repeated
    for name, path, body, key, answer in upgraded.known.repeated:
        again = await upgraded.ask(name, "POST", path, json=body, headers={"Idempotency-Key": key})
        assert again.is_success, (path, again.text)
        told = again.json()
        assert [told.get("id"), told.get("version")] == [answer.get("id"), answer.get("version")]
        if "events" in answer:
            same(answer["events"], told["events"], path)
    assert upgraded.rows("SELECT count(*) FROM match_events") == before
    if (erased := upgraded.known.erased) is not None:
        assert (await upgraded.ask("Ann", "GET", f"/v1/players/{erased}")).status_code == 404


async def test_read_models_are_right(upgraded: Upgraded) -> None:
    """What they say once they are up with the log, a rebuilding says too; a doctor finds all well."""
    upgraded.stores.catch_up()
    if upgraded.name <= REBUILT_UP_TO:
        upgraded.rebuild()
    before = await lists(upgraded)
    listed = {match["game"] for match in before["/v1/matches"]}
    assert listed == {view["game"] for _, _, view in upgraded.known.views}
    assert all(change == (0, 0) for change in upgraded.rebuild().values())
    assert await lists(upgraded) == before
    found = list(findings(Settings(database_url=upgraded.database)))
    assert not [str(one) for one in found if one.verdict is Verdict.FAIL]
    well = {one.what for one in found if one.verdict is Verdict.OK}
    assert {"tables", "rights", "read models", "matches"} <= well


async def lists(upgraded: Upgraded) -> dict[str, Any]:
    """Return what the read models say to Ann."""
    ann = upgraded.known.players["Ann"][0]
    games = {view["game"] for _, _, view in upgraded.known.views}
    whole = ("/v1/matches", "/v1/players/me/events", *(f"/v1/games/{game}/leaderboard" for game in games))
    said: dict[str, Any] = {path: await upgraded.items("Ann", path) for path in whole}
    statistics = f"/v1/players/{ann}/statistics"
    return said | {statistics: await upgraded.get("Ann", statistics)}


async def test_play_goes_on(upgraded: Upgraded) -> None:
    """Matches in play take a move; what is then written is signed, and holds as what was written before."""
    played = set()
    for name, match, view in upgraded.known.views:
        if match not in played and view["legal_moves"]:
            legal = (await upgraded.get(name, f"/v1/matches/{match}/legal-moves"))["legal_moves"]
            answer = await upgraded.ask(
                name, "POST", f"/v1/matches/{match}/commands", json={"command": legal[0]}
            )
            assert answer.is_success, answer.text
            assert answer.json()["version"] > view["version"]
            played.add(match)
    assert played
    opened = {"game": "montana", "seat": 0}
    assert (await upgraded.ask("Ann", "POST", "/v1/matches", json=opened)).is_success
    datastore = upgraded.stores.datastore
    clock = ManualClock(datetime.now(UTC) + PAST_ITS_DAY)
    await HeadSigner(PostgresHeads(datastore), PostgresKeys(datastore), clock).step()
    assert upgraded.rows("SELECT * FROM signed_days LIMIT 1")
    assert upgraded.audited()[1] == []
    upgraded.stores.catch_up()
