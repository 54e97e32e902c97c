"""The shape of the domain: what it imports, what it documents, what its registry names."""

import ast
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from domain import match
from domain.games import GAMES
from domain.shared.catalogues import Grade
from domain.shared.game import AnyGame

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "domain").rglob("*.py"))
ALLOWED = sys.stdlib_module_names | {"msgspec", "domain"}


def name_of(path: Path) -> str:
    """Return a module's path from the root, to name a test by."""
    return str(path.relative_to(ROOT))


@pytest.fixture(params=MODULES, ids=name_of)
def tree(request: pytest.FixtureRequest) -> ast.Module:
    """Each module of the domain, parsed."""
    path: Path = request.param
    return ast.parse(path.read_text(encoding="utf-8"))


def test_there_are_modules_to_look_at() -> None:
    """The tests below look at the whole domain, not at an empty folder."""
    assert "domain/games/montana/legality.py" in [name_of(path) for path in MODULES]


def test_the_domain_imports_the_standard_library_and_msgspec_only(tree: ast.Module) -> None:
    """No framework, driver, service or adapter is imported, not even within a function."""
    nodes = list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 0 for node in froms)
    names += [node.module or "" for node in froms]
    assert {name.split(".")[0] for name in names} <= ALLOWED


def test_everything_public_has_a_docstring(tree: ast.Module) -> None:
    """Every module, and every class and function without a leading underscore, says what it is."""
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    public = [node for node in ast.walk(tree) if isinstance(node, kinds) and not node.name.startswith("_")]
    assert ast.get_docstring(tree)
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def test_import_contracts_hold_for_every_folder_of_games() -> None:
    """Games are kept apart from one another, and from anyone who is generic over them; each is registered."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contracts = {contract["name"]: contract for contract in tools["importlinter"]["contracts"]}
    assert contracts["Games import the kernel, never one another"]["modules"] == ["domain.games.*"]
    assert contracts["Only the registry imports games"]["forbidden_modules"] == ["domain.games.*"]
    folders = {path.parent.name for path in (ROOT / "domain" / "games").glob("*/__init__.py")}
    assert folders == set(GAMES)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
class TestEveryGame:
    """What the registry promises of each of its games."""

    def test_every_reason_names_a_clause_of_the_rules(self, game: AnyGame) -> None:
        """Each reason for refusing enforces a clause, and the catalogue holds its text."""
        reasons = import_module(f"domain.games.{game.id}.rejections").Reason
        assert set(game.clauses) == set(reasons)
        assert set(game.clauses.values()) <= {clause.id for clause in game.rules}

    def test_reasons_do_not_clash_with_those_of_a_match(self, game: AnyGame) -> None:
        """A code means one thing, anyone who refuses."""
        assert not set(map(str, game.clauses)) & set(map(str, match.Reason))

    def test_stored_names_are_written_out(self, game: AnyGame) -> None:
        """Every event's stored name begins with the game's id."""
        for event in game.events:
            assert event.__struct_config__.tag.startswith(f"{game.id}.")

    def test_data_tables_are_alike(self, game: AnyGame) -> None:
        """Each has its own name, a source in one sentence, and rows of a name and what belongs to it."""
        names = [data.name for data in game.data]
        assert len(names) == len(set(names)) > 0
        for data in game.data:
            assert data.source.endswith(".")
            assert data.rows
            assert all(re.fullmatch(r"[^:]+: [^:]+", row) for row in data.rows)

    def test_what_is_reconstructed_says_so(self, game: AnyGame) -> None:
        """A table that is not given or found says so in its source, and then the ruleset says so too."""
        reconstructed = [data for data in game.data if data.grade is Grade.RECONSTRUCTED]
        said = [data for data in game.data if data.source.startswith("Reconstructed")]
        assert said == reconstructed
        assert game.ruleset.split("/")[1].startswith("recon-") == bool(reconstructed)

    def test_it_is_registered_under_its_id(self, game: AnyGame) -> None:
        """Id, package and first part of the ruleset are one word."""
        assert GAMES[game.id] is game
        assert game.ruleset.split("/")[0] == game.id

    def test_all_its_editions_are_of_the_same_types(self, game: AnyGame) -> None:
        """Whatever was stored or is asked for under an earlier ruleset is read as under the newest."""
        rulesets = [known.ruleset for known in (game, *game.earlier)]
        assert len(rulesets) == len(set(rulesets))
        types = ("id", "options", "commands", "events", "seen_events", "state", "table", "clauses")
        for known in game.earlier:
            assert known.earlier == ()
            assert [getattr(known, name) for name in types] == [getattr(game, name) for name in types]
