"""A pooler between the service and its database: PgBouncer, in each of its modes."""

from collections.abc import Iterator

import psycopg
import pytest

from adapters.postgres import migrate as migrating
from adapters.postgres.migrate import MigrationError, migrate
from tests.support.faces.server import Client, Server
from tests.support.stores.database import Databases
from tests.support.stores.deployments import listed, montane, played, refusal, well
from tests.support.stores.load import Player, check_log, endless, playing, press_on
from tests.support.stores.pooler import Pooler, pooling

LEFT = """
SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
    (SELECT count(*) FROM pg_prepared_statements),
    (SELECT count(*) FROM pg_listening_channels()), current_setting('lock_timeout'),
    current_setting('statement_timeout')
"""
"""What a session may have been left with."""


@pytest.fixture(scope="module")
def pooler(postgres_server: str) -> Iterator[Pooler]:
    """A pooler that gives each transaction another session."""
    with pooling(postgres_server) as pooler:
        yield pooler


def where(pooler: Pooler, database: str) -> tuple[str, ...]:
    """Return the flags that lead to a database through a pooler."""
    return "--database-url", pooler.conninfo_for(database), "--database-direct-url", database


def test_all_is_well_behind_a_pooler(pooler: Pooler, database: str) -> None:
    """Over both faces, on two nodes that work; and nothing is left in the sessions that others get."""
    flags = where(pooler, database)
    with Server(*flags) as node, Server(*flags) as other:
        match = played(node, other)
        assert listed(node) == listed(other) == {match}
        ann = Client(node.url)
        looking = {"game": "mountains", "seats": 2}
        found = ann.post("/v1/quick-match", looking)["id"]
        assert Client(other.url, "Ben").post("/v1/quick-match", looking)["id"] == found
        well(*flags)
        with psycopg.connect(database) as connection:
            assert connection.execute(LEFT).fetchone() == (0, 0, 0, "0", "0")
        with psycopg.connect(pooler.conninfo_for(database), prepare_threshold=None) as connection:
            for _ in range(8):
                assert connection.execute(LEFT).fetchone() == (0, 0, 0, "0", "0")
                connection.commit()


def test_a_killed_pooler_loses_nothing(pooler: Pooler, database: str) -> None:
    """While it is away clients are told to come again; then all goes on, each command stored once."""
    with Server(*where(pooler, database)) as node:
        client = Client(node.url)
        players = [Player(client, endless(client), careful=number % 2 == 0) for number in range(4)]
        with playing(players):
            press_on(players, 10)
            pooler.kill()
            pooler.start()
            press_on(players, 10)
        check_log(database, players)
        assert {status for player in players for status in player.answers} <= {0, 200, 503}


def test_what_must_listen_needs_a_session(postgres_server: str, pooler: Pooler, database: str) -> None:
    """Without a direct URL a pooler is refused, and one that leads to it too; in one line."""
    pooled = pooler.conninfo_for(database)
    assert "MONTANE_DATABASE_DIRECT_URL" in refusal("serve", "--database-url", pooled)
    both = refusal("migrate", "--database-url", pooled, "--database-direct-url", pooled)
    assert both.startswith("montane: MONTANE_DATABASE_DIRECT_URL: a pooler")
    others = refusal("migrate", "--database-url", pooled, "--database-direct-url", postgres_server)
    assert "different databases" in others
    alone = refusal("migrate", "--database-direct-url", database)
    assert "MONTANE_DATABASE_URL" in alone


def test_the_other_modes(postgres_server: str, database: str) -> None:
    """One session a client is as good as none between; one a statement will not do at all."""
    with pooling(postgres_server, "session", 20) as pooler:
        pooled = pooler.conninfo_for(database)
        assert montane("migrate", "--database-url", pooled).returncode == 0
        with Server("--database-url", pooled, face="rest", environment={"MONTANE_POOL_SIZE": "2"}) as node:
            assert Client(node.url).get("/v1/matches")["items"] == []
        assert montane("migrate", *where(pooler, database)).returncode == 0
    with pooling(postgres_server, "statement") as pooler:
        for flags in (("--database-url", pooler.conninfo_for(database)), where(pooler, database)):
            assert "pool_mode is statement" in refusal("migrate", *flags)


def test_migrating_waits_for_others_so_long(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anyone who migrates for too long is notified of; when its transaction has ended, others may."""
    monkeypatch.setattr(migrating, "WAIT_SECONDS", 1)
    databases = Databases(postgres_server, prepare=lambda conninfo: None)
    with databases.fresh() as database:
        with psycopg.connect(database) as other:
            other.execute("SELECT pg_advisory_xact_lock(hashtextextended('public.migrations', 0))")
            with pytest.raises(MigrationError, match="another process has been migrating"):
                migrate(database)
        assert migrate(database)
        assert migrate(database) == []
    databases.close()
