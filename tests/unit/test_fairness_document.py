"""`docs/fairness.md` names every tag and field that an implementation has to write."""

import re
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

from domain.games import GAMES
from domain.match.heads import Day, Head, Inclusion
from domain.match.proof import Proof
from domain.shared.chain import Record
from services.proof.bundles import EndLine, EventLine, Header
from services.proof.keys import Key

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "fairness.md").read_text(encoding="utf-8")
SOURCES = [*(ROOT / "domain" / "shared").glob("*.py"), *(ROOT / "domain" / "match").glob("*.py")]


def test_every_tag_is_described() -> None:
    """What is hashed or signed under a name of our own is in the document under that name."""
    named = {
        tag
        for path in [*SOURCES, ROOT / "services" / "proof" / "bundles.py"]
        for tag in re.findall(r"montane/[a-z]+/\d", path.read_text(encoding="utf-8"))
    }
    assert len(named) == 9
    assert sorted(tag for tag in named if tag not in TEXT) == []


@pytest.mark.parametrize(
    "kind",
    [Record, Proof, Header, EventLine, EndLine, Key, Head, Day, Inclusion],
    ids=lambda kind: kind.__name__,
)
def test_every_field_is_described(kind: type[Struct]) -> None:
    """By the name under which it is written."""
    missing = [field.name for field in fields(kind) if not re.search(rf'[`"]{field.encode_name}[`"]', TEXT)]
    assert missing == []


def test_everything_it_links_to_is_there() -> None:
    """Vectors, clients and other documents."""
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert "vectors/chain.json" in links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_every_draw_stands_in_the_table() -> None:
    """As the served rules have it, and nothing else."""
    rows = [
        f"| `{game.ruleset}` | {draw.when} | {draw.what} |" for game in GAMES.values() for draw in game.draws
    ]
    table = TEXT.partition("## Draws")[2].partition("\n## ")[0]
    assert [line for line in table.splitlines() if line.startswith("| `")] == rows
    assert {game.ruleset for game in GAMES.values()} == {row.split("`")[1] for row in rows}


def test_the_default_moves_are_those_of_the_games() -> None:
    """In the order of the common rules (common §7)."""
    said = TEXT.partition("with `default_move` its default")[2].partition("else the first")[0]
    listed = [name for name in re.findall(r"`([a-z_]+)`", said) if name != "bottom"]
    for game in GAMES.values():
        wanted = [default.__struct_config__.tag for default in game.defaults]
        assert [name for name in listed if name in wanted] == wanted
