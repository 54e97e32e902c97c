"""Fixtures for all tests: a PostgreSQL server a process, a database a test."""

import shutil
from collections.abc import Iterator

import pytest

from tests.support.stores.database import Databases, choose, running_server


def pytest_report_header() -> str:
    """Say which database the tests run on."""
    try:
        choice = choose()
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    return f"database: {choice.kind} ({choice.reason})"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a PostgreSQL server, so that it can be run alone."""
    for item in items:
        asks = "postgres_server" in getattr(item, "fixturenames", ())
        # A fixture that gives one store or the other asks for the server only for one of them.
        chosen = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if asks or "postgres" in chosen:
            item.add_marker("postgres")


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Connection string of a server on which databases may be created; one for each process of pytest."""
    folder = tmp_path_factory.mktemp("postgres")
    with running_server(choose(), folder) as conninfo:
        yield conninfo
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def databases(postgres_server: str) -> Iterator[Databases]:
    """Makes further databases where one test needs several."""
    made = Databases(postgres_server)
    yield made
    made.close()


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    """Connection string of a database of the test's own, in the shape of the template; dropped afterwards."""
    with databases.fresh() as conninfo:
        yield conninfo
