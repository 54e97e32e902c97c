"""Golden files: text that was read and found right, against which runs are compared.

`pytest tests/golden --rebuild-golden` writes them anew; whoever commits them has read what changed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

type Golden = Callable[[str, str], None]
"""Compares a text with the golden file of a name below `tests/golden/`, or writes it there."""

FOLDER = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files."""
    parser.addoption("--rebuild-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare with golden files, or write them if `--rebuild-golden` is given."""
    rebuild = bool(request.config.getoption("--rebuild-golden", default=False))

    def compare(name: str, text: str) -> None:
        path = FOLDER / name
        if rebuild:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
