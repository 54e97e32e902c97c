"""Every clause that is cited has a text: in code, protos, documents, and in all that refusals can say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import to_builtins

from adapters.faces.sentences import clause_cited, clause_path
from domain import match
from domain.games import GAMES, clause_of
from domain.match.rules import COMMON, RULES
from domain.shared.catalogues import clause_about
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected
from services.matches.catalogue import Catalogue

ROOT = Path(__file__).parents[2]
PLACES = (
    "README.md",
    "CHANGELOG.md",
    "adapters",
    "bench",
    "clients",
    "docs",
    "domain",
    "proto",
    "services",
    "tests",
)
KINDS = {".py", ".md", ".proto", ".sql", ".js", ".pyi"}
TEXTS = {COMMON: RULES, **{game.id: game.rules for game in GAMES.values()}}
IDS = {name: {clause.id for clause in rules} for name, rules in TEXTS.items()}

_SECTION = r"§[0-9]+(?:\.[0-9]+)*"
_CITED = re.compile(rf"(?:\b([a-z][a-z_]*|RFC [0-9]+) )?({_SECTION}(?:(?:,| and| to| or) {_SECTION})*)")
_RULING = re.compile(r"\b([a-z][a-z_]* )?(R[0-9]{1,2})\b")


def files() -> Iterator[Path]:
    """Give all files of text that people write or read."""
    for place in PLACES:
        path = ROOT / place
        found = [path] if path.is_file() else path.rglob("*")
        yield from (
            file
            for file in found
            if file.suffix in KINDS and not {"golden", "node_modules"} & set(file.parts)
        )


def owner(path: Path) -> str | None:
    """Return the game whose file this is: there its clauses are cited without its name."""
    named = {*path.relative_to(ROOT).parts[:-1], path.stem.removeprefix("test_").split("_client")[0]}
    return next((game for game in GAMES if game in named), None)


def cited_in(path: Path) -> set[tuple[str, str]]:
    """Return the clauses that a file cites, each with whose it is."""
    text = re.sub(r"\s*\n[ \t]*(?:#|//|\*)?[ \t]*", " ", path.read_text(encoding="utf-8"))
    of_file = owner(path)
    cited = set()
    for before, sections in _CITED.findall(text):
        if (rules := before if before in TEXTS else of_file) and not before.startswith("RFC"):
            cited |= {(rules, section) for section in re.findall(_SECTION, sections)}
    for before, ruling in _RULING.findall(text):
        if rules := before.strip() if before.strip() in TEXTS else of_file:
            cited.add((rules, ruling))
    return cited


def test_what_is_cited_anywhere_has_a_text() -> None:
    """Code, protos, documents and tests cite only clauses that there are; of Montana's rulings R4 is none."""
    nowhere = {
        (str(path.relative_to(ROOT)), rules, clause)
        for path in files()
        for rules, clause in cited_in(path)
        if clause not in IDS[rules]
    }
    assert {one for one in nowhere if one[1:] != ("montana", "R4")} == set()


def test_enough_is_found() -> None:
    """The search finds what is cited in every game, and more than half of all clauses."""
    found = {cited for path in files() for cited in cited_in(path)}
    assert {rules for rules, _ in found} == set(TEXTS)
    assert len(found) > sum(map(len, IDS.values())) / 2


def test_the_common_clauses_are_ten() -> None:
    """They are numbered through, and each has a title and a text."""
    assert [clause.id for clause in RULES] == [f"§{number}" for number in range(1, 11)]
    assert all(". " in clause.text for clause in RULES)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_commands_are_named_in_the_order_of_legal_moves(game: AnyGame) -> None:
    """A game's §4 names its commands with their arguments, in the order of common §9."""
    (chapter,) = (clause.text for clause in game.rules if clause.id == "§4")
    named = re.findall(r"([a-z_]+)\(([a-z, ]*)\)", chapter)
    wanted = [(type.__struct_config__.tag, ", ".join(type.__struct_fields__)) for type in game.commands]
    assert named == [*wanted, ("resign", "")]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_a_game_refuses_leads_to_its_clause(game: AnyGame) -> None:
    """Of each reason, and of commands and options that do not parse, `clause_url` leads to the text cited."""
    refused = [str(clause_of(Rejected(reason))) for reason in game.clauses]
    for cited in (*refused, clause_about("command", game.id), clause_about("options", game.id)):
        assert text_at(clause_path(cited)) == text_of(cited)


@pytest.mark.parametrize("reason", match.Reason)
def test_what_a_match_refuses_leads_to_its_clause(reason: match.Reason) -> None:
    """Of each reason `clause_url` leads to the text cited, of the common rules or of the game."""
    cited = clause_cited(Rejected(reason, game="montana"))
    assert cited is not None
    assert text_at(clause_path(cited)) == text_of(cited)


def test_after_the_end_the_common_rules_are_cited() -> None:
    """Who plays on is notified of a clause that can be looked up (common §1)."""
    cited = clause_cited(Rejected(match.Reason.MATCH_OVER))
    assert cited == "common §1"
    assert "After the end no command is accepted." in text_of(cited)


def text_of(cited: str) -> str:
    """Return the text of a clause as it is cited."""
    rules, id = cited.split(" ")
    (text,) = (clause.text for clause in TEXTS[rules] if clause.id == id)
    return text


def text_at(path: str | None) -> str:
    """Return the text that a clause's address leads to, in the rules that are served there."""
    assert path is not None
    found = re.fullmatch(r"/v1/games/([a-z_]+)/rules#/clauses/([0-9]+)", path)
    assert found is not None
    served = to_builtins(Catalogue(GAMES).rules(found[1]))
    text: str = served["clauses"][int(found[2])]["text"]
    return text
