"""What a game tells of its data: where each table comes from, and what each clause says."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from msgspec import Struct


class Grade(StrEnum):
    """How sure a data table is."""

    GIVEN = "given"
    FOUND = "found"
    RECONSTRUCTED = "reconstructed"


class DataTable(Struct, frozen=True):
    """One table of a ruleset's data.

    Attributes:
        name: What the table holds, in lower snake case.
        grade: `given` in the rulebook, `found` on printed components, or `reconstructed`.
        source: Where it comes from, in one sentence.
        rows: The data as text, one row each, in the order of the rules: a name, a colon, and what belongs to
            it, parted by commas.
    """

    name: str
    grade: Grade
    source: str
    rows: tuple[str, ...]


class Clause(Struct, frozen=True):
    """One clause of the rules, as refusals cite it.

    Attributes:
        id: The section or ruling, `§4.2` or `R3`.
        text: What it says.
    """

    id: str
    text: str


class DrawRule(Struct, frozen=True):
    """What a ruleset asks of chance at one moment, so that anybody can draw it again.

    Attributes:
        when: What brings it about.
        what: Each shuffle of which list in which order, and each number below which bound, one after the
            other, and what becomes of them.
    """

    when: str
    what: str


def counted(pieces: Iterable[str]) -> tuple[str, ...]:
    """Return the rows of a table that says of which pieces there are how many, in their order."""
    return tuple(f"{name}: {count}" for name, count in Counter(pieces).items())


def clause_about(part: Literal["command", "options"], game: str) -> str:
    """Return the section of a game's rules that says which commands or options there are (common §1)."""
    return f"{game} {'§4' if part == 'command' else '§2'}"
