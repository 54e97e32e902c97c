"""How the log is written: a line an entry, whatever it tells of.

Paths, names and messages of errors come from outside. With a line break in one of them a client could write
lines that look like the server's own, with other characters it could write over them in a terminal.
"""

import logging
from types import TracebackType
from typing import override

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
INDENT = "    "
"""How the lines of a traceback begin, and nothing else."""

type ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Formatter(logging.Formatter):
    """Writes entries whose texts break no line."""

    def __init__(self) -> None:
        """Take the form of an entry."""
        super().__init__(FORMAT)

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = printable(record.message)
        return super().formatMessage(record)

    @override
    def formatException(self, ei: ExceptionInfo) -> str:
        return _indented(super().formatException(ei))

    @override
    def formatStack(self, stack_info: str) -> str:
        return _indented(super().formatStack(stack_info))


def printable(text: str) -> str:
    """Return a text in which all that is no character of a line is written as an escape."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def begin(level: str) -> None:
    """Write what the program logs to standard error, from this level on."""
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter())
    logging.basicConfig(level=level, handlers=[handler])


def _indented(text: str) -> str:
    return "\n".join(INDENT + printable(line) for line in text.split("\n"))
