"""The rules to read in `docs/rules/`: made from the clauses, data and draws that the catalogue serves.

They are golden files: the pages say what the server says, and `make golden` rebuilds them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from domain.games import GAMES
from domain.match.rules import COMMON, RULES
from domain.shared.catalogues import Clause, DataTable, DrawRule
from domain.shared.game import AnyGame
from tests.golden.conftest import Golden

FOLDER = "../../docs/rules"

GRADES = (
    "A table is given in the rulebook, found on printed components, or reconstructed: made to fit all that is"
    " known of the printed one."
)


class RuleText(NamedTuple):
    """Rules as they are shown.

    Attributes:
        title: What they are called.
        about: Whose they are and where a program reads them.
        clauses: Sections and rulings in order; a section without a point begins a chapter, whose title is its
            first sentence.
        draws: All that they ask of chance.
        data: The tables that they name.
    """

    title: str
    about: str
    clauses: tuple[Clause, ...]
    draws: tuple[DrawRule, ...] = ()
    data: tuple[DataTable, ...] = ()


def common_text() -> RuleText:
    """Return the rules that hold for every game."""
    about = (
        "What holds for every game, cited as common §1 and so on. Programs read it as common of"
        " GET /v1/games/{game}/rules and of GetRules, or as the rules of the game common."
    )
    return RuleText("Common rules", about, RULES)


def text_of(game: AnyGame) -> RuleText:
    """Return the rules of a game."""
    most = game.max_seats
    seats = f"{game.min_seats}" if most == game.min_seats else f"{game.min_seats} to {most}"
    about = (
        f"{game.summary} Ruleset {game.ruleset}; seats: {seats}. The common rules hold too. Clauses are cited"
        f" as {game.id} §1 and so on. Programs read them by GET /v1/games/{game.id}/rules and by GetRules,"
        " those of an earlier ruleset too."
    )
    return RuleText(game.title, about, game.rules, game.draws, game.data)


def markdown(text: RuleText) -> str:
    """Return rules as a page of Markdown."""
    lines = [f"# {text.title}", "", _plain(text.about)]
    for clause in text.clauses:
        name = f'<a id="{clause.id.removeprefix("§")}"></a>'
        if _begins_chapter(clause):
            title, rest = _parted(clause)
            lines += ["", f"## {name}{clause.id} {_plain(title)}", *(("", _plain(rest)) if rest else ())]
        else:
            lines += ["", f"{name}**{clause.id}** {_plain(clause.text)}"]
    if text.draws:
        lines += ["", "## Draws", "", "All that is asked of chance (common §4).", ""]
        lines += ["| when | what |", "| --- | --- |"]
        lines += [f"| {_plain(draw.when)} | {_plain(draw.what)} |" for draw in text.draws]
    if text.data:
        lines += ["", "## Data", "", GRADES]
    for table in text.data:
        lines += [
            "",
            f"### {table.name} ({table.grade})",
            "",
            _plain(table.source),
            "",
            "| | |",
            "| --- | --- |",
        ]
        lines += [f"| {_plain(name)} | {_plain(what)} |" for name, what in _rows(table)]
    return "\n".join(lines) + "\n"


def index(games: Mapping[str, AnyGame]) -> str:
    """Return the page of Markdown that leads to all rules."""
    lines = [
        "# Rules",
        "",
        "What the server enforces, complete enough to implement each game from it. Refusals cite these",
        "clauses, as code, protos and tests do: `montana §4.2`, `mountains R9`, or `§4.2` within a game.",
        "All pages here are made by `make golden` from the clauses that the server serves.",
        "",
        "| | ruleset | seats | |",
        "| --- | --- | --- | --- |",
        f"| [Common rules]({COMMON}.md) | | | what holds for every game |",
    ]
    for game in games.values():
        most = game.max_seats
        seats = f"{game.min_seats}" if most == game.min_seats else f"{game.min_seats} to {most}"
        lines.append(f"| [{game.title}]({game.id}.md) | `{game.ruleset}` | {seats} | {game.summary} |")
    return "\n".join([*lines, "", GRADES]) + "\n"


def _begins_chapter(clause: Clause) -> bool:
    return re.fullmatch(r"§[0-9]+", clause.id) is not None


def _parted(clause: Clause) -> tuple[str, str]:
    """Return the title of a chapter and the rest of its text."""
    title, _, rest = clause.text.partition(". ")
    return title.removesuffix("."), rest


def _rows(table: DataTable) -> Iterable[tuple[str, str]]:
    for row in table.rows:
        name, _, what = row.partition(": ")
        yield name, what


def _plain(text: str) -> str:
    """Return text in which Markdown finds nothing to mark up."""
    return re.sub(r"([*<>|\[\]`])", r"\\\1", text)


def test_the_rules_of_each_game_are_those_served(golden: Golden) -> None:
    """Each page says what the catalogue says, and the first leads to all."""
    golden(f"{FOLDER}/README.md", index(GAMES))
    golden(f"{FOLDER}/{COMMON}.md", markdown(common_text()))
    for game in GAMES.values():
        golden(f"{FOLDER}/{game.id}.md", markdown(text_of(game)))
