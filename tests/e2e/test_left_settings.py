"""What is set in a database, a role, a URL or the environment changes nothing of what is read or written."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from adapters.postgres.connection.access import Access, AccessError, access
from adapters.postgres.connection.connections import session_of
from adapters.postgres.migrate import migrate
from domain.games import GAMES
from domain.match import Resign
from services.chat.log import ChatRoom
from services.matches.decisions import as_given
from services.players.store import Scope
from tests.support.faces.server import Client, Server
from tests.support.stores.database import Databases
from tests.support.stores.deployments import montane, refusal
from tests.support.stores.pooler import pooling
from tests.support.stores.use_cases import postgres_stores, proposal

LATER = datetime(2027, 2, 3, 4, 5, 6, 789012, UTC)

LEFT = [
    ("array_nulls", "off"),
    ("backslash_quote", "off"),
    ("bytea_output", "escape"),
    ("check_function_bodies", "off"),
    ("client_encoding", "LATIN1"),
    ("client_min_messages", "debug5"),
    ("constraint_exclusion", "on"),
    ("datestyle", "German, DMY"),
    ("datestyle", "SQL, DMY"),
    ("datestyle", "Postgres, YMD"),
    ("default_statistics_target", "1"),
    ("default_tablespace", "pg_default"),
    ("default_toast_compression", "pglz"),
    ("default_transaction_deferrable", "on"),
    ("default_transaction_isolation", "repeatable read"),
    ("default_transaction_isolation", "serializable"),
    ("enable_bitmapscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_indexonlyscan", "off"),
    ("enable_indexscan", "off"),
    ("enable_nestloop", "off"),
    ("enable_seqscan", "off"),
    ("enable_sort", "off"),
    ("escape_string_warning", "on"),
    ("exit_on_error", "on"),
    ("extra_float_digits", "-15"),
    ("geqo_threshold", "2"),
    ("gin_fuzzy_search_limit", "1"),
    ("idle_in_transaction_session_timeout", "2s"),
    ("idle_session_timeout", "2s"),
    ("intervalstyle", "iso_8601"),
    ("intervalstyle", "sql_standard"),
    ("jit_above_cost", "0"),
    ("lc_messages", "C"),
    ("lc_monetary", "C"),
    ("lc_numeric", "C"),
    ("lc_time", "C"),
    ("lock_timeout", "1s"),
    ("lo_compat_privileges", "on"),
    ("plan_cache_mode", "force_generic_plan"),
    ("quote_all_identifiers", "on"),
    ("row_security", "off"),
    ("search_path", "nowhere"),
    ("standard_conforming_strings", "off"),
    ("statement_timeout", "1s"),
    ("synchronous_commit", "local"),
    ("synchronous_commit", "off"),
    ("synchronize_seqscans", "off"),
    ("timezone", "Asia/Kolkata"),
    ("transform_null_equals", "on"),
    ("work_mem", "64kB"),
    ("xmlbinary", "hex"),
]
"""What may be left in a database or a role; `transaction_timeout` besides, where there is one."""

ENVIRONMENT = {
    "PGAPPNAME": "another",
    "PGCLIENTENCODING": "LATIN1",
    "PGDATESTYLE": "German, DMY",
    "PGGEQO": "off",
    "PGOPTIONS": "-c search_path=nowhere -c datestyle=SQL -c default_transaction_isolation=serializable",
    "PGTARGETSESSIONATTRS": "standby",
    "PGTZ": "Asia/Kolkata",
}
"""What is meant for other clients of the same server."""

FOR_OTHERS = ENVIRONMENT | {
    "LANG": "de_DE.UTF-8",
    "LC_ALL": "tr_TR.UTF-8",
    "PGCHANNELBINDING": "require",
    "PGDATA": "/nowhere",
    "PGDATABASE": "another",
    "PGGSSENCMODE": "require",
    "PGHOST": "nowhere.invalid",
    "PGHOSTADDR": "192.0.2.1",
    "PGPASSFILE": "/nowhere",
    "PGPASSWORD": "secret",
    "PGPORT": "1",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGREQUIREPEER": "another",
    "PGSERVICE": "another",
    "PGSERVICEFILE": "/nowhere",
    "PGSSLMODE": "verify-full",
    "PGUSER": "another",
}
"""What is meant for clients of another server than our own."""


@pytest.fixture(scope="module")
def shared(databases: Databases) -> Iterator[str]:
    """A database for all settings, one after the other."""
    with databases.fresh() as conninfo:
        yield conninfo


@contextmanager
def left(database: str, settings: Sequence[tuple[str, str]]) -> Iterator[None]:
    """Leave settings in a database for as long as the block lasts."""
    with psycopg.connect(database, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        for setting, value in settings:
            statement = sql.SQL("ALTER DATABASE {} SET {} = {}")
            if setting == "search_path":
                statement = sql.SQL("ALTER DATABASE {} SET {} TO {}")
            connection.execute(
                statement.format(
                    name,
                    sql.Identifier(setting),
                    sql.SQL(value) if setting in ("datestyle", "search_path") else sql.Literal(value),
                )
            )
    try:
        yield
    finally:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(sql.SQL("ALTER DATABASE {} RESET ALL").format(name))


async def lived(place: Access) -> list[Any]:
    """Do a bit of everything, and return what is read of it then, but for ids."""
    async with postgres_stores(place.conninfo) as stores:
        services = stores.node()
        ann, _ = await services.players.open_guest("Änn \\ 'x' ☃")
        ben, _ = await services.players.open_guest("Ben")
        token, _ = await services.players.issue_token(ann.id, [Scope.PLAY], LATER)
        first = GAMES["mountains"].options(first_seat=0)
        wanted = proposal(game="mountains", options=first, seats=2, rated=True)
        match = (await services.openings.open(ann.id, wanted, "key"))[1].id
        await services.lobby.take_seat(ben.id, match, 1, "", None)
        for key in ("one", "two"):
            await services.chat.post(
                ann.id, match, room=ChatRoom.PLAYERS, to_seat=None, text="a\\b 'ü' ☃", key=key
            )
        await services.commands.submit(
            ann.id, match, as_given(Resign()), key="three", expected_version=None, validate_only=False
        )
        stores.catch_up()
        (kept,) = [one for one in await stores.accounts.tokens(ann.id, None, 10) if one.expires_at]
        said = await stores.chat_log.read(match, after=0, limit=10)
        (statistics,) = await stores.records.statistics(ann.id)
        rating = (await stores.records.ratings(ann.id))["mountains"]
        events = await stores.store.read(match)
        entries = await stores.player_log.entries(ben.id, after=0, limit=10)
        return [
            (await stores.accounts.named([ann.id]))[ann.id] == ann,
            kept == token,
            kept.expires_at,
            [message.text for message in said],
            [message.sent_at.utcoffset() for message in said],
            statistics,
            rating,
            [(event.version, type(event.event).__name__) for event in events],
            len(entries),
        ]


@pytest.fixture(scope="module")
def expected(databases: Databases) -> list[Any]:
    """What is read where nothing is left."""
    with databases.fresh() as database:
        return asyncio.run(lived(access(database)))


@pytest.mark.parametrize(("name", "value"), LEFT, ids=[f"{name}={value}" for name, value in LEFT])
async def test_a_setting_of_the_database_changes_nothing(
    shared: str, expected: list[Any], name: str, value: str
) -> None:
    """It is overridden, or means nothing to us."""
    with left(shared, [(name, value)]):
        place = access(shared)
        assert await lived(place) == expected
        ours = session_of(place.conninfo).settings.get(name, "on" if name == "synchronous_commit" else None)
        if ours is not None:
            async with postgres_stores(place.conninfo) as stores:
                (row,) = await stores.datastore.execute("SELECT current_setting(%s) AS value", (name,))
            assert row["value"] in (ours, ours.removesuffix(", MDY") + ", MDY")


async def test_all_of_them_change_nothing_behind_a_pooler(
    postgres_server: str, databases: Databases, expected: list[Any]
) -> None:
    """Each transaction brings what is needed, as its session may have anything."""
    with databases.fresh() as database, pooling(postgres_server) as pooler, left(database, LEFT):
        place = access(pooler.conninfo_for(database), database)
        assert await lived(place) == expected
        async with postgres_stores(place.conninfo) as stores:
            for name, ours in session_of(place.conninfo).settings.items():
                if not name.startswith("default_transaction"):
                    (row,) = await stores.datastore.execute("SELECT current_setting(%s) AS value", (name,))
                    assert row["value"] == ours
            (row,) = await stores.datastore.execute(
                "SELECT current_setting('transaction_isolation') AS isolation,"
                " current_setting('synchronous_commit') AS commit"
            )
            assert row == {"isolation": "read committed", "commit": "on"}
            (row,) = await stores.datastore.execute(
                "SELECT interval '1 day -02:03' AS ago, date '2027-02-03' AS day"
            )
            assert row == {"ago": timedelta(days=1, hours=-2, minutes=-3), "day": date(2027, 2, 3)}


async def test_a_setting_of_a_role_or_a_url_changes_nothing(shared: str, expected: list[Any]) -> None:
    """Those of a role go before those of a database, and those of a URL before both."""
    with psycopg.connect(shared, autocommit=True) as connection:
        connection.execute("CREATE ROLE montane_test_role LOGIN SUPERUSER")
        connection.execute("ALTER ROLE montane_test_role SET datestyle = German, DMY")
        connection.execute("ALTER ROLE montane_test_role SET standard_conforming_strings = off")
    try:
        url = make_conninfo(
            shared,
            user="montane_test_role",
            client_encoding="SQL_ASCII",
            options="-c timezone=Asia/Tokyo -c bytea_output=escape --synchronous-commit=off",
        )
        assert await lived(access(url)) == expected
    finally:
        with psycopg.connect(shared, autocommit=True) as connection:
            connection.execute("DROP ROLE montane_test_role")


def test_the_environment_changes_nothing(shared: str) -> None:
    """What libpq reads there is for other clients, but for what a URL leaves out."""
    with Server("--database-url", shared, face="rest", environment=ENVIRONMENT) as node:
        ann = Client(node.url)
        body = {"scopes": ["play"], "expires_at": "2030-01-02T03:04:05Z"}
        ann.post("/v1/players/me/tokens", body)
        assert [one["expires_at"] for one in ann.get("/v1/players/me/tokens")["items"]].count(
            body["expires_at"]
        ) == 1


def test_our_own_server_hears_nothing_of_what_is_meant_for_others(tmp_path: Path) -> None:
    """Neither the one that starts it, nor others who work on it, whatever is in its folder."""
    data = tmp_path / "data"
    with Server("--data-dir", str(data), face="rest", environment=FOR_OTHERS) as node:
        assert Client(node.url).get("/v1/matches")["items"] == []
        done = montane("rebuild", "--list", "--data-dir", str(data), environment=FOR_OTHERS)
        assert (done.returncode, done.stderr) == (0, "")
    with (data / "cluster" / "postgresql.auto.conf").open("a") as file:
        file.write("port = 1\nlisten_addresses = '*'\ndatestyle = 'German'\nssl = off\nmax_connections = 3\n")
    with Server("--data-dir", str(data), face="rest", environment=FOR_OTHERS) as node:
        assert Client(node.url).get("/v1/matches")["items"] == []


REFUSED = {
    "session_replication_role": ("replica", "session_replication_role"),
    "default_transaction_read_only": ("on", "only read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_overridden_is_refused(shared: str, name: str) -> None:
    """In one line that says what to reset."""
    value, words = REFUSED[name]
    with left(shared, [(name, value)]):
        said = refusal("migrate", "--database-url", shared)
        assert words in said
        assert "RESET" in said


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_has_to_hold_all_letters(postgres_server: str, shared: str, encoding: str) -> None:
    """Of any other encoding than UTF-8 it is refused."""
    name = f"montane_test_{encoding.lower()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        try:
            with pytest.raises(AccessError, match=f"is encoded in {encoding}.*UTF8"):
                access(make_conninfo(postgres_server, dbname=name))
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("locale", ["LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", "LOCALE 'en_US.UTF-8'"])
async def test_a_collation_changes_no_order(postgres_server: str, locale: str) -> None:
    """Of games, which are sorted by their ids: elsewhere an underscore counts less than a letter."""
    name = "montane_test_collation"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        try:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' {locale}")
        except psycopg.Error as error:
            pytest.skip(f"the server has no such collation: {error}")
        try:
            place = access(make_conninfo(postgres_server, dbname=name))
            migrate(place.direct)
            async with postgres_stores(place.conninfo) as stores:
                services = stores.node()
                ann, _ = await services.players.open_guest("Ann")
                ben, _ = await services.players.open_guest("Ben")
                for game in ("mountains", "mount_drago"):
                    wanted = proposal(game=game, options=GAMES[game].options(), seats=2)
                    match = (await services.openings.open(ann.id, wanted, None))[1].id
                    await services.lobby.take_seat(ben.id, match, 1, "", None)
                    await services.commands.submit(
                        ann.id,
                        match,
                        as_given(Resign()),
                        key=None,
                        expected_version=None,
                        validate_only=False,
                    )
                stores.catch_up()
                games = [one.game for one in await stores.records.statistics(ann.id)]
            assert games == ["mount_drago", "mountains"]
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_bad_url_is_refused_without_its_password(shared: str) -> None:
    """In one line, whatever is wrong with it."""
    for url in (
        make_conninfo(shared, options="-d 5"),
        make_conninfo(shared, options="-c no_such_setting=1"),
        make_conninfo(shared, target_session_attrs="standby"),
        "postgresql://ann:hunter2@localhost/montane?sslmode",
        "postgresql://ann:hunter2@localhost:port/montane",
    ):
        said = refusal("migrate", "--database-url", url)
        assert "hunter2" not in said
        assert re.match(r"montane: (MONTANE_DATABASE_URL|--database-url): ", said)
