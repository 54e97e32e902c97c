"""Sentences for people about what is refused."""

import ast
from enum import StrEnum
from pathlib import Path

import pytest

from adapters.faces.reasons import FaceReason
from adapters.faces.sentences import SENTENCES, TITLES, describe
from adapters.rest.problems import HTTP_KINDS
from domain.match import Reason
from domain.shared.rejections import Rejected
from services.chat.rooms import ChatReason
from services.shared.errors import FailureReason
from services.shared.health import DegradedReason

ROOT = Path(__file__).parents[3]
MODULES = [
    path
    for folder in ("services", "adapters")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "generated" not in path.parts
]
CODES = {str(code) for codes in (FailureReason, FaceReason, DegradedReason) for code in codes}


@pytest.mark.parametrize("reason", [*Reason, *ChatReason])
def test_every_refusal_of_a_match_says_why(reason: Reason | ChatReason) -> None:
    """Each reason has a sentence of its own, not only the title of all refusals."""
    title, sentence = describe(Rejected(reason))
    assert title == TITLES[Rejected]
    assert sentence.removesuffix(".") != title


def test_every_reason_has_its_sentence() -> None:
    """Each reason for which a use case fails is told in a sentence, and no sentence has no reason."""
    reasons: set[StrEnum] = {*FailureReason, *Reason, *ChatReason}
    assert set(SENTENCES) == reasons


def test_a_reason_of_a_face_is_none_of_a_use_case() -> None:
    """A code means one thing, over HTTP and gRPC."""
    assert not set(map(str, FaceReason)) & set(map(str, FailureReason))
    used = {reason for reason, _ in HTTP_KINDS.values()}
    assert {*FaceReason} - used == {FaceReason.INTERNAL}


def test_there_are_modules_to_look_at() -> None:
    """The test below looks at all use cases and adapters, not at empty folders."""
    assert ROOT / "services/shared/errors.py" in MODULES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_reason_is_written_as_text(path: Path) -> None:
    """Use cases and adapters name a reason by its enumeration; only enumerations spell codes out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    enumerations = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases)
    ]
    spelt = {id(inner) for node in enumerations for inner in ast.walk(node)}
    bare = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in CODES and id(node) not in spelt
    ]
    assert bare == []
