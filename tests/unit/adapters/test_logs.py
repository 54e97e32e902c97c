"""The log: nothing that comes from outside breaks its lines."""

import io
import logging

import pytest

from adapters.logs import Formatter, printable
from adapters.rest.problems import bug

FORGED = "x\n2026-01-01 00:00:00,000 ERROR montane: all is lost"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, \u00e9 and \u4e2d", "plain, \u00e9 and \u4e2d"),
        ("a\nb\r\nc", r"a\nb\r\nc"),
        ("\x1b[2Jgone\x9b1m", r"\x1b[2Jgone\x9b1m"),
        ("a\u2028b\u2029c\x85d\x0b\x00", r"a\u2028b\u2029c\x85d\x0b\x00"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
    ],
)
def test_a_text_is_shown_on_one_line(text: str, shown: str) -> None:
    """Letters of any language stay, what breaks or turns a line is written as an escape."""
    assert printable(text) == shown


def test_no_line_can_be_forged(caplog: pytest.LogCaptureFixture) -> None:
    """Neither by a path nor by the text of an error: what is not the server's own is indented or escaped."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(Formatter())
    log = logging.getLogger("adapters.rest.problems")
    log.addHandler(handler)
    try:
        try:
            raise ValueError(FORGED)
        except ValueError as error:
            bug("", f"GET {FORGED!r}", error)
            log.warning("the issuer says %s", FORGED)
    finally:
        log.removeHandler(handler)
    first, *rest = written.getvalue().splitlines()
    *traceback, last = rest
    assert "ERROR adapters.rest.problems: GET 'x\\\\n2026-01-01" in first or "GET 'x\\n2026-01-01" in first
    assert all(line.startswith("    ") for line in traceback)
    assert last.endswith(r"the issuer says x\n2026-01-01 00:00:00,000 ERROR montane: all is lost")
    assert sum(line.startswith("20") for line in written.getvalue().splitlines()) == 2
