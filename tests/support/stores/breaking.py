"""What is done in PostgreSQL, found by its types, and connections that break in the midst of it."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAliasType, Union, get_args, get_origin, get_type_hints

import psycopg
from psycopg import sql

import adapters.postgres
from adapters.postgres.connection.connections import Connection
from adapters.postgres.connection.datastore import Datastore

TABLES = (
    "SELECT format('%I.%I', nspname, relname) AS name FROM pg_class"
    " JOIN pg_namespace AS named ON named.oid = relnamespace"
    " WHERE relkind = 'r' AND nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('information_schema')"
    " AND nspname NOT LIKE 'rebuilt%' ORDER BY 1"
)
"""All tables but drafts of read models, which are kept as far as they have come."""


class Breaking(Connection):
    """A connection that counts what it asks the server while it is in use, and breaks before one of them."""

    watched = False
    asked = 0
    last: int | None = None
    """How often it may ask; None for any number."""

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the server answers, unless the connection breaks before it is asked."""
        if self.watched:
            if Breaking.asked == Breaking.last:
                self.close()
                raise psycopg.OperationalError("broken by the test")
            Breaking.asked += 1
        return super().wait(*args, **kwargs)


class BreakableDatastore(Datastore):
    """Connections that break when they are told."""

    def __init__(self, conninfo: str) -> None:
        """Take where the database is."""
        super().__init__(conninfo, 2)
        self.pool.connection_class = Breaking

    @contextmanager
    def get_connection(self) -> Iterator[Connection]:
        """Give a connection, and count what it is used for."""
        with super().get_connection() as connection:
            assert isinstance(connection, Breaking)
            connection.watched = True
            try:
                yield connection
            finally:
                connection.watched = False


def stores() -> dict[str, Callable[..., Any]]:
    """Return all that works on a datastore, classes and functions that make one, by name."""
    names = [
        module.name for module in pkgutil.walk_packages(adapters.postgres.__path__, "adapters.postgres.")
    ]
    return {
        name: one
        for module in names
        for name, one in vars(importlib.import_module(module)).items()
        if getattr(one, "__module__", None) == module and Datastore in _parameters(one).values()
    }


def methods(store: Callable[..., Any]) -> list[str]:
    """Return what a store does."""
    kind = store if inspect.isclass(store) else get_type_hints(store)["return"]
    entered = ["__enter__"] if hasattr(kind, "__enter__") else []
    # What a base class of a library does is not ours.
    ours = [one for one in kind.__mro__ if one.__module__.startswith("adapters.")]
    named = {
        name
        for one in ours
        for name, method in vars(one).items()
        if inspect.isfunction(method) and method.__module__.startswith("adapters.")
    }
    return entered + sorted(name for name in named if not name.startswith("_"))


def arguments(of: Callable[..., Any], samples: Mapping[Any, Any]) -> dict[str, Any]:
    """Return an argument for each parameter: a sample of its name and type, of its name, or of its type."""
    given = {}
    for name, annotation in _parameters(of).items():
        kinds = _kinds(annotation)
        for key in (*((name, kind) for kind in kinds), name, *kinds):
            if key in samples:
                given[name] = samples[key]
                break
        else:
            parameter = inspect.signature(of).parameters[name]
            if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
                continue
            raise LookupError(
                f"{of.__qualname__}: give tests/integration/test_all_or_nothing.py a sample of {name}"
            )
    return given


async def done(store: Callable[..., Any], method: str, conninfo: str, samples: Mapping[Any, Any]) -> None:
    """Do what a method does, on a datastore of its own."""
    datastore = BreakableDatastore(conninfo)
    made = None
    try:
        with datastore.transaction():
            pass
        made = store(**arguments(store, {**samples, Datastore: datastore}))
        entered: AbstractContextManager[Any] = nullcontext()
        if hasattr(made, "__enter__") and method != "__enter__":
            entered = made
        with entered:
            Breaking.asked = 0
            result = getattr(made, method)(**arguments(getattr(made, method), samples))
            if inspect.isawaitable(result):
                await result
            elif isinstance(result, AbstractContextManager) and method == "__enter__":
                result.__exit__(None, None, None)
    finally:
        datastore.close()


def contents(conninfo: str) -> dict[str, list[str]]:
    """Return all rows of all tables, as text."""
    with psycopg.connect(conninfo) as connection:
        names = [name for (name,) in connection.execute(TABLES)]
        rows = sql.SQL(" UNION ALL ").join(
            sql.SQL("SELECT {name}, one::text FROM {table} AS one").format(
                name=sql.Literal(name),
                table=sql.SQL(name),
            )
            for name in names
        )
        found: dict[str, list[str]] = {}
        for name, row in connection.execute(rows):
            if "(rebuilt_" not in row:
                found.setdefault(name, []).append(row)
        return {name: sorted(rows) for name, rows in found.items()}


def _parameters(of: Callable[..., Any]) -> dict[str, Any]:
    function = of.__init__ if inspect.isclass(of) else of
    if not inspect.isroutine(function):
        return {}
    try:
        hints = get_type_hints(function)
    except NameError:
        # Of a type that is imported for type checkers only: nothing of our own.
        return {}
    hints.pop("return", None)
    return hints


def _kinds(annotation: Any) -> list[Any]:
    if isinstance(annotation, TypeAliasType):
        return [annotation, *_kinds(annotation.__value__)]
    if get_origin(annotation) is Union or type(annotation).__name__ == "UnionType":
        return [kind for part in get_args(annotation) for kind in _kinds(part)]
    return [annotation, *filter(None, [get_origin(annotation)])]
