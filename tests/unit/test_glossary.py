"""One word for one thing: the words that the glossary bans are in no text."""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from adapters.rest.app import build
from tests.support.stores.use_cases import memory_stores

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
EXEMPT = ("docs/glossary.md", "tests/unit/test_glossary.py", "CHANGELOG.md")
"""Where the words are named, and what was written of times before."""


def banned() -> list[str]:
    """Return the words not to use."""
    _, _, section = GLOSSARY.partition("## Words not to use")
    rows = re.findall(r"^\| (.+?) \| .+ \|$", section, re.MULTILINE)
    return [word.strip() for row in rows[1:] if not row.startswith("---") for word in row.split(",")]


BANNED = re.compile(rf"\b({'|'.join(map(re.escape, banned()))})\b", re.IGNORECASE)


FOLDERS = ("domain", "services", "adapters", "proto", "bench", "tests", "docs", "clients")


def files(*kinds: str) -> list[str]:
    """Return the project's own files of these kinds."""
    paths = [*ROOT.glob("*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    names = [str(path.relative_to(ROOT)) for path in paths if path.suffix in kinds]
    return [name for name in names if "generated" not in name and name not in EXEMPT]


def prose(name: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a file that people read, each with its line."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if not name.endswith(".py"):
        yield from enumerate(text.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


def found(name: str) -> list[str]:
    """Return where a file uses words that are banned."""
    return [f"{name}:{line}: {word[0]}" for line, text in prose(name) for word in BANNED.finditer(text)]


def test_words_are_banned() -> None:
    """The glossary names some, and what is looked for finds them."""
    assert {"whoever", "anew", "put down"} <= set(banned())
    assert BANNED.search("Whoever it is")
    assert not BANNED.search("what is put downstairs")


@pytest.mark.parametrize("kind", [".md", ".proto", ".py"])
def test_texts_use_the_words_of_the_glossary(kind: str) -> None:
    """No document, comment, docstring or sentence has a word that is banned."""
    names = files(kind)
    assert len(names) > 10
    assert [place for name in names for place in found(name)] == []


def test_the_description_of_the_api_uses_the_words_of_the_glossary() -> None:
    """Neither has what is served at /openapi.json."""
    with TestClient(build(memory_stores().node(), "0")) as client:
        text = json.dumps(client.get("/openapi.json").json())
    assert len(text) > 100_000
    assert BANNED.findall(text) == []
