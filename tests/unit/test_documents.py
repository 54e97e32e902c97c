"""What the documents point at exists, and what they draw is so."""

import re
from pathlib import Path

import pytest

from adapters.settings_table import DOCUMENT, rewritten
from tests.picture import PAGE, with_picture

ROOT = Path(__file__).parents[2]
PLACES = (".", ".github", "adapters", "bench", "clients", "docs", "domain", "proto", "services", "tests")
HIDDEN = {".venv", "node_modules"}
PAGES = sorted(
    page
    for place in PLACES
    for page in ((ROOT / place).glob("*.md") if place == "." else (ROOT / place).rglob("*.md"))
    if not HIDDEN & set(page.parts)
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FILE = re.compile(r"`((?:adapters|bench|docs|domain|proto|services|tests)/[\w./-]*)`")


def anchors(page: Path) -> set[str]:
    """Return what a link may name within a page, as forges make it from the headings."""
    titles = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file, and where it names a heading the page has it."""
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.is_relative_to(ROOT / "docs") or page.parent == ROOT],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_files_that_are_named_are_there(page: Path) -> None:
    """A page that names a file of the repository is changed with it."""
    if page.name == "CHANGELOG.md":
        return
    assert [
        file for file in FILE.findall(page.read_text(encoding="utf-8")) if not (ROOT / file).exists()
    ] == []


def test_the_picture_is_of_today() -> None:
    """The packages and arrows drawn are those of the code; `make picture` draws them."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_picture(page) == page


def test_the_table_of_settings_is_of_today() -> None:
    """Its rows are what the settings say of themselves; `make settings` writes them."""
    page = DOCUMENT.read_text(encoding="utf-8")
    assert rewritten(page) == page
