"""A database that cannot be used is one line, by every command; `montane doctor` looks at all of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from adapters.cli import app
from adapters.postgres.connection import access
from adapters.postgres.own_server.embedded import EmbeddedPostgres
from tests.support.faces.server import free_port
from tests.support.stores.database import Databases
from tests.support.stores.pooler import pooling

COMMANDS = (
    ("serve",),
    ("serve", "rest"),
    ("work",),
    ("migrate",),
    ("token", "player_00000000000000000000000000", "--scope", "play"),
    ("rotate-key",),
    ("rebuild",),
    ("rebuild", "--list"),
    ("audit",),
)
"""All that need a database."""

type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command `montane`, in this process, and return its status and what it says."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["montane", *arguments])
        with pytest.raises(SystemExit) as ended:
            app.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Run a command that is refused in one line, and return that."""

    def refused(*arguments: str) -> str:
        status, _, said = run(*arguments)
        assert status == 1, said
        assert said.startswith("montane: "), said
        assert said.count("\n") == 1, said
        return said

    return refused


@pytest.fixture
def empty(postgres_server: str) -> Iterator[str]:
    """A database without tables."""
    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as conninfo:
        yield conninfo
    databases.close()


@contextmanager
def role(database: str, options: str = "") -> Iterator[tuple[str, str]]:
    """Give a role that may log in, and the connection string with it; it is dropped afterwards."""
    name = "montane_test_doctor"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN {options}")
        try:
            yield name, make_conninfo(database, user=name)
        finally:
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


@pytest.mark.parametrize("command", COMMANDS, ids=[" ".join(command[:2]) for command in COMMANDS])
def test_every_command_says_in_one_line_that_nobody_is_there(
    refused: Callable[..., str], command: tuple[str, ...]
) -> None:
    """Where, and what to do."""
    url = f"postgresql://ann:hunter2@127.0.0.1:{free_port()}/montane"
    said = refused(*command, "--database-url", url)
    assert "MONTANE_DATABASE_URL: cannot connect" in said
    assert "check host and port" in said
    assert "hunter2" not in said


def test_all_that_may_be_wrong_with_a_connection(
    refused: Callable[..., str], postgres_server: str, database: str
) -> None:
    """A host, database or role that is not there, no TLS, too many connections."""
    wrong = {
        make_conninfo(database, host="nowhere.invalid", connect_timeout=2): "check the host",
        make_conninfo(database, dbname="nowhere"): "create it",
        make_conninfo(database, user="nobody_at_all"): "create it first",
    }
    for url, words in wrong.items():
        assert words in refused("migrate", "--database-url", url)
    with pooling(postgres_server) as pooler:
        secure = make_conninfo(pooler.conninfo_for(database), sslmode="require")
        assert "sslmode" in refused("migrate", "--database-url", secure)
    with role(database, "CONNECTION LIMIT 0") as (_, url):
        assert "MONTANE_POOL_SIZE" in refused("migrate", "--database-url", url)


def test_a_wrong_password(refused: Callable[..., str], tmp_path: Path) -> None:
    """It is not told."""
    with EmbeddedPostgres.start(tmp_path / "data", durable=False) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute("CREATE ROLE ann LOGIN PASSWORD 'right'")
            rules = tmp_path / "data" / "cluster" / "pg_hba.conf"
            rules.write_text(f"local all ann scram-sha-256\n{rules.read_text()}")
            connection.execute("SELECT pg_reload_conf()")
        url = make_conninfo(server.conninfo, user="ann", password="hunter2")  # noqa: S106
        said = refused("migrate", "--database-url", url)
        assert "check user and password" in said
        assert "hunter2" not in said


def test_rights_that_are_missing(refused: Callable[..., str], run: Run, database: str, empty: str) -> None:
    """To create tables; to read and write them. With those alone all but migrating and rebuilding works."""
    with role(empty) as (_, url):
        said = refused("migrate", "--database-url", url)
        assert "permission denied" in said
        assert "GRANT" in said
    with role(database) as (name, url):
        for command in (("rotate-key",), ("rebuild",), ("audit",)):
            assert "permission denied" in refused(*command, "--database-url", url)
        status, said, _ = run("doctor", "--database-url", url)
        assert status == 1
        assert "permission denied" in said
        with psycopg.connect(database, autocommit=True) as connection:
            rows = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}"
            connection.execute(sql.SQL(rows).format(sql.Identifier(name)))
            numbers = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}"
            connection.execute(sql.SQL(numbers).format(sql.Identifier(name)))
        assert run("migrate", "--database-url", url)[0] == 0
        assert run("rotate-key", "--database-url", url)[0] == 0
        assert "permission denied" in refused("rebuild", "--database-url", url)
        status, said, _ = run("doctor", "--database-url", url)
        assert status == 0
        assert "warn  rights: enough to serve" in said


def test_a_database_that_is_not_ours(refused: Callable[..., str], run: Run, empty: str) -> None:
    """It has tables of another application by the same names, or those of a newer version, or is too old."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("CREATE TABLE migrations (id int, migration text, batch int)")
        said = refused("migrate", "--database-url", empty)
        assert "tables of another application (migrations)" in said
        assert "MONTANE_DATABASE_SCHEMA" in said
        connection.execute("DROP TABLE migrations; CREATE TABLE players (id int)")
        assert "tables of another application" in refused("serve", "--database-url", empty)
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert found == [("players",)]
        connection.execute("DROP TABLE players")
        assert run("migrate", "--database-url", empty)[0] == 0
        connection.execute("INSERT INTO migrations VALUES ('9999_later', 'digest')")
        assert "install a newer version" in refused("work", "--database-url", empty)
        assert "fail  tables: the database is newer" in run("doctor", "--database-url", empty)[1]


def test_a_server_that_is_too_old(
    refused: Callable[..., str], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version is told before anything is asked that it may not know."""
    monkeypatch.setattr(access, "OLDEST", 990000)
    assert "15 or newer is needed" in refused("migrate", "--database-url", database)


def test_our_own_server_that_does_not_start(refused: Callable[..., str], tmp_path: Path) -> None:
    """A folder of another version, in use, or that cannot be made."""
    with EmbeddedPostgres.start(tmp_path / "data", durable=False):
        pass
    version = tmp_path / "data" / "cluster" / "PG_VERSION"
    ours = version.read_text()
    version.write_text("12\n")
    said = refused("migrate", "--data-dir", str(tmp_path / "data"))
    assert "incompatible with server" in said
    assert "version 12" in said
    version.write_text(ours)
    (tmp_path / "file").touch()
    assert "MONTANE_DATA_DIR" in refused("migrate", "--data-dir", str(tmp_path / "file" / "data"))


def test_a_doctor_finds_all_well(run: Run, database: str, empty: str) -> None:
    """A line for each thing; nothing is changed, nor made where there is nothing."""
    status, said, _ = run("doctor", "--database-url", database)
    assert status == 0
    kinds = [line.split(":")[0] for line in said.splitlines()]
    assert [kind.split(maxsplit=1)[1] for kind in kinds] == [
        *("database", "durability", "settings", "connections", "clock", "notifications"),
        *("tables", "rights", "read models", "matches"),
    ]
    assert not any(kind.startswith("fail") for kind in kinds)
    with psycopg.connect(database, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET datestyle = 'German'").format(name))
        connection.execute(
            "INSERT INTO matches_set_aside (match_id, version, why) VALUES (gen_random_uuid(), 7, 'odd')"
        )
    status, said, _ = run("doctor", "--database-url", database, "--pool-size", "1000")
    assert status == 0
    assert "overridden on our connections: DateStyle=German" in said
    assert "warn  connections: " in said
    assert "warn  matches: 1 cannot be read" in said
    assert "at version 7: odd" in said
    status, said, _ = run("doctor", "--database-url", empty)
    assert status == 0
    assert "run `montane migrate`" in said
    with psycopg.connect(empty) as connection:
        assert connection.execute("SELECT FROM pg_tables WHERE schemaname = 'public'").rowcount == 0
    status, said, _ = run("doctor", "--help")
    assert status == 0
    assert "ok, warn or fail" in said
