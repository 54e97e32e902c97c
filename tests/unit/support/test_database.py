"""The tests' own databases: chosen as documented, copied from a template, gone afterwards."""

import psycopg
import pytest

from tests.support.stores.database import Databases, Kind, choose


def test_a_url_goes_before_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """DATABASE_URL is used where it is set and nothing is forced."""
    monkeypatch.delenv("MONTANE_TEST_DATABASE", raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")
    assert choose().kind is Kind.URL


def test_the_embedded_server_is_used_without_url_and_docker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Docker host that nobody answers at counts as none."""
    monkeypatch.delenv("MONTANE_TEST_DATABASE", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    assert choose().kind is Kind.EMBEDDED


@pytest.mark.parametrize(("forced", "message"), [("oracle", "must be one of"), ("url", "needs DATABASE_URL")])
def test_a_wrong_choice_is_named(monkeypatch: pytest.MonkeyPatch, forced: str, message: str) -> None:
    """A kind that does not exist, or cannot be had, is an error that names the variable."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("MONTANE_TEST_DATABASE", forced)
    with pytest.raises(ValueError, match=f"MONTANE_TEST_DATABASE={forced}.*{message}"):
        choose()


def test_a_database_is_migrated_and_empty(database: str) -> None:
    """The fixture's database has the service's tables, and nothing in them."""
    with psycopg.connect(database) as connection:
        assert connection.execute("select count(*) from match_events").fetchone() == (0,)
        assert connection.execute("select count(*) from migrations").fetchone() != (0,)


def test_databases_are_copies_that_do_not_share(postgres_server: str) -> None:
    """Each has what the template has, and sees no other's rows."""

    def prepare(conninfo: str) -> None:
        with psycopg.connect(conninfo) as connection:
            connection.execute("create table moves (seat integer)")

    databases = Databases(postgres_server, prepare)
    with databases.fresh() as first, databases.fresh() as second:
        with psycopg.connect(first) as connection:
            connection.execute("insert into moves values (0)")
        with psycopg.connect(second) as connection:
            assert connection.execute("select count(*) from moves").fetchone() == (0,)
    databases.close()
    with psycopg.connect(postgres_server) as connection:
        left = connection.execute(
            "select datname from pg_database where datname like %s", [f"{databases.prefix}%"]
        ).fetchall()
    assert left == []
