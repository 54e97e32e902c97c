"""Two deployments in one database, each in a schema of its own."""

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.support.faces.server import Server
from tests.support.stores.database import Databases
from tests.support.stores.deployments import listed, montane, played, refusal, well

ODD = 'Montane\'s "own" schéma, 2'
LONG = "x" * 63


@pytest.fixture
def empty(postgres_server: str) -> Iterator[str]:
    """A database without tables."""
    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as conninfo:
        yield conninfo
    databases.close()


def tables(database: str) -> set[tuple[str, str]]:
    """Return the schema and the name of each table."""
    with psycopg.connect(database) as connection:
        return set(
            connection.execute(
                "SELECT schemaname, tablename FROM pg_tables"
                " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            ).fetchall()
        )


def test_two_deployments_play_beside_one_another(empty: str) -> None:
    """On two nodes each, over both faces: neither is shown anything of the other's, nor held up by it."""
    with ExitStack() as stack:
        found = {}
        for schema in ("public", ODD):
            where = ("--database-url", empty, "--database-schema", schema)
            nodes = [
                stack.enter_context(Server(*where)),
                stack.enter_context(Server(*where, environment={"MONTANE_POOL_SIZE": "2"})),
            ]
            found[schema] = (nodes, played(*nodes))
        for nodes, match in found.values():
            for node in nodes:
                assert listed(node) == {match}
    for schema in found:
        well("--database-url", empty, "--database-schema", schema)
    with psycopg.connect(empty) as connection:
        connection.execute(sql.SQL("DELETE FROM {}.players").format(sql.Identifier(ODD)))
        for schema, kept in (("public", 1), (ODD, 0)):
            said = sql.SQL("SELECT FROM {}.chat_messages WHERE text = 'hello'").format(sql.Identifier(schema))
            assert connection.execute(said).rowcount == kept
    made = tables(empty)
    assert {table for schema, table in made if schema == "public"} == {
        table for schema, table in made if schema == ODD
    }
    assert {schema for schema, _ in made} == {"public", ODD}


def test_the_schema_is_that_of_the_search_path(empty: str) -> None:
    """Of the URL, of the role or the database; and a setting goes before those of role and database."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(ODD)))
        name = sql.Identifier(connection.info.dbname)
        path = sql.SQL("ALTER DATABASE {} SET search_path TO {}, public")
        connection.execute(path.format(name, sql.Identifier(ODD)))
    assert montane("migrate", "--database-url", empty).returncode == 0
    assert {schema for schema, _ in tables(empty)} == {ODD}
    in_url = make_conninfo(empty, options="-c search_path=second,public")
    assert montane("migrate", "--database-url", in_url).returncode == 0
    assert {schema for schema, _ in tables(empty)} == {ODD, "second"}
    assert montane("migrate", "--database-url", empty, "--database-schema", LONG).returncode == 0
    assert {schema for schema, _ in tables(empty)} == {ODD, "second", LONG}
    assert montane("migrate", "--database-url", empty, "--database-schema", "public").returncode == 0
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(path.format(name, sql.Identifier("third")))
        connection.execute("CREATE SCHEMA third")
    assert "MONTANE_DATABASE_SCHEMA" in refusal("migrate", "--database-url", empty)
    assert "name one" in refusal("migrate", "--database-url", in_url, "--database-schema", "third")
    for wrong in ("pg_mine", "information_schema", "y" * 64):
        assert wrong in refusal("migrate", "--database-url", empty, "--database-schema", wrong)
