"""Ports of time."""

from datetime import datetime
from typing import Annotated, Protocol

from msgspec import Meta

type Time = Annotated[datetime, Meta(tz=True)]
"""A time, UTC."""


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the time, UTC."""
