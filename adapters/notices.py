"""What is logged once, however often it happens."""

import logging
from time import monotonic

QUIET = 60.0
"""Seconds without it, after which something that happens again is logged again."""


class Notice:
    """A line of the log that many events in a row share."""

    def __init__(self, log: logging.Logger) -> None:
        """Take the log."""
        self._log = log
        self._last = -QUIET

    def warn(self, message: str, *details: object) -> None:
        """Log that it happened, unless it happened a short while ago too."""
        now = monotonic()
        if now - self._last >= QUIET:
            self._log.warning(message, *details)
        self._last = now
