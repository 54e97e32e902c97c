"""Guides that a test follows: their pieces of code say in the line that opens them where they belong.

A piece is opened by its language, its file, and where in it: `before "..."`, `for "..."` in place of that
text, or nothing for a new file. What goes before something is indented as that is.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_PIECE = re.compile(
    r"^```\w+ (\S+)(?: (before|for) (\"(?:[^\"\\\n]|\\.)*\"))?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


class Piece(NamedTuple):
    """What a guide says to write.

    Attributes:
        path: The file, from the root.
        how: `before` or `for`; empty for a new file.
        place: The text that it goes before, or that it replaces; it stands there once.
        text: What is written.
    """

    path: str
    how: str
    place: str
    text: str


def pieces(guide: str) -> Iterator[Piece]:
    """Yield the pieces of a guide in its order."""
    for path, how, place, text in _PIECE.findall(
        (ROOT / "docs" / "guides" / guide).read_text(encoding="utf-8")
    ):
        yield Piece(path, how, ast.literal_eval(place) if place else "", text)


def follow(guide: str, copy: Path) -> list[str]:
    """Do in a copy of the sources what a guide says; return the files that it touched, each once."""
    for piece in pieces(guide):
        file = copy / piece.path
        if not piece.how:
            assert not file.exists(), piece.path
            file.write_text(piece.text, encoding="utf-8")
            continue
        before = file.read_text(encoding="utf-8")
        assert before.count(piece.place) == 1, (piece.path, piece.place)
        after = piece.text.removesuffix("\n")
        if piece.how == "before":
            margin = re.match(" *", piece.place)
            after = indent(dedent(piece.text), margin[0] if margin else "") + piece.place
        file.write_text(before.replace(piece.place, after), encoding="utf-8")
    return list(dict.fromkeys(piece.path for piece in pieces(guide)))


def copied(folder: Path) -> Path:
    """Copy the sources of the service into a folder."""
    for package in ("domain", "services", "adapters", "proto"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(copy: Path, *arguments: str, **environment: str) -> str:
    """Return what Python prints in a copy."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(copy)} | environment,
        cwd=copy,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
