"""Canonical JSON: RFC 8785, against another writer of JSON and against fixed texts."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from domain.shared.canonical import canonical, is_canonical

NAMES = st.text(st.characters(max_codepoint=0x7F))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner))


class Played(Struct, frozen=True, tag_field="type", tag="game.played"):
    """An event with fields in no order."""

    seat: int
    card: str | None
    also: tuple[int, ...] = ()


def plainly(value: object) -> bytes:
    """Return a value as another writer has it, told to follow RFC 8785 as far as it can be told."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


@given(VALUES)
def test_values_are_written_as_by_another_writer(value: object) -> None:
    """White space, order of fields, escapes and numbers are those of RFC 8785 (§3.2)."""
    assert canonical(value) == plainly(value)


@given(VALUES)
def test_what_is_written_is_read_and_written_the_same(value: object) -> None:
    """A reader of any kind can write canonical JSON again, byte for byte."""
    assert canonical(json.loads(canonical(value))) == canonical(value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\b\t\n\f\r", rb'"\b\t\n\f\r"'),
        ("\0\x01\x0b\x0e\x1f", rb'"\u0000\u0001\u000b\u000e\u001f"'),
        ('"\\/', rb'"\"\\/"'),
        ("\x7f\x80\x9f", b'"\x7f\xc2\x80\xc2\x9f"'),
        ("é€\u2028\ufeff", '"é€\u2028\ufeff"'.encode()),
        ("😀", b'"\xf0\x9f\x98\x80"'),
    ],
)
def test_text_is_escaped_only_where_it_must_be(text: str, written: bytes) -> None:
    """Control characters below U+0020, quotation mark and backslash; nothing else (RFC 8785 §3.2.2.2)."""
    assert canonical(text) == written


def test_half_a_character_is_no_text() -> None:
    """A lone surrogate cannot be written (RFC 8785 §3.2.2.2)."""
    with pytest.raises(UnicodeEncodeError):
        canonical("\ud800")


def test_fields_are_ordered_by_name() -> None:
    """Those of structs, their tag among them, as those of plain objects (RFC 8785 §3.2.3)."""
    assert canonical(Played(1, None, (2, 3))) == b'{"also":[2,3],"card":null,"seat":1,"type":"game.played"}'
    assert canonical({"b": 1, "B": 2, "a_b": 3, "ab": 4, "": 5}) == b'{"":5,"B":2,"a_b":3,"ab":4,"b":1}'


def test_what_is_canonical_is_taken_as_it_is() -> None:
    """A part that was written already is not read again."""
    assert canonical({"part": Raw(b'{"a":1}')}) == b'{"part":{"a":1}}'


@pytest.mark.parametrize(
    ("microsecond", "written"),
    [
        (0, b'"2026-11-30T10:00:00Z"'),
        (120_000, b'"2026-11-30T10:00:00.120000Z"'),
        (7, b'"2026-11-30T10:00:00.000007Z"'),
    ],
)
def test_times_have_one_form(microsecond: int, written: bytes) -> None:
    """UTC as Z, no fraction or six digits of it (RFC 3339)."""
    assert canonical(datetime(2026, 11, 30, 10, microsecond=microsecond, tzinfo=UTC)) == written


@given(VALUES)
def test_canonical_json_is_told(value: object) -> None:
    """Whatever is written is canonical; with a space before it, it is not."""
    assert is_canonical(canonical(value))
    assert not is_canonical(b" " + canonical(value))


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"b":1,"a":2}', b'{"a":1,"a":1}', b"[1, 2]", b"1e2", b'"\\u0041"', b"\xff", b"[" * 100_000],
)
def test_other_json_is_told(text: bytes) -> None:
    """Another order, a field twice, white space, another form of a number or letter, no JSON at all."""
    assert not is_canonical(text)
