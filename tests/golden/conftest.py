"""Golden files: text that was read and found right, against which runs are compared.

`pytest tests/golden --rebuild-golden` writes them again; anyone who commits them has read what changed. To
the samples of stored events it only adds lines: what was stored once has to load for ever.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

type Golden = Callable[[str, str], None]
"""Compares a text with the golden file of a name below `tests/golden/`, or writes it there."""

FOLDER = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files."""
    parser.addoption("--rebuild-golden", action="store_true", help="write the golden files again")


@pytest.fixture
def rebuilding(request: pytest.FixtureRequest) -> bool:
    """Whether `--rebuild-golden` is given."""
    return bool(request.config.getoption("--rebuild-golden", default=False))


@pytest.fixture
def golden(rebuilding: bool) -> Golden:
    """Compare with golden files, or write them if they are rebuilt."""

    def compare(name: str, text: str) -> None:
        path = FOLDER / name
        if rebuilding:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
