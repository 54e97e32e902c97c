"""What it takes for a match to be set aside, wherever it is stored."""

import logging
from collections.abc import Iterable

from adapters.event_store.mapper import Unreadable
from services.shared.ids import MatchId

log = logging.getLogger(__name__)


def why(error: Exception) -> str:
    """Return why an event cannot be taken in, for anyone who operates the service."""
    return str(error) if isinstance(error, Unreadable) else f"it makes no sense in the match: {error!r}"


def tell(match: MatchId, version: int, why: str) -> None:
    """Say in the log that a match is set aside."""
    log.error("%s is set aside: version %d: %s", match, version, why)


def gap(versions: Iterable[int], after: int) -> int | None:
    """Return the first version that is missing among some that follow a version, rising; None if none is."""
    for expected, version in enumerate(versions, after + 1):
        if version != expected:
            return expected
    return None
