"""The list of matches, in memory or in PostgreSQL: who sees what, by each filter and page; what it reads."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, cast
from uuid import UUID

import grpc
import httpx
import psycopg
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from psycopg import sql

from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.server import GrpcServer
from adapters.postgres.read_models.match_pages import page_query
from adapters.rest.app import build
from domain.games import GAMES
from domain.match import (
    Cancel,
    CancelReason,
    Holder,
    HolderKind,
    Invite,
    LeaveSeat,
    MatchStatus,
    PlayerId,
    Resign,
    StartMode,
    TakeSeat,
    Visibility,
)
from domain.shared.seats import Seat
from services.lobby.match_list import ListPlace, MatchFilter
from services.lobby.waiting import Wish
from services.matches.loaded import LoadedMatch
from services.matches.same_terms import fit_of
from services.matches.store import Secrets
from services.shared.errors import Malformed, NotFound, Unauthenticated
from services.shared.ids import MatchId, match_id, written
from tests.support.stores.database import Databases
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores, proposal

ANN, BEN, CAM, EVE, FAY = (PlayerId(f"player_{number:026}") for number in range(1, 6))
FRESH = match_id(UUID(int=1))
MOUNTAINS = GAMES["mountains"].options()
EVERYTHING = MatchFilter()


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


class Table:
    """Matches of all standings, opened one after the other."""

    def __init__(self, stores: Stores) -> None:
        """Take the stores."""
        self._stores = stores
        self._node = stores.node()
        self.ids: dict[str, MatchId] = {}

    async def open(self, name: str, opener: PlayerId, *others: PlayerId, **terms: Any) -> None:
        """Open a match of Mountains in which some sit down."""
        wanted = proposal(**({"game": "mountains", "options": MOUNTAINS, "seats": 2} | terms))
        _, opened = await self._node.openings.open(opener, wanted, None)
        self.ids[name] = opened.id
        for seat, player in enumerate(others, start=1):
            holder = Holder(player, HolderKind.HUMAN, "")
            await self.do(name, TakeSeat(Seat(seat), holder), seat, by=player)

    async def do(self, name: str, command: Any, seat: int | None = None, by: PlayerId = ANN) -> None:
        """Carry out a command in a match."""

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
            return None if seat is None else Seat(seat), command

        key = f"{name} {command}"
        await self._node.decisions.carry_out(self.ids[name], order, by=by, key=key, asked=lambda _: key)

    async def listed(self, viewer: PlayerId | None, **wanted: Any) -> list[str]:
        """Return the names of the matches on the list."""
        self._stores.catch_up()
        found = await self._stores.match_list.page(viewer, MatchFilter(**wanted), place=None, limit=100)
        return self.names([one.id for one in found])

    def names(self, ids: list[MatchId]) -> list[str]:
        """Return the names of matches."""
        known = {id: name for name, id in self.ids.items()}
        return [known[id] for id in ids]


@pytest.fixture
async def table(stores: Stores) -> Table:
    """One match of each standing, public and private, with and without Ann and Ben."""
    table = Table(stores)
    await table.open("solo", ANN, game="montana", options=GAMES["montana"].options(deal=1), seats=1)
    await table.open("free", BEN)
    await table.open("full", BEN, ANN, start=StartMode.MANUAL)
    await table.open("played", ANN, BEN)
    await table.open("over", ANN, CAM)
    await table.do("over", Resign(), 0)
    await table.open("off", BEN)
    await table.do("off", Cancel(CancelReason.BY_OPENER), by=BEN)
    await table.open("secret", CAM, visibility=Visibility.PRIVATE)
    await table.do("secret", Invite(ANN), by=CAM)
    await table.open("ours", ANN, BEN, visibility=Visibility.PRIVATE)
    await table.open("left", CAM, BEN, visibility=Visibility.PRIVATE, start=StartMode.MANUAL)
    await table.do("left", LeaveSeat(Seat(1)), 1, by=BEN)
    return table


async def test_a_private_match_is_listed_for_those_who_may_know_of_it(table: Table) -> None:
    """Its opener, its seats and anyone who is invited see it; anyone who has left it does not any more."""
    public = ["off", "over", "played", "full", "free", "solo"]
    assert await table.listed(None) == public
    assert await table.listed(EVE) == public
    assert await table.listed(ANN) == ["ours", "secret", *public]
    assert await table.listed(BEN) == ["ours", *public]
    assert await table.listed(CAM) == ["left", "secret", *public]


async def test_every_filter_holds(table: Table) -> None:
    """By game, state, free seats, player and turn, each alone and with others."""
    assert await table.listed(None, game="montana") == ["solo"]
    assert await table.listed(None, status=MatchStatus.OPEN) == ["full", "free"]
    assert await table.listed(None, status=MatchStatus.PLAYING) == ["played", "solo"]
    assert await table.listed(None, status=MatchStatus.FINISHED) == ["over"]
    assert await table.listed(None, status=MatchStatus.CANCELLED) == ["off"]
    assert await table.listed(None, open_seats=True) == ["free"]
    assert await table.listed(ANN, open_seats=True) == ["secret", "free"]
    assert await table.listed(ANN, open_seats=True, status=MatchStatus.PLAYING) == []
    assert await table.listed(None, player=ANN) == ["over", "played", "full", "solo"]
    assert await table.listed(ANN, player=ANN) == ["ours", "over", "played", "full", "solo"]
    assert await table.listed(ANN, player=BEN) == ["ours", "off", "played", "full", "free"]
    assert await table.listed(BEN, player=CAM) == ["over"]
    assert await table.listed(ANN, player=CAM) == ["secret", "over"]
    assert await table.listed(ANN, player=BEN, status=MatchStatus.PLAYING) == ["ours", "played"]
    assert await table.listed(ANN, player=BEN, game="montana") == []
    assert await table.listed(EVE, player=EVE) == []


async def test_turns_are_found(table: Table, stores: Stores) -> None:
    """A match is listed as the turn of those who must choose, and no more once it has ended."""
    turns = {name: await table.listed(name, my_turn=True) for name in (ANN, BEN, CAM, EVE)}
    assert "solo" in turns[ANN]
    assert sorted(turns[ANN] + turns[BEN]) == ["ours", "played", "solo"]
    assert turns[CAM] == turns[EVE] == []
    ben = [name for name in turns[ANN] if name != "solo"]
    assert await table.listed(ANN, my_turn=True, player=BEN) == ben
    assert await table.listed(ANN, my_turn=True, player=CAM) == []
    assert await table.listed(ANN, my_turn=True, game="montana", status=MatchStatus.PLAYING) == ["solo"]
    assert await table.listed(ANN, my_turn=True, status=MatchStatus.OPEN) == []
    await table.do("solo", Resign(), 0)
    assert await table.listed(ANN, my_turn=True, game="montana") == []


async def test_matches_are_found_by_the_time_of_their_opening(table: Table, stores: Stores) -> None:
    """Later than, earlier than, or between; the times themselves are outside."""
    stores.catch_up()
    found = await stores.match_list.page(ANN, EVERYTHING, place=None, limit=100)
    at = {
        name: one.opened_at for name, one in zip(table.names([one.id for one in found]), found, strict=True)
    }
    assert await table.listed(None, created_after=at["over"]) == ["off"]
    assert await table.listed(None, created_before=at["free"]) == ["solo"]
    between = {"created_after": at["free"], "created_before": at["over"]}
    assert await table.listed(None, **between) == ["played", "full"]
    assert await table.listed(ANN, player=BEN, **between) == ["played", "full"]
    assert await table.listed(ANN, created_after=at["ours"]) == []


FILTERS: list[dict[str, Any]] = [
    {},
    {"game": "mountains"},
    {"status": MatchStatus.OPEN},
    {"open_seats": True},
    {"player": ANN},
    {"player": BEN},
    {"my_turn": True},
    {"game": "mountains", "player": BEN, "status": MatchStatus.PLAYING},
]


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
async def test_pages_make_up_the_list(table: Table, stores: Stores, wanted: dict[str, Any]) -> None:
    """Each page goes on where the one before ended, whatever the filter and the size."""
    node = stores.node()
    stores.catch_up()
    whole = await table.listed(ANN, **wanted)
    for size in (1, 2, 3):
        names: list[str] = []
        token: str | None = None
        while True:
            page = await node.match_list.page(ANN, MatchFilter(**wanted), after=token, size=size)
            assert len(page.items) == size or page.next is None
            names += table.names([one.id for one in page.items])
            if (token := page.next) is None:
                break
        assert names == whole


async def test_bad_requests_are_refused() -> None:
    """What cannot be wanted is named: a game, a player, a turn of nobody's, a token of another list."""
    stores = memory_stores()
    node = stores.node()
    for _ in range(2):
        await node.openings.open(ANN, proposal(), None)
    with pytest.raises(NotFound):
        await node.match_list.page(None, MatchFilter(game="chess"), after=None, size=1)
    with pytest.raises(Malformed, match="INVALID_FIELD"):
        await node.match_list.page(None, MatchFilter(player=PlayerId("ann")), after=None, size=1)
    with pytest.raises(Unauthenticated, match="TOKEN_MISSING"):
        await node.match_list.page(None, MatchFilter(my_turn=True), after=None, size=1)
    token = (await node.match_list.page(None, EVERYTHING, after=None, size=1)).next
    assert token is not None
    for wanted, after in ((MatchFilter(game="montana"), token), (EVERYTHING, token[:-1]), (EVERYTHING, "")):
        with pytest.raises(Malformed, match="INVALID_FIELD"):
            await node.match_list.page(None, wanted, after=after, size=1)


async def test_both_faces_take_the_same_filters() -> None:
    """REST and gRPC find the same matches, and refuse the same."""
    stores = memory_stores()
    services = stores.node()
    ann, token = await services.players.open_guest("Ann")
    for seat in (0, None):
        await services.openings.open(ann.id, proposal(seat=seat), None)
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    transport = httpx.ASGITransport(app=cast(Any, build(services, "0")))
    bearer = {"authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://here/v1") as rest,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        calls: Any = MatchServiceStub(channel)
        later = datetime(2027, 1, 1, tzinfo=UTC)
        for wanted, found in (
            ({}, 2),
            ({"open_seats": True}, 1),
            ({"player": ann.id}, 1),
            ({"my_turn": True}, 1),
            ({"created_after": later}, 0),
            ({"created_before": later, "my_turn": True}, 1),
        ):
            query = {name: written_in_query(value) for name, value in wanted.items()}
            told = (await rest.get("/matches", params=query, headers=bearer)).json()
            same = await calls.ListMatches(pb.ListMatchesRequest(**wanted), metadata=tuple(bearer.items()))
            assert [one["id"] for one in told["items"]] == [one.id for one in same.items]
            assert len(same.items) == found
        for query, status in (
            ({"my_turn": "true"}, 401),
            ({"player": "ann"}, 400),
            ({"created_after": "yesterday"}, 400),
            ({"created_after": "2026-11-30T10:00:00"}, 400),
            ({"open_seats": "perhaps"}, 400),
            ({"page_token": "0"}, 400),
        ):
            refused = await rest.get("/matches", params=query)
            assert refused.status_code == status, query
        for request, code in (
            (pb.ListMatchesRequest(my_turn=True), grpc.StatusCode.UNAUTHENTICATED),
            (pb.ListMatchesRequest(player="ann"), grpc.StatusCode.INVALID_ARGUMENT),
            (
                pb.ListMatchesRequest(created_after=Timestamp(seconds=1 << 60)),
                grpc.StatusCode.INVALID_ARGUMENT,
            ),
            (pb.ListMatchesRequest(page_token="0"), grpc.StatusCode.INVALID_ARGUMENT),  # noqa: S106
        ):
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await calls.ListMatches(request)
            assert raised.value.code() is code
    await server.stop(None)


def written_in_query(value: Any) -> str:
    """Return a value as a query has it."""
    return value.isoformat() if isinstance(value, datetime) else str(value).lower()


async def test_a_match_that_was_opened_alike_is_found(stores: Stores) -> None:
    """By the same terms, public, with a free seat, one's own first; then those that lack fewest first."""
    table = Table(stores)
    await table.open("emptier", ANN, seats=3)
    await table.open("fuller", BEN, CAM, seats=3)
    await table.open("hidden", BEN, seats=3, visibility=Visibility.PRIVATE)
    await table.open("smaller", BEN)
    stores.catch_up()
    match_list = stores.match_list
    (fuller,) = (
        one
        for one in await match_list.page(BEN, EVERYTHING, place=None, limit=9)
        if one.id == table.ids["fuller"]
    )
    fit = fit_of(fuller.match.terms)

    async def placed(player: PlayerId, fit: str = fit) -> str | None:
        wish = Wish(
            player=player, key=fit, digest="", fit=fit, game="mountains", seats=3, at=stores.clock.now()
        )
        found = await stores.quick_matches.place(wish, FRESH, without=(), only_open=False)
        return {id: name for name, id in table.ids.items()}.get(found.match)

    assert await placed(CAM) == "fuller"
    assert await placed(EVE) == "fuller"
    assert await placed(FAY) == "emptier"
    assert await placed(FAY, "") is None


MANY = 200_000
MOST_BLOCKS = 1_000
"""Pages of the database, of 8 KiB, that a page of the list may touch: each is found in some microseconds."""
NOW = datetime(2026, 11, 30, tzinfo=UTC)
FILL = """
CREATE TEMP TABLE filling AS SELECT
    number,
    lpad(to_hex(number), 32, '0')::uuid AS match_id,
    (ARRAY['montana', 'montanara', 'montmartre', 'mount_drago', 'mountains'])[1 + number % 5] AS game,
    CASE WHEN number % 1000 = 0 THEN 'open' WHEN number % 1000 = 1 THEN 'full'
         WHEN number % 100 = 2 THEN 'playing' WHEN number % 1000 = 3 THEN 'cancelled'
         ELSE 'finished' END AS standing,
    number % 10 <> 7 AS public,
    timestamptz '2026-11-30 00:00Z' - number * interval '1 minute' AS opened_at,
    -- The first player is in every fourth match, the second in some, the others in a few of them each.
    ARRAY[
        CASE WHEN number % 4 = 0 OR number % 10 = 7 THEN 1 ELSE 1000 + number % 5000 END,
        CASE WHEN number % 400 = 0 OR number % 5000 = 7 THEN 2 ELSE 10000 + number % 7000 END
    ] AS players
FROM generate_series(1, %(many)s) AS number;

INSERT INTO match_list SELECT match_id, game, standing, public, opened_at, (standing = 'open')::int, '',
    ARRAY[lpad(to_hex(players[1]), 32, '0')::uuid, lpad(to_hex(players[2]), 32, '0')::uuid],
    CASE WHEN public THEN '{}' ELSE
        ARRAY[lpad(to_hex(players[1]), 32, '0')::uuid, lpad(to_hex(players[2]), 32, '0')::uuid] END,
    '' FROM filling;

INSERT INTO match_players SELECT
    match_id, lpad(to_hex(player), 32, '0')::uuid, game, standing, public, true, opened_at
FROM filling, unnest(players) AS player;

INSERT INTO match_turns SELECT
    match_id, 0, lpad(to_hex(players[1]), 32, '0')::uuid, 'human', game, opened_at, NULL
FROM filling WHERE standing = 'playing';
"""


@pytest.fixture(scope="module")
def many(databases: Databases) -> Iterator[psycopg.Connection]:
    """A connection to a database whose list has 200,000 matches."""
    with databases.fresh() as database, psycopg.connect(database, autocommit=True) as connection:
        for statement in FILL.replace("%(many)s", str(MANY)).split(";\n"):
            connection.execute(statement)
        for table in ("match_list", "match_players", "match_turns"):
            connection.execute(f"VACUUM ANALYZE {table}")
        yield connection


BUSY, OTHER, RARE, NOBODY = (
    PlayerId(written("player", UUID(int=number))) for number in (1, 2, 1234, 999_999)
)
COMBINED = [
    {
        name: value
        for name, value in zip(
            ("game", "status", "open_seats", "player", "my_turn", "created_before"), values, strict=True
        )
        if value
    }
    for values in product(
        (None, "mountains"),
        (None, *MatchStatus),
        (False, True),
        (None, BUSY, RARE),
        (False, True),
        (None, NOW - timedelta(days=100)),
    )
]


@pytest.mark.parametrize("viewer", [None, BUSY, OTHER, NOBODY])
def test_no_page_of_a_long_list_reads_much(many: psycopg.Connection, viewer: PlayerId | None) -> None:
    """Of 200,000 matches, a page by any filters is found by indexes, from few pages of the database."""
    for wanted in COMBINED:
        if viewer is None and wanted.get("my_turn"):
            continue
        for after in (None, ListPlace(NOW - timedelta(days=70), match_id(UUID(int=MANY // 2)))):
            query, parameters = page_query(tuple(GAMES), viewer, MatchFilter(**wanted), after, 51)
            explained = many.execute(
                sql.SQL("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ") + query, parameters
            ).fetchone()
            assert explained is not None
            plan = explained[0][0]["Plan"]
            asked = f"{viewer} {wanted} {after}"
            assert scanned(plan) == set(), asked
            assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < MOST_BLOCKS, asked


def scanned(plan: dict[str, Any]) -> set[str]:
    """Return the tables that a plan reads from one end to the other."""
    found = {plan["Relation Name"]} if plan["Node Type"] == "Seq Scan" else set()
    return found.union(*(scanned(part) for part in plan.get("Plans", ())))
